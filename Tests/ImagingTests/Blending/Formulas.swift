// SPDX-License-Identifier: LGPL-2.1-or-later
import KernelTypes

// The formulas of the blend modes in Double, as in their sources. Tests compare the kernels with them.

typealias RGB = (red: Double, green: Double, blue: Double)

extension BlendMode {
    /// B(b, f) of a separable mode. b is the background and f is the foreground, both in 0…1. The result is not
    /// clipped.
    var formula: (Double, Double) -> Double {
        switch self {
        case .average: { b, f in (b + f) / 2 }
        case .multiply: { b, f in b * f }
        case .screen, .hud: screened
        case .normal: { _, f in f }
        case .darken: { b, f in min(b, f) }
        case .lighten: { b, f in max(b, f) }
        case .colorDodge: dodged
        case .colorBurn: burnt
        case .hardLight: hardLit
        case .softLight: softLit
        case .overlay: { b, f in hardLit(f, b) }
        case .difference: { b, f in abs(b - f) }
        case .exclusion: { b, f in b + f - 2 * b * f }
        case .add: { b, f in b + f }
        case .subtract: { b, f in b - f }
        case .divide: { b, f in f == 0 ? (b == 0 ? 0 : 1) : b / f }
        case .grainExtract: { b, f in b - f + 128 / 255 }
        case .grainMerge: { b, f in b + f - 128 / 255 }
        case .linearBurn: { b, f in b + f - 1 }
        case .linearLight: { b, f in b + 2 * f - 1 }
        case .vividLight: { b, f in f <= 0.5 ? burnt(b, 2 * f) : dodged(b, 2 * f - 1) }
        case .pinLight: { b, f in f <= 0.5 ? min(b, 2 * f) : max(b, 2 * f - 1) }
        case .hardMix: { b, f in (255 * b + 255 * f).rounded() >= 255 ? 1 : 0 }
        case .negation: { b, f in 1 - abs(1 - b - f) }
        case .reflect: reflected
        case .glow: { b, f in reflected(f, b) }
        default: { b, _ in b }
        }
    }

    /// B(b, f) of a non-separable mode. b is the background and f is the foreground.
    var colorFormula: (RGB, RGB) -> RGB {
        switch self {
        case .hue: { b, f in setLum(setSat(f, sat(b)), lum(b)) }
        case .saturation: { b, f in setLum(setSat(b, sat(f)), lum(b)) }
        case .color: { b, f in setLum(f, lum(b)) }
        case .luminosity: { b, f in setLum(b, lum(f)) }
        case .value: withValue
        case .darkerColor: { b, f in luma(f) < luma(b) ? f : b }
        case .lighterColor: { b, f in luma(f) > luma(b) ? f : b }
        default: { b, _ in b }
        }
    }
}

private func screened(_ b: Double, _ f: Double) -> Double { 1 - (1 - b) * (1 - f) }

private func dodged(_ b: Double, _ f: Double) -> Double { b == 0 ? 0 : f == 1 ? 1 : min(1, b / (1 - f)) }

private func burnt(_ b: Double, _ f: Double) -> Double { b == 1 ? 1 : f == 0 ? 0 : 1 - min(1, (1 - b) / f) }

private func hardLit(_ b: Double, _ f: Double) -> Double { f <= 0.5 ? b * 2 * f : screened(b, 2 * f - 1) }

private func softLit(_ b: Double, _ f: Double) -> Double {
    let d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()
    return f <= 0.5 ? b - (1 - 2 * f) * b * (1 - b) : b + (2 * f - 1) * (d - b)
}

private func reflected(_ b: Double, _ f: Double) -> Double { f == 1 ? 1 : min(1, b * b / (1 - f)) }

private func lum(_ c: RGB) -> Double { 0.3 * c.red + 0.59 * c.green + 0.11 * c.blue }

/// Returns the Rec. 601 luma times 1000 as an integer, so that equal values compare as equal.
private func luma(_ c: RGB) -> Double {
    (299 * (255 * c.red).rounded() + 587 * (255 * c.green).rounded() + 114 * (255 * c.blue).rounded())
}

private func minimum(_ c: RGB) -> Double { min(c.red, c.green, c.blue) }

private func maximum(_ c: RGB) -> Double { max(c.red, c.green, c.blue) }

private func sat(_ c: RGB) -> Double { maximum(c) - minimum(c) }

private func map(_ c: RGB, _ change: (Double) -> Double) -> RGB { (change(c.red), change(c.green), change(c.blue)) }

private func clipColor(_ c: RGB) -> RGB {
    let l = lum(c)
    let n = minimum(c)
    let x = maximum(c)
    var result = c
    if n < 0 { result = map(result) { l + ($0 - l) * l / (l - n) } }
    if x > 1 { result = map(result) { l + ($0 - l) * (1 - l) / (x - l) } }
    return result
}

private func setLum(_ c: RGB, _ l: Double) -> RGB {
    let d = l - lum(c)
    return clipColor(map(c) { $0 + d })
}

private func setSat(_ c: RGB, _ s: Double) -> RGB {
    let low = minimum(c)
    let span = maximum(c) - low
    return map(c) { span > 0 ? ($0 - low) * s / span : 0 }
}

private func withValue(_ b: RGB, _ f: RGB) -> RGB {
    let old = maximum(b)
    let new = maximum(f)
    return map(b) { old > 0 ? $0 * new / old : new }
}
