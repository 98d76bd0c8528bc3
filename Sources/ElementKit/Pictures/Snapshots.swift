import CGStreamer
import Synchronization

/// Where a frame is written as PNG.
package enum SnapshotTarget: Sendable {
    case file(String)
    /// The next free file of a numbered series; see `NumberedFiles`.
    case next(in: String)
}

/// Writes frames as PNG files, off the streaming thread.
package final class Snapshots: Sendable {
    private let underWay = Mutex(0)
    private let files = Mutex(NumberedFiles())

    /// More than this many unwritten frames are not kept: memory is worth more than a picture.
    private static let atOnce = 4

    package init() {}

    /// Has the host's worker write `picture`; what cannot be written is a warning.
    /// - Parameter saved: called with the path when the file is there, on the worker's thread.
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
                    .busy, "a snapshot is left out: \(Self.atOnce) are being written still"
                ))
            return
        }
        host.worker.run { [self] in
            defer { underWay.withLock { $0 -= 1 } }
            do {
                let path =
                    switch target {
                    case .file(let path): path
                    case .next(let pattern): try files.withLock { try $0.next(pattern) }
                    }
                try picture.writePNG(to: path)
                saved(path)
            } catch {
                host.post(warning: error)
            }
        }
    }
}
