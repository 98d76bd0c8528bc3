// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Species of the owner of a face.
package enum Species: Sendable, Hashable, CaseIterable {
    case human
    case cat

    package var other: Species { self == .human ? .cat : .human }
}

/// A value for each species.
struct PerSpecies<Value> {
    private var human: Value
    private var cat: Value

    init(_ value: Value) { (human, cat) = (value, value) }

    subscript(species: Species) -> Value {
        get { species == .human ? human : cat }
        set { if species == .human { human = newValue } else { cat = newValue } }
    }
}

/// A face in a frame.
@dynamicMemberLookup
package struct Face: Sendable, Hashable {
    /// Number of its track; 0 if faces are not tracked.
    package var id: Int
    package var species: Species
    /// True if it may be something else: it is to be hidden where faces are, and to be ignored otherwise.
    package var isPossible = false
    /// True if it may as well be the other species.
    package var isSpeciesDoubtful = false
    /// Box in pixels of the full frame. A tracked face may extend beyond it.
    package var box: Box
    /// True if the network has measured the box in this very frame; false if the face was followed to it, or if it comes from a
    /// cascade, whose boxes are coarse.
    package var isExact = false
    /// Confidence of the cascade or the network in the find that this face is based on, 0…1.
    package var confidence: Double
    package var landmarks: FaceLandmarks
    /// True if the face smiles; nil if smiles were not searched for, or the face is a cat's.
    package var smiles: Bool?
    /// True if both eyes are closed; nil if that was not checked, no eye was found, or the face is a cat's.
    package var hasClosedEyes: Bool? { landmarks.closedEyes?.areBoth }

    package subscript<Value>(dynamicMember path: WritableKeyPath<FaceLandmarks, Value>) -> Value {
        get { landmarks[keyPath: path] }
        set { landmarks[keyPath: path] = newValue }
    }
}

extension Face {
    /// Creates a face with all its points placed by geometry, as only the placement is known.
    init(species: Species, placement: FacePlacement, confidence: Double) {
        let box = placement.box
        self.init(species: species, box: box, confidence: confidence) { x, y in
            placement.point(x - 0.5, y - 0.5)
        }
    }

    /// Creates a face with all its points placed by geometry, as only the box is known.
    package init(species: Species, box: Box, confidence: Double) {
        self.init(species: species, box: box, confidence: confidence, place: box.point)
    }

    /// - Parameter place: returns the point at fractions of the face's width and height.
    private init(species: Species, box: Box, confidence: Double, place: (Double, Double) -> Point) {
        let isHuman = species == .human
        self.init(
            id: 0, species: species, box: box, confidence: confidence,
            landmarks: FaceLandmarks(
                leftEye: isHuman ? place(0.3, 0.4) : place(0.25, 0.4),
                rightEye: isHuman ? place(0.7, 0.4) : place(0.75, 0.4), nose: place(0.5, 0.75),
                mouthLeft: place(0.38, 0.85), mouthRight: place(0.62, 0.85), isLeftEyeFound: false,
                isRightEyeFound: false, isMouthFound: false))
        guard isHuman else { return }
        placeNose()
        placeMouth()
    }

    /// Unit vector along the line of the eyes, to the right.
    var eyeLine: Point {
        let line = landmarks.rightEye - landmarks.leftEye
        return line.length > 0 ? line / line.length : Point(1, 0)
    }

    /// Places a human's nose tip: 0.2 of the face's height from the middle between the eyes, perpendicular to their
    /// line.
    mutating func placeNose() {
        landmarks.nose = below(0.2)
    }

    /// Places a human's mouth by geometry: 0.36 of the height below the eyes, 0.8 of their distance wide.
    mutating func placeMouth() {
        let (middle, line) = (below(0.36), landmarks.rightEye - landmarks.leftEye)
        let half = 0.4 * (line.x * eyeLine.x + line.y * eyeLine.y)
        landmarks.mouthLeft = middle - eyeLine * half
        landmarks.mouthRight = middle + eyeLine * half
    }

    /// Returns the point at a fraction of the face's height from the middle between the eyes, perpendicular to their
    /// line.
    private func below(_ fraction: Double) -> Point {
        let middle = (landmarks.leftEye + landmarks.rightEye) / 2
        return Point(middle.x - eyeLine.y * fraction * box.height, middle.y + eyeLine.x * fraction * box.height)
    }
}
