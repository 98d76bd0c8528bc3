// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Synchronization

/// The checked contents of a cascade file.
struct CheckedCascade: Sendable {
    let kind: Cascade.Features
    /// Width and height of the detection window, in pixels.
    let width, height: Int
    /// The contents as XML text, for OpenCV's `CascadeClassifier`.
    let text: String
}

extension CheckedCascade {
    /// The maximum number of files in `known`. A text has 0.1 to 0.9 MB.
    private static let limit = 16
    /// The files that were read, by path. All pipelines of a process usually use the same few files.
    private static let known = Mutex<[String: (stamp: FileStamp, contents: CheckedCascade)]>([:])

    /// Returns the contents of a cascade file. Reads the file only if it is new or has changed, because reading and
    /// checking the files takes most of the time in which a face detector starts.
    static func contents(of path: String) throws(CascadeError) -> CheckedCascade {
        // Take the stamp before reading. If the file changes while it is read, the next call reads it again.
        let stamp = FileStamp(path)
        if let stamp, let known = known.withLock({ $0[path] }), known.stamp == stamp { return known.contents }
        let file = try CascadeFile(path: path)
        let contents = CheckedCascade(kind: file.kind, width: file.width, height: file.height, text: file.text)
        if let stamp {
            known.withLock { known in
                if known.count >= limit { known = [:] }
                known[path] = (stamp, contents)
            }
        }
        return contents
    }
}
