// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
package import KernelTypes

/// An image of any format to blend over a part of a YUV frame. This is a class and not a struct, because the blender
/// accesses the layer for each strip of the frame, and copies of `FrameImage` are slow.
package final class FrameLayer {
    let picture: FrameImage
    /// Position and size of the image, in pixels of the visible part of the frame.
    let destination: Rectangle
    let mode: BlendMode
    let opacity: Float
    let weights: Image?
    /// Offset of the alpha byte in a pixel of `image`; nil if blending does not use alpha.
    let alpha: Int?
    let image: Image?
    /// Makes pixels transparent by their colour; nil without a key.
    let key: Keyer?

    /// - Parameters:
    ///   - x: position of the image's left edge in the frame. `y` is the position of its top edge.
    ///   - opacity: clipped to 0…1; NaN counts as 0.
    ///   - weights: a GRAY8 image of the same size; if the sizes differ, the common part is blended.
    ///   - usesAlpha: true to use the image's alpha, if the image has alpha.
    ///   - key: a keyer for the image's colorimetry; nil for no key.
    package init(
        _ picture: FrameImage, x: Int, y: Int, mode: BlendMode, opacity: Double, weights: Image? = nil,
        usesAlpha: Bool = true, key: Keyer? = nil
    ) {
        let used = weights.map { picture.cropped(to: $0.bounds) } ?? picture
        self.picture = used
        destination = Rectangle(x: x, y: y, width: used.width, height: used.height)
        // Do not use `min` and `max` here: they would return NaN for NaN.
        self.opacity = opacity > 0 ? (opacity < 1 ? Float(opacity) : 1) : 0
        self.weights = weights
        image = used.packed
        alpha = usesAlpha ? image?.format.alpha : nil
        self.key = key
        let isWeighted = weights != nil || alpha != nil || key != nil
        let isSound = weights?.format.isGray ?? true
        self.mode = isSound && self.opacity * 255 >= (isWeighted ? 0 : 0.5) && self.opacity > 0 ? mode : .none
    }

    /// The weight of all pixels, if it is the same for all pixels; otherwise nil.
    var weight: UInt8? { weights == nil && alpha == nil && key == nil ? UInt8(opacity * 255 + 0.5) : nil }

    /// True if the layer replaces the pixels below.
    var isCopied: Bool { mode == .normal && weight == 255 }

    /// True if each blended sample is a weighted sum of the layer's sample and the sample below, and the weights are
    /// constant or come from a key.
    private var isLinear: Bool {
        (mode == .normal || mode == .average) && weights == nil && alpha == nil
    }

    /// Returns true if the layer can be blended directly in the YUV samples of the frame. This requires that the layer
    /// and the frame have the same format, colorimetry and chroma grid.
    func isDirect(on frame: FrameImage) -> Bool {
        guard isLinear, let chroma = frame.format.planes.last, picture.format == frame.format,
            picture.colorimetry == frame.colorimetry, !picture.isInterlaced, !frame.isInterlaced
        else { return false }
        // Samples with 16 bits can be copied, but not blended.
        guard frame.format.shift == nil || isCopied else { return false }
        // A key needs a format with luma and chroma in separate planes.
        guard key == nil || frame.format.planes.count > 1 else { return false }
        let visible = destination.intersection(frame.bounds)
        /// Returns true if the chroma samples of the image and the frame coincide along one dimension, and the visible
        /// part of the image contains only whole chroma samples.
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

    /// Positions and lengths of a layer along one dimension of the frame, in pixels.
    private struct Side {
        var destination, start, length: Int
        /// `window`: first visible column or row in the planes of the frame. `source`: first visible column or row in
        /// the planes of the image.
        var window, source: Int
        var frameLength: Int
    }
}
