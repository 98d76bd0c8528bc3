// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Scenes
import Vision

extension SceneObject {
    /// Writes a training set: one image per object, and a list of the images. See `TrainingList.write`.
    static func writeTraining(of objects: [SceneObject], to folder: String) throws {
        var list = TrainingList(labelDescriptions: ["unidentified"], blobs: [])
        var pictures: [Picture] = []
        for object in objects {
            list.labelDescriptions.append(object.label)
            list.blobs.append(
                TrainingList.Entry(
                    imageFilename: String(object.label.map { $0 == " " ? "-" : $0 }) + ".png", label: object.number))
            pictures.append(try object.picture())
        }
        try list.write(to: folder, pictures)
    }

    private func picture() throws -> Picture {
        let size = PixelSize(width: 160, height: 160)
        guard let picture = Picture(.rgb, size: size, draw: { draw(on: FrameImage($0)) }) else {
            throw Picture.outOfMemory(size)
        }
        return picture
    }
}
