// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Synchronization

/// The destination of a PNG snapshot.
package enum SnapshotTarget: Sendable {
    case file(String)
    /// The next free file of a numbered series. See `NumberedFiles`.
    case next(in: String)
}

/// Writes frames as PNG files, outside the streaming thread.
package final class Snapshots: Sendable {
    private let underWay = Mutex(0)
    private let files = Mutex(NumberedFiles())

    /// The maximum number of frames that wait to be written. Further frames are dropped to limit the memory.
    private static let atOnce = 4

    package init() {}

    /// Writes an image on the host's worker. A failure posts a warning.
    /// - Parameter saved: called on the worker's thread with the path of the finished file.
    package func write<Settings>(
        _ picture: Picture, to target: SnapshotTarget, _ host: Host<Settings>,
        saved: @escaping @Sendable (String) -> Void
    ) {
        let isAccepted = underWay.withLock { count in
            guard count < Self.atOnce else { return false }
            count += 1
            return true
        }
        guard isAccepted else {
            host.post(
                warning: ElementError(
                    .busy, "skipped a snapshot: \(Self.atOnce) earlier snapshots are not complete yet"))
            return
        }
        host.worker.run { [self] in
            defer { underWay.withLock { $0 -= 1 } }
            do {
                saved(try write(picture, to: target))
            } catch {
                host.post(warning: error)
            }
        }
    }

    /// Writes a file.
    /// - Returns: the path of the file.
    private func write(_ picture: Picture, to target: SnapshotTarget) throws(ElementError) -> String {
        switch target {
        case .file(let path):
            try picture.writePNG(to: path)
            return path
        case .next(let pattern):
            let bytes = try picture.png(for: pattern)
            return try files.withLock { files throws(ElementError) in try files.create(pattern, with: bytes) }
        }
    }
}
