// SPDX-License-Identifier: LGPL-2.1-or-later

/// The direction of a face, in degrees, from the viewer's point of view.
///
/// The angles come from a fit of a generic face model to five landmarks (eyes, nose, corners of the mouth), in weak
/// perspective (scaled orthographic projection). The fit determines the rotation, scale and shift of the model. It
/// minimises the sum of squared distances between the points of the model and the landmarks. The rotation is Rz(roll) ·
/// Ry(yaw) · Rx(pitch). x points to the right, y down, and z towards the viewer.
///
/// The fit also determines the height of the model. Faces differ in height, and a smile reduces the distance between
/// the landmarks of mouth and eyes. A penalty term keeps the height close to the height of the generic face.
package struct HeadPose: Sendable, Hashable {
    /// Rotation in the plane of the image. Positive if clockwise.
    package var roll: Double
    /// Positive if the face looks to the viewer's right.
    package var yaw: Double
    /// Positive if the face looks up.
    package var pitch: Double

    package init(roll: Double, yaw: Double, pitch: Double) { (self.roll, self.yaw, self.pitch) = (roll, yaw, pitch) }

    /// Fits the model to the landmarks of a face. Returns nil if all landmarks are at the same position.
    package init?(_ points: FaceLandmarks) {
        guard var best = HeadPoseFit(points, yaw: 0) else { return nil }
        // The error may have several local minima. So if the first fit has a large error, try other initial angles.
        for yaw in [-35.0, 35] where best.error > HeadPoseFit.smallError {
            if let other = HeadPoseFit(points, yaw: yaw), other.error < best.error { best = other }
        }
        self = best.pose
        guard roll.isFinite, yaw.isFinite, pitch.isFinite else { return nil }
    }
}

/// A point of the generic face model. The unit of length is the distance between the eyes.
private struct ModelPoint {
    var x, y, z: Double
}

/// Fits the generic face model to landmarks by the Levenberg–Marquardt method.
private struct HeadPoseFit {
    /// The points of the generic face model: left eye, right eye, nose, left and right corner of the mouth. The
    /// coordinates are relative to the mean of all points. The x and y coordinates are the positions in
    /// `FaceAlignment.template`, except for the nose. The nose is slightly lower, because the network YuNet measures
    /// lower noses in frontal photographs. The tip of the nose is 0.4 units (25 mm) in front of the eyes.
    private static let model: [ModelPoint] = {
        let points = [
            ModelPoint(x: -0.5, y: 0, z: 0), ModelPoint(x: 0.5, y: 0, z: 0), ModelPoint(x: 0, y: 0.62, z: 0.4),
            ModelPoint(x: -0.415, y: 1.155, z: 0.05), ModelPoint(x: 0.415, y: 1.155, z: 0.05),
        ]
        let count = Double(points.count)
        let mean = points.reduce(into: ModelPoint(x: 0, y: 0, z: 0)) { sum, point in
            (sum.x, sum.y, sum.z) = (sum.x + point.x / count, sum.y + point.y / count, sum.z + point.z / count)
        }
        return points.map { ModelPoint(x: $0.x - mean.x, y: $0.y - mean.y, z: $0.z - mean.z) }
    }()
    private static let steps = 20
    /// Yaw and pitch are limited to this angle in degrees, because five landmarks cannot show a greater angle.
    private static let maxTurn = 90.0
    /// The penalty term is this factor times (height − 1). The height is relative to the model. The factor is about the
    /// ratio of two deviations: in real faces, the landmarks deviate from the model by about 0.03, and the height by
    /// about 0.15.
    private static let priceOfHeight = 0.2
    /// If the error of a fit is at most this value, the code does not try other initial angles.
    static let smallError = 0.01

    /// The parameters of the fit: roll, yaw and pitch in degrees, and the height of the face relative to the model.
    private var values: [Double]
    private let points: [Point]
    private(set) var error: Double

    var pose: HeadPose { HeadPose(roll: values[0], yaw: values[1], pitch: values[2]) }

