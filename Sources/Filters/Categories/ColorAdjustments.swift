// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

extension Filter {
    static let colorAdjustments = [
        exposure, gamma, brightnessContrast, saturation, vibrance, hue, temperatureTint, whitePoint, toneCurve, levels,
        colorMatrix,
    ]

    /// v · 2^ev, where v is a channel, 0…1.
    private static let exposure = Filter(
        "exposure", .colorAdjustment, "Changes the exposure, as a camera does",
        number("ev", in: -5...5, default: 0.5, unit: "stops", "change of the exposure (1 = twice the light)")
    ) { ev in
        let gain = power(2, ev)
        return [.matrix(.gains(gain, gain, gain))]
    }

    /// v^(1 / gamma), where v is a channel, 0…1.
    private static let gamma = Filter(
        "gamma", .colorAdjustment, "Brightens or darkens the midtones",
        number("gamma", in: 0.1...10, default: 1.5, "gamma (above 1 = brighter midtones)")
    ) { gamma in
        let exponent = 1 / gamma
        return [.curve(Curve { power($0, exponent) })]
    }

    /// (v − ½) · contrast + ½ + brightness, where v is a channel, 0…1.
    private static let brightnessContrast = Filter(
        "brightness-contrast", .colorAdjustment, "Changes brightness and contrast",
        number("brightness", in: -1...1, default: 0, "value added to each channel"),
        number("contrast", in: 0...4, default: 1.2, "contrast (1 = unchanged)")
    ) { brightness, contrast in
        return [.matrix(.gains(contrast, contrast, contrast, offset: 0.5 - contrast / 2 + brightness))]
    }

    /// L + (v − L) · saturation, where v is a channel and L is the Rec.601 luma.
    private static let saturation = Filter(
        "saturation", .colorAdjustment, "Changes the saturation",
        number("saturation", in: 0...4, default: 1.5, "saturation (0 = grey, 1 = unchanged)")
    ) { saturation in
        // If the saturation is above 1, the weight of the luma is negative, so the difference between colour and luma
        // grows.
        [.matrix(ColorMatrix.luma.mixed(1 - saturation))]
    }

    /// L + (v − L) · (1 + amount · (1 − saturation)), where v is a channel and L is the Rec.601 luma. The saturation is
    /// the largest channel minus the smallest channel. So pale colours change more than saturated colours.
    private static let vibrance = Filter(
        "vibrance", .colorAdjustment, "Increases the saturation of pale colours",
        number("amount", in: -1...2, default: 0.8, "strength (0 = unchanged)")
    ) { amount in [.color(ColorStage(.vibrance, amount))] }

    /// Rotates colours about the grey axis, without a change of luma. The matrix is hueRotate of W3C Filter Effects
    /// Level 1, but with the weights of Rec.601.
    private static let hue = Filter(
        "hue", .colorAdjustment, "Rotates all hues on the colour circle",
        number("angle", in: -180...180, default: 90, unit: "degrees", "rotation on the colour circle")
    ) { angle in
        let (s, c) = sineAndCosine(degrees: angle)
        let (r, g, b) = (0.299, 0.587, 0.114)
        // These coefficients of the row `green` cancel the luma change that the rows `red` and `blue` cause.
        let (fromRed, fromGreen, fromBlue) = ((r * r + b * (1 - r)) / g, r - b, -(r * (1 - b) + b * b) / g)
        let turned = ColorMatrix(
            red: [r + c * (1 - r) - s * r, g - c * g - s * g, b - c * b + s * (1 - b), 0],
            green: [r - c * r + s * fromRed, g + c * (1 - g) + s * fromGreen, b - c * b + s * fromBlue, 0],
            blue: [r - c * r - s * (1 - r), g - c * g + s * g, b + c * (1 - b) + s * b, 0])
        return [.matrix(turned)]
    }

    /// Multiplies each channel by a gain: (a / b)^(1 / 2.2). a is the channel in the colour of a black body at
    /// `temperature`. b is the channel in the colour of a black body at 6500 K. a and b are in linear light (Planckian
    /// locus after Kim, Kim, Kim, Kang: Design of advanced color temperature control system for HDTV, 2002). The gain
    /// of green is then multiplied by 1 − tint / 4. Finally, the gains are normalised so that the luma of grey does not
    /// change.
    private static let temperatureTint = Filter(
        "temperature-tint", .colorAdjustment, "Changes the colour temperature",
        number(
            "temperature", in: 2000...15000, default: 5000, unit: "K",
            "colour temperature (low = warm, 6500 = unchanged)"),
        number("tint", in: -1...1, default: 0, "tint (above 0 = magenta, below 0 = green)")
    ) { temperature, tint in
        let light = planckianWhite(temperature)
        let usual = planckianWhite(6500)
        let gain = { (value: Double, usual: Double) in power(max(0, value / usual), 1 / 2.2) }
        let red = gain(light.red, usual.red)
        let green = gain(light.green, usual.green) * (1 - tint / 4)
        let blue = gain(light.blue, usual.blue)
        let luma = 0.299 * red + 0.587 * green + 0.114 * blue
        return [.matrix(.gains(red / luma, green / luma, blue / luma))]
    }

