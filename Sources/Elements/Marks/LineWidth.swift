import Pixels

extension FrameImage {
    /// Pixels of a line that is well seen and hides little: about a 240th of the frame's shorter side, at least one.
    var usualLineWidth: Int { max(1, (min(width, height) + 120) / 240) }
}
