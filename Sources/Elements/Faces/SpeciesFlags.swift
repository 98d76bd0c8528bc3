import ElementKit
import Vision

/// The species whose faces an element takes.
struct SpeciesFlags: PropertyFlagSet {
    let rawValue: UInt32
    static let human = SpeciesFlags(rawValue: 1)
    static let cat = SpeciesFlags(rawValue: 2)
    static let typeName = "GstSvFaceSpecies"
    static let members: [(value: SpeciesFlags, nick: String, blurb: String)] = [
        (.human, "human", "Humans"), (.cat, "cat", "Cats"),
    ]
}

extension FaceSettings.SpeciesSet {
    init(_ flags: SpeciesFlags) {
        self = []
        if flags.contains(.human) { insert(.human) }
        if flags.contains(.cat) { insert(.cat) }
    }
}
