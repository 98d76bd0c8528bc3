// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import ElementKit
import Imaging
import KernelTypes

/// One input of `svmixer`, ready to be blended.
struct Layer {
    let input: MixerInput<MixPad>
    /// The visible part of the input, in pixels of the output. This rectangle may extend beyond the output.
    let visible: Rectangle
    /// The rectangle of the whole scaled input, in pixels of the output. `visible` is a part of this rectangle.
    let full: Rectangle
    /// The pixels to blend: the input itself, or the coloured edges of the input with mode hud.
    private let pixels: FrameImage
    private let weights: Picture?
    private let key: Keyer?
    /// The image by which the keyer's matte is multiplied to shrink (choke) the matte; includes `weights`. Nil if choke
    /// is 0 or keying is off. The image is valid until the next layer of the pad is created.
    private let choked: Image?

    /// True if the blender uses the alpha channel of `pixels`. The alpha channel of the coloured edges (mode hud) has
    /// no meaning.
    private var usesAlpha: Bool { input.hasAlpha && input.settings.mode != .hud }

    /// Returns nil until the mask of the input is loaded, so that the output never shows pixels that the mask hides.
    init?(_ input: MixerInput<MixPad>, over output: FrameImage, _ host: Host<Mixer.Settings>) throws {
        self.input = input
        let placement = input.settings.placement(of: input.visibleShape, in: output.pixelAspect)
        // The settings may have changed after the image was scaled, so use the size of the image.
        full = Rectangle(
            x: placement.full.x, y: placement.full.y, width: input.pixels.width, height: input.pixels.height)
        visible = full.size == placement.full.size ? placement.visible : full
        guard try Self.followMask(of: input, size: visible.size, host) else { return nil }
        weights = input.state.weights
        let isStencil = input.settings.mode == .hud
        let shown = isStencil ? try FrameImage(Self.stencil(of: input, over: output.format)) : input.pixels
        pixels = shown.cropped(to: visible.moved(x: -full.x, y: -full.y))
        let key = isStencil ? nil : input.settings.key.keyer(for: input.pixels, input.state.border)
        (self.key, choked) = (key, Self.choked(pixels, by: key, of: input))
    }

    private static func choked(_ pixels: FrameImage, by key: Keyer?, of input: MixerInput<MixPad>) -> Image? {
        guard let key else { return nil }
        let (choke, radius) = (input.state.choke, input.settings.key.choke)
        guard let mask = input.state.weights else { return choke.weights(of: pixels, by: key, radius: radius) }
        return mask.withImage { choke.weights(of: pixels, by: key, radius: radius, mask: $0) } ?? nil
    }

    /// Calls `body` with the blend weight of each pixel of the layer. Nil means full weight for all pixels.
    private func withWeights(_ body: (Image?) -> Void) {
        if let choked {
            body(choked)
        } else if let weights {
            weights.withImage { body($0) }
        } else {
            body(nil)
        }
    }

    /// Returns true if the layer covers the whole frame with opaque pixels, so that the layers below are invisible. The
    /// lowest layer may also have an alpha channel, because it then replaces the background.
    func hides(_ frame: Rectangle, isLowest: Bool) -> Bool {
        input.settings.mode == .normal && input.settings.opacity >= 1 && weights == nil && key == nil
            && (isLowest || !input.hasAlpha) && visible.intersection(frame) == frame
    }

    /// Copies the pixels of the input without blending. Call this function only if `hides` returns true.
    /// - Parameters:
    ///   - part: the output's pixels within `band`, as wide as the output.
    ///   - band: the rows to fill, as a rectangle of the output.
    func copy(to part: Image, band: Rectangle) {
        let area = Rectangle(x: -visible.x, y: band.y - visible.y, width: part.width, height: part.height)
        guard let source = pixels.cropped(to: area).packed else { return }
        part.copy(from: source)
        if input.alphaIsPadding { part.makeOpaque() }
    }

    /// Blends the layer onto `part`, which holds the output's pixels within `band` and is as wide as the output.
    func blend(onto part: Image, band: Rectangle, with blender: Blender) {
        let overlap = visible.intersection(Rectangle(x: 0, y: band.y, width: part.width, height: part.height))
        let background = part.cropped(
            to: Rectangle(x: overlap.x, y: overlap.y - band.y, width: overlap.width, height: overlap.height))
        let area = Rectangle(
            x: overlap.x - visible.x, y: overlap.y - visible.y, width: overlap.width, height: overlap.height)
        guard let image = pixels.cropped(to: area).packed else { return }
        func blend(_ weights: Image?) {
            _ = blender.blend(
                image, onto: background, mode: input.settings.mode, opacity: input.settings.opacity,
                weights: weights?.cropped(to: area), useForegroundAlpha: usesAlpha, key: key)
        }
        withWeights(blend)
    }

    /// Converts the layers to `FrameLayer`s for a YUV frame, and calls `body` with the result. The layers are valid
    /// only during the call.
    /// - Parameter isCovering: true if `hides` is true for the first layer. The blender then ignores the alpha channel
    ///   of the first layer.
    static func overYUV(
        _ layers: ArraySlice<Layer>, isCovering: Bool, _ done: [FrameLayer] = [], _ body: ([FrameLayer]) -> Void
    ) {
        guard let layer = layers.first else { return body(done) }
        func next(_ weights: Image?) {
            let settings = layer.input.settings
            let new = FrameLayer(
                layer.pixels, x: layer.visible.x, y: layer.visible.y, mode: settings.mode, opacity: settings.opacity,
                weights: weights, usesAlpha: layer.usesAlpha && !isCovering, key: layer.key)
            overYUV(layers.dropFirst(), isCovering: false, done + [new], body)
        }
        layer.withWeights(next)
    }

    /// Scales the mask of the pad to `size` (the visible size of the input), and stores the result in the state of the
    /// pad.
    /// - Returns: false until the pad's initial mask is loaded.
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

    /// Returns the edges of the input in the HUD colour. For a grey input over a grey output, the edges are grey. The
    /// alpha channel of the result has no meaning.
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
