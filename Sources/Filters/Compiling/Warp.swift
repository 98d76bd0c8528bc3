// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
internal import Imaging
internal import KernelTypes

/// A map from positions in the result to positions in the input. Positions are in pixels from the frame's top left
/// corner. The centre of the top left pixel is at (½, ½).
struct Warp: Sendable {
    /// Returns the input position for a position in the result. Returns nil if the pixel at this position is
    /// transparent black. If the input position is outside of the frame, the nearest position inside the frame is used.
    typealias Source = @Sendable (Point) -> Point?

    /// Returns a function from result positions to input positions, for a frame size. The input positions may be
    /// outside of the frame.
    private let position: @Sendable (_ width: Double, _ height: Double) -> Source
    /// Computes which area of the input is visible in an area of the result (see `WarpAreas`).
    private let areas: WarpAreas
    /// Mirroring of the whole frame. Nil if the warp is not a mirroring.
    let flip: Flip?
    /// True if the input column depends only on the output column, and the input row only on the output row.
    let isGrid: Bool
    /// True for nearest-neighbour sampling. False for bilinear interpolation.
    let isNearest: Bool
    let edges: WarpEdges
    /// Returns the kernel that computes the same positions as `position`, and the parameters of this kernel, for a
    /// frame size. Nil if there is no such kernel.
    let formula: (@Sendable (_ width: Double, _ height: Double) -> WarpFormula)?

    init(
        isGrid: Bool = false, isNearest: Bool = false, edges: WarpEdges = .clamp, areas: WarpAreas,
        formula: (@Sendable (_ width: Double, _ height: Double) -> WarpFormula)? = nil,
        _ position: @escaping @Sendable (_ width: Double, _ height: Double) -> Source
    ) {
        (self.position, self.areas, self.isGrid, self.isNearest) = (position, areas, isGrid, isNearest)
        (self.edges, self.formula, flip) = (edges, formula, nil)
    }

    /// Creates a warp that mirrors the frame.
    init(_ flip: Flip) {
        position = { width, height in
            { Point(flip.isAcross ? width - $0.x : $0.x, flip.isDown ? height - $0.y : $0.y) }
        }
        formula = { width, height in
            let across = flip.isAcross ? (-1.0, width) : (1, 0)
            let down = flip.isDown ? (-1.0, height) : (1, 0)
            return WarpFormula(Projection(a: across.0, c: across.1, e: down.0, f: down.1))
        }
        (self.flip, areas, isGrid, isNearest, edges) = (flip, .stretched(by: 1), true, false, .clamp)
    }

    /// Returns the function from result positions to input positions, for a frame size. Positions outside of the frame
    /// are handled as `edges` determines.
    func source(_ width: Double, _ height: Double) -> Source {
        let position = position(width, height)
        let edges = edges
        guard edges != .clamp else { return position }
        return { point in position(point).flatMap { edges.position($0, width, height) } }
    }

    /// Returns the function that computes source areas (see `WarpAreas`), for a frame size.
    func areaSource(_ width: Double, _ height: Double) -> WarpAreas.Source {
        let source = areas.source(width, height, position(width, height))
        let edges = edges
        guard edges != .clamp else { return source }
        return { area in source(area).flatMap { edges.area($0, width, height) } }
    }

    /// True if the warp breaks objects into pieces (see `WarpAreas`).
    var isScattered: Bool { areas.isScattered }

    /// Returns how a warp moves a position at a given distance from a centre. The warp multiplies the distance by
    /// `scale`, and rotates the position about the centre by `turn` radians.
    typealias Change = @Sendable (_ distance: Double) -> (scale: Double, turn: Double)

    /// Returns a warp that changes only the pixels within a radius of a centre. The warp changes the distance of these
    /// pixels from the centre, and rotates the pixels about the centre.
    /// - Parameters:
    ///   - place: the centre, the radius (as a fraction of half of the frame's shorter side), and the sampling.
    ///   - formula: returns the kernel and its parameters for a radius in pixels.
    ///   - change: returns the change for a distance, in units of the radius (0…1).
    static func radial(
        _ place: RadialPlace, formula: @escaping @Sendable (_ reach: Double) -> WarpFormula, _ change: @escaping Change
    ) -> Warp {
        let (center, radius, reading) = (place.center, place.radius, place.reading)
        let areas = WarpAreas.radial(center: center) { width, height in
            let reach = radius * min(width, height) / 2
            return { $0 < reach ? change($0 / reach) : (1, 0) }
        }
        return Warp(
            isNearest: reading.sampling == .nearest, edges: reading.edges, areas: areas,
            formula: { width, height in
                formula(radius * min(width, height) / 2).centered(center, width, height)
            }
        ) { width, height in
            let (x, y) = (center.x * width, center.y * height)
            let reach = radius * min(width, height) / 2
            return { point in
                let (dx, dy) = (point.x - x, point.y - y)
                let distance = (dx * dx + dy * dy).squareRoot()
                guard distance < reach else { return point }
                let (scale, turn) = change(distance / reach)
                guard turn != 0 else { return Point(x + dx * scale, y + dy * scale) }
                let (sine, cosine) = (sin(turn), cos(turn))
                return Point(x + (dx * cosine - dy * sine) * scale, y + (dx * sine + dy * cosine) * scale)
            }
        }
    }

