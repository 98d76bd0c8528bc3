// SPDX-License-Identifier: LGPL-2.1-or-later
/// Modes that blend a foreground with a background, in the order in which users see the modes. The raw values are the
/// values of the property `mode` of elements. `run` in Kernels/Modes.swift contains the formula of each mode.
package enum BlendMode: Int32, CaseIterable, Sendable {
    case none, average, multiply, screen, hud, normal, darken, lighten
    case colorDodge, colorBurn, hardLight, softLight, overlay, difference, exclusion
    case hue, saturation, color, luminosity
    case add, subtract, divide, grainExtract, grainMerge, value
    case linearBurn, linearLight, vividLight, pinLight, hardMix, darkerColor, lighterColor, negation, reflect, glow

    /// The name of the mode in properties and documentation.
    package var nick: String { description.nick }

    /// The formula as text for users. In this text, b is the background and f is the foreground, 0…1.
    package var blurb: String { description.blurb }

    /// True if the mode blends each channel independently of the other channels.
    package var isSeparable: Bool { description.onGray == nil }

    /// The mode to use for images of one channel. For a non-separable mode, this is a separable mode with the same
    /// result, because grey images have no hue and no saturation.
    package var onGray: BlendMode { description.onGray ?? self }

    /// Creates the mode with this nick. Returns nil if no mode has this nick.
    package init?(nick: String) {
        guard let mode = Self.allCases.first(where: { $0.nick == nick }) else { return nil }
        self = mode
    }
}

private struct Description {
    let nick: String
    let blurb: String
    /// The separable mode for images of one channel. Nil if the mode itself is separable.
    let onGray: BlendMode?

    init(_ nick: String, _ blurb: String) { (self.nick, self.blurb, onGray) = (nick, blurb, nil) }

    // The parameter `onGray` is not optional. If it were optional, the argument `.none` would mean nil, and not the
    // blend mode `none`.
    init(_ nick: String, _ blurb: String, onGray: BlendMode) {
        (self.nick, self.blurb, self.onGray) = (nick, blurb, onGray)
    }
}

extension BlendMode {
    private var description: Description {
        switch self {
        case .none: Description("none", "b (background only)")
        case .average: Description("average", "(b + f) / 2")
        case .multiply: Description("multiply", "b f")
        case .screen: Description("screen", "1 - (1 - b) (1 - f)")
        case .hud: Description("hud", "screen(b, edges of f in hud-color)")
        case .normal: Description("normal", "f (foreground only)")
        case .darken: Description("darken", "min(b, f)")
        case .lighten: Description("lighten", "max(b, f)")
        case .colorDodge: Description("color-dodge", "b / (1 - f)")
        case .colorBurn: Description("color-burn", "1 - (1 - b) / f")
        case .hardLight: Description("hard-light", "multiply(b, 2f) where f <= 1/2, else screen(b, 2f - 1)")
        case .softLight:
            Description("soft-light", "b, slightly darker where f < 1/2, and slightly lighter where f > 1/2 (W3C)")
        case .overlay: Description("overlay", "multiply(f, 2b) where b <= 1/2, else screen(f, 2b - 1)")
        case .difference: Description("difference", "|b - f|")
        case .exclusion: Description("exclusion", "b + f - 2 b f")
        case .hue: Description("hue", "hue of f, saturation and luminosity of b (W3C)", onGray: .none)
        case .saturation: Description("saturation", "saturation of f, hue and luminosity of b (W3C)", onGray: .none)
        case .color: Description("color", "hue and saturation of f, luminosity of b (W3C)", onGray: .none)
        case .luminosity: Description("luminosity", "luminosity of f, hue and saturation of b (W3C)", onGray: .normal)
        case .add: Description("add", "b + f")
        case .subtract: Description("subtract", "b - f")
        case .divide: Description("divide", "b / f")
        case .grainExtract: Description("grain-extract", "b - f + 128/255")
        case .grainMerge: Description("grain-merge", "b + f - 128/255")
        case .value: Description("value", "value (V of HSV) of f, hue and saturation of b", onGray: .normal)
        case .linearBurn: Description("linear-burn", "b + f - 1")
        case .linearLight: Description("linear-light", "b + 2f - 1")
        case .vividLight: Description("vivid-light", "color-burn(b, 2f) where f <= 1/2, else color-dodge(b, 2f - 1)")
        case .pinLight: Description("pin-light", "min(b, 2f) where f <= 1/2, else max(b, 2f - 1)")
        case .hardMix: Description("hard-mix", "1 where b + f >= 1, else 0")
        case .darkerColor: Description("darker-color", "pixel of b or f with the smaller luma", onGray: .darken)
        case .lighterColor: Description("lighter-color", "pixel of b or f with the larger luma", onGray: .lighten)
        case .negation: Description("negation", "1 - |1 - b - f|")
        case .reflect: Description("reflect", "b^2 / (1 - f)")
        case .glow: Description("glow", "f^2 / (1 - b)")
        }
    }
}
