// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// Faces from picture files, which the stream's faces are merged with.
struct PartnerFaces {
    private let detector: FaceDetector

    /// - Parameter model: the network that finds humans in place of the cascade.
    init(_ model: FaceModel?) throws {
        detector = try FaceDetector(settings: .accurate, library: CascadeLibrary(), model: model)
    }

    /// Loads the largest face in a picture file.
    /// - Throws: `ElementError` if there is no such picture or no face in it.
    func load(_ path: String, unless isObsolete: () -> Bool) throws -> [FacePicture] {
        let picture = try Picture.load(path, unless: isObsolete)
        guard !isObsolete() else { return [] }
        guard let face = try largestFace(in: picture) else {
            throw ElementError(.wrongType, "cannot use \"\(path)\": no human or cat face detected. Use another image.")
        }
        return [face]
    }

    /// Loads the largest face of each picture in a folder, in the order of their names. Files that are not pictures, or
    /// have no face, are left out.
    /// - Throws: `ElementError` if none is left.
    func loadAll(_ path: String, unless isObsolete: () -> Bool) throws -> [FacePicture] {
        try Folder.loadAll(path, or: "no image in this folder shows a face", unless: isObsolete) {
            try load($0, unless: isObsolete)
        }
    }

    /// Returns the largest human or cat face, found as `svfacedetect preset=accurate` does.
    private func largestFace(in picture: Picture) throws -> FacePicture? {
        try picture.withImage { image in
            let gray = OwnedImage(.gray8)
            try gray.fill(grayOf: image)
            let colors = FrameImage(image)
            let faces = try detector.faces(in: gray.image, colors: colors).sorted { $0.box.area > $1.box.area }
            return faces.lazy.compactMap { FacePicture(copying: colors, face: FacePoints($0)) }.first
        }.flatMap { $0 }
    }
}
