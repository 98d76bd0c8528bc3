// SPDX-License-Identifier: LGPL-2.1-or-later
/// The passes over each frame: a chain compiled for one size and format.
struct FilterPlan {
    var passes: [any FilterPass] = []
    /// Number of pictures needed besides the frame.
    var surfaces = 0
    /// Greatest number of times that a picture is halved.
    var levels = 0
    /// True if alpha moves with the pixels, because pixels move.
    var movesAlpha = false

    /// A line for each pass: its action, and the filters that it comes from.
    var description: String {
        guard !passes.isEmpty else { return "no pass" }
        let lines = passes.enumerated().map { index, pass in "\(index + 1): \(pass.description)" }
        return "\(passes.count == 1 ? "1 pass" : "\(passes.count) passes")\n" + lines.joined(separator: "\n")
    }
}

/// The place where a pass finds its picture, or leaves it.
enum FilterLocation: Hashable {
    case frame
    /// A picture of our own, with four bytes for a pixel or with four 16-bit samples.
    case surface(Int, sixteenBit: Bool)
    /// The result of a blur at half the size; only to be loaded.
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
    /// Its action, and the filters that it comes from.
    var description: String { get }

    func run(on frame: FrameRun)
}
