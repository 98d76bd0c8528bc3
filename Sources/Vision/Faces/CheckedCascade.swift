// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Files
import Synchronization

/// The checked and parsed contents of a cascade file.
final class CheckedCascade: Sendable {
    let kind: Cascade.Features
    /// Width and height of the detection window, in pixels.
    let width, height: Int
    /// Only one thread at a time may read the parsed text.
    private let text: Mutex<OpenCVObject>

    private init(_ file: CascadeFile) throws(VisionError) {
        (kind, width, height) = (file.kind, file.width, file.height)
        text = Mutex(try OpenCVObject { sv_cv_cascade_text_create(file.text, $0) })
    }

    /// Returns a new instance of OpenCV's `CascadeClassifier`.
    func classifier() throws(VisionError) -> OpenCVObject {
        try text.withLock { text throws(VisionError) in
            try OpenCVObject { sv_cv_cascade_create(text.handle, $0) }
        }
    }
}

extension CheckedCascade {
    /// The maximum number of files in `known`. A parsed file needs 0.1 to 0.6 MB.
    private static let limit = 16
    /// The files that were read, by path. All pipelines of a process usually use the same few files.
    private static let known = Mutex<[String: (stamp: FileStamp, contents: CheckedCascade)]>([:])

    /// Returns the contents of a cascade file. Reads the file only if it is new or has changed, because reading,
    /// checking and parsing the files takes most of the time in which a face detector starts.
    static func contents(of path: String) throws(CascadeError) -> CheckedCascade {
        // Take the stamp before reading. If the file changes while it is read, the next call reads it again.
        let stamp = FileStamp(path)
        if let stamp, let known = known.withLock({ $0[path] }), known.stamp == stamp { return known.contents }
        let file = try CascadeFile(path: path)
        let contents: CheckedCascade
        do throws(VisionError) {
            contents = try CheckedCascade(file)
        } catch {
            throw .unusable(path: path, reason: error.description)
        }
        if let stamp {
            known.withLock { known in
                if known.count >= limit { known = [:] }
                known[path] = (stamp, contents)
            }
        }
        return contents
    }
}
