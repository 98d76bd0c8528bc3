// SPDX-License-Identifier: LGPL-2.1-or-later
package import KernelTypes

extension BlendMode {
    /// The name users give.
    package var nick: String { description.nick }

    /// One line for users: the formula, of background b and foreground f in 0…1.
    package var blurb: String { description.blurb }

    /// True if each channel is blended on its own.
    package var isSeparable: Bool { onGray == self }

    /// The mode of this nick, if there is one.
    package init?(nick: String) {
        guard let mode = Self.allCases.first(where: { $0.nick == nick }) else { return nil }
        self = mode
    }

    /// The separable mode that does the same on pictures of one channel: there, all colours are grey, with no hue and
    /// no saturation to take.
    var onGray: BlendMode {
        switch self {
        case .hue, .saturation, .color: .none
        case .luminosity, .value: .normal
        case .darkerColor: .darken
        case .lighterColor: .lighten
        case .none, .average, .multiply, .screen, .hud, .normal, .darken, .lighten, .colorDodge, .colorBurn, .hardLight,
            .softLight, .overlay, .difference, .exclusion, .add, .subtract, .divide, .grainExtract, .grainMerge,
            .linearBurn, .linearLight, .vividLight, .pinLight, .hardMix, .negation, .reflect, .glow:
            self
        }
    }

    private var description: (nick: String, blurb: String) {
        switch self {
        case .none: ("none", "b (background only)")
        case .average: ("average", "(b + f) / 2")
        case .multiply: ("multiply", "b f")
        case .screen: ("screen", "1 - (1 - b) (1 - f)")
        case .hud: ("hud", "screen(b, edges of f in hud-color)")
        case .normal: ("normal", "f (foreground only)")
        case .darken: ("darken", "min(b, f)")
        case .lighten: ("lighten", "max(b, f)")
        case .colorDodge: ("color-dodge", "b / (1 - f)")
        case .colorBurn: ("color-burn", "1 - (1 - b) / f")
        case .hardLight: ("hard-light", "multiply(b, 2f) where f <= 1/2, else screen(b, 2f - 1)")
        case .softLight: ("soft-light", "b, slightly darker where f < 1/2, and slightly lighter where f > 1/2 (W3C)")
        case .overlay: ("overlay", "multiply(f, 2b) where b <= 1/2, else screen(f, 2b - 1)")
        case .difference: ("difference", "|b - f|")
        case .exclusion: ("exclusion", "b + f - 2 b f")
        case .hue: ("hue", "hue of f, saturation and luminosity of b (W3C)")
        case .saturation: ("saturation", "saturation of f, hue and luminosity of b (W3C)")
        case .color: ("color", "hue and saturation of f, luminosity of b (W3C)")
        case .luminosity: ("luminosity", "luminosity of f, hue and saturation of b (W3C)")
        case .add: ("add", "b + f")
        case .subtract: ("subtract", "b - f")
        case .divide: ("divide", "b / f")
        case .grainExtract: ("grain-extract", "b - f + 128/255")
        case .grainMerge: ("grain-merge", "b + f - 128/255")
        case .value: ("value", "value (V of HSV) of f, hue and saturation of b")
        case .linearBurn: ("linear-burn", "b + f - 1")
        case .linearLight: ("linear-light", "b + 2f - 1")
        case .vividLight: ("vivid-light", "color-burn(b, 2f) where f <= 1/2, else color-dodge(b, 2f - 1)")
        case .pinLight: ("pin-light", "min(b, 2f) where f <= 1/2, else max(b, 2f - 1)")
        case .hardMix: ("hard-mix", "1 where b + f >= 1, else 0")
        case .darkerColor: ("darker-color", "pixel of b or f with the smaller luma")
        case .lighterColor: ("lighter-color", "pixel of b or f with the larger luma")
        case .negation: ("negation", "1 - |1 - b - f|")
        case .reflect: ("reflect", "b^2 / (1 - f)")
        case .glow: ("glow", "f^2 / (1 - b)")
        }
    }
}
