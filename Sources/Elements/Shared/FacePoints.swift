import ElementKit
import Pixels
import Vision

extension FacePoints {
    /// Creates a face from metadata; without landmarks, its points by geometry. Nil if neither human nor cat.
    init?(_ detection: Detection) {
        guard let species = Species.allCases.first(where: { $0.detectionType == detection.type }) else { return nil }
        let box = Box(
            x: Double(detection.box.x), y: Double(detection.box.y), width: Double(detection.box.width),
            height: Double(detection.box.height))
        if let landmarks = detection.landmarks {
            self.init(
                track: Int(detection.id), species: species, box: box, leftEye: landmarks.leftEye,
                rightEye: landmarks.rightEye, nose: landmarks.nose)
        } else {
            var face = Face(species: species, box: box, confidence: detection.confidence ?? 0)
            face.id = Int(detection.id)
            self.init(face)
        }
    }

    /// The area of its box in pixels².
    var area: Double { box.area }
}
