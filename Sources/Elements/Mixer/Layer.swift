// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import ElementKit
import Imaging
import KernelTypes

/// One input of `svmixer`, ready to be blended.
struct Layer {
    let input: MixerInput<MixPad>
    /// The place where the input is seen in the output, which may lie outside it.
    let place: Rectangle
    /// The place of the whole input, of which `place` is a part.
    let whole: Rectangle
    /// The pixels to blend: the input, or its stencil in mode hud.
    private let pixels: FrameImage
    private let weights: Picture?
    private let key: Keyer?

    /// Whether alpha in `pixels` counts: a stencil's means nothing.
    private var usesAlpha: Bool { input.hasAlpha && input.settings.mode != .hud }

    /// Returns nil until the input's mask is loaded: what a mask hides must not be seen before.
    init?(_ input: MixerInput<MixPad>, over output: FrameImage, _ host: Host<Mixer.Settings>) throws {
        self.input = input
        let wanted = input.settings.place(of: input.visibleShape, in: output.pixelAspect)
        // The settings may be newer than the image.
        whole = Rectangle(
            x: wanted.whole.x, y: wanted.whole.y, width: input.pixels.width, height: input.pixels.height)
        place = whole.size == wanted.whole.size ? wanted.seen : whole
        guard try Self.followMask(of: input, size: place.size, host) else { return nil }
        weights = input.state.weights
        let isStencil = input.settings.mode == .hud
        let shown = isStencil ? try FrameImage(Self.stencil(of: input, over: output.format)) : input.pixels
        pixels = shown.cropped(to: place.moved(x: -whole.x, y: -whole.y))
        key = isStencil ? nil : input.settings.key.keyer(for: input.pixels, input.state.border)
    }

    /// Returns whether nothing below shows. The lowest layer is the background itself and keeps its own alpha.
    func hides(_ frame: Rectangle, isLowest: Bool) -> Bool {
        input.settings.mode == .normal && input.settings.opacity >= 1 && weights == nil && key == nil
            && (isLowest || !input.hasAlpha) && place.intersection(frame) == frame
    }

    /// Copies an input for which `hides` is true, as it is.
    /// - Parameters:
    ///   - part: the pixels of `band`, which has the output's width.
    func copy(to part: Image, band: Rectangle) {
        let seen = Rectangle(x: -place.x, y: band.y - place.y, width: part.width, height: part.height)
        guard let source = pixels.cropped(to: seen).packed else { return }
        part.copy(from: source)
        if input.alphaIsPadding { part.makeOpaque() }
    }

    /// Blends onto the pixels of `band`, which has the output's width.
    func blend(onto part: Image, band: Rectangle, with blender: Blender) {
        let seen = place.intersection(Rectangle(x: 0, y: band.y, width: part.width, height: part.height))
        let background = part.cropped(
            to: Rectangle(x: seen.x, y: seen.y - band.y, width: seen.width, height: seen.height))
        let own = Rectangle(x: seen.x - place.x, y: seen.y - place.y, width: seen.width, height: seen.height)
        guard let image = pixels.cropped(to: own).packed else { return }
        func blend(_ weights: Image?) {
            _ = blender.blend(
                image, onto: background, mode: input.settings.mode, opacity: input.settings.opacity,
                weights: weights?.cropped(to: own), useForegroundAlpha: usesAlpha, key: key)
        }
        if let weights { weights.withImage { blend($0) } } else { blend(nil) }
    }

    /// Calls `body` with layers as those of a YUV frame.
    /// - Parameter isCovering: whether `hides` is true for the first one, whose own alpha then does not count.
    static func overYUV(
        _ layers: ArraySlice<Layer>, isCovering: Bool, _ done: [FrameLayer] = [], _ body: ([FrameLayer]) -> Void
    ) {
        guard let layer = layers.first else { return body(done) }
        func next(_ weights: Image?) {
            let settings = layer.input.settings
            let new = FrameLayer(
                layer.pixels, x: layer.place.x, y: layer.place.y, mode: settings.mode, opacity: settings.opacity,
                weights: weights, usesAlpha: layer.usesAlpha && !isCovering, key: layer.key)
            overYUV(layers.dropFirst(), isCovering: false, done + [new], body)
        }
        if let weights = layer.weights { weights.withImage { next($0) } } else { next(nil) }
    }

    /// Updates the pad's weights to its mask and the size in which it is seen.
    /// - Returns: false while the mask that the pad was created with is not loaded.
    private static func followMask(
        of input: MixerInput<MixPad>, size: PixelSize, _ host: Host<Mixer.Settings>
    ) throws -> Bool {
        let state = input.state
        let isFirst = state.mask == nil
        var mask = try state.mask ?? WatchedPicture(Assigned())
        let changes = mask.changes
        mask.follow(input.settings.mask, host)
        if mask.changes != changes || (mask.picture != nil && state.weights?.size != size) {
            state.weights = try mask.picture.map {
                try $0.luma($0.size.bounds, to: size)
            }
        }
        state.mask = mask
        if isFirst { state.awaitsMask = true }
        if mask.picture != nil || input.settings.mask.value == nil { state.awaitsMask = false }
        return !state.awaitsMask
    }

    /// Returns the input's coloured edges, those of grey inputs over a grey output in grey. Its alpha is not used.
    private static func stencil(of input: MixerInput<MixPad>, over output: FrameFormat) throws -> Image {
        let image: Image
        if let packed = input.pixels.packed, output.isGray || !packed.format.isGray {
            image = packed
        } else {
            let colors = input.state.colors ?? MixPad.Colors()
            input.state.colors = colors
            image = colors.image(of: input.pixels)
        }
        var scratch = input.state.stencil ?? ScratchImage(like: image)
        if !scratch.fits(image) { scratch = ScratchImage(like: image) }
        input.state.stencil = scratch
        try coloredStencil(of: image, into: scratch.image, color: input.settings.hudColor)
        return scratch.image
    }
}
