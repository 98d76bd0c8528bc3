// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Species of a detected face.
package enum Species: Sendable, Hashable, CaseIterable {
    case human
    case cat

    package var other: Species { self == .human ? .cat : .human }
}

/// A container with one value for each species.
struct PerSpecies<Value> {
    private var human: Value
    private var cat: Value

    init(_ value: Value) { (human, cat) = (value, value) }

    subscript(species: Species) -> Value {
        get { species == .human ? human : cat }
        set { if species == .human { human = newValue } else { cat = newValue } }
    }
}

/// A face detection in a frame.
@dynamicMemberLookup
package struct Face: Sendable, Hashable {
    /// Track ID; 0 if the face is not tracked.
    package var id: Int
    package var species: Species
    /// True if the detection may be wrong. Cover such a face for privacy, but ignore the face for any other purpose.
    package var isPossible = false
    /// True if the species is doubtful: the human may be a cat, or the cat may be a human.
    package var isSpeciesDoubtful = false
    /// Bounding box, in pixels of the full frame. The box of a tracked face may extend beyond the frame.
    package var box: Box
    /// True if the network measured the box in this frame. False if a pattern match moved the box from an earlier
    /// frame. Also false if a cascade measured the box, because the boxes of cascades are inaccurate.
    package var isExact = false
    /// Confidence, 0…1, of the cascade or the network that detected the face.
    package var confidence: Double
    package var landmarks: FaceLandmarks
    /// True if the face smiles. Nil for a cat, or if the detector did not search for smiles.
    package var smiles: Bool?
    /// True if both eyes are closed. Nil for a cat, or if the eyes were not checked or not detected.
    package var hasClosedEyes: Bool? { landmarks.closedEyes?.areBoth }

    package subscript<Value>(dynamicMember path: WritableKeyPath<FaceLandmarks, Value>) -> Value {
        get { landmarks[keyPath: path] }
        set { landmarks[keyPath: path] = newValue }
    }
}

extension Face {
    /// Creates a face at `placement`, with all landmarks at their default positions in a face.
    init(species: Species, placement: FacePlacement, confidence: Double) {
        let box = placement.box
        self.init(species: species, box: box, confidence: confidence) { x, y in
            placement.point(x - 0.5, y - 0.5)
        }
    }

    /// Creates an upright face in `box`, with all landmarks at their default positions in a face.
    package init(species: Species, box: Box, confidence: Double) {
        self.init(species: species, box: box, confidence: confidence, point: box.point)
    }

    /// - Parameter point: converts a position in the face to a point in the frame. The position consists of a fraction
    ///   of the face's width and a fraction of the face's height.
    private init(species: Species, box: Box, confidence: Double, point: (Double, Double) -> Point) {
        let isHuman = species == .human
        self.init(
            id: 0, species: species, box: box, confidence: confidence,
            landmarks: FaceLandmarks(
                leftEye: isHuman ? point(0.3, 0.4) : point(0.25, 0.4),
                rightEye: isHuman ? point(0.7, 0.4) : point(0.75, 0.4), nose: point(0.5, 0.75),
                mouthLeft: point(0.38, 0.85), mouthRight: point(0.62, 0.85), isLeftEyeFound: false,
                isRightEyeFound: false, isMouthFound: false))
        guard isHuman else { return }
        placeNose()
        placeMouth()
    }

    /// Unit vector in the direction from the left eye to the right eye.
    var eyeLine: Point {
        let line = landmarks.rightEye - landmarks.leftEye
        return line.length > 0 ? line / line.length : Point(1, 0)
    }

    /// Sets the tip of a human's nose to the point below the midpoint of the eyes, at a distance of 0.2 of the face's
    /// height.
    mutating func placeNose() {
        landmarks.nose = below(0.2)
    }

    /// Sets a human's mouth to the point below the midpoint of the eyes, at a distance of 0.36 of the face's height.
    /// The mouth is 0.8 times as wide as the distance between the eyes.
    mutating func placeMouth() {
        let (middle, line) = (below(0.36), landmarks.rightEye - landmarks.leftEye)
        let half = 0.4 * (line.x * eyeLine.x + line.y * eyeLine.y)
        landmarks.mouthLeft = middle - eyeLine * half
        landmarks.mouthRight = middle + eyeLine * half
    }

    /// Returns the point below the midpoint of the eyes, on the perpendicular to the line between the eyes.
    /// - Parameter fraction: the distance from the midpoint, as a fraction of the face's height.
    private func below(_ fraction: Double) -> Point {
        let middle = (landmarks.leftEye + landmarks.rightEye) / 2
        return Point(middle.x - eyeLine.y * fraction * box.height, middle.y + eyeLine.x * fraction * box.height)
    }
}
