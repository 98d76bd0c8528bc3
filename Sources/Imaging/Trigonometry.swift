// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// Returns the sine and cosine of an angle. If the angle is not finite, returns the sine and cosine of 0.
package func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
    guard degrees.isFinite else { return (0, 1) }
    let angle = degrees * .pi / 180
    return (sin(angle), cos(angle))
}

/// Returns `exp(value)`.
package func exponential(_ value: Double) -> Double { exp(value) }

/// Returns the natural logarithm of `value`.
package func logarithm(_ value: Double) -> Double { log(value) }

/// Returns `base` to the power of `exponent`.
package func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }

/// Returns the angle of the vector (`x`, `y`) in radians, −π…π.
package func arcTangent(_ y: Double, _ x: Double) -> Double { atan2(y, x) }
