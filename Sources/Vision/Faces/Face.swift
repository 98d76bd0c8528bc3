import Pixels

/// A rectangle in pixels and fractions of them.
package struct Box: Sendable, Hashable {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    package init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    package init(center: Point, width: Double, height: Double) {
        self.init(x: center.x - width / 2, y: center.y - height / 2, width: width, height: height)
    }

    package var center: Point { Point(x + width / 2, y + height / 2) }
    package var area: Double { width * height }

    /// Returns the point at fractions of the box's width and height.
    package func point(_ x: Double, _ y: Double) -> Point {
        Point(self.x + x * width, self.y + y * height)
    }

    /// Returns the area of the intersection.
    package func overlap(_ other: Box) -> Double {
        let width = min(x + width, other.x + other.width) - max(x, other.x)
        let height = min(y + height, other.y + other.height) - max(y, other.y)
        return width > 0 && height > 0 ? width * height : 0
    }

    /// Returns the area of the intersection as a fraction of that of the union, 0…1.
    package func similarity(_ other: Box) -> Double {
        let common = overlap(other)
        let all = area + other.area - common
        return all > 0 ? common / all : 0
    }

    /// Returns the area of the intersection as a fraction of the smaller box, 0…1: two faces cannot cover each other
    /// much.
    func coverage(_ other: Box) -> Double {
        let smaller = min(area, other.area)
        return smaller > 0 ? overlap(other) / smaller : 0
    }

    func contains(_ other: Box) -> Bool {
        other.x >= x && other.y >= y && other.x + other.width <= x + width && other.y + other.height <= y + height
    }

    /// Returns the box a `share` of the way to `other`.
    func moved(towards other: Box, by share: Double) -> Box {
        Box(
            x: x + share * (other.x - x), y: y + share * (other.y - y), width: width + share * (other.width - width),
            height: height + share * (other.height - height))
    }
}

/// Species of the owner of a face.
package enum Species: Sendable, Hashable, CaseIterable {
    case human
    case cat
}

/// A face in a frame.
@dynamicMemberLookup
package struct Face: Sendable, Hashable {
    /// Number of its track; 0 if faces are not tracked.
    package var id: Int
    package var species: Species
    /// Box in pixels of the full frame. A tracked face may extend beyond it.
    package var box: Box
    /// Confidence of the cascade in the find that this face is based on, 0…1.
    package var confidence: Double
    package var landmarks: FaceLandmarks
    /// True if the mouth was found, false if it was placed by geometry.
    package var isMouthFound: Bool
    /// True if the face smiles; nil if smiles were not searched for, or the face is a cat's.
    package var smiles: Bool?
    /// True if both eyes are closed; nil if that was not checked, no eye was found, or the face is a cat's.
    package var hasClosedEyes: Bool?

    package subscript<Value>(dynamicMember path: WritableKeyPath<FaceLandmarks, Value>) -> Value {
        get { landmarks[keyPath: path] }
        set { landmarks[keyPath: path] = newValue }
    }
}

extension Face {
    /// Creates a face with all its points placed by geometry, as only the placement is known.
    init(species: Species, placement: Placement, confidence: Double) {
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
                isRightEyeFound: false),
            isMouthFound: false)
        guard isHuman else { return }
        placeNose()
        placeMouth()
    }

    /// Unit vector along the line of the eyes, to the right.
    var eyeLine: Point {
        let (leftEye, rightEye) = (landmarks.leftEye, landmarks.rightEye)
        let dx = rightEye.x - leftEye.x
        let dy = rightEye.y - leftEye.y
        let length = (dx * dx + dy * dy).squareRoot()
        return length > 0 ? Point(dx / length, dy / length) : Point(1, 0)
    }

    /// Places a human's nose tip: 0.2 of the face's height from the middle between the eyes, perpendicular to their
    /// line.
    mutating func placeNose() {
        landmarks.nose = below(0.2)
    }

    /// Places a human's mouth by geometry: 0.36 of the height below the eyes, 0.8 of their distance wide.
    mutating func placeMouth() {
        let middle = below(0.36)
        let (leftEye, rightEye) = (landmarks.leftEye, landmarks.rightEye)
        let half = 0.4 * ((rightEye.x - leftEye.x) * eyeLine.x + (rightEye.y - leftEye.y) * eyeLine.y)
        landmarks.mouthLeft = Point(middle.x - half * eyeLine.x, middle.y - half * eyeLine.y)
        landmarks.mouthRight = Point(middle.x + half * eyeLine.x, middle.y + half * eyeLine.y)
    }

    /// Returns the point at a fraction of the face's height from the middle between the eyes, perpendicular to their
    /// line.
    private func below(_ fraction: Double) -> Point {
        let line = eyeLine
        let (leftEye, rightEye) = (landmarks.leftEye, landmarks.rightEye)
        return Point(
            (leftEye.x + rightEye.x) / 2 - line.y * fraction * box.height,
            (leftEye.y + rightEye.y) / 2 + line.x * fraction * box.height)
    }
}
