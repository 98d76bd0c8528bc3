#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The sine and cosine of an angle; of 0 for what has none.
func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
    guard degrees.isFinite else { return (0, 1) }
    let angle = degrees * .pi / 180
    return (sin(angle), cos(angle))
}

/// e to the power of `value`.
func exponential(_ value: Double) -> Double { exp(value) }

/// `base` > 0 to the power of `exponent`.
func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
