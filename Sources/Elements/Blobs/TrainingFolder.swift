import CGStreamer
import ElementKit
import Files
import Glibc
import Pixels
import Vision

extension TrainingList {
    /// Where `write` puts the list.
    static func path(in folder: String) -> String { "\(folder)/training.plist" }

    /// Writes the list to a folder, which is made, as `training.plist`, and pictures beside it, one for each entry; nil
    /// for those that are there. Each file is whole, or is as it was before.
    /// - Throws: `ElementError` with the path.
    func write(to folder: String, _ pictures: [Picture?]) throws {
        guard g_mkdir_with_parents(folder, 0o777) == 0 else {
            throw ElementError(.resource(GST_RESOURCE_ERROR_OPEN_WRITE), "\(folder): the folder cannot be made")
        }
        for (entry, picture) in zip(blobs, pictures) {
            guard let picture else { continue }
            let path = "\(folder)/\(entry.imageFilename)"
            let unfinished = "\(folder)/.\(entry.imageFilename).unfinished"
            do {
                try picture.writePNG(to: unfinished)
                guard rename(unfinished, path) == 0 else {
                    throw ElementError(.resource(GST_RESOURCE_ERROR_WRITE), "\(path): cannot be written")
                }
            } catch {
                unlink(unfinished)
                throw error
            }
        }
        // Last, so that it never names a picture that is not there.
        let path = Self.path(in: folder)
        do {
            try replaceFile(path, with: try propertyList(), isPrivate: false)
        } catch {
            throw ElementError(.resource(GST_RESOURCE_ERROR_WRITE), "\(path): cannot be written: \(error)")
        }
    }
}
