import ElementKit
import Imaging
import Vision

extension Species {
    /// The type of its faces in the metadata.
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
        self.init(
            type: face.species.detectionType, id: id, box: Rectangle(face.box),
            labelID: face.species == .human ? 0 : 1, confidence: face.confidence,
            landmarks: face.landmarks, classifications: classifications)
    }
}
