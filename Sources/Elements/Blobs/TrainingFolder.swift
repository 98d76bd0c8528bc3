import CGStreamer
import ElementKit
import Pixels
import Vision

extension TrainingList {
    /// Writes the list to a folder, which is made, as `training.plist`, and the pictures beside it, one for each entry.
    /// - Throws: `ElementError` with the path.
    func write(to folder: String, _ pictures: [Picture]) throws {
        guard g_mkdir_with_parents(folder, 0o777) == 0 else {
            throw ElementError(.resource(GST_RESOURCE_ERROR_OPEN_WRITE), "\(folder): the folder cannot be made")
        }
        for (entry, picture) in zip(blobs, pictures) { try picture.writePNG(to: "\(folder)/\(entry.imageFilename)") }
        // Last, so that it never names a picture that is not there.
        try writeFile("\(folder)/training.plist", try propertyList())
    }
}
