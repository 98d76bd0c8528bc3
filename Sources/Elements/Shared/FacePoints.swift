import ElementKit
import Imaging
import Vision

extension FacePoints {
    /// Creates a face from metadata; without landmarks, its points by geometry. Nil if neither human nor cat.
    init?(_ detection: Detection) {
        guard let species = Species.allCases.first(where: { $0.detectionType == detection.type }) else { return nil }
        let box = Box(detection.box)
        self.init(
            track: Int(detection.id), species: species, box: box,
            landmarks: detection.landmarks ?? Face(species: species, box: box, confidence: 0).landmarks)
    }
}
