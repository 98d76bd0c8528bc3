// SPDX-License-Identifier: LGPL-2.1-or-later
/// A pseudorandom generator (SplitMix64, https://prng.di.unimi.it/splitmix64.c). The sequence is the same on every
/// machine.
package struct SeededRandom: Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns a uniformly distributed number in low ..< high.
    package mutating func between(_ low: Double, _ high: Double) -> Double {
        low + (high - low) * Double(next() >> 11) / 9_007_199_254_740_992
    }

    /// Returns a random element of an array. The array must not be empty.
    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(next() % UInt64(elements.count))]
    }
}
