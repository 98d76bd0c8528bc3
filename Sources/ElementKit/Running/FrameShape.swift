// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// The size of an image in pixels, and the shape in which its pixels are shown.
package struct FrameShape: Hashable, Sendable {
    package var size: PixelSize
    package var pixel: PixelAspect

    package static let zero = FrameShape(.zero)

    package init(_ size: PixelSize, _ pixel: PixelAspect = .square) { (self.size, self.pixel) = (size, pixel) }

    /// Returns the size in which other pixels show the image in its shape, with as many rows.
    package func size(in other: PixelAspect) -> PixelSize {
        guard pixel != other else { return size }
        return PixelSize(width: stretched(size.width, by: pixel.ratio / other.ratio), height: size.height)
    }

    /// The size in which square pixels show the image in its shape, with at least as many columns and rows; its own size if
    /// that would be more than 100 megapixels.
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
