import ElementKit
import Vision

extension FaceSettings.SpeciesSet: PropertyFlagSet {
    package static var typeName: String { "GstSvFaceSpecies" }
    package static var members: [(value: Self, nick: String, blurb: String)] {
        [(.human, "human", "Humans"), (.cat, "cat", "Cats")]
    }
}
