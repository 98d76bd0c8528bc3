import Imaging

extension FrameImage {
    /// Width in pixels of a clearly visible line that hides little: a 240th of the frame's shorter side, at least 1.
    var usualLineWidth: Int { max(1, (min(width, height) + 120) / 240) }
}
