// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Imaging
import Vision

/// Reads faces from a folder that has a subfolder of images for each person.
struct Enrolment {
    private let cutter: PortraitCutter
    /// Computes the vectors of the faces by a network; nil if the recognition method compares images.
    private let describer: FaceDescriber?
    private let gray = OwnedImage(.gray8)

    /// The faces that were read from a folder, and descriptions of problems.
    struct Result {
        var gallery = Gallery()
        /// Log messages about images that cannot be used, or that are used as a whole because no face is detected.
        var notes: [String] = []
        /// A description of each face that is too small.
        var small: [String] = []
        /// Paths of subfolders that have invalid names.
        var unnamed: [String] = []

        var warnings: [ElementError] { [smallWarning, unnamedWarning].compactMap(\.self) }

        private var unnamedWarning: ElementError? {
            guard let first = unnamed.first else { return nil }
            let more = unnamed.count > 1 ? " and \(unnamed.count - 1) more folders" : ""
            return ElementError(
                .unsuitable,
                "cannot learn \"\(first)\"\(more): invalid name. Rename the folder. A name has at most 200 characters, and no "
                    + "control characters.", details: unnamed.joined(separator: "\n"))
        }

        private var smallWarning: ElementError? {
            guard let first = small.first else { return nil }
            let more = small.count > 1 ? ", and \(small.count - 1) more faces" : ""
            let limit = Int(PortraitCutter.smallestSide)
            return ElementError(
                .unsuitable,
                "\(first)\(more). Faces below \(limit) pixels are hard to recognise. Use larger images.",
                details: small.joined(separator: "\n"))
        }
    }

    /// Reads the faces of a folder of people.
    /// - Parameters:
    ///   - model: the network that detects faces; nil to use the cascade.
    ///   - method: the recognition method that will compare the faces.
    ///   - isObsolete: called repeatedly; if `isObsolete` returns true, the work stops.
    /// - Returns: the faces of each subfolder, under the subfolder's name; nil if `isObsolete` returned true.
    /// - Throws: `ElementError` if there is no face, or there are more faces than the maximum.
    static func read(
        _ path: String, _ model: FaceModel?, _ method: RecognitionMethod, unless isObsolete: () -> Bool
    ) throws -> Result? {
        let enrolment = Enrolment(
            cutter: try PortraitCutter(library: CascadeLibrary(), model: model),
            describer: try method.model.map { try FaceDescriber($0) })
        var result = Result()
        for folder in try Folder(path).folders {
            let name = folder.lastPathComponent
            guard ModelFile.isName(name) else {
                result.unnamed.append(folder)
                continue
            }
            for file in try Folder(folder).files {
                do {
                    try enrolment.add(file, of: name, to: &result, unless: isObsolete)
                } catch {
                    result.notes.append(ElementError(error).message)
                }
                guard !isObsolete() else { return nil }
                guard !result.gallery.isOverfull() else {
                    let maximum = method.model == nil ? Gallery.maxFaces : Gallery.maxEmbeddings
                    throw ElementError(
                        .unsuitable,
                        "cannot learn \"\(path)\": more than the maximum of \(maximum) faces. Remove images.")
                }
            }
        }
        guard !result.gallery.isEmpty else {
            throw ElementError(
                .wrongType,
                "cannot learn \"\(path)\": no subfolder with images of a person. Create a subfolder for each person.",
                details: result.notes.joined(separator: "\n"))
        }
        return result
    }

    /// Adds the face of an image file to the result.
    private func add(_ path: String, of name: String, to result: inout Result, unless isObsolete: () -> Bool) throws {
        let picture = try Picture.load(path, unless: isObsolete)
        let read = try picture.withImage { image -> (portrait: PortraitCutter.Portrait, face: KnownFace)? in
            try gray.fill(grayOf: image)
            let colors = FrameImage(image)
            guard !isObsolete(), let portrait = try cutter.portrait(in: gray.image, colors: colors) else { return nil }
            guard let describer else { return (portrait, .sample(portrait.face)) }
            // The vector of a face in the video is computed from the face and its mirror image. The vector of a known
            // face is computed from the face alone, which takes half the time. In a test with 45 images of five people,
            // both methods gave the correct name to all images. The images were from the Database of Faces (AT&T
            // Laboratories Cambridge).
            let embedding = try portrait.alignment.flatMap {
                try describer.embedding(of: colors, $0, withMirror: false)
            }
            return embedding.map { (portrait, .embedding($0)) }
        }
        guard let (portrait, face) = read.flatMap({ $0 }) else {
            throw ElementError(.decode, "cannot learn \"\(path)\": unusable image. Use another image.")
        }
        result.gallery.add(face, of: name)
        if !portrait.isFound {
            result.notes.append("\(path): no face detected, so svfacerecognize uses the whole image as a face")
        }
        if portrait.side < PortraitCutter.smallestSide {
            let size = picture.size
            result.small.append(
                "\(path): the face is \(Int(portrait.side.rounded())) pixels wide, in an image of "
                    + "\(size.width)x\(size.height)")
        }
    }
}
