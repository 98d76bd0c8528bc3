// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
package import KernelTypes

/// An image of any format to blend over a part of a YUV frame. It is a class, because each strip accesses it and copies
/// of `FrameImage` are slow.
package final class FrameLayer {
    let picture: FrameImage
    /// Position and size of the image in the visible part of the frame, in pixels.
    let destination: Rectangle
    let mode: BlendMode
    let opacity: Float
    let weights: Image?
    /// Offset of the alpha byte in a pixel of `image`; nil if alpha is not used.
    let alpha: Int?
    let image: Image?
    /// Makes pixels transparent by their colour; nil without a key.
    let key: Keyer?

    /// - Parameters:
    ///   - x: position of the image's left edge in the frame. `y` is the position of its top edge.
    ///   - opacity: clipped to 0…1; NaN counts as 0.
    ///   - weights: a GRAY8 image of the same size; if the sizes differ, the common part is blended.
    ///   - usesAlpha: true to use the image's alpha, if it has one.
    ///   - key: a keyer for the image's colorimetry; nil for no key.
    package init(
        _ picture: FrameImage, x: Int, y: Int, mode: BlendMode, opacity: Double, weights: Image? = nil,
        usesAlpha: Bool = true, key: Keyer? = nil
    ) {
        let used = weights.map { picture.cropped(to: $0.bounds) } ?? picture
        self.picture = used
        destination = Rectangle(x: x, y: y, width: used.width, height: used.height)
        // Do not use `min` and `max`, which propagate NaN.
        self.opacity = opacity > 0 ? (opacity < 1 ? Float(opacity) : 1) : 0
        self.weights = weights
        image = used.packed
        alpha = usesAlpha ? image?.format.alpha : nil
        self.key = key
        let isWeighted = weights != nil || alpha != nil || key != nil
        let isSound = weights?.format.isGray ?? true
        self.mode = isSound && self.opacity * 255 >= (isWeighted ? 0 : 0.5) && self.opacity > 0 ? mode : .none
    }

    /// The weight, if it is the same for all pixels; otherwise nil.
    var weight: UInt8? { weights == nil && alpha == nil && key == nil ? UInt8(opacity * 255 + 0.5) : nil }

    /// True if the layer replaces the pixels below.
    var isCopied: Bool { mode == .normal && weight == 255 }

    /// True if blending computes a weighted sum of the layer's sample and the sample below. The weights must be
    /// constant or come from a key.
    private var isLinear: Bool {
        (mode == .normal || mode == .average) && weights == nil && alpha == nil
    }

    /// Returns true if the layer can be blended directly in the samples of the frame. For this, the format, the
    /// colorimetry and the chroma grid must be the same.
    func isDirect(on frame: FrameImage) -> Bool {
        guard isLinear, let chroma = frame.format.planes.last, picture.format == frame.format,
            picture.colorimetry == frame.colorimetry, !picture.isInterlaced, !frame.isInterlaced
        else { return false }
        // 16-bit samples can only be copied.
        guard frame.format.shift == nil || isCopied else { return false }
        // Keys need luma and chroma in separate planes.
        guard key == nil || frame.format.planes.count > 1 else { return false }
        let visible = destination.intersection(frame.bounds)
        /// Returns true if the image and its visible part begin and end at the edges of chroma samples, along one
        /// dimension.
        func fits(_ side: Side, _ step: Int) -> Bool {
            (side.window + side.destination - side.source) % step == 0 && (side.window + side.start) % step == 0
                && ((side.window + side.start + side.length) % step == 0
                    || side.start + side.length == side.frameLength)
        }
        let across = Side(
            destination: destination.x, start: visible.x, length: visible.width, window: frame.window.x,
            source: picture.window.x,
            frameLength: frame.width)
        let down = Side(
            destination: destination.y, start: visible.y, length: visible.height, window: frame.window.y,
            source: picture.window.y,
            frameLength: frame.height)
        return fits(across, chroma.columns) && fits(down, chroma.rows)
    }

    /// Positions and lengths along one dimension of the frame, in pixels.
    private struct Side {
        var destination, start, length: Int
        /// `window`: start of the visible part in the planes of the frame. `source`: start of the visible part in the
        /// planes of the image.
        var window, source: Int
        var frameLength: Int
    }
}
