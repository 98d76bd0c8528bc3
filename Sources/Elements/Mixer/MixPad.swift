import ElementKit
import Pixels
import KernelTypes

/// One input of `svmixer`.
final class MixPad: MixerPad {
    struct Settings: ElementSettings {
        var mode = BlendMode.normal
        var opacity = 1.0
        var mask = FilePath()
        var xpos: Int32 = 0
        var ypos: Int32 = 0
        var width: Int32 = 0
        var height: Int32 = 0
        var hudColor: UInt32 = 0xFF80_FF00
    }

    static let properties: [Property<Settings>] = [
        .enumeration("mode", \.mode, nick: "Mode", blurb: "How the input (f) and what lies below (b) are blended"),
        .double("opacity", \.opacity, in: 0...1, nick: "Opacity", blurb: "Share of the blended result in the output"),
        .file(
            "mask", \.mask, nick: "Mask",
            blurb: "Picture file whose luma weighs the input: black keeps what lies below, white blends in full"),
        .int(
            "xpos", \.xpos, in: -longestSide...longestSide, nick: "X position",
            blurb: "Left edge of the input in the output, in pixels"),
        .int(
            "ypos", \.ypos, in: -longestSide...longestSide, nick: "Y position",
            blurb: "Top edge of the input in the output, in pixels"),
        .int(
            "width", \.width, in: 0...longestSide, nick: "Width",
            blurb: "Width to which the input is scaled, in pixels; 0: its own"),
        .int(
            "height", \.height, in: 0...longestSide, nick: "Height",
            blurb: "Height to which the input is scaled, in pixels; 0: its own"),
        .color("hud-color", \.hudColor, nick: "HUD colour", blurb: "Colour of the lines in mode hud"),
    ]

    /// The data that the streaming thread keeps for a pad.
    final class State: MixerPadState {
        /// The mask of the pad; nil until its first frame.
        var mask: FollowedPicture?
        /// True while the mask that the pad was created with is still being read.
        var awaitsMask = false
        /// The mask in the current size of the input.
        var weights: Picture?
        /// The stencil for mode hud.
        var stencil: ScratchImage?
    }

    private let host: PadHost<Settings>

    init(host: PadHost<Settings>) {
        self.host = host
    }

    var mask: FilePath { host.settings.mask }

    func size(for input: PixelSize) -> PixelSize {
        let settings = host.settings
        return PixelSize(
            width: settings.width > 0 ? Int(settings.width) : input.width,
            height: settings.height > 0 ? Int(settings.height) : input.height)
    }

    func sight(of input: PixelSize, hasAlpha: Bool) -> InputSight? {
        let settings = host.settings
        guard settings.mode != .none, settings.opacity > 0 else { return nil }
        let size = size(for: input)
        return InputSight(
            place: Rectangle(
                x: Int(settings.xpos), y: Int(settings.ypos), width: size.width, height: size.height),
            isOpaque: settings.mode == .normal && settings.opacity >= 1 && settings.mask.text == nil && !hasAlpha)
    }
}
