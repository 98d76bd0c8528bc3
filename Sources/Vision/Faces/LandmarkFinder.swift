// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Finds eyes and mouth in faces, and what they show: a smile, closed eyes.
final class LandmarkFinder {
    private let settings: FaceSettings
    private let leftEye: Cascade?
    private let rightEye: Cascade?
    private let openEye: Cascade?
    private let smile: Cascade?

    /// Loads the cascades that `settings` need, and no others.
    /// - Parameter hasPoints: true if the places of eyes and mouth are known, so that only what they show is searched for.
    init(settings: FaceSettings, library: CascadeLibrary, hasPoints: Bool) throws(CascadeError) {
        self.settings = settings
        let names = settings.cascades
        func load(_ name: String, _ purpose: Cascade.Purpose, if isWanted: Bool) throws(CascadeError) -> Cascade? {
            guard isWanted, settings.species.contains(.human) else { return nil }
            return try Cascade(path: library.path(of: name), purpose: purpose)
        }
        let wantsEyes = !hasPoints && (settings.landmarks.contains(.eyes) || settings.eyesClosed)
        leftEye = try load(names.leftEye, .eye, if: wantsEyes)
        rightEye = try load(names.rightEye, .eye, if: wantsEyes)
        openEye = try load(names.openEye, .eye, if: settings.eyesClosed)
        smile = try load(names.smile, .smile, if: settings.smile || !hasPoints && settings.landmarks.contains(.mouth))
    }

    /// True if there is anything to search for.
    var isOfUse: Bool { leftEye != nil || smile != nil || openEye != nil }

    /// Returns what is found in the human face that fills `rectangle` of `plane`.
    func landmarks(
        in plane: Image, face rectangle: Rectangle, areEyesSearched: Bool = true
    ) throws(VisionError) -> FoundLandmarks {
        var found = FoundLandmarks()
        let half = rectangle.width / 2
        var left = rectangle
        left.width = half
        var right = left
        right.x += half
        if areEyesSearched, let leftEye, let rightEye {
            found.leftEye = try eye(leftEye, rightEye, in: left, of: rectangle, plane).map(center)
            found.rightEye = try eye(rightEye, leftEye, in: right, of: rectangle, plane).map(center)
        }
        if let smile { try findMouth(smile, in: rectangle, plane, into: &found) }
        if let openEye, found.leftEye != nil || found.rightEye != nil {
            found.closedEyes = try closed(openEye, left, right, of: rectangle, plane)
        }
        return found
    }

    /// Returns what the human face that fills `rectangle` of `plane` shows, searched around its points.
    func expression(
        in plane: Image, face rectangle: Rectangle, points: FaceLandmarks
    ) throws(VisionError) -> (smiles: Bool?, closedEyes: ClosedEyes?) {
        let size = Double(rectangle.width)
        func window(_ center: Point, _ width: Double, _ height: Double) -> Rectangle {
            let window = Box(center: center, width: width * size, height: height * size)
            return plane.bounds.intersection(Rectangle(window))
        }
        var (smiles, closedEyes): (Bool?, ClosedEyes?)
        if let smile {
            let mouth = window((points.mouthLeft + points.mouthRight) / 2, 0.9, 0.45)
            smiles = try smile.strongest(in: plane.cropped(to: mouth), mouthSearch(rectangle)).map(isSmile) ?? false
        }
        if let openEye {
            func isClosed(_ eye: Point) throws(VisionError) -> Bool {
                try strongest(openEye, in: window(eye, 0.5, 0.5), of: rectangle, plane) == nil
            }
            closedEyes = ClosedEyes(left: try isClosed(points.leftEye), right: try isClosed(points.rightEye))
        }
        return (smiles, closedEyes)
    }

    private func mouthSearch(_ face: Rectangle) -> Cascade.Search {
        Cascade.Search(scaleFactor: 1.1, minNeighbors: 8, minSize: face.width / 6)
    }

    /// Returns whether a mouth smiles. The cascade finds many mouths with few neighbours; smiles have many.
    private func isSmile(_ mouth: Cascade.Find) -> Bool { mouth.neighbors >= 25 }

    /// Returns the centre of the pupil in an eye's box.
    private func center(_ box: Rectangle) -> Point { Box(box).point(0.5, 0.65) }

