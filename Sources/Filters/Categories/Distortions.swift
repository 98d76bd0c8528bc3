// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

extension Filter {
    static let distortions = [pinch, bump, twirl, lens, ripple]

    /// Pulls pixels towards the centre. A pixel at the distance r from the centre (0…1 of the radius) gets the colour
    /// at the larger distance r · r^(−amount · (1 − r)).
    private static let pinch = Filter(
        "pinch", .distortion, "Pulls pixels towards the centre",
        number("amount", in: 0...1, default: 0.5, "strength"), place
    ) { amount, place in
        [
            .warp(
                .radial(place, formula: { WarpFormula(.pinch, 1 / $0, amount) }) {
                    (power(max($0, 1e-6), -amount * (1 - $0)), 0)
                })
        ]
    }

    /// Bulges the image. A pixel at the distance r from the centre (0…1 of the radius) gets the colour at the distance
    /// r · (1 − amount · (1 − r²)²). An amount above 0 magnifies the centre. An amount below 0 shrinks the centre.
    private static let bump = Filter(
        "bump", .distortion, "Bulges the image",
        number("amount", in: -1...0.95, default: 0.6, "strength (above 0 = outwards, below 0 = inwards)"), place
    ) { amount, place in
        [
            .warp(
                .radial(place, formula: { WarpFormula(.bump, 1 / ($0 * $0), amount) }) {
                    (1 - amount * (1 - $0 * $0) * (1 - $0 * $0), 0)
                })
        ]
    }

    /// Rotates a pixel at the distance r from the centre (0…1 of the radius) by angle · (1 − r)².
    private static let twirl = Filter(
        "twirl", .distortion, "Twists the image around a centre",
        number("angle", in: -720...720, default: 180, unit: "degrees", "rotation at the centre"), place
    ) { angle, place in
        let turn = -angle * .pi / 180
        return [
            .warp(
                .radial(place, formula: { WarpFormula(.twirl, 1 / $0, -angle / 360) }) {
                    (1, turn * (1 - $0) * (1 - $0))
                })
        ]
    }

    /// Corrects lens distortion (D. C. Brown, Decentering distortion of lenses, 1966). A pixel at the distance r from
    /// the centre gets the colour at the distance r · (1 + k1 r² + k2 r⁴) / zoom. Distances are fractions of half of
    /// the frame's diagonal. k1 above 0 corrects pincushion distortion, and k1 below 0 corrects barrel distortion.
    private static let lens = Filter(
        "lens", .distortion, "Corrects or adds lens distortion",
        number(
            "k1", in: -1...1, default: 0.3,
            "main coefficient (above 0 = corrects pincushion distortion, below 0 = corrects barrel distortion)"),
        number("k2", in: -1...1, default: 0, "coefficient of an additional distortion near the corners"),
        number("zoom", in: 0.5...4, default: 1, "enlargement of the result (1 = unchanged)"), center,
        reading(edges: .transparent)
    ) { k1, k2, zoom, center, reading in
        // Returns the factor by which a distance from the centre is multiplied. `square` is the square of this
        // distance.
        @Sendable func scale(_ square: Double) -> Double { (1 + k1 * square + k2 * square * square) / zoom }
        let areas = WarpAreas.radial(center: center) { width, height in
            let half = (width * width + height * height) / 4
            return { (scale($0 * $0 / half), 0) }
        }
        // Call `scale` directly, and not through the closure in `areas`. With direct calls, the creation of the
        // sampling map is 10 % faster.
        let warp = Warp(
            isNearest: reading.sampling == .nearest, edges: reading.edges, areas: areas,
            formula: { width, height in
                WarpFormula(.lens, 4 / (width * width + height * height), k1, k2, 1 / zoom)
                    .centered(center, width, height)
            }
        ) { width, height in
            let (x, y) = (center.x * width, center.y * height)
            let half = (width * width + height * height) / 4
            return { point in
                let (dx, dy) = (point.x - x, point.y - y)
                let factor = scale((dx * dx + dy * dy) / half)
                return Point(x + dx * factor, y + dy * factor)
            }
        }
        return [.warp(warp)]
    }

    /// A pixel at the distance d from the centre gets the colour at the distance d + amplitude · sin(2π · d / length +
    /// phase).
    private static let ripple = Filter(
        "ripple", .distortion, "Bends the image in rings, like waves on water",
        number("amplitude", in: 0...50, default: 6, unit: "px", "largest shift of a pixel"),
        number("length", in: 4...500, default: 40, unit: "px", "distance between rings"),
        number("phase", in: -3600...3600, default: 0, unit: "degrees", "phase of the waves at the centre"), center,
        reading(edges: .clamp)
    ) { amplitude, length, phase, center, reading in
        let degrees = 360 / max(length, 1)
        @Sendable func scale(_ distance: Double) -> Double {
            let angle = (distance * degrees + phase).remainder(dividingBy: 360)
            return 1 + amplitude * sineAndCosine(degrees: angle).sine / distance
        }
        let areas = WarpAreas.radial(center: center) { _, _ in { (scale($0), 0) } }
        let warp = Warp(
            isNearest: reading.sampling == .nearest, edges: reading.edges, areas: areas,
            formula: { width, height in
                WarpFormula(.ripple, amplitude, degrees / 360, phase.remainder(dividingBy: 360) / 360)
                    .centered(center, width, height)
            }
        ) { width, height in
            let (x, y) = (center.x * width, center.y * height)
            return { point in
                let (dx, dy) = (point.x - x, point.y - y)
                let distance = (dx * dx + dy * dy).squareRoot()
                guard distance > 0 else { return point }
                let scale = scale(distance)
                return Point(x + dx * scale, y + dy * scale)
            }
        }
        return [.warp(warp)]
    }
}

/// The interpolation between pixels at positions that a warp computes.
enum Sampling: String, CaseIterable, Sendable {
    case bilinear, nearest
}

extension Filter {
    private static let place = TypedParameter(
        number("radius", in: 0.05...4, default: 1, "radius of the effect (1 = half of the frame's shorter side)"),
        center, reading(edges: .clamp)
    ) { RadialPlace(radius: $0, center: $1, reading: $2) }

    private static func reading(edges initial: WarpEdges) -> TypedParameter<WarpReading> {
        TypedParameter(
            choice("sampling", default: Sampling.bilinear, "interpolation (nearest = faster)"), edges(default: initial)
        ) { WarpReading(sampling: $0, edges: $1) }
    }

    static func edges(default initial: WarpEdges) -> TypedParameter<WarpEdges> {
        let words = [initial.rawValue] + WarpEdges.allCases.filter { $0 != initial }.map(\.rawValue)
        return TypedParameter(
            "edges", .choice(words),
            "area outside of the image (mirror or wrap = repeat the image, clamp = repeat the "
                + "border pixels)",
            default: initial
        ) { value in
            if case .word(let word) = value { WarpEdges(rawValue: word) } else { nil }
        }
    }
}
