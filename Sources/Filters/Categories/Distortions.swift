// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

extension Filter {
    static let distortions = [pinch, bump, twirl, lens, ripple]

    /// Pulls pixels towards the centre. A pixel at the distance r from the centre (0…1 of the radius) gets the colour
    /// at the larger distance r · r^(−amount · (1 − r)).
    private static let pinch = Filter(
        "pinch", .distortion, "Pulls pixels towards the centre",
        number("amount", in: 0...1, default: 0.5, "strength"), radius, center, sampling
    ) { amount, radius, center, sampling in
        [.warp(.radial(center, radius, sampling) { (power(max($0, 1e-6), -amount * (1 - $0)), 0) })]
    }

    /// Bulges the image. A pixel at the distance r from the centre (0…1 of the radius) gets the colour at the distance
    /// r · (1 − amount · (1 − r²)²). An amount above 0 magnifies the centre. An amount below 0 shrinks the centre.
    private static let bump = Filter(
        "bump", .distortion, "Bulges the image",
        number("amount", in: -1...0.95, default: 0.6, "strength (above 0 = outwards, below 0 = inwards)"), radius,
        center, sampling
    ) { amount, radius, center, sampling in
        [.warp(.radial(center, radius, sampling) { (1 - amount * (1 - $0 * $0) * (1 - $0 * $0), 0) })]
    }

    /// Rotates a pixel at the distance r from the centre (0…1 of the radius) by angle · (1 − r)².
    private static let twirl = Filter(
        "twirl", .distortion, "Twists the image around a centre",
        number("angle", in: -720...720, default: 180, unit: "degrees", "rotation at the centre"), radius, center,
        sampling
    ) { angle, radius, center, sampling in
        let turn = -angle * .pi / 180
        return [.warp(.radial(center, radius, sampling) { (1, turn * (1 - $0) * (1 - $0)) })]
    }

    /// Corrects lens distortion (D. C. Brown, Decentering distortion of lenses, 1966). A pixel at the distance r from
    /// the centre gets the colour at the distance r · (1 + k1 r² + k2 r⁴) / zoom. Distances are fractions of half of
    /// the frame's diagonal. k1 above 0 corrects pincushion distortion, and k1 below 0 corrects barrel distortion. If
    /// the source position is outside of the frame, the pixel becomes transparent black.
    private static let lens = Filter(
        "lens", .distortion, "Corrects or adds lens distortion",
        number(
            "k1", in: -1...1, default: 0.3,
            "main coefficient (above 0 = corrects pincushion distortion, below 0 = corrects barrel distortion)"),
        number("k2", in: -1...1, default: 0, "coefficient of an additional distortion near the corners"),
        number("zoom", in: 0.5...4, default: 1, "enlargement of the result (1 = unchanged)"), center, sampling
    ) { k1, k2, zoom, center, sampling in
        // Returns the factor of a distance. `square` is the square of this distance.
        @Sendable func scale(_ square: Double) -> Double { (1 + k1 * square + k2 * square * square) / zoom }
        let areas = WarpAreas.radial(center: center, isClipped: true) { width, height in
            let half = (width * width + height * height) / 4
            return { (scale($0 * $0 / half), 0) }
        }
        // Call `scale` directly and not through the closure `areas`, because direct calls make the creation of the
        // sampling map 10 % faster.
        let warp = Warp(isNearest: sampling == .nearest, areas: areas) { width, height in
            let (x, y) = (center.x * width, center.y * height)
            let half = (width * width + height * height) / 4
            return { point in
                let (dx, dy) = (point.x - x, point.y - y)
                let factor = scale((dx * dx + dy * dy) / half)
                let source = Point(x + dx * factor, y + dy * factor)
                return Warp.isInside(source, width, height) ? source : nil
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
        sampling
    ) { amplitude, length, phase, center, sampling in
        let degrees = 360 / max(length, 1)
        @Sendable func scale(_ distance: Double) -> Double {
            let angle = (distance * degrees + phase).remainder(dividingBy: 360)
            return 1 + amplitude * sineAndCosine(degrees: angle).sine / distance
        }
        let areas = WarpAreas.radial(center: center) { _, _ in { (scale($0), 0) } }
        let warp = Warp(isNearest: sampling == .nearest, areas: areas) { width, height in
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
    private static let radius = number(
        "radius", in: 0.05...4, default: 1, "radius of the effect (1 = half of the frame's shorter side)")
}

extension Filter {
    private static let sampling = choice(
        "sampling", default: Sampling.bilinear,
        "interpolation (nearest = faster)")
}
