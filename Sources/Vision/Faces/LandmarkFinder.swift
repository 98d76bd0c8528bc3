// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Detects eyes and mouth in human faces by cascades. Also detects smiles and closed eyes.
final class LandmarkFinder {
    private let settings: FaceSettings
    private let leftEye: Cascade?
    private let rightEye: Cascade?
    private let openEye: Cascade?
    private let smile: Cascade?

    /// Loads only the cascades that `settings` need.
    /// - Parameter hasPoints: true if a network measures eyes and mouth. The cascades then detect only smiles and
    ///   closed eyes.
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

    var isOfUse: Bool { leftEye != nil || smile != nil || openEye != nil }

    /// - Parameters:
    ///   - rectangle: the square of an upright human face in `plane`.
    ///   - areEyesSearched: false to skip the search for eyes.
    func landmarks(
        in plane: Image, face rectangle: Rectangle, areEyesSearched: Bool = true
    ) throws(VisionError) -> FoundLandmarks {
        var result = FoundLandmarks()
        let half = rectangle.width / 2
        var left = rectangle
        left.width = half
        var right = left
        right.x += half
        if areEyesSearched, let leftEye, let rightEye {
            result.leftEye = try eye(leftEye, rightEye, in: left, of: rectangle, plane).map(center)
            result.rightEye = try eye(rightEye, leftEye, in: right, of: rectangle, plane).map(center)
        }
        if let smile { try findMouth(smile, in: rectangle, plane, into: &result) }
        if let openEye, result.leftEye != nil || result.rightEye != nil {
            result.closedEyes = try closed(openEye, left, right, of: rectangle, plane)
        }
        return result
    }

    /// Determines if a human face smiles, and if its eyes are closed. The cascades search only around the mouth and the
    /// eyes of `points`.
    /// - Parameters:
    ///   - rectangle: the square of the upright face in `plane`.
    ///   - points: the landmarks of the face, in pixels of `plane`.
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

    /// Returns true if a detected mouth smiles. The cascade for smiles also detects mouths that do not smile, but with
    /// fewer neighbours (overlapping single detections).
    private func isSmile(_ mouth: Cascade.Find) -> Bool { mouth.neighbors >= 25 }

    /// Returns the default position of the pupil in the box that a cascade detected for an eye.
    private func center(_ box: Rectangle) -> Point { Box(box).point(0.5, 0.65) }

    /// Detects an eye in the left or right half of a face. Returns the box of the detection with the most neighbours
    /// (overlapping single detections).
    /// - Parameters:
    ///   - cascade: the cascade for this eye.
    ///   - oppositeCascade: the cascade for the opposite eye.
    private func eye(
        _ cascade: Cascade, _ oppositeCascade: Cascade, in half: Rectangle, of face: Rectangle, _ plane: Image
    ) throws(VisionError) -> Rectangle? {
        guard settings.decision == .confidence else {
            return try strongest(cascade, in: half, of: face, plane)?.rectangle
        }
        // The eyes are in the upper part of a face. So search only this part, to save time.
        var band = half
        band.y += face.height / 7
        band.height = face.height / 2
        let best = try strongest(cascade, in: band, of: face, plane)
        if let best, best.neighbors >= 6 { return best.rectangle }
        guard let second = try strongest(oppositeCascade, in: band, of: face, plane) else { return best?.rectangle }
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

    /// Determines which eyes are closed. An eye counts as closed if the cascade for open eyes detects nothing in this
    /// eye's half of the face.
    private func closed(
        _ openEye: Cascade, _ left: Rectangle, _ right: Rectangle, of rectangle: Rectangle, _ plane: Image
    ) throws(VisionError) -> ClosedEyes {
        func isClosed(_ half: Rectangle) throws(VisionError) -> Bool {
            // Search only the upper part of the face, because the cascade may mistake an open mouth for an eye.
            var upper = half
            upper.height = half.height * 6 / 10
            return try strongest(openEye, in: upper, of: rectangle, plane) == nil
        }
        return ClosedEyes(left: try isClosed(left), right: try isClosed(right))
    }

    /// Detects the mouth in the lower part of a face.
    private func findMouth(
        _ cascade: Cascade, in rectangle: Rectangle, _ plane: Image, into result: inout FoundLandmarks
    ) throws(VisionError) {
        var lower = rectangle
        lower.y += rectangle.height * 6 / 10
        lower.height -= rectangle.height * 6 / 10
        let best = try cascade.strongest(in: plane.cropped(to: lower), mouthSearch(rectangle))
        if settings.smile { result.smiles = best.map(isSmile) ?? false }
        guard settings.landmarks.contains(.mouth), let mouth = best?.rectangle else { return }
        // The cascade's training images include parts of the cheeks, so the mouth is narrower than the detected box.
        let box = Box(Rectangle(x: lower.x + mouth.x, y: lower.y + mouth.y, width: mouth.width, height: mouth.height))
        result.mouth = (box.point(0.1, 0.4), box.point(0.9, 0.4))
    }
}

/// The landmarks that were detected in a face. Points are in pixels of the searched image. A landmark that was not
/// detected is nil.
struct FoundLandmarks {
    var leftEye: Point?
    var rightEye: Point?
    /// True if a cascade or the network detected the eye at least once. False if only `PupilFinder` found a pupil at
    /// the default position of the eye.
    var isLeftEyeDetected = true
    var isRightEyeDetected = true
    var mouth: (left: Point, right: Point)?
    var nose: Point?
    var smiles: Bool?
    var closedEyes: ClosedEyes?
    /// The pose of the head; nil if a landmark that the pose needs was not measured.
    var pose: HeadPose?

    /// Returns a copy with `map` applied to all points.
    func mapped(_ map: (Point) -> Point) -> FoundLandmarks {
        var result = self
        (result.leftEye, result.rightEye) = (leftEye.map(map), rightEye.map(map))
        result.mouth = mouth.map { (map($0.left), map($0.right)) }
        result.nose = nose.map(map)
        return result
    }
}

extension Face {
    /// Replaces estimated landmarks by the detected landmarks of `result`, which are in pixels of the full frame.
    mutating func merge(_ result: FoundLandmarks) {
        if let eye = result.leftEye { landmarks.leftEye = eye }
        if let eye = result.rightEye { landmarks.rightEye = eye }
        landmarks.isLeftEyeFound = result.leftEye != nil && result.isLeftEyeDetected
        landmarks.isRightEyeFound = result.rightEye != nil && result.isRightEyeDetected
        if species == .human {
            placeNose()
            placeMouth()
        }
        if let nose = result.nose { landmarks.nose = nose }
        if let mouth = result.mouth {
            landmarks.mouthLeft = mouth.left
            landmarks.mouthRight = mouth.right
            landmarks.isMouthFound = true
        }
        smiles = result.smiles
        landmarks.closedEyes = result.closedEyes
        landmarks.pose = result.pose
    }
}
