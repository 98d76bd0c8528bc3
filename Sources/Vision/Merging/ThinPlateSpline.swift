// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Glibc
import Imaging

/// The smoothest map of the plane that maps given points to other points (Bookstein, "Principal warps: thin-plate
/// splines and the decomposition of deformations", 1989).
struct ThinPlateSpline {
    /// Allowed deviation from the given points, which keeps the map smooth if points are close to each other.
    private static let tolerance = 1e-3

    private let center: Point
    private let scale: Double
    /// The given points, relative to `center`, divided by `scale`.
    private let controls: [Point]
    /// The weight of each point's basis function; then the constant, and the slopes in the directions x and y.
    private let weights: [Point]

    /// Returns nil if there are fewer than three points, or if the points are on one line or not finite.
    init?(from: [Point], to: [Point]) {
        guard from.count >= 3, from.count == to.count, (from + to).allSatisfy(\.isFinite) else { return nil }
        let center = from.reduce(Point(0, 0), +) / Double(from.count)
        let scale = from.map { ($0 - center).length }.max() ?? 0
        guard scale > 0 else { return nil }
        let controls = from.map { ($0 - center) / scale }
        let count = controls.count
        var rows = [[Double]](repeating: [Double](repeating: 0, count: count + 5), count: count + 3)
        for (i, control) in controls.enumerated() {
            for (j, other) in controls.enumerated() { rows[i][j] = Self.basis(control - other) }
            rows[i][i] += Self.tolerance
            for (k, value) in [1, control.x, control.y].enumerated() {
                rows[i][count + k] = value
                rows[count + k][i] = value
            }
            (rows[i][count + 3], rows[i][count + 4]) = (to[i].x, to[i].y)
        }
        guard let weights = Self.solution(of: &rows) else { return nil }
        (self.center, self.scale, self.controls, self.weights) = (center, scale, controls, weights)
    }

    func callAsFunction(_ point: Point) -> Point {
        let place = (point - center) / scale
        let count = controls.count
        var result = weights[count] + weights[count + 1] * place.x + weights[count + 2] * place.y
        for (control, weight) in zip(controls, weights) {
            let value = Self.basis(place - control)
            result = Point(result.x + value * weight.x, result.y + value * weight.y)
        }
        return result
    }

    /// r² log r, where r is the length of the vector.
    private static func basis(_ offset: Point) -> Double {
        let square = offset.x * offset.x + offset.y * offset.y
        return square > 1e-12 ? 0.5 * square * log(square) : 0
    }

    /// Solves linear equations with two right-hand sides by Gaussian elimination with partial pivoting; nil if the
    /// matrix is singular.
    private static func solution(of rows: inout [[Double]]) -> [Point]? {
        let count = rows.count
        for k in 0..<count {
            guard let pivot = (k..<count).max(by: { rows[$0][k].magnitude < rows[$1][k].magnitude }),
                rows[pivot][k].magnitude > 1e-12
            else { return nil }
            rows.swapAt(k, pivot)
            for other in k + 1..<max(k + 1, count) {
                let factor = rows[other][k] / rows[k][k]
                guard factor != 0 else { continue }
                for column in k..<count + 2 { rows[other][column] -= factor * rows[k][column] }
            }
        }
        var result = [Point](repeating: Point(0, 0), count: count)
        for k in (0..<count).reversed() {
            var sum = Point(rows[k][count], rows[k][count + 1])
            for column in k + 1..<max(k + 1, count) { sum = sum - result[column] * rows[k][column] }
            result[k] = sum / rows[k][k]
        }
        return result.allSatisfy(\.isFinite) ? result : nil
    }

    /// Warps `image` onto `output`. This spline maps positions in `output` to positions in `image`.
    /// - Parameter step: the distance of the positions for which the map is computed, in pixels. Between these
    ///   positions, the map is interpolated.
    func warp(_ image: Image, into output: Image, step: Int) throws(VisionError) {
        let (columns, rows) = ((output.width + step - 1) / step + 1, (output.height + step - 1) / step + 1)
        var nodes: [Float] = []
        nodes.reserveCapacity(2 * columns * rows)
        for row in 0..<rows {
            for column in 0..<columns {
                let place = self(Point(Double(column * step) + 0.5, Double(row * step) + 0.5))
                nodes.append(Float(min(1e6, max(-1e6, place.x))))
                nodes.append(Float(min(1e6, max(-1e6, place.y))))
            }
        }
        try check {
            sv_cv_warp_grid(
                image.openCV, nodes, Int32(clamping: columns), Int32(clamping: rows), Int32(clamping: step),
                output.openCV, $0)
        }
    }
}
