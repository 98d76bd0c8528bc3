// SPDX-License-Identifier: LGPL-2.1-or-later
/// A duration as an exact fraction of nanoseconds. For example, a beat at 180 beats per minute is 1000000000/3 ns.
/// Rounded beats would drift away from the music.
struct ExactDuration: Sendable, Hashable {
    /// The duration is `numerator` / `denominator` nanoseconds, in lowest terms.
    let numerator: UInt128
    let denominator: UInt128

    static let zero = ExactDuration(nanoseconds: 0)
    /// The maximum duration: 2⁶³ ns (292 years). This limit and `maxDenominator` ensure that the arithmetic of
    /// `FadeSequence` does not overflow.
    private static let longest: UInt128 = 1 << 63
    static let maxDenominator: UInt128 = 1 << 40
    private static let second: UInt128 = 1_000_000_000

    /// Creates a duration of whole nanoseconds. Durations of more than 292 years become 292 years.
    init(nanoseconds: UInt128) { (numerator, denominator) = (min(nanoseconds, Self.longest), 1) }

    /// Returns nil if the denominator in lowest terms is 0 or more than `maxDenominator`. Durations of more than 292
    /// years become 292 years.
    init?(_ numerator: UInt128, over denominator: UInt128) {
        guard denominator > 0 else { return nil }
        let isLonger = numerator / denominator >= Self.longest
        let (numerator, denominator) = isLonger ? (Self.longest, 1) : (numerator, denominator)
        let divisor = greatestCommonDivisor(numerator, denominator)
        guard denominator / divisor <= Self.maxDenominator else { return nil }
        (self.numerator, self.denominator) = (numerator / divisor, denominator / divisor)
    }

    var seconds: Double { Double(numerator) / Double(denominator) / Double(Self.second) }

    /// The duration as users write it, such as `2.5s` or `1/3s`.
    var text: String {
        guard denominator == 1 else {
            let below = denominator * Self.second
            let divisor = greatestCommonDivisor(numerator, below)
            return "\(numerator / divisor)/\(below / divisor)s"
        }
        let (whole, rest) = numerator.quotientAndRemainder(dividingBy: Self.second)
        guard rest > 0 else { return "\(whole)s" }
        // Adding one second keeps the zeros after the decimal point, as in 0.05. The digit 1 of this second is then
        // dropped.
        var digits = String(Self.second + rest).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)s"
    }
}

/// Euclid's algorithm. Returns a positive number unless both numbers are 0.
func greatestCommonDivisor(_ a: UInt128, _ b: UInt128) -> UInt128 {
    var (a, b) = (a, b)
    while b > 0 { (a, b) = (b, a % b) }
    return a
}

/// An exact number that a user has written as a whole number, a decimal number or a fraction: `2`, `0.75` or `3/4`.
struct WrittenRatio {
    let numerator: UInt128
    let denominator: UInt128

    /// Returns nil if the text is not a number of this form, or if the numerator has more than `digits` digits. The
    /// denominator has at most 19 digits.
    init?(_ text: some StringProtocol, digits: Int) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let decimals = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, decimals.count <= 2, parts.count == 1 || decimals.count == 1 else { return nil }
        let (top, bottom) =
            if parts.count == 2 {
                (String(parts[0]), String(parts[1]))
            } else {
                (decimals.joined(), "1" + String(repeating: "0", count: decimals.count == 2 ? decimals[1].count : 0))
            }
        guard top.utf8.count <= digits, bottom.utf8.count <= 19, Self.isNumber(top), Self.isNumber(bottom),
            let numerator = UInt128(top), let denominator = UInt128(bottom), denominator > 0
        else { return nil }
        (self.numerator, self.denominator) = (numerator, denominator)
    }

    private static func isNumber(_ text: String) -> Bool {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
