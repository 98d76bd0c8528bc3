// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import ElementKit
import Imaging
import KernelTypes

/// One input of `svmixer`.
final class MixPad: MixerPad {
    static let properties: [Property<LayerSettings>] =
        [
            .label,
            Property(
                "mode", \.mode,
                "Blend mode of the input over the inputs below (in formulas: f = input, b = image below)"),
            Property("opacity", \.opacity, in: 0...1, "Opacity of the input (0 = invisible)", flags: .animated),
            Property(
                "mask", \.mask,
                "Image file whose luma scales the opacity of the input (black = transparent, white = opaque)",
                text: .file(.image)),
            Property(
                "xpos", \.xpos, in: -longestSide...longestSide,
                "Left edge of the input in the output, in pixels", nick: "X position", flags: .animated),
            Property(
                "ypos", \.ypos, in: -longestSide...longestSide,
                "Top edge of the input in the output, in pixels", nick: "Y position", flags: .animated),
            Property(
                "width", \.width, in: 0...longestSide,
                "Width of the scaled input, in pixels (0 = original width, adapted to the output's pixel aspect ratio)",
                flags: .animated),
            Property(
                "height", \.height, in: 0...longestSide,
                "Height of the scaled input, in pixels (0 = original height)", flags: .animated),
            Property("fit", \.fit, "Scaling of the input to width and height"),
            .color("hud-color", \.hudColor, "Colour of the lines that mode=hud draws", nick: "HUD colour"),
        ] + Property.alignment(of: "input") + Property.keying(of: "input")

    /// The data that the streaming thread keeps for a pad.
    final class State: MixerPadState {
        /// The mask of the pad; nil before the first frame of the pad.
        var mask: WatchedPicture?
        /// True until the pad's initial mask is loaded.
        var awaitsMask = false
        /// The mask, scaled to the visible size of the input.
        var weights: Picture?
        /// The coloured edges of the input, for mode hud.
        var stencil: ScratchImage?
        /// Converts the input to BGRx for mode hud. Needed if the input is planar, or if the input is grey and the
        /// output is coloured.
        var colors: Colors?
        /// The colour at the border of the input, for the property `key-auto`.
        let border = BorderColor()
        let choke = MatteChoke()
    }

    /// Converts YUV and grey frames to BGRx.
    final class Colors {
        private let picture = OwnedImage(.bgrx)
        private let strip = YUVStrip()

        /// Returns the frame as BGRx. The result is valid until the next call.
        func image(of frame: FrameImage) -> Image {
            picture.resize(width: frame.width, height: frame.height)
            frame.copyColors(into: picture.image, with: strip)
            return picture.image
        }
    }

    private let host: PadHost<LayerSettings>

    init(host: PadHost<LayerSettings>) { self.host = host }

    var mask: Assigned<String> { host.settings.mask }

    var sizing: Sizing {
        let settings = host.settings
        return Sizing(width: settings.width, height: settings.height, fit: settings.fit)
    }

    /// The settings that determine the size of the scaled input.
    struct Sizing: Equatable {
        var width, height: Int32
        var fit: Fit
    }

    /// Returns the size of the rectangle that the input fills, in pixels with the aspect ratio `pixel`.
    func rectangle(for input: FrameShape, of pixel: PixelAspect) -> PixelSize {
        host.settings.size(orElse: input.size(in: pixel))
    }

    func size(for input: FrameShape, in output: FrameShape) -> PixelSize {
        host.settings.placement(of: input, in: output.pixel).full.size
    }

    func area(of input: FrameShape, in output: FrameShape, hasAlpha: Bool) -> InputArea? {
        let settings = host.settings
        guard settings.isVisible else { return nil }
        let placement = settings.placement(of: input, in: output.pixel)
        return InputArea(
            visible: placement.visible, full: placement.full,
            isOpaque: settings.mode == .normal && settings.opacity >= 1 && settings.mask.value == nil && !hasAlpha
                && settings.key.kind == .none)
    }
}

extension LayerSettings {
    /// Returns the rectangle of the whole scaled input (`full`), and the part of this rectangle that `fit` leaves
    /// visible (`visible`). Both rectangles are in pixels of the output, and are not clipped to the output.
    /// - Parameter pixel: the pixel aspect ratio of the output.
    func placement(of input: FrameShape, in pixel: PixelAspect) -> (full: Rectangle, visible: Rectangle) {
        let target = FrameShape(size(orElse: input.size(in: pixel)), pixel)
        let full = fit.fullBounds(input, in: target, at: alignment).moved(x: Int(xpos), y: Int(ypos))
        return (full, full.intersection(target.size.bounds.moved(x: Int(xpos), y: Int(ypos))))
    }
}

extension Rectangle {
    func moved(x: Int, y: Int) -> Rectangle {
        Rectangle(x: self.x + x, y: self.y + y, width: width, height: height)
    }
}
