// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

extension Filter {
    static let colorEffects = [
        sepiaTone, monochrome, invert, posterize, solarize, threshold, falseColor, vignette, photoNoir, photoFade,
        photoChrome, photoInstant, cube,
    ]

    /// The sepia matrix of W3C Filter Effects Level 1. The intensity interpolates between the identity and this matrix.
    private static let sepiaTone = Filter(
        "sepia-tone", .colorEffect, "Makes the image brown, like an old photograph",
        number("intensity", in: 0...1, default: 1, "strength (0 = unchanged)")
    ) { intensity in
        let sepia = ColorMatrix(
            red: [0.393, 0.769, 0.189, 0], green: [0.349, 0.686, 0.168, 0], blue: [0.272, 0.534, 0.131, 0])
        return [.matrix(sepia.mixed(intensity))]
    }

    /// The Rec.601 luma times a colour. The intensity interpolates between the image and this result.
    private static let monochrome = Filter(
        "monochrome", .colorEffect, "Shows the image in shades of one colour",
        color("color", default: 0x9CC4FF, "lightest shade"),
        number("intensity", in: 0...1, default: 1, "strength (0 = unchanged)")
    ) { color, intensity in
        [.matrix(ColorMatrix.gradient(from: RealColor(0, 0, 0), to: color).mixed(intensity))]
    }

    /// 1 − v, where v is a channel. The intensity interpolates between v and this result.
    private static let invert = Filter(
        "invert", .colorEffect, "Shows the negative of the image",
        number("intensity", in: 0...1, default: 1, "strength (0 = unchanged)")
    ) { intensity in [.matrix(ColorMatrix.gains(-1, -1, -1, offset: 1).mixed(intensity))] }

    /// min(1, ⌊v · levels⌋ / (levels − 1)), where v is a channel, 0…1.
    private static let posterize = Filter(
        "posterize", .colorEffect, "Reduces each channel to a few levels",
        integer("levels", in: 2...64, default: 5, "levels per channel")
    ) { levels in
        let count = Double(levels)
        let stage = ColorStage(.posterize, count)
        return [.curve(Curve(stage: stage) { min(1, ($0 * count + 1 / 4096).rounded(.down) / (count - 1)) })]
    }

    /// 1 − v if v is above the threshold, else v. v is a channel. This is the Sabattier effect.
    private static let solarize = Filter(
        "solarize", .colorEffect, "Inverts bright tones",
        number("threshold", in: 0...1, default: 0.5, "level above which the filter inverts tones")
    ) { threshold in
        let stage = ColorStage(.solarize, 255 * threshold)
        return [.curve(Curve(stage: stage) { $0 > threshold ? 1 - $0 : $0 })]
    }

    /// White if the Rec.601 luma is at least the threshold, else black.
    private static let threshold = Filter(
        "threshold", .colorEffect, "Makes each pixel black or white",
        number("threshold", in: 0...1, default: 0.5, "level at which white starts")
    ) { threshold in [.color(ColorStage(.threshold, 255 * threshold))] }

    /// dark + (light − dark) · L, where L is the Rec.601 luma.
    private static let falseColor = Filter(
        "false-color", .colorEffect, "Maps brightness to a gradient between two colours",
        color("dark", default: 0x2B0A5C, "colour for black"),
        color("light", default: 0xFFD75E, "colour for white")
    ) { dark, light in [.matrix(.gradient(from: dark, to: light))] }

    /// v · (1 − intensity · t² (3 − 2t)), where v is a channel. t is 0 up to the distance radius · (1 − softness) from
    /// the centre, and rises to 1 at the distance `radius`. Distances are fractions of half of the frame's diagonal.
    private static let vignette = Filter(
        "vignette", .colorEffect, "Darkens the corners",
        number("intensity", in: 0...1, default: 0.8, "strength"),
        number(
            "radius", in: 0.05...2, default: 1,
            "distance from the centre at which the image is darkest (1 = half of the frame's diagonal)"),
        number("softness", in: 0...1, default: 0.7, "width of the transition, as a fraction of the radius"),
        center
    ) { intensity, radius, softness, center in
        let mask = FilterMask.radial(
            center: center, inner: radius * (1 - softness), outer: radius, isSmooth: true)
        return [.overlay(mask, Overlay(RealColor(0, 0, 0), opacity: intensity))]
    }

    /// Converts the image to luma, and applies an S-shaped curve through (¼, 0.14) and (¾, 0.86).
    private static let photoNoir = Filter(
        "photo-noir", .colorEffect, "Makes the image black and white, with high contrast"
    ) {
        let points = [Point(0, 0), Point(0.25, 0.14), Point(0.75, 0.86), Point(1, 1)]
        return [.matrix(.luma), .curve(Curve(Curve.through(points)))]
    }

    /// Reduces the saturation to 0.6, and the range of levels to 0.12…0.94 with a slightly warmer tint.
    private static let photoFade = Filter(
        "photo-fade", .colorEffect, "Makes colours pale, as in a faded photograph"
    ) {
        let faded = ColorMatrix(red: [0.82, 0, 0, 0.14], green: [0, 0.80, 0, 0.13], blue: [0, 0, 0.76, 0.12])
        return [.matrix(ColorMatrix.luma.mixed(0.4).then(faded))]
    }

    /// Increases the saturation to 1.35, and applies an S-shaped curve through (¼, 0.19) and (¾, 0.83).
    private static let photoChrome = Filter(
        "photo-chrome", .colorEffect, "Makes colours vivid, as in slide film"
    ) {
        let points = [Point(0, 0), Point(0.25, 0.19), Point(0.75, 0.83), Point(1, 1)]
        return [.matrix(ColorMatrix.luma.mixed(-0.35)), .curve(Curve(Curve.through(points)))]
    }

    /// Reduces the saturation to 0.85, and applies a curve to each channel: blue shadows, yellow highlights, no full
    /// black.
    private static let photoInstant = Filter(
        "photo-instant", .colorEffect, "Imitates the colours of an instant photograph"
    ) {
        let curves = Curve(
            red: Curve.through([Point(0, 0.05), Point(0.25, 0.22), Point(0.75, 0.84), Point(1, 1)]),
            green: Curve.through([Point(0, 0.05), Point(0.25, 0.25), Point(0.75, 0.80), Point(1, 0.97)]),
            blue: Curve.through([Point(0, 0.14), Point(0.25, 0.31), Point(0.75, 0.68), Point(1, 0.84)]))
        return [.matrix(ColorMatrix.luma.mixed(0.15)), .curve(curves)]
    }

    /// Applies the table of a .cube file, with tetrahedral interpolation between its lattice points (see `ColorCube`).
    /// If no file is set, the image does not change.
    private static let cube = Filter(
        "cube", .colorEffect, "Maps colours with the table of a .cube file",
        cubeFile("path", "path of the file")
    ) { cube in
        guard let cube else { return [] }
        return cube.isCurves ? [.curve(cube.curves)] : [.cube(cube)]
    }
}
