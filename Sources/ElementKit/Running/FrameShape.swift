// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// The size of an image in pixels, and the aspect ratio of its pixels.
package struct FrameShape: Hashable, Sendable {
    package var size: PixelSize
    package var pixel: PixelAspect

    package static let zero = FrameShape(.zero)

    package init(_ size: PixelSize, _ pixel: PixelAspect = .square) { (self.size, self.pixel) = (size, pixel) }

    /// Returns the size of this image after a change of the pixel aspect ratio to `other`. The display aspect ratio and
    /// the number of rows stay the same.
    package func size(in other: PixelAspect) -> PixelSize {
        guard pixel != other else { return size }
        return PixelSize(width: stretched(size.width, by: pixel.ratio / other.ratio), height: size.height)
    }

    /// The size with square pixels and the same display aspect ratio. This size has at least as many columns and rows
    /// as `size`. If this size would exceed 100 megapixels, `squared` is equal to `size`.
    package var squared: PixelSize {
        let squared =
            pixel.ratio >= 1
            ? size(in: .square)
            : PixelSize(width: size.width, height: stretched(size.height, by: 1 / pixel.ratio))
        return squared.bounds.area <= 100_000_000 ? squared : size
    }

    private func stretched(_ length: Int, by factor: Double) -> Int {
        max(1, Int(exactly: (Double(length) * factor).rounded()) ?? 1)
    }
}

extension FrameImage {
    package var shape: FrameShape { FrameShape(size, pixelAspect) }
}

extension GstVideoInfo {
    var pixelAspect: PixelAspect { PixelAspect(par_n, par_d) }
    var shape: FrameShape { FrameShape(frameSize, pixelAspect) }
}
