// SPDX-License-Identifier: LGPL-2.1-or-later
/// A value that changes from a start value to an end value within a duration, and then stays constant.
package struct Fade: Sendable, Hashable {
    package enum Course: String, Sendable, CaseIterable {
        /// The value changes with constant speed.
        case linear
        /// The change is slow at both ends (smoothstep). After the fraction t of the duration, the value has changed by
        /// the fraction 3t² − 2t³ of the difference.
        case smooth
    }

    package let from: Double
    package let to: Double
    package let seconds: Double
    package let course: Course

    package init(from: Double, to: Double, seconds: Double, course: Course = .linear) {
        (self.from, self.to, self.seconds, self.course) = (from, to, seconds, course)
    }

    /// Returns true if the value still changes after `time`, in seconds since the start of the fade.
    package func isActive(at time: Double) -> Bool { time < seconds && from != to }

    /// - Parameter time: the number of seconds since the start of the fade.
    package func value(at time: Double) -> Double {
        guard time < seconds else { return to }
        guard time > 0 else { return from }
        let part = time / seconds
        return from + (to - from) * (course == .smooth ? part * part * (3 - 2 * part) : part)
    }

    /// The fade from the end value back to the start value. The courses `linear` and `smooth` are symmetric, so the
    /// reversed fade is the mirror image of the fade in time.
    var reversed: Fade { Fade(from: to, to: from, seconds: seconds, course: course) }
}
