// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Smooths the points of one face over time: the One Euro filter (Casiez, Roussel and Vogel, CHI 2012), a low pass whose
/// cutoff rises with speed. Speeds are in half eye distances a second, and there is one for all three points, the root
/// mean square of theirs, so that it means the same for faces of every size and the face keeps its shape.
///
/// Where a face stands still, detector noise of 1.5 pixels in a face of 200 is cut to 0.65, and its change from frame to
/// frame to a quarter; where it moves at 5 pixels a frame, it trails by 1.2. An alpha-beta filter with as little noise
/// does not lag on a straight path but overshoots by 7 to 13 pixels where the face stops.
package struct PointSmoother {
    /// Cutoff for the points of a face that stands still, in hertz, at the middle of `amount`.
    private static let restingCutoff = 0.7
    /// Increase of the cutoff with the speed, in hertz.
    private static let rise = 5.0
    /// Cutoff for the speed, in hertz.
    private static let speedCutoff = 1.0
    /// Maximum seconds, or eye distances, from one frame to the next; beyond them the filter starts again.
    private static let longest = 0.5
    private static let farthest = 1.0

    private var last: (raw: FacePoints, smooth: FacePoints, time: Double)?
    private var velocities = [Point](repeating: Point(0, 0), count: 3)

    package init() {}

    /// - Parameters:
    ///   - face: the face as it was found.
    ///   - time: the time in seconds; if it does not increase, the last result is returned.
    ///   - amount: 0…1: how low the cutoff is; 0 leaves the points unchanged.
    package mutating func smooth(_ face: FacePoints, at time: Double, amount: Double) -> FacePoints {
        guard amount > 0, let last, face.species == last.raw.species else { return begin(face, time) }
        let step = time - last.time
        let size = 2 * last.smooth.axes.across.length
        guard step < Self.longest, step > -Self.longest, face.distance(to: last.raw) < Self.farthest * size else {
            return begin(face, time)
        }
        guard step > 0 else { return last.smooth }

        let share = Self.share(Self.speedCutoff, step)
        var squares = 0.0
        for (i, (new, old)) in zip(face.points, last.raw.points).enumerated() {
            velocities[i] = velocities[i].moved(towards: (new - old) / step, by: share)
            squares += velocities[i].x * velocities[i].x + velocities[i].y * velocities[i].y
        }
        let speed = (squares / 3).squareRoot() / (size / 2)
        let resting = Self.restingCutoff * (1 - amount) / amount
        let smooth = last.smooth.moved(towards: face, by: Self.share(resting + Self.rise * speed, step))
        self.last = (face, smooth, time)
        return smooth
    }

    private mutating func begin(_ face: FacePoints, _ time: Double) -> FacePoints {
        last = (face, face, time)
        velocities = [Point](repeating: Point(0, 0), count: 3)
        return face
    }

    /// Returns how much of the way to a new value a first-order low pass goes.
    private static func share(_ cutoff: Double, _ step: Double) -> Double {
        let turn = 2 * Double.pi * cutoff * step
        return turn / (turn + 1)
    }
}

extension FacePoints {
    /// Returns the face a `share` of the way to `other`, with its track and species.
    fileprivate func moved(towards other: FacePoints, by share: Double) -> FacePoints {
        var face = other
        face.box = box.moved(towards: other.box, by: share)
        for path in [\FaceLandmarks.leftEye, \.rightEye, \.nose] {
            face.landmarks[keyPath: path] = landmarks[keyPath: path].moved(
                towards: other.landmarks[keyPath: path], by: share)
        }
        return face
    }
}
