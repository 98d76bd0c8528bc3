import ElementKit
import Pixels

/// One input of `svmixer`, ready to be blended.
struct Layer {
    let input: MixerInput<MixPad>
    /// Where the input lies in the output.
    let place: Rectangle
    /// What is blended: the input, or its stencil in mode hud.
    private let image: Image
    private let weights: Picture?

    init(_ input: MixerInput<MixPad>, _ state: inout Mixer.State, _ host: Host<Mixer.Settings>) throws {
        self.input = input
        place = Rectangle(
            x: Int(input.settings.xpos), y: Int(input.settings.ypos), width: input.image.width,
            height: input.image.height)
        weights = try Self.weights(for: input, &state, host)
        image = input.settings.mode == .hud ? try Self.stencil(of: input, &state) : input.image
    }

    /// Whether nothing of what lies below shows. The lowest layer is the background itself and keeps its own alpha.
    func hides(_ frame: Rectangle, isLowest: Bool) -> Bool {
        input.settings.mode == .normal && input.settings.opacity >= 1 && weights == nil && (isLowest || !input.hasAlpha)
            && place.intersection(frame) == frame
    }

    /// Copies what `hides` the output as it is.
    /// - Parameters:
    ///   - part: the pixels of `band`, which has the output's width.
    func copy(to part: Image, band: Rectangle) {
        let source = image.cropped(
            to: Rectangle(x: -place.x, y: band.y - place.y, width: part.width, height: part.height))
        for y in 0..<min(part.height, source.height) {
            part.row(y).update(from: source.row(y), count: min(part.rowBytes, source.rowBytes))
        }
        if input.alphaIsPadding { makeOpaque(part) }
    }

    private func makeOpaque(_ part: Image) {
        guard let alpha = part.format.alpha else { return }
        for y in 0..<part.height {
            let row = part.row(y)
            for x in stride(from: alpha, to: part.rowBytes, by: part.format.bytesPerPixel) { row[x] = 255 }
        }
    }

    /// Blends onto the pixels of `band`, which has the output's width.
    func blend(onto part: Image, band: Rectangle, with blender: Blender) {
        let seen = place.intersection(Rectangle(x: 0, y: band.y, width: part.width, height: part.height))
        let background = part.cropped(
            to: Rectangle(x: seen.x, y: seen.y - band.y, width: seen.width, height: seen.height))
        let own = Rectangle(x: seen.x - place.x, y: seen.y - place.y, width: seen.width, height: seen.height)
        func blend(_ weights: Image?) {
            _ = blender.blend(
                image.cropped(to: own), onto: background, mode: input.settings.mode, opacity: input.settings.opacity,
                weights: weights?.cropped(to: own), useForegroundAlpha: input.hasAlpha)
        }
        if let weights { weights.withImage { blend($0) } } else { blend(nil) }
    }

    /// The pad's mask for the size that the input has now.
    private static func weights(
        for input: MixerInput<MixPad>, _ state: inout Mixer.State, _ host: Host<Mixer.Settings>
    ) throws -> Picture? {
        let pad = ObjectIdentifier(input.pad)
        guard input.settings.mask != nil || state.masks[pad]?.file.path != nil else { return nil }
        var mask = state.masks[pad] ?? Mixer.Mask(file: FollowedPicture())
        defer { state.masks[pad] = mask }
        let size = PixelSize(width: input.image.width, height: input.image.height)
        if mask.file.follow(input.settings.mask, host) != .none || mask.weights?.size != size {
            mask.weights = try mask.file.picture.map {
                try $0.luma(Rectangle(width: $0.size.width, height: $0.size.height), to: size)
            }
        }
        return mask.weights
    }

    /// The input's coloured edges. Its alpha is not used.
    private static func stencil(of input: MixerInput<MixPad>, _ state: inout Mixer.State) throws -> Image {
        let pad = ObjectIdentifier(input.pad)
        var scratch = state.stencils[pad] ?? ScratchImage(like: input.image)
        if !scratch.fits(input.image) { scratch = ScratchImage(like: input.image) }
        state.stencils[pad] = scratch
        try coloredStencil(of: input.image, into: scratch.image, color: input.settings.hudColor)
        return scratch.image
    }
}
