import Pixels

/// Finds eyes and mouth in faces, and what they say: a smile, closed eyes.
final class LandmarkFinder {
    private let settings: FaceSettings
    private let leftEye: Cascade?
    private let rightEye: Cascade?
    private let openEye: Cascade?
    private let smile: Cascade?

    /// Loads the cascades that `settings` need, and no others.
    init(settings: FaceSettings, library: CascadeLibrary) throws(CascadeError) {
        self.settings = settings
        let names = settings.cascades
        let hasHumans = settings.species.contains(.human)
        let wantsEyes = hasHumans && (settings.landmarks.contains(.eyes) || settings.eyesClosed)
        let wantsMouth = hasHumans && (settings.landmarks.contains(.mouth) || settings.smile)
        leftEye = wantsEyes ? try Cascade(path: library.path(of: names.leftEye), purpose: .eye) : nil
        rightEye = wantsEyes ? try Cascade(path: library.path(of: names.rightEye), purpose: .eye) : nil
        openEye =
            hasHumans && settings.eyesClosed
            ? try Cascade(path: library.path(of: names.openEye), purpose: .eye) : nil
        smile = wantsMouth ? try Cascade(path: library.path(of: names.smile), purpose: .smile) : nil
    }

    /// The face of `find`, with the landmarks that are found in `plane`, where it was found.
    func face(_ find: FaceDetector.Find, in plane: SearchPlane) throws(VisionError) -> Face {
        var face = Face(species: find.species, box: find.box, confidence: find.confidence)
        guard find.species == .human else { return face }
        let rectangle = find.rectangle
        let half = rectangle.width / 2
        var left = rectangle
        left.width = half
        var right = left
        right.x += half
        if settings.landmarks.contains(.eyes) || settings.eyesClosed {
            let leftBox = try eye(leftEye, rightEye, in: left, of: rectangle, plane)
            let rightBox = try eye(rightEye, leftEye, in: right, of: rectangle, plane)
            if let leftBox { face.leftEye = plane.box(leftBox).point(0.5, 0.65) }
            if let rightBox { face.rightEye = plane.box(rightBox).point(0.5, 0.65) }
            face.isLeftEyeFound = leftBox != nil
            face.isRightEyeFound = rightBox != nil
        }
        face.placeNose()
        face.placeMouth()
        if let smile { try findMouth(smile, of: &face, in: rectangle, plane) }
        if let openEye { face.hasClosedEyes = try closed(face, openEye, left, right, of: rectangle, plane) }
        return face
    }

    /// The eye in one half of a face: the find with the most neighbours, the first of equals.
    private func eye(
        _ own: Cascade?, _ other: Cascade?, in half: Rectangle, of face: Rectangle, _ plane: SearchPlane
    ) throws(VisionError) -> Rectangle? {
        let best = try strongest(own, in: half, of: face, plane)
        guard settings.judgement == .confidence else { return best?.rectangle }
        let second = try strongest(other, in: half, of: face, plane)
        guard let best else { return second?.rectangle }
        guard let second, second.neighbors > best.neighbors else { return best.rectangle }
        return second.rectangle
    }

    private func strongest(
        _ cascade: Cascade?, in half: Rectangle, of face: Rectangle, _ plane: SearchPlane
    ) throws(VisionError) -> Cascade.Find? {
        guard let cascade else { return nil }
        let search = Cascade.Search(
            scaleFactor: settings.eye.scaleFactor, minNeighbors: settings.eye.minNeighbors,
            minSize: Int(Double(face.width) * settings.eye.minSize), usesThreads: settings.threads != 1)
        var best: Cascade.Find?
        for find in try cascade.detect(in: plane.image.cropped(to: half), search)
        where find.neighbors > best?.neighbors ?? -1 {
            best = find
        }
        best?.rectangle.x += half.x
        best?.rectangle.y += half.y
        return best
    }

    /// Whether no open eye is found in either half, though an eye of some kind was.
    private func closed(
        _ face: Face, _ openEye: Cascade, _ left: Rectangle, _ right: Rectangle, of rectangle: Rectangle,
        _ plane: SearchPlane
    ) throws(VisionError) -> Bool? {
        guard face.isLeftEyeFound || face.isRightEyeFound else { return nil }
        // Eyes are in the upper part; an open mouth may look like one.
        var halves = [left, right]
        for i in halves.indices { halves[i].height = halves[i].height * 6 / 10 }
        for half in halves where try strongest(openEye, in: half, of: rectangle, plane) != nil { return false }
        return true
    }

    /// The mouth in the lower part of a face. The cascade fires on many a mouth at few neighbours; smiles have many.
    private func findMouth(
        _ cascade: Cascade, of face: inout Face, in rectangle: Rectangle, _ plane: SearchPlane
    ) throws(VisionError) {
        var lower = rectangle
        lower.y += rectangle.height * 6 / 10
        lower.height -= rectangle.height * 6 / 10
        let search = Cascade.Search(
            scaleFactor: 1.1, minNeighbors: 8, minSize: rectangle.width / 6, usesThreads: settings.threads != 1)
        var best: Cascade.Find?
        for find in try cascade.detect(in: plane.image.cropped(to: lower), search)
        where find.neighbors > best?.neighbors ?? -1 {
            best = find
        }
        if settings.smile { face.smiles = (best?.neighbors ?? 0) >= 25 }
        guard settings.landmarks.contains(.mouth), var mouth = best?.rectangle else { return }
        mouth.x += lower.x
        mouth.y += lower.y
        let box = plane.box(mouth)
        face.mouthLeft = box.point(0.1, 0.4)
        face.mouthRight = box.point(0.9, 0.4)
        face.isMouthFound = true
    }
}
