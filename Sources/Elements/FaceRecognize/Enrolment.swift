// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// Faces from a folder of pictures for each person.
struct Enrolment {
    /// The smallest face that is searched for, in pixels: smaller pictures are faces themselves.
    private static let smallestFace = 40.0

    private let detector: FaceDetector
    private let cutter = FaceCutter()
    private let gray = OwnedImage(.gray8)
    private let log: (String) -> Void

    /// - Parameters:
    ///   - isObsolete: called repeatedly; true ends the work.
    ///   - log: called with what was decided for pictures that are not as they should be.
    /// - Returns: everybody in the subfolders of the folder at `path`, named after them; nil if the work was given up.
    /// - Throws: `ElementError` if there is nobody, or there are more faces than can be learned.
    static func gallery(
        _ path: String, unless isObsolete: () -> Bool, log: @escaping (String) -> Void
    ) throws -> Gallery? {
        let enrolment = try Enrolment(log)
        var gallery = Gallery()
        var reasons: [String] = []
        for folder in try Folder(path).folders {
            let name = String(folder.split(separator: "/").last ?? "")
            guard ModelFile.isName(name) else {
                reasons.append("\(folder): this is no proper name")
                continue
            }
            for file in try Folder(folder).files {
                do {
                    gallery.add(try enrolment.face(file, unless: isObsolete), of: name)
                } catch {
                    reasons.append(ElementError(error).message)
                }
                guard !isObsolete() else { return nil }
                guard gallery.faceCount <= Gallery.mostFaces else {
                    throw ElementError(
                        .unsuitable,
                        "\(path): more than \(Gallery.mostFaces) faces are in this folder, and more cannot be learned")
                }
            }
        }
        for reason in reasons { log(reason) }
        guard !gallery.isEmpty else {
            throw ElementError(
                .wrongType,
                "\(path): there is no folder with pictures of a person in this folder",
                details: reasons.joined(separator: "\n"))
        }
        return gallery
    }

    private init(_ log: @escaping (String) -> Void) throws {
        self.log = log
        var settings = FaceSettings.accurate
        settings.species = .human
        detector = try FaceDetector(settings: settings, library: CascadeLibrary())
    }

    /// Returns the largest face of a picture, or all of it.
    private func face(_ path: String, unless isObsolete: () -> Bool) throws -> FaceSample {
        let picture = try Picture.load(path, unless: isObsolete)
        let sample = try picture.withImage { image -> FaceSample? in
            try gray.fill(grayOf: image)
            guard !isObsolete() else { return nil }
            let faces = try detector.faces(in: gray.image)
            let largest = faces.filter { $0.box.width >= Self.smallestFace }.max { $0.box.area < $1.box.area }
            if let largest,
                let sample = try cutter.sample(of: gray.image, leftEye: largest.leftEye, rightEye: largest.rightEye)
            {
                return sample
            }
            log("\(path): no face is found in this picture, so all of it is taken for one")
            return try cutter.sample(whole: gray.image)
        }
        guard let sample = sample.flatMap({ $0 }) else {
            throw ElementError(.decode, "\(path): the picture cannot be used")
        }
        return sample
    }
}
