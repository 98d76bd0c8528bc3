// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

extension Filter {
    static let halftones = [dotScreen, lineScreen]
    static let tiles = [kaleidoscope, mirrorTile]
    static let overlays = [checkerboard, stripes, radialGradient]

    /// (L − s) · sharpness + ½, where L is the Rec.601 luma and s is the screen: s = ½ + ½ cos(2πu / d) cos(2πv / d),
    /// with d = size · √2. u and v are coordinates along two axes at 45° to the rows of dots.
    private static let dotScreen = Filter(
        "dot-screen", .halftone, "Draws the image with dots of black ink on white", screen(size: 8)
    ) {
        // The cosine waves of the screen are at 45° to the rows of dots.
        [$0.operation(length: $0.size * 2.0.squareRoot(), turn: 45, isCrossed: true)]
    }

    /// (L − s) · sharpness + ½, where L is the Rec.601 luma and s is the screen: s = ½ + ½ cos(2πv / size). v is the
    /// coordinate perpendicular to the lines.
    private static let lineScreen = Filter(
        "line-screen", .halftone, "Draws the image with lines of black ink on white", screen(size: 6)
    ) {
        [$0.operation(length: $0.size, turn: 90, isCrossed: false)]
    }

    /// Divides the plane around the centre into sectors with the angle π / `count`. All sectors show the same sector of
    /// the image, and every second sector is mirrored.
    private static let kaleidoscope = Filter(
        "kaleidoscope", .tile, "Repeats a mirrored sector around a centre",
        integer("count", in: 2...32, default: 6, "number of mirror lines through the centre"),
        number(
            "angle", in: -360...360, default: 0, unit: "degrees",
            "direction of the first mirror line (0 = right, 90 = down)"),
        center, edges(default: .mirror)
    ) { count, angle, center, edges in
        let start = angle * .pi / 180
        let sector = Double.pi / Double(max(1, count))
        return [
            .warp(
                // This warp does not change distances from the centre, and never increases the angle between two
                // positions. So it does not enlarge distances, as `WarpAreas.turned` requires.
                Warp(
                    edges: edges, areas: .turned,
                    formula: { kaleidoscopeFormula(count: count, angle: angle).centered(center, $0, $1) }
                ) { width, height in
                    let (x, y) = (center.x * width, center.y * height)
                    return { point in
                        let (dx, dy) = (point.x - x, point.y - y)
                        let angle = folded(arcTangent(dy, dx) - start, sector) + start
                        let (sine, cosine) = sineAndCosine(degrees: angle * 180 / .pi)
                        let distance = (dx * dx + dy * dy).squareRoot()
                        return Point(x + distance * cosine, y + distance * sine)
                    }
                })
        ]
    }

    /// Returns the formula for reflections that fold the plane into one sector. Angles are relative to the first mirror
    /// line. The first reflection, at this line, leaves angles of 0…180°. Each further reflection is at a line with an
    /// angle L of at least half of the remaining range, and leaves angles of 0…L.
    private static func kaleidoscopeFormula(count: Int, angle: Double) -> WarpFormula {
        var lines: [(sine: Double, cosine: Double)] = []
        let sector = 180 / Double(max(1, count))
        var line = sector
        while lines.count < 5 {
            lines.insert(sineAndCosine(degrees: line), at: 0)
            guard 2 * line < 180 else { break }
            line *= 2
        }
        while lines.count < 5 { lines.append((0, 0)) }
        let (sine, cosine) = sineAndCosine(degrees: angle)
        return WarpFormula(
            .kaleidoscope, cosine, sine, lines[0].sine, lines[0].cosine, lines[1].sine, lines[1].cosine, lines[2].sine,
            lines[2].cosine, lines[3].sine, lines[3].cosine, lines[4].sine, lines[4].cosine)
    }

    /// Repeats the whole frame in `count` x `count` tiles. Every second tile is mirrored.
    private static let mirrorTile = Filter(
        "mirror-tile", .tile, "Repeats the image as mirrored tiles",
        integer("count", in: 1...16, default: 2, "tiles per row")
    ) { count in
        let count = Double(max(1, count))
        return [
            .warp(
                Warp(
                    edges: .mirror, areas: .stretched(by: count),
                    formula: { _, _ in WarpFormula(Projection(a: count, e: count)) }
                ) { _, _ in
                    { Point($0.x * count, $0.y * count) }
                })
        ]
    }

