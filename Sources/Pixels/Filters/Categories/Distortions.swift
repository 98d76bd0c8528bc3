extension Filter {
    static let distortions = [pinch, bump, twirl, lens, ripple]

    private static let place: [FilterParameter] =
        [
            .number(
                "radius", in: 0.05...4, default: 1, unit: "half heights",
                "how far it reaches, in halves of the frame's shorter side")
        ]
        + center + sampling

    private static let sampling: [FilterParameter] = [
        .choice(
            "sampling", ["bilinear", "nearest"],
            "what is taken where a pixel comes from: between the four pixels around, or the nearest, which is faster")
    ]

    /// A distance r of 0…1 of the radius comes from r · r^(−amount · (1 − r)), which is farther: towards the centre, the
    /// picture gets smaller.
    private static let pinch = Filter(
        "pinch", .distortion, "pulls towards the centre",
        [.number("amount", in: 0...1, default: 0.5, "how much")] + place
    ) { p in
        let amount = p["amount"]
        return [
            .warp(
                .radial(center: p.center, radius: p["radius"], isNearest: p.isNearest) {
                    (power(max($0, 1e-6), -amount * (1 - $0)), 0)
                })
        ]
    }

    /// A distance r of 0…1 of the radius comes from r · (1 − amount · (1 − r²)²): the middle is seen through a magnifying
    /// glass, or below 0 through a reducing one.
    private static let bump = Filter(
        "bump", .distortion, "a bulge in the picture",
        [.number("amount", in: -1...0.95, default: 0.6, "below 0: a dent")] + place
    ) { p in
        let amount = p["amount"]
        return [
            .warp(
                .radial(center: p.center, radius: p["radius"], isNearest: p.isNearest) {
                    (1 - amount * (1 - $0 * $0) * (1 - $0 * $0), 0)
                })
        ]
    }

    /// A distance r of 0…1 of the radius is turned by angle · (1 − r)².
    private static let twirl = Filter(
        "twirl", .distortion, "turns the middle, as a whirl",
        [.number("angle", in: -720...720, default: 180, unit: "degrees", "of the centre")] + place
    ) { p in
        let angle = -p["angle"] * .pi / 180
        return [
            .warp(
                .radial(center: p.center, radius: p["radius"], isNearest: p.isNearest) {
                    (1, angle * (1 - $0) * (1 - $0))
                })
        ]
    }

    /// A distance r of the centre, in halves of the frame's diagonal, comes from r · (1 + k1 r² + k2 r⁴) / zoom (D. C.
    /// Brown, Decentering distortion of lenses, 1966): k1 above 0 takes pincushions away, below 0 barrels. Where that
    /// leads outside of the frame there is transparent black.
    private static let lens = Filter(
        "lens", .distortion, "corrects a lens, or adds what one does",
        [
            .number("k1", in: -1...1, default: 0.3, "towards the corners"),
            .number("k2", in: -1...1, default: 0, "more so towards the corners"),
            .number("zoom", in: 0.5...4, default: 1, "how much larger the result is"),
        ] + center + sampling
    ) { p in
        let (k1, k2, zoom, center) = (p["k1"], p["k2"], p["zoom"], p.center)
        // As a function of the squared distance.
        @Sendable func scale(_ square: Double) -> Double { (1 + k1 * square + k2 * square * square) / zoom }
        let areas = WarpAreas.radial(center: center, isClipped: true) { width, height in
            let half = (width * width + height * height) / 4
            return { ($0 * scale($0 * $0 / half), 0) }
        }
        return [
            .warp(
                Warp(isNearest: p.isNearest, areas: areas) { width, height in
                    let (x, y) = (center.x * width, center.y * height)
                    let half = (width * width + height * height) / 4
                    return { place in
                        let (dx, dy) = (place.x - x, place.y - y)
                        let factor = scale((dx * dx + dy * dy) / half)
                        let source = Point(x + dx * factor, y + dy * factor)
                        return Warp.isInside(source, width, height) ? source : nil
                    }
                })
        ]
    }

    /// A place comes from one that is amplitude · sin(2π · distance / length + phase) farther from the centre.
    private static let ripple = Filter(
        "ripple", .distortion, "rings, as on water",
        [
            .number("amplitude", in: 0...50, default: 6, unit: "px", "how far pixels move"),
            .number("length", in: 4...500, default: 40, unit: "px", "from ring to ring"),
            .number("phase", in: -3600...3600, default: 0, unit: "degrees", "where a ring begins"),
        ] + center + sampling
    ) { p in
        let (amplitude, center, phase) = (p["amplitude"], p.center, p["phase"])
        let degrees = 360 / max(p["length"], 1)
        @Sendable func wave(_ distance: Double) -> Double {
            amplitude * sineAndCosine(degrees: (distance * degrees + phase).remainder(dividingBy: 360)).sine
        }
        let areas = WarpAreas.radial(center: center) { _, _ in { ($0 + wave($0), 0) } }
        return [
            .warp(
                Warp(isNearest: p.isNearest, areas: areas) { width, height in
                    let (x, y) = (center.x * width, center.y * height)
                    return { place in
                        let (dx, dy) = (place.x - x, place.y - y)
                        let distance = (dx * dx + dy * dy).squareRoot()
                        guard distance > 0 else { return place }
                        let scale = 1 + wave(distance) / distance
                        return Point(x + dx * scale, y + dy * scale)
                    }
                })
        ]
    }
}

extension FilterValues {
    fileprivate var isNearest: Bool { word("sampling") == "nearest" }
}
