// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

extension Species {
    /// The detection type for faces of this species.
    var detectionType: Detection.Kind { self == .human ? .face : .catFace }
}

extension Detection {
    init(_ face: Face, id: Int32) {
        var classifications: [Classification] = []
        if let smiles = face.smiles {
            classifications.append(
                Classification(name: "smile", label: smiles ? "smiling" : "not-smiling", labelID: smiles ? 1 : 0))
        }
        if let areClosed = face.hasClosedEyes {
            classifications.append(
                Classification(name: "eyes", label: areClosed ? "closed" : "open", labelID: areClosed ? 1 : 0))
        }
        let alternative = face.isSpeciesDoubtful ? face.species.other.detectionType : nil
        self.init(
            type: face.species.detectionType, alternative: alternative, id: id, box: Rectangle(face.box),
            labelID: face.species == .human ? 0 : 1, confidence: face.confidence, landmarks: face.landmarks,
            classifications: classifications)
        isExact = face.isExact
        if face.isPossible { makePossible() }
    }

    /// Marks the detection as uncertain, and removes the id, the landmarks and the classifications.
    private mutating func makePossible() {
        (type, alternative) = (type.possible, alternative?.possible)
        (label, id, landmarks, classifications) = (type.rawValue, 0, nil, [])
    }
}

extension FacePoints {
    /// Creates the points of a detected face. If the detection has no landmarks, estimates the landmarks from the box.
    /// Returns nil if the detection is not a human or cat face.
    init?(_ detection: Detection) {
        guard let species = Species.allCases.first(where: { $0.detectionType == detection.type }) else { return nil }
        let box = Box(detection.box)
        self.init(
            track: Int(detection.id), species: species, box: box,
            landmarks: detection.landmarks ?? Face(species: species, box: box, confidence: 0).landmarks)
    }
}

extension FaceSettings.SpeciesSet: PropertyFlagSet {
    package static var typeName: String { "GstSvFaceSpecies" }
    package static var members: [(value: Self, nick: String, blurb: String)] {
        [(.human, "human", "Humans"), (.cat, "cat", "Cats")]
    }
}
