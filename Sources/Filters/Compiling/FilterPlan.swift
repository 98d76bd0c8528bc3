// SPDX-License-Identifier: LGPL-2.1-or-later
/// A chain of filters, compiled for one frame size and format.
struct FilterPlan {
    var passes: [any FilterPass] = []
    /// Number of intermediate images.
    var surfaces = 0
    /// Number of reduced images. This is the largest number of times that a pass halves the image size.
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
    /// The result of a blur, at half the width and height. Passes only read this image.
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
    /// A text for users: the action of the pass, and the names of the filters that the pass executes.
    var description: String { get }

    func run(on frame: FrameRun)
}
