import ElementKit
import Pixels

extension Mixer {
    struct Settings: ElementSettings {
        var backgroundColor: UInt32 = 0xFF00_0000
    }

    static let properties: [Property<Settings>] = [
        .color(
            "background-color", \.backgroundColor, nick: "Background colour",
            blurb: "What is seen, and blended with, where no input lies below")
    ]
}

/// One input of `svmixer`.
final class MixPad: MixerPad {
    struct Settings: ElementSettings {
        var mode = BlendMode.normal
        var opacity = 1.0
        var mask: String?
        var xpos: Int32 = 0
        var ypos: Int32 = 0
        var width: Int32 = 0
        var height: Int32 = 0
        var hudColor: UInt32 = 0xFF80_FF00
    }

    static let properties: [Property<Settings>] = [
        .enumeration("mode", \.mode, nick: "Mode", blurb: "How the input (f) and what lies below (b) are blended"),
        .double("opacity", \.opacity, in: 0...1, nick: "Opacity", blurb: "Share of the blended result in the output"),
        .string(
            "mask", \.mask, nick: "Mask",
            blurb: "Picture file whose luma weighs the input: black keeps what lies below, white blends in full"),
        .int(
            "xpos", \.xpos, in: -Blend.longestSide...Blend.longestSide, nick: "X position",
            blurb: "Left edge of the input in the output, in pixels"),
        .int(
            "ypos", \.ypos, in: -Blend.longestSide...Blend.longestSide, nick: "Y position",
            blurb: "Top edge of the input in the output, in pixels"),
        .int(
            "width", \.width, in: 0...Blend.longestSide, nick: "Width",
            blurb: "Width to which the input is scaled, in pixels; 0: its own"),
        .int(
            "height", \.height, in: 0...Blend.longestSide, nick: "Height",
            blurb: "Height to which the input is scaled, in pixels; 0: its own"),
        .color("hud-color", \.hudColor, nick: "HUD colour", blurb: "Colour of the lines in mode hud"),
    ]

    private let host: PadHost<Settings>

    init(host: PadHost<Settings>) {
        self.host = host
    }

    var mask: String? { host.settings.mask }

    func size(for input: PixelSize) -> PixelSize {
        let settings = host.settings
        return PixelSize(
            width: settings.width > 0 ? Int(settings.width) : input.width,
            height: settings.height > 0 ? Int(settings.height) : input.height)
    }
}
