// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import ElementKit
import Imaging
import Vision
import KernelTypes

/// A foreground image for one stream. The image is scaled, cropped and converted once, and blended over every frame.
struct Foreground {
    /// The image in the pixel format of the stream. For YUV streams, the image has separate red, green and blue planes
    /// (`PlanarImage`). The alpha of the image is part of `weights`.
    private let picture: Picture
    private let size: PixelSize
    private let format: FrameFormat
    /// The blend weight of each pixel, as a GRAY8 image of the same size as `picture`. The weight is the product of the
    /// image's alpha, the keyer's matte and the mask. A missing factor counts as 1. Nil if all three factors are
    /// missing.
    private let weights: Picture?
    private let samples = ForegroundSamples()
    /// `x` and `y`: the position of the top left corner of `picture` in the frame, in pixels. `blend` adds the
    /// properties `xpos` and `ypos` later.
    let x: Int
    let y: Int

    /// The settings that determine a `Foreground`. If one of these settings changes, `Blend` makes a new `Foreground`.
    struct Configuration: Equatable {
        var picture: UInt64
        var mask: UInt64?
        var fit: Fit
        var alignment: Fit.Alignment
        /// The size and the pixel aspect ratio of the rectangle that the image fills.
        var target: FrameShape
        /// The colour of the edges in mode hud; nil in other modes.
        var hudColor: Color?
        /// The settings of the keyer; nil without keying.
        var key: KeySettings?

        init(_ picture: Picture, mask: Picture?, _ settings: Blend.Settings, frame: FrameShape) {
            self.picture = picture.id
            self.mask = mask?.id
            fit = settings.layer.fit
            // A stretched image fills the rectangle, so the alignment has no effect. With the default alignment, a
            // change of this property causes no new `Foreground`.
            alignment = fit == .stretch ? Fit.Alignment() : settings.layer.alignment
            target = FrameShape(settings.layer.size(orElse: frame.size), frame.pixel)
            hudColor = settings.layer.mode == .hud ? settings.layer.hudColor : nil
            key = hudColor == nil && settings.key.kind != .none ? settings.key : nil
        }
    }

    init(_ source: Picture, mask: Picture?, configuration: Configuration, stream: VideoFormat) throws {
        let (part, area) = configuration.fit.rectangles(
            source.shape, in: configuration.target, at: configuration.alignment)
        let size = area.size
        x = area.x
        y = area.y
        self.size = size
        format = stream.frameFormat
        // Keying needs colours. So on a grey stream, convert the image to grey only after the keying.
        let isColored = format.isYUV || (format.isGray && configuration.key != nil)
        guard let packed = isColored ? VideoFormat(.bgrx, size: stream.size) : stream else {
            throw Picture.outOfMemory(size)
        }
        let fitted = try source.converted(part, to: size, like: packed)
        var colors = try configuration.hudColor.map { try Self.stencil(of: fitted, color: $0) } ?? fitted
        var weights = try source.alpha(part, to: size)
        func multiplyWeights(by other: Picture) {
            weights?.withImage { weights in other.withImage { multiply(weights: $0, by: weights) } }
            weights = other
        }
        if let key = configuration.key, let keyed = try Self.keyed(fitted, key) {
            colors = keyed.colors
            multiplyWeights(by: keyed.matte)
        }
        if format.isYUV {
            picture = try Self.planes(of: colors)
        } else {
            picture = isColored ? try colors.converted(size.bounds, to: size, like: stream) : colors
        }
        if let mask {
            // The mask always covers the whole foreground: with `fit=cover`, the mask is cropped; with other values,
            // the mask is stretched.
            let fit = configuration.fit == .contain ? Fit.stretch : configuration.fit
            let shape = FrameShape(size, configuration.target.pixel)
            let part = fit.rectangles(mask.shape, in: shape, at: configuration.alignment).source
            multiplyWeights(by: try mask.luma(part, to: size))
        }
        self.weights = weights
    }

    /// Returns the image without spill of the key colour, and the matte of the keyer (GRAY8). Returns nil if keying is
    /// off.
    private static func keyed(_ picture: Picture, _ settings: KeySettings) throws -> (colors: Picture, matte: Picture)?
    {
        let keyer = picture.withImage { settings.keyer(for: FrameImage($0), BorderColor()) } ?? nil
        guard let keyer else { return nil }
        let colors = picture.withImage { Picture(copying: $0, format: picture.format) } ?? nil
        let matte = Picture(.gray8, size: picture.size) { matte in
            colors?.withImage { Blender().key($0, by: keyer, matte: matte) }
            MatteChoke().shrink(matte, by: settings.choke)
        }
        guard let colors, let matte else { throw Picture.outOfMemory(picture.size) }
        return (colors, matte)
    }

    /// Returns the coloured edges of an image, for mode hud.
    private static func stencil(of picture: Picture, color: Color) throws -> Picture {
        var failure: VisionError?
        let result = Picture(picture.pixelFormat, size: picture.size, like: picture.format) { output in
            picture.withImage { image in
                do throws(VisionError) {
                    try coloredStencil(of: image, into: output, color: color)
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw failure }
        guard let result else { throw Picture.outOfMemory(picture.size) }
        return result
    }

    /// Returns the red, green and blue planes of an image, stacked in a GRAY8 image of three times the height.
    private static func planes(of picture: Picture) throws -> Picture {
        let stacked = Picture(.gray8, size: PixelSize(width: picture.size.width, height: 3 * picture.size.height)) {
            output in
            picture.withImage { PlanarImage(stacked: output).copyColors(from: $0) }
        }
        guard let stacked else { throw Picture.outOfMemory(picture.size) }
        return stacked
    }

    /// Returns true if the foreground can be blended over a stream: both formats are YUV, or both formats are equal.
    func fits(_ stream: VideoFormat) -> Bool { format.isYUV ? stream.frameFormat.isYUV : format == stream.frameFormat }

    /// Blends the foreground over a frame.
    /// - Returns: false if the foreground lies outside the frame.
    func blend(onto frame: FrameImage, _ layer: LayerSettings, with blender: Blender) -> Bool {
        let (left, top) = (x + Int(layer.xpos), y + Int(layer.ypos))
        let area = Rectangle(x: left, y: top, width: size.width, height: size.height)
        guard !frame.bounds.intersection(area).isEmpty else { return false }
        picture.withImage { image in
            func blend(_ weights: Image?) {
                guard let packed = frame.packed else {
                    return blender.blend(
                        PlanarImage(stacked: image), onto: frame, x: left, y: top, mode: layer.mode,
                        opacity: layer.opacity, weights: weights, samples: samples)
                }
                // Crops the frame and the foreground to their common area.
                let background = packed.cropped(to: area)
                let visible = Rectangle(
                    x: max(0, -left), y: max(0, -top), width: background.width, height: background.height)
                blender.blend(
                    image.cropped(to: visible), onto: background, mode: layer.mode, opacity: layer.opacity,
                    weights: weights?.cropped(to: visible), useForegroundAlpha: false)
            }
            if let weights { weights.withImage { blend($0) } } else { blend(nil) }
        }
        return true
    }
}
