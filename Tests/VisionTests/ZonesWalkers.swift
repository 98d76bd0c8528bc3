// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Foundation
import Imaging
import Scenes
@testable import Vision

/// The zones of the test with walkers, and the events that the exact ways of the walkers cause. The truth comes from
/// comparisons of coordinates, without the code of the zones.
struct WalkersTruth {
    static let (width, height) = (640, 360)
    static let gateX = 0.5
    static let gateY = (from: 0.42, to: 0.98)
    static let rowY = 0.72
    static let rowX = (from: 0.2, to: 0.8)
    static let room = (left: 0.2, right: 0.45, top: 0.6, bottom: 0.98)
    static let dwell = 3.0

    /// The row goes from left to right, so its right side is below. The gate goes down, so its right side is on the
    /// left of the screen.
    static let zones =
        "gate: \(gateX),\(gateY.from) -> \(gateX),\(gateY.to); row: \(rowX.from),\(rowY) -> \(rowX.to),\(rowY); "
        + "room: \(room.left),\(room.top) \(room.right),\(room.top) \(room.right),\(room.bottom) "
        + "\(room.left),\(room.bottom)"

    enum What: Hashable {
        case crossGate(Bool), crossRow(Bool), enter, leave, dwell
    }

    struct Happening {
        var walker: Int
        var what: What
        var time: Double
        /// False if the hysteresis may suppress the event: the walker is on one of the two sides only for a short time,
        /// or only near the border.
        var isFirm = true
    }

    private(set) var happenings: [Happening] = []

    /// A side of a border is firm if the walker is farther than `firmDistance` (in frame heights) from the border for
    /// `firmTime`. The values are the default hysteresis, and noise of 5 pixels or a gap of detections of 0.5 s.
    private static let firmDistance = 0.02 + 5.0 / 360
    private static let firmTime = 0.3 + 0.05
    private static let step = 0.005

    init(_ scene: Scene, seconds: Double, gap: Double = 0) {
        let aspect = Double(Self.width) / Double(Self.height)
        for (index, walker) in scene.walkers.enumerated() {
            let ways = (0...Int(seconds / Self.step)).map { step -> Point in
                let feet = walker.feet(at: Double(step) * Self.step)
                return Point(feet.x / Double(Self.width), feet.y / Double(Self.height))
            }
            for side in Self.sides(ways.map { (Self.gateX - $0.x) * aspect }, gap) {
                let y = ways[side.start].y
                guard side.start > 0, y > Self.gateY.from, y < Self.gateY.to else { continue }
                add(index, .crossGate(side.isPositive), side.start, side.isFirm)
            }
            for side in Self.sides(ways.map { $0.y - Self.rowY }, gap) {
                let x = ways[side.start].x
                guard side.start > 0, x > Self.rowX.from, x < Self.rowX.to else { continue }
                add(index, .crossRow(side.isPositive), side.start, side.isFirm)
            }
            for side in Self.sides(ways.map { Self.depth($0, aspect) }, gap) {
                if side.isPositive || side.start > 0 {
                    add(index, side.isPositive ? .enter : .leave, side.start, side.isFirm)
                }
                let stay = Double(side.end - side.start) * Self.step
                if side.isPositive, stay >= Self.dwell {
                    let isFirm = side.isFirm && stay > Self.dwell + 0.5 + gap
                    add(index, .dwell, side.start + Int(Self.dwell / Self.step), isFirm)
                }
            }
        }
    }

    private mutating func add(_ walker: Int, _ what: What, _ step: Int, _ isFirm: Bool) {
        happenings.append(Happening(walker: walker, what: what, time: Double(step) * Self.step, isFirm: isFirm))
    }

    /// Returns the distance between a point and the border of the room, in frame heights: positive inside.
    private static func depth(_ point: Point, _ aspect: Double) -> Double {
        let across = min(point.x - room.left, room.right - point.x) * aspect
        let down = min(point.y - room.top, room.bottom - point.y)
        if across >= 0, down >= 0 { return min(across, down) }
        let (x, y) = (min(across, 0), min(down, 0))
        return -(x * x + y * y).squareRoot()
    }

    private struct Side {
        var start: Int
        var end: Int
        var isPositive: Bool
        /// True if this side and the side before are firm.
        var isFirm = false
    }

