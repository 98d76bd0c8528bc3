package import Imaging

/// An actor of a scene, and where it is at one time: the truth that a detector should find.
@dynamicMemberLookup
package struct Actor: Sendable, Hashable {
    package enum Kind: Sendable, CaseIterable {
        case human, cat, trinket, logo
    }

    /// 1 for the first actor of a scene, and so on; the same at all times.
    package let id: Int
    package let kind: Kind
    /// The trinket, in the scene `coins`.
    package let trinket: Trinket?
    /// The person, in the scene `people`.
    package let person: Person?
    /// Bounds in pixels: of a face the square that a cascade finds, never cut off; of others the smallest rectangle.
    package let rectangle: Rectangle
    /// Degrees clockwise.
    package let tilt: Double
    /// Points of the face; for anything else, all are in its middle.
    package let landmarks: FaceLandmarks

    /// Bounds of everything that is drawn, in pixels.
    let sprite: Rectangle
    /// Index of the role's portrait that is shown.
    let look: Int

    package subscript<Value>(dynamicMember path: KeyPath<FaceLandmarks, Value>) -> Value { landmarks[keyPath: path] }
}

/// Numbers that follow from a seed, the same on every machine: SplitMix64, https://prng.di.unimi.it/splitmix64.c
package struct SceneRandom: Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns an evenly distributed number in low ..< high.
    package mutating func between(_ low: Double, _ high: Double) -> Double {
        low + (high - low) * Double(next() >> 11) / 9_007_199_254_740_992
    }

    /// Returns one of the elements, of which there must be at least one.
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(next() % UInt64(elements.count))]
    }
}
