// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A projective map of points, as in a perspective view of a plane: x' = (xx x + xy y + x0) / w and y' = (yx x + yy y +
/// y0) / w, with w = 1 + wx x + wy y.
struct Homography: Sendable, Hashable {
    var affine = AffineMap()
    var wx = 0.0, wy = 0.0

    /// Minimum of w. A point with a smaller w is behind the camera or close to the camera's plane. It is mapped with
    /// this value of w.
    private static let minDepth = 0.2

    init(_ affine: AffineMap, wx: Double = 0, wy: Double = 0) { (self.affine, self.wx, self.wy) = (affine, wx, wy) }

    private func depth(_ point: Point) -> Double { max(Self.minDepth, 1 + wx * point.x + wy * point.y) }

    func callAsFunction(_ point: Point) -> Point { affine(point) / depth(point) }

    /// Returns the derivative (Jacobian matrix) of the map at a point.
    func derivative(at point: Point) -> AffineMap {
        let (depth, target) = (depth(point), self(point))
        return AffineMap(
            xx: (affine.xx - target.x * wx) / depth, xy: (affine.xy - target.x * wy) / depth,
            yx: (affine.yx - target.y * wx) / depth, yy: (affine.yy - target.y * wy) / depth)
    }

    /// Returns the map that first applies this map, and then adds `offset`.
    func shifted(by offset: Point) -> Homography {
        var result = self
        result.affine.xx += offset.x * wx
        result.affine.xy += offset.x * wy
        result.affine.x0 += offset.x
        result.affine.yx += offset.y * wx
        result.affine.yy += offset.y * wy
        result.affine.y0 += offset.y
        return result
    }

    /// The factor by which the map changes lengths near the origin.
    var size: Double { abs(derivative(at: Point(0, 0)).determinant).squareRoot() }

    var isFinite: Bool { affine.isFinite && wx.isFinite && wy.isFinite }
}
