// SPDX-License-Identifier: LGPL-2.1-or-later
/// A chain of filters, compiled for one frame size and format.
struct FilterPlan {
    var passes: [any FilterPass] = []
    /// Number of intermediate images.
    var surfaces = 0
    /// Maximum number of reduced images that a pass needs. Each of them has half the width and height of the previous
    /// image.
    var levels = 0
    /// True if the format has alpha and a filter moves pixels. If true, the passes also move the alpha of the pixels.
    var movesAlpha = false

    /// The number of passes, and one line for each pass.
    var description: String {
        guard !passes.isEmpty else { return "no pass" }
        let lines = passes.enumerated().map { index, pass in "\(index + 1): \(pass.description)" }
        return "\(passes.count == 1 ? "1 pass" : "\(passes.count) passes")\n" + lines.joined(separator: "\n")
    }
}

/// The image that a pass reads or writes.
enum FilterLocation: Hashable {
    case frame
    /// An intermediate image with the given index. A pixel has four bytes, or four 16-bit samples.
    case surface(Int, sixteenBit: Bool)
    /// The result of a `ReducedPass`, with half the width and height of the frame. Other passes only read this image.
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

/// One pass over all pixels of a frame.
protocol FilterPass {
    /// A description of the pass for users: what it does, and the names of its filters.
    var description: String { get }

    func run(on frame: FrameRun)
}