    /// Returns a warp by a projective map.
    static func projective(
        edges: WarpEdges, _ matrix: @escaping @Sendable (_ width: Double, _ height: Double) -> Projection
    ) -> Warp {
        Warp(edges: edges, areas: .projective(matrix), formula: { WarpFormula(matrix($0, $1)) }) { width, height in
            let matrix = matrix(width, height)
            return { matrix.apply($0) }
        }
    }
}

/// The centre of a radial warp, its radius (as a fraction of half of the frame's shorter side), and how it reads the
/// image.
struct RadialPlace: Sendable {
    let radius: Double
    let center: Point
    let reading: WarpReading
}

/// How a warp reads the image: the interpolation, and the handling of positions outside of the frame.
struct WarpReading: Sendable {
    let sampling: Sampling
    let edges: WarpEdges
}

/// A kernel that computes the positions of a warp, and the parameters of the kernel.
struct WarpFormula: Sendable {
    let kind: WarpKind
    private(set) var parameters = SIMD16<Double>(repeating: 0)

    /// Creates a formula with the centre (0, 0).
    /// - Parameter values: the parameters after the centre, at most 14.
    init(_ kind: WarpKind, _ values: Double...) {
        self.kind = kind
        for (index, value) in values.prefix(14).enumerated() { parameters[index + 2] = value }
    }

    init(_ matrix: Projection) {
        kind = .projective
        let values = [matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f, matrix.g, matrix.h]
        for (index, value) in values.enumerated() { parameters[index] = value }
    }

    /// Returns the formula with another centre.
    /// - Parameter center: the centre, 0…1 of the frame.
    func centered(_ center: Point, _ width: Double, _ height: Double) -> WarpFormula {
        var formula = self
        (formula.parameters[0], formula.parameters[1]) = (center.x * width, center.y * height)
        return formula
    }

    func withPointer(_ body: (UnsafePointer<Double>) -> Void) {
        withUnsafePointer(to: parameters) { $0.withMemoryRebound(to: Double.self, capacity: 16, body) }
    }
}

/// Exchange of left and right (`isAcross`), of top and bottom (`isDown`), or both.
struct Flip: Sendable, Hashable {
    var isAcross: Bool
    var isDown: Bool

    func then(_ other: Flip) -> Flip { Flip(isAcross: isAcross != other.isAcross, isDown: isDown != other.isDown) }
}

/// A projective map from (x, y) to ((a x + b y + c) / (g x + h y + 1), (d x + e y + f) / (g x + h y + 1)).
struct Projection: Sendable {
    var a = 1.0
    var b = 0.0
    var c = 0.0
    var d = 0.0
    var e = 1.0
    var f = 0.0
    var g = 0.0
    var h = 0.0

    /// Returns the divisor g x + h y + 1 at a position. The divisor is 0 on the horizon, and has different signs on the
    /// two sides of the horizon.
    func depth(_ point: Point) -> Double { g * point.x + h * point.y + 1 }

    /// Returns the mapped position. Returns nil on the horizon, where the divisor is 0.
    func apply(_ point: Point) -> Point? {
        let depth = depth(point)
        guard abs(depth) > 1e-9 else { return nil }
        return Point((a * point.x + b * point.y + c) / depth, (d * point.x + e * point.y + f) / depth)
    }
}

extension Projection {
    /// Creates the map from the corners (0, 0), (1, 0), (1, 1) and (0, 1) of the unit square to four points. Returns
    /// nil if the points do not form a convex quadrilateral.
    init?(unitSquareTo corners: [Point]) {
        guard corners.count == 4 else { return nil }
        let turns = corners.indices.map { i in
            let (p, q, r) = (corners[i], corners[(i + 1) % 4], corners[(i + 2) % 4])
            return (q.x - p.x) * (r.y - q.y) - (q.y - p.y) * (r.x - q.x)
        }
        guard turns.allSatisfy({ $0 > 1e-6 }) || turns.allSatisfy({ $0 < -1e-6 }) else { return nil }
        let (p, q, r, s) = (corners[0], corners[1], corners[2], corners[3])
        let (dx1, dx2, dx3) = (q.x - r.x, s.x - r.x, p.x - q.x + r.x - s.x)
        let (dy1, dy2, dy3) = (q.y - r.y, s.y - r.y, p.y - q.y + r.y - s.y)
        let determinant = dx1 * dy2 - dx2 * dy1
        g = (dx3 * dy2 - dx2 * dy3) / determinant
        h = (dx1 * dy3 - dx3 * dy1) / determinant
        (a, b, c) = (q.x - p.x + g * q.x, s.x - p.x + h * s.x, p.x)
        (d, e, f) = (q.y - p.y + g * q.y, s.y - p.y + h * s.y, p.y)
    }

    /// Converts a map of positions in 0…1 of the frame to a map of positions in pixels.
    @Sendable func scaled(width: Double, height: Double) -> Projection {
        Projection(
            a: a, b: b * width / height, c: c * width, d: d * height / width, e: e, f: f * height, g: g / width,
            h: h / height)
    }

    /// The inverse map. Nil if the map has no inverse.
    var inverse: Projection? {
        let last = a * e - b * d
        guard abs(last) > 1e-12 else { return nil }
        return Projection(
            a: (e - f * h) / last, b: (c * h - b) / last, c: (b * f - c * e) / last, d: (f * g - d) / last,
            e: (a - c * g) / last, f: (c * d - a * f) / last, g: (d * h - e * g) / last, h: (b * g - a * h) / last)
    }
}