    /// Returns the times between changes of the sign.
    private static func sides(_ distances: [Double], _ gap: Double) -> [Side] {
        var sides: [Side] = []
        var (start, clear, longest) = (0, 0, 0)
        var wasFirm = true
        for index in 0...distances.count {
            let ends = index == distances.count || (distances[index] >= 0) != (distances[start] >= 0)
            if ends {
                let isFirm = Double(longest) * step > firmTime + gap
                sides.append(
                    Side(start: start, end: index, isPositive: distances[start] >= 0, isFirm: isFirm && wasFirm))
                (wasFirm, start, clear, longest) = (isFirm, index, 0, 0)
            }
            guard index < distances.count else { break }
            clear = distances[index].magnitude > firmDistance ? clear + 1 : 0
            longest = max(longest, clear)
        }
        return sides
    }
}

/// Compares counted events with the truth.
struct WalkersScore {
    /// Events that must be counted, and the number of these events that are missing.
    var firm = 0
    var missed = 0
    /// Events that the hysteresis may suppress.
    var optional = 0
    /// Counted events that did not happen.
    var wrong = 0
    var dwellErrors: [Double] = []

    var accuracy: Double { 1 - Double(missed + wrong) / Double(max(1, firm)) }

    /// The fraction of dwell times with an error of at most 0.2 s.
    var dwellAccuracy: Double {
        Double(dwellErrors.count { $0 <= 0.2 }) / Double(max(1, dwellErrors.count))
    }

    var text: String {
        "\(firm) events, \(missed) missed, \(wrong) wrong, accuracy \(accuracy), \(optional) optional; dwell times within "
            + "0.2 s: \(dwellAccuracy) of \(dwellErrors.count)"
    }

    static func happenings(
        _ events: [ZoneEvent], at time: Double, walker: (Int32) -> Int?
    ) -> [WalkersTruth.Happening] {
        events.compactMap { event in
            guard let id = event.id, let walker = walker(id) else { return nil }
            let what: WalkersTruth.What
            switch (event.kind, event.zone) {
            case (.cross(let isForward), 0): what = .crossGate(isForward)
            case (.cross(let isForward), 1): what = .crossRow(isForward)
            case (.enter, _): what = .enter
            case (.leave, _): what = .leave
            case (.dwell, _): what = .dwell
            default: return nil
            }
            return WalkersTruth.Happening(walker: walker, what: what, time: time - event.delay)
        }
    }

    /// Matches each counted event with an event of the truth within two seconds. Events near the start and the end are
    /// ignored, because their reports may be missing.
    /// - Parameter seconds: the length of the test.
    mutating func add(
        _ counted: [WalkersTruth.Happening], _ truth: [WalkersTruth.Happening], seconds: Double,
        ignoresWalkers: Bool = false
    ) {
        func isCompared(_ event: WalkersTruth.Happening) -> Bool { event.time > 1 && event.time < seconds - 2 }
        var free = Set(truth.indices)
        for event in counted {
            let best = free.filter {
                truth[$0].what == event.what && (ignoresWalkers || truth[$0].walker == event.walker)
            }.min { (truth[$0].time - event.time).magnitude < (truth[$1].time - event.time).magnitude }
            if let best, (truth[best].time - event.time).magnitude <= 2 {
                free.remove(best)
                if event.what == .dwell, truth[best].isFirm {
                    dwellErrors.append((truth[best].time - event.time).magnitude)
                }
            } else if isCompared(event), !isMerged(event, truth) {
                wrong += 1
            }
        }
        firm += truth.count { isCompared($0) && $0.isFirm }
        optional += truth.count { isCompared($0) && !$0.isFirm }
        missed += free.count { isCompared(truth[$0]) && truth[$0].isFirm }
    }

    /// Returns true for the dwell event of several stays that the hysteresis may merge.
    private func isMerged(_ event: WalkersTruth.Happening, _ truth: [WalkersTruth.Happening]) -> Bool {
        event.what == .dwell
            && truth.contains {
                $0.walker == event.walker && !$0.isFirm && [.enter, .leave, .dwell].contains($0.what)
                    && $0.time > event.time - WalkersTruth.dwell - 1 && $0.time < event.time + 1
            }
    }
}

extension ZoneCounter {
    static func forWalkers() throws -> ZoneCounter {
        var rules = ZoneRules()
        rules.dwell = WalkersTruth.dwell
        var counter = ZoneCounter(rules: rules)
        counter.setZones(
            try ZoneList(WalkersTruth.zones), aspect: Double(WalkersTruth.width) / Double(WalkersTruth.height))
        return counter
    }
}

extension ZoneObject {
    /// The object of a box in a frame of the walkers' size.
    init(_ box: Rectangle, id: Int32, type: String) {
        let height = Double(WalkersTruth.height)
        self.init(
            id: id, type: type, label: type,
            anchor: Point(
                (Double(box.x) + Double(box.width) / 2) / height, Double(box.y + box.height) / height),
            size: Double(max(box.width, box.height)) / height)
    }
}
