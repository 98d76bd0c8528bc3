// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// Reports if there is nothing to merge for two seconds, and why. The report is repeated only after a merge.
struct AbsenceReport {
    private static let patience = 2 * ClockTime.second
    private var since: ClockTime?
    private var isReported = false

    /// Returns true if the report is due in this frame.
    /// - Parameters:
    ///   - isMerged: true if this frame has a merged face.
    ///   - time: the `elapsed` time of the frame.
    mutating func isDue(isMerged: Bool, at time: ClockTime) -> Bool {
        guard !isMerged else {
            (since, isReported) = (nil, false)
            return false
        }
        guard let start = since, let passed = time.since(start) else {
            since = time
            return false
        }
        guard !isReported, passed >= Self.patience else { return false }
        isReported = true
        return true
    }

    mutating func discontinuity() { since = nil }

    /// Why there is nothing to merge.
    enum Reason: String {
        case tooFew = "too-few"
        case species, selection, turned
        case tooSmall = "too-small"
        case unclear
        case tooDark = "too-dark"
        case noFace = "no-face"
    }

    /// Returns the reason and its description.
    /// - Parameters:
    ///   - all: the faces of the frame, including possible faces.
    ///   - wanted: the faces of the requested species.
    ///   - isTurned: true if the selected faces are not merged because they are turned away.
    static func reason(
        all: [Detection], wanted: [Detection], isTurned: Bool, _ settings: FaceMerge.Settings, brightness: Double?,
        frame: PixelSize
    ) -> (reason: Reason, text: String) {
        let certain = all.filter { !$0.type.isPossible }
        let species = settings.species == .cat ? "cat" : settings.species == .human ? "human" : "human or cat"
        if wanted.isEmpty, !certain.isEmpty {
            return (.species, "the video shows no \(species) face. Change the property species")
        }
        let needsTwo = settings.layout == .swap || settings.layout == .pair
        if needsTwo, wanted.count == 1 {
            let layout = settings.layout == .swap ? "swap" : "pair"
            return (.tooFew, "layout=\(layout) needs two faces, but the video shows one")
        }
        if isTurned { return (.turned, "the face is turned too far to the side, up or down") }
        if !wanted.isEmpty { return (.selection, "the property face selects no face of the video") }
        if let brightness, brightness < 40 { return (.tooDark, "the video is too dark. Use more light") }
        if let possible = all.max(by: { $0.box.height < $1.box.height }) {
            let isSmall = possible.box.height < max(32, min(frame.width, frame.height) / 12)
            return isSmall
                ? (.tooSmall, "a possible face is too small. Go nearer to the camera")
                : (.unclear, "a possible face is unclear. Use more light, and look at the camera")
        }
        return (
            .noFace,
            "no \(species) face detected. A face must be upright, lit well, and seen from the front"
        )
    }
}

extension FrameImage {
    /// Mean brightness of the frame, 0…255, from a grid of pixels; nil for an empty frame.
    var brightness: Double? {
        let packed = packed.map { ($0, $0.format) }
        let luma = channel(.luma)
        let (columns, rows) = (32, 24)
        guard width > 0, height > 0, packed != nil || luma != nil else { return nil }
        var sum = 0
        for row in 0..<rows {
            for column in 0..<columns {
                let (x, y) = (column * width / columns, row * height / rows)
                if let (image, format) = packed {
                    let pixel = image.row(y) + x * format.bytesPerPixel
                    sum += (Int(pixel[format.red]) + 2 * Int(pixel[format.green]) + Int(pixel[format.blue])) / 4
                } else if let luma {
                    sum += Int(luma.row(y)[x * luma.step])
                }
            }
        }
        return Double(sum) / Double(columns * rows)
    }
}
