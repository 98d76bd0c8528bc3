// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A decision of the blob detector about a region of a frame.
package struct Decision: Sendable, Hashable {
    package enum Outcome: String, Sendable, CaseIterable {
        case foregroundLimit = "foreground limit"
        case merged = "merged over gaps"
        case tooSmall = "too small"
        case tooLarge = "too large"
        case tooMany = "too many"
        case faint = "too faint"
        case groundPattern = "pattern of the background"
        case insideAnother = "inside another box"
        case separated = "separated"

        case noShadow = "not a cast shadow"
        case shadowProof = "evidence for the light in shadows"
        case shadowLight = "light in shadows"
        case castShadow = "cast shadow, removed"
        case noDetachedShadow = "not a detached shadow"
        case detachedShadow = "detached shadow, removed"
        case shadowRest = "rest of a shadow"

        case closerViewUsed = "replaced by a closer view"
        case closerViewEmpty = "nothing in the closer view"
        case closerViewUnclear = "closer view unclear"
        case kept = "kept"
    }

    /// The image in which the detector measured the region.
    package enum View: String, Sendable, CaseIterable {
        case reduced, closer, frame
    }

    package let view: View
    package let outcome: Outcome
    /// The region of the decision, in the full frame. `box`: bounding box in pixels. `area`: area in square pixels.
    package let box: Box
    package let area: Double
    /// The check that caused the decision; nil if no limit was involved.
    package let check: Check?
    /// For decisions about shadows: the logarithm of (light in the presumed shadow / light on the background).
    /// Otherwise nil.
    package let level: Double?
}

extension Decision: CustomStringConvertible {
    /// A line such as `reduced  120,80 64x40  area 1893  too small: min-size 18 < 21`.
    package var description: String {
        let box = Rectangle(box)
        var line = "\(view.rawValue)  \(box.x),\(box.y) \(box.width)x\(box.height)  "
        line += "area \(Int(exactly: area.rounded()) ?? 0)  \(outcome.rawValue)"
        if let check { line += ": \(check)" }
        if let level { line += " (level \((level * 100).rounded() / 100))" }
        return line
    }
}

/// The decisions of the blob detector in one search, in the order in which it made them.
package final class DecisionRecord {
    package private(set) var decisions: [Decision] = []
    private var known: Set<Decision> = []

    package init() {}

    /// Adds a decision, unless the record already contains an equal decision. A search may apply the same rule to a
    /// region several times.
    func add(_ decision: Decision) {
        if known.insert(decision).inserted { decisions.append(decision) }
    }
}

/// Adds the decisions about a view (the reduced frame, or a part of the frame in higher resolution) to a record.
/// Converts the regions of the decisions to pixels of the frame.
struct DecisionRecorder {
    private let record: DecisionRecord
    private let view: Decision.View
    /// `origin`: position of the view's first pixel in the frame. `pixel`: size of a pixel of the view. Both are in
    /// pixels of the frame.
    private let origin: Point
    private let pixel: Point

    init?(_ record: DecisionRecord?, _ view: Decision.View, origin: Point = Point(0, 0), pixel: Point = Point(1, 1)) {
        guard let record else { return nil }
        (self.record, self.view, self.origin, self.pixel) = (record, view, origin, pixel)
    }

    /// Returns a recorder for a part of the view at reduced resolution. Each pixel of the part represents `step`
    /// columns and rows of the view.
    func part(_ box: Rectangle, step: Int) -> DecisionRecorder? {
        DecisionRecorder(
            record, view, origin: Point(origin.x + Double(box.x) * pixel.x, origin.y + Double(box.y) * pixel.y),
            pixel: pixel * Double(step))
    }

    func add(
        _ outcome: Decision.Outcome, _ box: Rectangle, area: Double, _ check: Check? = nil, level: Float? = nil
    ) {
        record.add(
            Decision(
                view: view, outcome: outcome,
                box: Box(
                    x: origin.x + Double(box.x) * pixel.x, y: origin.y + Double(box.y) * pixel.y,
                    width: Double(box.width) * pixel.x, height: Double(box.height) * pixel.y),
                area: area * pixel.x * pixel.y, check: check, level: level.map(Double.init)))
    }

    /// Adds a decision about the region that a mask covers.
    func add(_ outcome: Decision.Outcome, _ mask: Matrix<UInt8>, _ check: Check? = nil, level: Float? = nil) {
        add(outcome, mask.extent, area: Double(mask.count), check, level: level)
    }
}

extension DecisionRecorder? {
    /// Returns true if a region meets a check. Otherwise, records `outcome`, and returns false.
    func allows(
        _ check: Check, _ box: Rectangle, area: @autoclosure () -> Int, else outcome: Decision.Outcome
    ) -> Bool {
        let isMet = check.isMet
        if !isMet { self?.add(outcome, box, area: Double(area()), check) }
        return isMet
    }

    /// Returns true if a presumed shadow meets a check. Otherwise, records `outcome`, and returns false.
    /// - Parameters:
    ///   - mask: the pixels of the presumed shadow.
    ///   - light: the light in the presumed shadow.
    func allows(
        _ check: Check, _ mask: @autoclosure () -> Matrix<UInt8>, _ light: ShadowLevel,
        else outcome: Decision.Outcome = .noShadow
    ) -> Bool {
        let isMet = check.isMet
        if !isMet, let self { self.add(outcome, mask(), check, level: light.level) }
        return isMet
    }
}

extension Matrix<UInt8> {
    /// The smallest rectangle that contains all masked pixels. If no pixel is masked, the bounds of the mask.
    fileprivate var extent: Rectangle {
        var (left, right, top, bottom) = (width, -1, height, -1)
        for y in 0..<height {
            let row = row(y)
            for x in 0..<width where row[x] != 0 {
                (left, right) = (min(left, x), max(right, x))
                (top, bottom) = (min(top, y), max(bottom, y))
            }
        }
        guard right >= left else { return bounds }
        return Rectangle(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }
}
