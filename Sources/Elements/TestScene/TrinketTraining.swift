import ElementKit
import Imaging
import Scenes
import Vision

extension Trinket {
    /// Writes a picture of each and a list of them; see `TrainingList.write`.
    static func writeTraining(to folder: String) throws {
        var list = TrainingList(labelDescriptions: ["unidentified"], blobs: [])
        var pictures: [Picture] = []
        for trinket in allCases {
            list.labelDescriptions.append(trinket.label)
            list.blobs.append(
                TrainingList.Entry(
                    imageFilename: trinket.label.replacing(" ", with: "-") + ".png", label: trinket.number))
            pictures.append(try trinket.picture())
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