    /// Divides each channel by the same channel of `color`, so that `color` becomes white. The divisor is at least
    /// 1/255.
    private static let whitePoint = Filter(
        "white-point", .colorAdjustment, "Makes one colour white and shifts all other colours",
        color("color", default: 0xFFE8C8, "colour that becomes white")
    ) { white in
        func gain(_ value: Double) -> Double { 1 / max(value, 1 / 255) }
        return [.matrix(.gains(gain(white.red), gain(white.green), gain(white.blue)))]
    }

    /// Applies a monotone cubic curve through the outputs for five input levels (see `Curve.through`).
    private static let toneCurve = Filter(
        "tone-curve", .colorAdjustment, "Changes tones by a curve",
        number("black", in: 0...1, default: 0, "output for the input 0"),
        number("shadows", in: 0...1, default: 0.18, "output for the input 1/4"),
        number("middle", in: 0...1, default: 0.5, "output for the input 1/2"),
        number("lights", in: 0...1, default: 0.82, "output for the input 3/4"),
        number("white", in: 0...1, default: 1, "output for the input 1")
    ) { black, shadows, middle, lights, white in
        let tones = [black, shadows, middle, lights, white].enumerated()
        return [.curve(Curve(Curve.through(tones.map { Point(Double($0) / 4, $1) })))]
    }

    /// out-black + (out-white − out-black) · clip((v − black) / (white − black))^(1 / gamma). v is a channel, and clip
    /// limits to 0…1.
    private static let levels = Filter(
        "levels", .colorAdjustment, "Sets black, white and midtones",
        number("black", in: 0...0.99, default: 0.1, "level that becomes black"),
        number("white", in: 0.01...1, default: 0.9, "level that becomes white"),
        number("gamma", in: 0.1...10, default: 1, "gamma (above 1 = brighter midtones)"),
        number("out-black", in: 0...1, default: 0, "output for black"),
        number("out-white", in: 0...1, default: 1, "output for white")
    ) { black, white, gamma, low, high in
        let scale = 1 / max(white - black, 1e-3)
        let span = high - low
        let exponent = 1 / gamma
        // Without a power function, the curve must still limit levels to 0…1, as `clip` in the formula of the filter.
        let curve = exponent == 1 ? Curve(stage: ColorStage(.limit)) { $0 } : Curve { power($0, exponent) }
        return [
            .matrix(.gains(scale, scale, scale, offset: -black * scale)), .curve(curve),
            .matrix(.gains(span, span, span, offset: low)),
        ]
    }

    private static let colorMatrix = Filter(
        "color-matrix", .colorAdjustment, "Computes each channel from all three channels", row("red"), row("green"),
        row("blue")
    ) { red, green, blue in [.matrix(ColorMatrix(red: red, green: green, blue: blue))] }
}

extension Filter {
    /// Returns the parameters of one row of a colour matrix.
    private static func row(_ to: String) -> TypedParameter<SIMD4<Double>> {
        func share(_ from: String) -> TypedParameter<Double> {
            number("\(to)-\(from)", in: -4...4, default: to == from ? 1 : 0, "weight of \(from) in \(to)")
        }
        return TypedParameter(
            share("red"), share("green"), share("blue"),
            number("\(to)-offset", in: -1...1, default: 0, "value added to \(to)")
        ) { SIMD4($0, $1, $2, $3) }
    }
}

/// Returns the colour of a black body at `temperature` (in kelvins), in linear light with the luminance 1.
private func planckianWhite(_ temperature: Double) -> RealColor {
    let t = 1000 / max(1667, min(25000, temperature))
    let x =
        temperature < 4000
        ? -0.2661239 * t * t * t - 0.2343589 * t * t + 0.8776956 * t + 0.179910
        : -3.0258469 * t * t * t + 2.1070379 * t * t + 0.2226347 * t + 0.240390
    let y =
        temperature < 2222
        ? -1.1063814 * x * x * x - 1.34811020 * x * x + 2.18555832 * x - 0.20219683
        : temperature < 4000
            ? -0.9549476 * x * x * x - 1.37418593 * x * x + 2.09137015 * x - 0.16748867
            : 3.0817580 * x * x * x - 5.87338670 * x * x + 3.75112997 * x - 0.37001483
    let (bigX, bigZ) = (x / y, (1 - x - y) / y)
    return RealColor(
        3.2404542 * bigX - 1.5371385 - 0.4985314 * bigZ, -0.9692660 * bigX + 1.8760108 + 0.0415560 * bigZ,
        0.0556434 * bigX - 0.2040259 + 1.0572252 * bigZ)
}
