/// Who is in a scene, and where, at one time: the truth that a detector should find.
@dynamicMemberLookup
package struct Actor: Sendable, Hashable {
    package enum Kind: Sendable, CaseIterable {
        case human, cat, trinket, logo
    }

    /// 1 for the first actor of a scene, and so on; the same all along.
    package let id: Int
    package let kind: Kind
    /// What it is, where it is no face.
    package let trinket: Trinket?
    /// Who it is, in the scene `people`.
    package let person: Person?
    /// In pixels: a face's square that a cascade finds, cut off nowhere; of others what is just large enough.
    package let rectangle: Rectangle
    /// Degrees clockwise.
    package let tilt: Double
    /// What has no face has all of them in its middle.
    package let landmarks: FaceLandmarks

    /// Everything that is drawn, in pixels.
    let sprite: Rectangle
    /// Which of the role's portraits is shown.
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

    /// Evenly in low ..< high.
    package mutating func between(_ low: Double, _ high: Double) -> Double {
        low + (high - low) * Double(next() >> 11) / 9_007_199_254_740_992
    }

    /// One of some; they must not be none.
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(next() % UInt64(elements.count))]
    }
}
