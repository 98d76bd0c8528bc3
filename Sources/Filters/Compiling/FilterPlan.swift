// SPDX-License-Identifier: LGPL-2.1-or-later
/// A chain compiled for one frame size and format: the passes over each frame.
struct FilterPlan {
    var passes: [any FilterPass] = []
    /// Number of intermediate images.
    var surfaces = 0
    /// Maximum number of times that an image is halved.
    var levels = 0
    /// True if the format has alpha and a filter moves pixels. Then the passes move the alpha of the pixels, too.
    var movesAlpha = false

    /// One line of text for each pass: its action, and the names of its filters.
    var description: String {
        guard !passes.isEmpty else { return "no pass" }
        let lines = passes.enumerated().map { index, pass in "\(index + 1): \(pass.description)" }
        return "\(passes.count == 1 ? "1 pass" : "\(passes.count) passes")\n" + lines.joined(separator: "\n")
    }
}

/// The image that a pass reads or writes.
enum FilterLocation: Hashable {
    case frame
    /// An intermediate image, with four-byte pixels or with four 16-bit samples per pixel.
    case surface(Int, sixteenBit: Bool)
    /// The result of a blur at half the size; read-only.
    case half

    var surface: Int? {
        guard case .surface(let number, _) = self else { return nil }
        return number
    }

    var isSixteenBit: Bool {
        guard case .surface(_, let sixteenBit) = self else { return false }
        return sixteenBit
    }
}

/// One pass over all pixels.
protocol FilterPass {
    /// The action of the pass, and the names of its filters.
    var description: String { get }

    func run(on frame: FrameRun)
}
