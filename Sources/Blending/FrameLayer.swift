// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
package import KernelTypes

/// A picture of any format that is blended over a part of a YUV frame. It is a class since one is looked at for every strip,
/// and a frame is slow to copy.
package final class FrameLayer {
    let picture: FrameImage
    /// The place of the picture in the frame, in pixels of what is visible of that.
    let place: Rectangle
    let mode: BlendMode
    let opacity: Float
    let weights: Image?
    /// The picture's alpha, if it counts: its place in a pixel of `image`.
    let alpha: Int?
    let image: Image?
    /// Makes pixels transparent by their colour.
    let key: Keyer?

    /// - Parameters:
    ///   - x: place of the picture's left edge in the frame; `y` likewise of its top edge.
    ///   - opacity: clipped to 0…1; not a number counts as 0.
    ///   - weights: a GRAY8 picture, as large as the other; if sizes differ, the common part is blended.
    ///   - usesAlpha: whether the picture's alpha, if it has one, counts.
    ///   - key: made for the picture's colorimetry; nil to key nothing.
    package init(
        _ picture: FrameImage, x: Int, y: Int, mode: BlendMode, opacity: Double, weights: Image? = nil,
        usesAlpha: Bool = true, key: Keyer? = nil
    ) {
        let seen = weights.map { picture.cropped(to: $0.bounds) } ?? picture
        self.picture = seen
        place = Rectangle(x: x, y: y, width: seen.width, height: seen.height)
        // Not `min` and `max`, which let NaN through.
        self.opacity = opacity > 0 ? (opacity < 1 ? Float(opacity) : 1) : 0
        self.weights = weights
        image = seen.packed
        alpha = usesAlpha ? image?.format.alpha : nil
        self.key = key
        let isWeighted = weights != nil || alpha != nil || key != nil
        let isSound = weights?.format.isGray ?? true
        self.mode = isSound && self.opacity * 255 >= (isWeighted ? 0 : 0.5) && self.opacity > 0 ? mode : .none
    }

    /// The weight of all pixels, if they have the same.
    var weight: UInt8? { weights == nil && alpha == nil && key == nil ? UInt8(opacity * 255 + 0.5) : nil }

    /// True if the layer replaces what lies below it.
    var isCopied: Bool { mode == .normal && weight == 255 }

    /// True if blending makes of each sample a sum of the two samples, with shares that are the same everywhere, or follow
    /// from the samples.
    private var isLinear: Bool {
        (mode == .normal || mode == .average) && weights == nil && alpha == nil
    }

    /// Returns whether the layer can be blended sample by sample, since its samples and those of the frame mean the same
    /// and stand for the same pixels.
    func isDirect(on frame: FrameImage) -> Bool {
        guard isLinear, let chroma = frame.format.planes.last, picture.format == frame.format,
            picture.colorimetry == frame.colorimetry, !picture.isInterlaced, !frame.isInterlaced
        else { return false }
        // Words of 16 bits can be copied, no more.
        guard frame.format.shift == nil || isCopied else { return false }
        // Luma and chroma in turn would have to be taken apart.
        guard key == nil || frame.format.planes.count > 1 else { return false }
        let seen = place.intersection(frame.bounds)
        /// Whether a side of the picture, and of its visible part, begins and ends with samples of chroma.
        func fits(_ side: Side, _ step: Int) -> Bool {
            (side.window + side.place - side.own) % step == 0 && (side.window + side.start) % step == 0
                && ((side.window + side.start + side.length) % step == 0 || side.start + side.length == side.whole)
        }
        let across = Side(
            place: place.x, start: seen.x, length: seen.width, window: frame.window.x, own: picture.window.x,
            whole: frame.width)
        let down = Side(
            place: place.y, start: seen.y, length: seen.height, window: frame.window.y, own: picture.window.y,
            whole: frame.height)
        return fits(across, chroma.columns) && fits(down, chroma.rows)
    }

    /// Where a picture and its visible part lie along a side of the frame.
    private struct Side {
        var place, start, length: Int
        /// Where what is visible begins within the planes of the frame and of the picture.
        var window, own: Int
        /// The frame's length.
        var whole: Int
    }
}