    /// Draws a colour over every second square. The edges of the squares are about one pixel wide. The mask is ½ + k ·
    /// cos(πx / size) cos(πy / size), limited to 0…1. k is 2 · size / π, and x and y are the coordinates along the
    /// sides of the squares.
    private static let checkerboard = Filter(
        "checkerboard", .overlay, "Draws a checkerboard over the image",
        number("size", in: 4...500, default: 40, unit: "px", "side of a square"),
        number("angle", in: -180...180, default: 0, unit: "degrees", "clockwise rotation of the squares"),
        overlay
    ) { size, angle, overlay in
        let mask = FilterMask.waves(
            center: Point(0.5, 0.5), length: 2 * size, angle: angle, isCrossed: true, contrast: 2 * size / .pi)
        return [.overlay(mask, overlay)]
    }

    /// Draws a colour over every second stripe. The edges of the stripes are about one pixel wide. The mask is ½ + size
    /// / π · cos(πx / size), limited to 0…1. x is the coordinate perpendicular to the stripes.
    private static let stripes = Filter(
        "stripes", .overlay, "Draws stripes over the image",
        number("size", in: 2...500, default: 24, unit: "px", "width of a stripe"),
        number(
            "angle", in: -180...180, default: 45, unit: "degrees",
            "clockwise rotation (0 = vertical stripes)"
        ),
        overlay
    ) { size, angle, overlay in
        let mask = FilterMask.waves(
            center: Point(0.5, 0.5), length: 2 * size, angle: angle, isCrossed: false, contrast: size / .pi)
        return [.overlay(mask, overlay)]
    }

    /// v · (1 − opacity) + opacity · (inner + (outer − inner) · t), where v is a channel, and `inner` and `outer` are
    /// colours. t rises from 0 at the centre to 1 at the radius.
    private static let radialGradient = Filter(
        "radial-gradient", .overlay, "Draws a round gradient over the image",
        color("inner", default: 0xFFD060, "colour in the centre"),
        color("outer", default: 0x2040A0, "colour at the radius and beyond"),
        number(
            "radius", in: 0.05...2, default: 1, "radius at which the gradient ends (1 = half of the frame's diagonal)"),
        number("opacity", in: 0...1, default: 0.5, "opacity of the overlay"),
        center
    ) { inner, outer, radius, opacity, center in
        let base = ColorMatrix(
            red: [1 - opacity, 0, 0, opacity * inner.red], green: [0, 1 - opacity, 0, opacity * inner.green],
            blue: [0, 0, 1 - opacity, opacity * inner.blue])
        let added = RealColor(
            opacity * (outer.red - inner.red), opacity * (outer.green - inner.green),
            opacity * (outer.blue - inner.blue))
        let mask = FilterMask.radial(center: center, inner: 0, outer: radius, isSmooth: false)
        return [.matrix(base), .overlay(mask, Overlay(fading: 0, added: added))]
    }
}

extension Filter {
    private static let overlay = TypedParameter(
        color("color", default: 0xFFFFFF, "colour of the pattern"),
        number("opacity", in: 0...1, default: 0.5, "opacity of the overlay")
    ) { Overlay($0, opacity: $1) }
}

/// The dots or lines of a halftone print.
private struct Screen {
    let size: Double
    let angle: Double
    let sharpness: Double

    /// - Parameters:
    ///   - length: the wavelength of the cosine waves, in pixels.
    ///   - turn: the angle between the rows of dots or lines and the direction of the first wave, in degrees.
    func operation(length: Double, turn: Double, isCrossed: Bool) -> FilterOperation {
        .screen(
            .waves(center: Point(0.5, 0.5), length: length, angle: angle + turn, isCrossed: isCrossed, contrast: 0.5),
            sharpness: sharpness)
    }
}

extension Filter {
    private static func screen(size: Double) -> TypedParameter<Screen> {
        TypedParameter(
            number("size", in: 3...100, default: size, unit: "px", "distance between neighbouring dots or lines"),
            number(
                "angle", in: -180...180, default: 45, unit: "degrees",
                "clockwise rotation (0 = horizontal rows)"),
            number("sharpness", in: 0.5...20, default: 3, "sharpness of the ink's edges")
        ) { Screen(size: $0, angle: $1, sharpness: $2) }
    }
}