    /// Returns the eye in one half of a face: the find with the most neighbours, the first of equals.
    private func eye(
        _ own: Cascade, _ other: Cascade, in half: Rectangle, of face: Rectangle, _ plane: Image
    ) throws(VisionError) -> Rectangle? {
        guard settings.decision == .confidence else {
            return try strongest(own, in: half, of: face, plane)?.rectangle
        }
        // Eyes are in the upper part; searching above and below only costs time.
        var band = half
        band.y += face.height / 7
        band.height = face.height / 2
        let best = try strongest(own, in: band, of: face, plane)
        if let best, best.neighbors >= 6 { return best.rectangle }
        guard let second = try strongest(other, in: band, of: face, plane) else { return best?.rectangle }
        return second.neighbors > best?.neighbors ?? -1 ? second.rectangle : best?.rectangle
    }

    private func strongest(
        _ cascade: Cascade, in half: Rectangle, of face: Rectangle, _ plane: Image
    ) throws(VisionError) -> Cascade.Find? {
        let search = Cascade.Search(
            scaleFactor: settings.eye.scaleFactor, minNeighbors: settings.eye.minNeighbors,
            minSize: Int(Double(face.width) * settings.eye.minSize))
        var best = try cascade.strongest(in: plane.cropped(to: half), search)
        best?.rectangle.x += half.x
        best?.rectangle.y += half.y
        return best
    }

    /// Returns in which halves no open eye is found.
    private func closed(
        _ openEye: Cascade, _ left: Rectangle, _ right: Rectangle, of rectangle: Rectangle, _ plane: Image
    ) throws(VisionError) -> ClosedEyes {
        func isClosed(_ half: Rectangle) throws(VisionError) -> Bool {
            // Eyes are in the upper part; an open mouth may look like one.
            var upper = half
            upper.height = half.height * 6 / 10
            return try strongest(openEye, in: upper, of: rectangle, plane) == nil
        }
        return ClosedEyes(left: try isClosed(left), right: try isClosed(right))
    }

    /// Finds the mouth in the lower part of a face.
    private func findMouth(
        _ cascade: Cascade, in rectangle: Rectangle, _ plane: Image, into found: inout FoundLandmarks
    ) throws(VisionError) {
        var lower = rectangle
        lower.y += rectangle.height * 6 / 10
        lower.height -= rectangle.height * 6 / 10
        let best = try cascade.strongest(in: plane.cropped(to: lower), mouthSearch(rectangle))
        if settings.smile { found.smiles = best.map(isSmile) ?? false }
        guard settings.landmarks.contains(.mouth), let mouth = best?.rectangle else { return }
        // The training pictures have some cheek around the mouth.
        let box = Box(Rectangle(x: lower.x + mouth.x, y: lower.y + mouth.y, width: mouth.width, height: mouth.height))
        found.mouth = (box.point(0.1, 0.4), box.point(0.9, 0.4))
    }
}

/// Landmarks found in a face, in pixels of the plane where it was searched.
struct FoundLandmarks {
    var leftEye: Point?
    var rightEye: Point?
    /// True if the eye was seen as one, false if only a pupil was found where an eye usually is.
    var isLeftEyeSeen = true
    var isRightEyeSeen = true
    /// Left and right corner of the mouth.
    var mouth: (left: Point, right: Point)?
    var nose: Point?
    var smiles: Bool?
    var closedEyes: ClosedEyes?
    /// The direction of the face, if all of these points were measured.
    var pose: HeadPose?

    /// Returns the landmarks in other coordinates.
    func mapped(_ map: (Point) -> Point) -> FoundLandmarks {
        var found = self
        (found.leftEye, found.rightEye) = (leftEye.map(map), rightEye.map(map))
        found.mouth = mouth.map { (map($0.left), map($0.right)) }
        found.nose = nose.map(map)
        return found
    }
}

extension Face {
    /// Replaces landmarks placed by geometry with those that were found, in the frame's coordinates.
    mutating func merge(_ found: FoundLandmarks) {
        if let eye = found.leftEye { landmarks.leftEye = eye }
        if let eye = found.rightEye { landmarks.rightEye = eye }
        landmarks.isLeftEyeFound = found.leftEye != nil && found.isLeftEyeSeen
        landmarks.isRightEyeFound = found.rightEye != nil && found.isRightEyeSeen
        if species == .human {
            placeNose()
            placeMouth()
        }
        if let nose = found.nose { landmarks.nose = nose }
        if let mouth = found.mouth {
            landmarks.mouthLeft = mouth.left
            landmarks.mouthRight = mouth.right
            landmarks.isMouthFound = true
        }
        smiles = found.smiles
        landmarks.closedEyes = found.closedEyes
        landmarks.pose = found.pose
    }
}
