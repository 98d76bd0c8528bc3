// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

extension Filter {
    static let geometry = [mirror, rotate, cropZoom, perspective]

    private enum Axis: String, CaseIterable {
        case horizontal, vertical, both
    }

    /// `horizontal` exchanges left and right. `vertical` exchanges top and bottom. `both` rotates by 180 degrees.
    private static let mirror = Filter(
        "mirror", .geometry, "Mirrors the image",
        choice(
            "axis", default: Axis.horizontal, "horizontal = exchange left and right, vertical = exchange top and bottom"
        )
    ) { axis in [.warp(Warp(Flip(isAcross: axis != .vertical, isDown: axis != .horizontal)))] }

    /// Rotates the image clockwise about the frame's centre, and then scales it.
    private static let rotate = Filter(
        "rotate", .geometry, "Rotates the image",
        number("angle", in: -360...360, default: 15, unit: "degrees", "clockwise rotation"),
        number("scale", in: 0.1...10, default: 1, "enlargement (1 = unchanged)"), edges(default: .transparent)
    ) { angle, scale, edges in
        let (sine, cosine) = sineAndCosine(degrees: angle)
        return [
            .warp(
                .projective(edges: edges) { width, height in
                    let (x, y) = (width / 2, height / 2)
                    let (c, s) = (cosine / scale, sine / scale)
                    return Projection(a: c, b: s, c: x - c * x - s * y, d: -s, e: c, f: y + s * x - c * y)
                })
        ]
    }

    /// Enlarges a part of the frame to the size of the frame. The aspect ratio does not change.
    private static let cropZoom = Filter(
        "crop-zoom", .geometry, "Enlarges a part of the image",
        number("zoom", in: 1...20, default: 1.5, "enlargement (1 = unchanged)"), center
    ) { zoom, center in
        [
            .warp(
                Warp(
                    isGrid: true, areas: .stretched(by: 1 / zoom),
                    formula: { width, height in
                        let corner = corner(of: center, zoom, width, height)
                        return WarpFormula(Projection(a: 1 / zoom, c: corner.x, e: 1 / zoom, f: corner.y))
                    }
                ) { width, height in
                    let corner = corner(of: center, zoom, width, height)
                    return { Point(corner.x + $0.x / zoom, corner.y + $0.y / zoom) }
                })
        ]
    }

    /// Returns the top left corner of the enlarged part. If the part would extend beyond the frame, moves it into the
    /// frame.
    private static func corner(of center: Point, _ zoom: Double, _ width: Double, _ height: Double) -> Point {
        let (left, top) = (width * (1 - 1 / zoom), height * (1 - 1 / zoom))
        return Point(
            min(left, max(0, center.x * width - width / zoom / 2)),
            min(top, max(0, center.y * height - height / zoom / 2)))
    }

    /// Moves the corners of the frame by the projective map between two quadrilaterals (P. Heckbert, Fundamentals of
    /// Texture Mapping and Image Warping, 1989, §2.2.3). If the corners do not form a convex
    /// quadrilateral, the image does not change.
    private static let perspective = Filter(
        "perspective", .geometry, "Shows the image in perspective",
        corner("top-left", 0.15, 0.1), corner("top-right", 0.85, 0.1), corner("bottom-right", 1, 0.9),
        corner("bottom-left", 0, 0.9), edges(default: .transparent)
    ) {
        guard let inverse = Projection(unitSquareTo: [$0, $1, $2, $3])?.inverse else { return [] }
        return [.warp(.projective(edges: $4, inverse.scaled))]
    }
}

extension Filter {
    /// Returns the parameters for the coordinates of a corner.
    private static func corner(_ name: String, _ x: Double, _ y: Double) -> TypedParameter<Point> {
        TypedParameter(
            number("\(name)-x", in: -1...2, default: x, "x of the \(name) corner"),
            number("\(name)-y", in: -1...2, default: y, "y of the \(name) corner")
        ) { Point($0, $1) }
    }
}