    /// Fits the model with an initial yaw in degrees. Returns nil if all landmarks are at the same position.
    init?(_ landmarks: FaceLandmarks, yaw: Double) {
        let all = [landmarks.leftEye, landmarks.rightEye, landmarks.nose, landmarks.mouthLeft, landmarks.mouthRight]
        let count = Double(all.count)
        let mean = all.reduce(Point(0, 0)) { Point($0.x + $1.x / count, $0.y + $1.y / count) }
        let centered = all.map { Point($0.x - mean.x, $0.y - mean.y) }
        let extent = centered.reduce(0) { $0 + $1.x * $1.x + $1.y * $1.y }
        guard extent.isFinite, extent > 1e-9 else { return nil }
        // Scale the landmarks so that the sum of their squared coordinates is 1. The error then does not depend on the
        // size of the face.
        let scale = 1 / extent.squareRoot()
        points = centered.map { Point($0.x * scale, $0.y * scale) }
        // The initial roll is the direction from the middle of the eyes to the middle of the mouth.
        let down = Point(
            points[3].x + points[4].x - points[0].x - points[1].x,
            points[3].y + points[4].y - points[0].y - points[1].y)
        values = [arcTangent(-down.x, down.y) * 180 / .pi, yaw, 0, 1]
        error = 0
        error = residuals(values).reduce(0) { $0 + $1 * $1 }
        improve()
    }

    /// Returns the differences between the points of the model and the landmarks, and the penalty for the height.
    /// Scales the model to the landmarks before it computes the differences.
    private func residuals(_ values: [Double]) -> [Double] {
        let (roll, yaw, pitch) = (
            sineAndCosine(degrees: values[0]), sineAndCosine(degrees: values[1]), sineAndCosine(degrees: values[2])
        )
        let projected = Self.model.map { point -> Point in
            let height = point.y * values[3]
            let (y, z) = (height * pitch.cosine - point.z * pitch.sine, height * pitch.sine + point.z * pitch.cosine)
            let x = point.x * yaw.cosine + z * yaw.sine
            return Point(x * roll.cosine - y * roll.sine, x * roll.sine + y * roll.cosine)
        }
        let (product, square) = zip(projected, points).reduce(into: (0.0, 0.0)) { sums, pair in
            sums.0 += pair.0.x * pair.1.x + pair.0.y * pair.1.y
            sums.1 += pair.0.x * pair.0.x + pair.0.y * pair.0.y
        }
        let size = square > 0 ? max(0, product / square) : 0
        return zip(projected, points).flatMap { [size * $0.x - $1.x, size * $0.y - $1.y] }
            + [Self.priceOfHeight * (values[3] - 1)]
    }

    private mutating func improve() {
        var damping = 1e-3
        for _ in 0..<Self.steps {
            let now = residuals(values)
            let slopes = values.indices.map { index -> [Double] in
                var near = values
                let step = index < 3 ? 0.01 : 1e-4
                near[index] += step
                return zip(residuals(near), now).map { ($0 - $1) / step }
            }
            func dot(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
            var rows = slopes.map { slope in slopes.map { dot(slope, $0) } + [-dot(slope, now)] }
            for index in rows.indices { rows[index][index] *= 1 + damping }
            guard let change = Self.solution(of: rows) else { return }
            var next = zip(values, change).map { $0 + $1 }
            next[0] = next[0].remainder(dividingBy: 360)
            for index in 1...2 { next[index] = min(Self.maxTurn, max(-Self.maxTurn, next[index])) }
            next[3] = min(2, max(0.5, next[3]))
            let nextError = residuals(next).reduce(0) { $0 + $1 * $1 }
            guard nextError < error else {
                damping *= 10
                if damping > 1e6 { return }
                continue
            }
            let isDone = error - nextError < 1e-12
            (values, error, damping) = (next, nextError, max(1e-9, damping / 10))
            if isDone { return }
        }
    }

    /// Solves linear equations by Gauss–Jordan elimination. Each row of `rows` consists of the coefficients and the
    /// right side of an equation. Returns nil if the matrix is singular. The matrix is positive definite, so the method
    /// needs no pivoting.
    private static func solution(of rows: [[Double]]) -> [Double]? {
        var rows = rows
        for k in rows.indices {
            guard rows[k][k].magnitude > 1e-15 else { return nil }
            for other in rows.indices where other != k {
                let factor = rows[other][k] / rows[k][k]
                for column in k...rows.count { rows[other][column] -= factor * rows[k][column] }
            }
        }
        return rows.indices.map { rows[$0][rows.count] / rows[$0][$0] }
    }
}
