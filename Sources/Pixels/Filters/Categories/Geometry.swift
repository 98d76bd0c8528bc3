extension Filter {
    static let geometry = [mirror, rotate, cropZoom, perspective]

    /// horizontal: left and right exchanged; vertical: top and bottom; both: half a turn
    private static let mirror = Filter(
        "mirror", .geometry, "the picture in a mirror",
        [
            .choice(
                "axis", ["horizontal", "vertical", "both"], "what is exchanged: left and right, top and bottom, or both"
            )
        ]
    ) { p in
        [.warp(Warp(Flip(isAcross: p.word("axis") != "vertical", isDown: p.word("axis") != "horizontal")))]
    }

    /// Turned clockwise about the frame's centre, then scaled; transparent black where the picture does not reach.
    private static let rotate = Filter(
        "rotate", .geometry, "turns the picture",
        [
            .number("angle", in: -360...360, default: 15, unit: "degrees", "clockwise"),
            .number("scale", in: 0.1...10, default: 1, "how much larger it gets"),
        ]
    ) { p in
        let (sine, cosine) = sineAndCosine(degrees: p["angle"])
        let scale = p["scale"]
        return [
            .warp(
                .projective { width, height in
                    let (x, y) = (width / 2, height / 2)
                    let (c, s) = (cosine / scale, sine / scale)
                    return Projection(a: c, b: s, c: x - c * x - s * y, d: -s, e: c, f: y + s * x - c * y)
                })
        ]
    }

    /// A part of the frame, of its proportions, fills it.
    private static let cropZoom = Filter(
        "crop-zoom", .geometry, "enlarges a part of the picture",
        [.number("zoom", in: 1...20, default: 1.5, "how much larger")] + center
    ) { p in
        let (zoom, center) = (p["zoom"], p.center)
        return [
            .warp(
                Warp(isGrid: true, areas: .stretched(by: 1 / zoom)) { width, height in
                    // The part stays within the frame.
                    let (left, top) = (width * (1 - 1 / zoom), height * (1 - 1 / zoom))
                    let x = min(left, max(0, center.x * width - width / zoom / 2))
                    let y = min(top, max(0, center.y * height - height / zoom / 2))
                    return { Point(x + $0.x / zoom, y + $0.y / zoom) }
                })
        ]
    }

    /// The frame's corners go elsewhere, by the projective map of the one quadrilateral to the other (P. Heckbert,
    /// Fundamentals of Texture Mapping and Image Warping, 1989, §2.2.3); transparent black around it. Corners that make
    /// no convex quadrilateral leave the picture as it is.
    private static let perspective = Filter(
        "perspective", .geometry, "the picture as on a tilted board",
        zip(["top-left", "top-right", "bottom-right", "bottom-left"], [(0.15, 0.1), (0.85, 0.1), (1, 0.9), (0, 0.9)])
            .flatMap { corner, place in
                [
                    FilterParameter.number("\(corner)-x", in: -1...2, default: place.0, "of the \(corner) corner, 0…1"),
                    .number("\(corner)-y", in: -1...2, default: place.1, "of the \(corner) corner, 0…1"),
                ]
            }
    ) { p in
        let corners = ["top-left", "top-right", "bottom-right", "bottom-left"].map {
            Point(p["\($0)-x"], p["\($0)-y"])
        }
        guard let inverse = Projection(unitSquareTo: corners)?.inverse else { return [] }
        return [
            .warp(
                Warp(areas: .projective(inverse.scaled)) { width, height in
                    { place in
                        guard let unit = inverse.apply(Point(place.x / width, place.y / height)), unit.x >= 0,
                            unit.y >= 0, unit.x <= 1, unit.y <= 1
                        else { return nil }
                        return Point(unit.x * width, unit.y * height)
                    }
                })
        ]
    }
}
