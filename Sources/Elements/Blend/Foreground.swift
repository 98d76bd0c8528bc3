// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import ElementKit
import Imaging
import Vision
import KernelTypes

/// A foreground prepared for one stream: scaled, cropped and converted once, blended into every frame.
struct Foreground {
    /// The picture in the stream's pixel format, or, for YUV, with its colours apart (`PlanarImage`); its own alpha, if
    /// it has one, is in `weights`.
    private let picture: Picture
    private let size: PixelSize
    private let format: FrameFormat
    /// Alpha times matte times mask: GRAY8, the size of the picture. Nil if all are absent.
    private let weights: Picture?
    private let samples = ForegroundSamples()
    /// The place in the frame of the top left corner of `picture`, with xpos and ypos 0.
    let x: Int
    let y: Int

    /// The settings that a `Foreground` follows from; a new one is made when one of these changes.
    struct Configuration: Equatable {
        var picture: UInt64
        var mask: UInt64?
        var fit: Fit
        /// The rectangle that the picture fills.
        var target: FrameShape
        /// The colour of the stencil; set in mode hud.
        var hudColor: Color?
        /// What is keyed, if anything is.
        var key: KeySettings?

        init(_ picture: Picture, mask: Picture?, _ settings: Blend.Settings, frame: FrameShape) {
            self.picture = picture.id
            self.mask = mask?.id
            fit = settings.layer.fit
            target = FrameShape(settings.layer.size(orElse: frame.size), frame.pixel)
            hudColor = settings.layer.mode == .hud ? settings.layer.hudColor : nil
            key = hudColor == nil && settings.key.kind != .none ? settings.key : nil
        }
    }

    init(_ source: Picture, mask: Picture?, configuration: Configuration, stream: VideoFormat) throws {
        let (part, place) = configuration.fit.place(source.shape, in: configuration.target)
        let size = place.size
        x = place.x
        y = place.y
        self.size = size
        format = stream.frameFormat
        // What is keyed for a grey stream has colours until then.
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
            // A mask whose shape differs from the foreground's is stretched over the foreground.
            let fit = configuration.fit == .contain ? Fit.stretch : configuration.fit
            let shape = FrameShape(size, configuration.target.pixel)
            multiplyWeights(by: try mask.luma(fit.place(mask.shape, in: shape).source, to: size))
        }
        self.weights = weights
    }

    /// Returns a picture without spill, and its matte; nil if nothing is keyed.
    private static func keyed(_ picture: Picture, _ settings: KeySettings) throws -> (colors: Picture, matte: Picture)?
    {
        let keyer = picture.withImage { settings.keyer(for: FrameImage($0), BorderColor()) } ?? nil
        guard let keyer else { return nil }
        let colors = picture.withImage { Picture(copying: $0, format: picture.format) } ?? nil
        let matte = Picture(.gray8, size: picture.size) { matte in
            colors?.withImage { Blender().key($0, by: keyer, matte: matte) }
        }
        guard let colors, let matte else { throw Picture.outOfMemory(picture.size) }
        return (colors, matte)
    }

    /// The coloured edges of a picture (mode hud).
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

    /// The colours of a picture, apart.
    private static func planes(of picture: Picture) throws -> Picture {
        let stacked = Picture(.gray8, size: PixelSize(width: picture.size.width, height: 3 * picture.size.height)) {
            output in
            picture.withImage { PlanarImage(stacked: output).copyColors(from: $0) }
        }
        guard let stacked else { throw Picture.outOfMemory(picture.size) }
        return stacked
    }

    /// Returns whether it can be blended over frames of this stream.
    func fits(_ stream: VideoFormat) -> Bool { format.isYUV ? stream.frameFormat.isYUV : format == stream.frameFormat }

    /// - Returns: true if any of it lies in the frame.
    func blend(onto frame: FrameImage, _ layer: LayerSettings, with blender: Blender) -> Bool {
        let (left, top) = (x + Int(layer.xpos), y + Int(layer.ypos))
        let place = Rectangle(x: left, y: top, width: size.width, height: size.height)
        guard !frame.bounds.intersection(place).isEmpty else { return false }
        picture.withImage { image in
            func blend(_ weights: Image?) {
                guard let packed = frame.packed else {
                    return blender.blend(
                        PlanarImage(stacked: image), onto: frame, x: left, y: top, mode: layer.mode,
                        opacity: layer.opacity, weights: weights, samples: samples)
                }
                // The part of the foreground that lies in the frame.
                let background = packed.cropped(to: place)
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
