// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// Which face of an image is the partner, and where its landmarks are.
struct PartnerSelection: Sendable, Hashable {
    let face: FaceChoice
    let points: PartnerPoints?

    init(face: FaceChoice = .largest, points: PartnerPoints? = nil) {
        self.face = face == .all ? .largest : face
        self.points = points
    }
}

/// Loads partner faces from image files. A partner face is merged with a face of the video.
struct PartnerFaces {
    private let humans: FaceDetector
    private let cats: FaceDetector
    private var selection: PartnerSelection
    private let hasNetwork: Bool

    /// - Parameter model: the network that detects human faces; nil to use the cascade.
    init(_ model: FaceModel?, _ selection: PartnerSelection) throws {
        var settings = FaceSettings.accurate
        settings.species = .human
        humans = try FaceDetector(settings: settings, library: CascadeLibrary(), model: model)
        settings.species = .cat
        cats = try FaceDetector(settings: settings, library: CascadeLibrary())
        self.selection = selection
        hasNetwork = model != nil
    }

    /// Loads the selected face in an image file.
    /// - Throws: `ElementError` if the file is not an image, or if the face is not suitable.
    func load(_ path: String, unless isObsolete: () -> Bool) throws -> [FacePicture] {
        let picture = try Picture.load(path, unless: isObsolete)
        guard !isObsolete() else { return [] }
        let result = try picture.withImage { image in
            let faces = try faces(in: image)
            let face = try chosen(of: faces, image.bounds, path)
            return try FacePicture(copying: FrameImage(image), face: face)?.outlined()
        }
        guard let face = result.flatMap({ $0 }) else {
            throw Self.unsuitable(path, "the positions of the eyes and the nose do not define a face", Self.advice)
        }
        return [face]
    }

    /// Loads the selected face of each image in a folder, in the order of the file names. Files that are not images,
    /// or show no suitable face, are skipped. The property `partner-points` is for a single image, so it is ignored.
    /// - Throws: `ElementError` if no file shows a suitable face.
    func loadAll(_ path: String, unless isObsolete: () -> Bool) throws -> [FacePicture] {
        var faces = self
        faces.selection = PartnerSelection(face: selection.face)
        return try Folder.loadAll(path, or: "no image in this folder shows a face", unless: isObsolete) {
            try faces.load($0, unless: isObsolete)
        }
    }

    /// Returns the human and cat faces in an image, the largest first. The network
    /// also detects drawn cats and some real cats as humans, so a clear detection by the cascade for cats wins.
    private func faces(in image: Image) throws -> [Face] {
        let gray = OwnedImage(.gray8)
        try gray.fill(grayOf: image)
        let colors = FrameImage(image)
        let cats = try cats.faces(in: gray.image, colors: colors)
        var humans = try humans.faces(in: gray.image, colors: colors)
        humans.removeAll { human in
            cats.contains { human.box.intersectionOverUnion($0.box) > 0.2 && isRatherCat($0, than: human) }
        }
        let others = cats.filter { cat in humans.allSatisfy { $0.box.intersectionOverUnion(cat.box) <= 0.2 } }
        return (humans + others).sorted { $0.box.area > $1.box.area }
    }

    private func isRatherCat(_ cat: Face, than human: Face) -> Bool {
        hasNetwork ? cat.confidence >= 0.6 && human.confidence < 0.92 : cat.confidence > human.confidence
    }

    /// Returns the points of the selected face.
    /// - Throws: `ElementError` if the face is not suitable.
    private func chosen(of faces: [Face], _ bounds: Rectangle, _ path: String) throws -> FacePoints {
        let chosen = selection.face.chosen(of: faces) { Rectangle($0.box) }.first
        let advice =
            faces.count > 1
            ? "Choose one of the \(faces.count) faces by partner-face=1 to partner-face=\(faces.count), counted from "
                + "the left, or use another image." : "Use another image."
        if let points = selection.points {
            let middle = points.points[2]
            let near = faces.first { Rectangle($0.box).contains(middle) }
            let face = points.face(points.species ?? near?.species ?? .cat)
            guard !face.isCutOff(by: bounds) else { throw Self.unsuitable(path, "the face is cut off", advice) }
            return face
        }
        guard let chosen else {
            let count = faces.count
            let reason =
                faces.isEmpty
                ? "no human or cat face detected"
                : "partner-face selects no face: the image shows \(count == 1 ? "one face" : "\(count) faces")"
            throw Self.unsuitable(path, reason, faces.isEmpty ? Self.advice : advice)
        }
        let points = FacePoints(chosen)
        if let reason = weakness(of: chosen, points, bounds) { throw Self.unsuitable(path, reason, advice) }
        return points
    }

    /// Returns the reason why a face would give a bad hybrid; nil for a suitable face.
    private func weakness(of face: Face, _ points: FacePoints, _ bounds: Rectangle) -> String? {
        let minimum = face.species == .cat ? 0.6 : hasNetwork ? 0.7 : 0.55
        if face.isPossible || face.confidence < minimum {
            let percent = Int((100 * face.confidence).rounded())
            return "the detected \(face.species == .cat ? "cat" : "human") face is not certain (\(percent) %). A good "
                + "image shows a large, upright, well-lit face from the front. If the detection is correct, set "
                + "partner-points"
        }
        if points.isTurnedAway { return "the face is turned too far to the side, up or down" }
        if points.isCutOff(by: bounds) { return "the face is cut off at the edge of the image" }
        return nil
    }

    private static let advice =
        "Use an image with a large, upright face from the front, or set partner-points to the positions of the eyes "
        + "and the nose."

    private static func unsuitable(_ path: String, _ reason: String, _ advice: String = "Use another image.")
        -> ElementError
    {
        ElementError(.wrongType, "cannot use \"\(path)\": \(reason). \(advice)")
    }
}
