// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
internal import Imaging

/// A map from positions in the result to positions in the input. Positions are in pixels from the frame's top left
/// corner. The centre of the top left pixel is at (½, ½).
struct Warp: Sendable {
    /// Returns the input position for a position in the result. Returns nil if the pixel at this position is
    /// transparent black. If the input position is outside of the frame, the nearest position inside the frame is used.
    typealias Source = @Sendable (Point) -> Point?

    /// Returns the source function for a frame size.
    let source: @Sendable (_ width: Double, _ height: Double) -> Source
    /// Determines which area of the input is visible in an area of the result (see `WarpAreas`).
    let areas: WarpAreas
    /// Mirroring of the whole frame. Nil if the warp is not a mirroring.
    let flip: Flip?
    /// True if the input column depends only on the output column, and the input row only on the output row.
    let isGrid: Bool
    /// True for nearest-neighbour sampling. False for bilinear interpolation.
    let isNearest: Bool

    init(
        isGrid: Bool = false, isNearest: Bool = false, areas: WarpAreas,
        _ source: @escaping @Sendable (_ width: Double, _ height: Double) -> Source
    ) {
        (self.source, self.areas, self.isGrid, self.isNearest) = (source, areas, isGrid, isNearest)
        flip = nil
    }

    /// Creates a warp that mirrors the frame.
    init(_ flip: Flip) {
        source = { width, height in
            { Point(flip.isAcross ? width - $0.x : $0.x, flip.isDown ? height - $0.y : $0.y) }
        }
        (self.flip, areas, isGrid, isNearest) = (flip, .stretched(by: 1), true, false)
    }

    /// Returns how a warp moves a position at a given distance from a centre. The warp multiplies the distance by
    /// `scale`, and rotates the position about the centre by `turn` radians.
    typealias Change = @Sendable (_ distance: Double) -> (scale: Double, turn: Double)

    /// Returns a warp that changes only the pixels within a radius of a centre. The warp changes the distance of these
    /// pixels from the centre, and rotates the pixels about the centre.
    /// - Parameters:
    ///   - center: the centre, 0…1 of the frame.
    ///   - radius: the radius, as a fraction of half of the frame's shorter side.
    ///   - change: returns the change for a distance, in units of the radius (0…1).
    static func radial(_ center: Point, _ radius: Double, _ sampling: Sampling, _ change: @escaping Change) -> Warp {
        let areas = WarpAreas.radial(center: center) { width, height in
            let reach = radius * min(width, height) / 2
            return { $0 < reach ? change($0 / reach) : (1, 0) }
        }
        return Warp(isNearest: sampling == .nearest, areas: areas) { width, height in
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

    /// Returns a warp by a projective map. If a pixel's source position is outside of the frame, the pixel becomes
    /// transparent.
    static func projective(_ matrix: @escaping @Sendable (_ width: Double, _ height: Double) -> Projection) -> Warp {
        Warp(areas: .projective(matrix)) { width, height in
            let matrix = matrix(width, height)
            return { point in
                guard let source = matrix.apply(point), isInside(source, width, height) else { return nil }
                return source
            }
        }
    }

    static func isInside(_ point: Point, _ width: Double, _ height: Double) -> Bool {
        point.x >= 0 && point.y >= 0 && point.x <= width && point.y <= height
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
