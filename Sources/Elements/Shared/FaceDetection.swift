import ElementKit
import Pixels
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

extension Rectangle {
    /// Rounds to whole pixels; empty if a number is NaN or beyond ±2³⁰.
    init(_ box: Box) {
        let edges = [box.x, box.y, box.x + box.width, box.y + box.height].map { $0.rounded() }
        guard edges.allSatisfy({ $0.magnitude <= 1_073_741_824 }) else {
            self.init(width: 0, height: 0)
            return
        }
        let whole = edges.map { Int($0) }
        self.init(x: whole[0], y: whole[1], width: whole[2] - whole[0], height: whole[3] - whole[1])
    }
}
