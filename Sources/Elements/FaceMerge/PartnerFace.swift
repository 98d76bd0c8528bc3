// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// Loads partner faces from image files. A partner face is merged with a face of the video.
struct PartnerFaces {
    private let detector: FaceDetector

    /// - Parameter model: the network that detects human faces; nil to use the cascade.
    init(_ model: FaceModel?) throws {
        detector = try FaceDetector(settings: .accurate, library: CascadeLibrary(), model: model)
    }

    /// Loads the largest face in an image file.
    /// - Throws: `ElementError` if the file is not an image, or the image shows no face.
    func load(_ path: String, unless isObsolete: () -> Bool) throws -> [FacePicture] {
        let picture = try Picture.load(path, unless: isObsolete)
        guard !isObsolete() else { return [] }
        guard let face = try largestFace(in: picture) else {
            throw ElementError(.wrongType, "cannot use \"\(path)\": no human or cat face detected. Use another image.")
        }
        return [face]
    }

    /// Loads the largest face of each image in a folder, in the order of the file names. Files that are not images, or
    /// show no face, are skipped.
    /// - Throws: `ElementError` if no file shows a face.
    func loadAll(_ path: String, unless isObsolete: () -> Bool) throws -> [FacePicture] {
        try Folder.loadAll(path, or: "no image in this folder shows a face", unless: isObsolete) {
            try load($0, unless: isObsolete)
        }
    }

    /// Returns the largest human or cat face in an image, detected as with `preset=accurate`; nil if there is none.
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
