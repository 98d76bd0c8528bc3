// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files
import Synchronization

/// The destination of a PNG snapshot.
package enum SnapshotTarget: Sendable {
    /// A file that the application names. An existing file is replaced.
    case file(String)
    /// The next free file of a numbered series. See `NumberedFiles`. An existing file is never replaced.
    case next(in: String)
}

/// A request to write an output frame of an element as a PNG file.
package struct SnapshotRequest: Sendable {
    package var target: SnapshotTarget
    /// True to show a message in the terminal when the file is written.
    package var isReported: Bool

    package init(_ target: SnapshotTarget, isReported: Bool = false) {
        (self.target, self.isReported) = (target, isReported)
    }
}

/// Writes output frames of an element, and other images, as PNG files. The streaming thread only copies the pixels. A
/// separate thread encodes and writes the files. The queue is bounded, so snapshots never block the stream.
package final class Snapshots: Sendable {
    /// The maximum number of snapshots that wait for a frame or for the end of the encoding.
    package static let maxCount = 8
    /// The maximum size of all frames that wait for the end of the encoding, in bytes. If no frame waits, a
    /// larger frame is accepted.
    static let maxBytes = 256 << 20

    private struct Queue {
        /// Requests for the next output frame.
        var requests: [SnapshotRequest] = []
        /// The number of snapshots that the worker has not written yet.
        var underWay = 0
        var bytes = 0
        /// The number of snapshots that were skipped since the queue was last empty.
        var skipped = 0

        var isFull: Bool { requests.count + underWay >= maxCount }
    }

    private enum Refusal {
        case none, first, further
    }

    private let queue = Mutex(Queue())
    /// True while `requests` is not empty. The streaming thread reads this value for each frame.
    private let isWanted = Atomic(false)
    private let files = Mutex(NumberedFiles())
    private let worker: Worker
    /// The value of the field `event` in messages about saved frames.
    private let event: String

    init(of object: UnsafeMutablePointer<GObject>, event: String) {
        worker = Worker(of: object)
        self.event = event
    }

    // MARK: - Requests

    /// Requests a snapshot of the next output frame. If the queue is full, posts a warning.
    /// - Returns: false if the queue is full.
    @discardableResult
    package func request<Settings>(_ request: SnapshotRequest, _ host: Host<Settings>) -> Bool {
        let refusal = queue.withLock { queue -> Refusal in
            guard queue.isFull else {
                queue.requests.append(request)
                isWanted.store(true, ordering: .releasing)
                return .none
            }
            return Self.refuse(&queue)
        }
        return isAccepted(refusal, host)
    }

    private static func refuse(_ queue: inout Queue) -> Refusal {
        queue.skipped += 1
        return queue.skipped == 1 ? .first : .further
    }

    /// Posts a warning about the first snapshot that was skipped. `finished` reports further skipped snapshots.
    private func isAccepted<Settings>(_ refusal: Refusal, _ host: Host<Settings>) -> Bool {
        if refusal == .first {
            host.post(warning: ElementError(.busy, "skipped a snapshot: earlier snapshots are not complete yet"))
        }
        return refusal == .none
    }

    // MARK: - Streaming thread

    /// Writes the snapshots that were requested for this frame. Called for each output frame.
    func show<Settings>(
        _ buffer: UnsafeMutablePointer<GstBuffer>, on pad: UnsafeMutablePointer<GstPad>, _ host: Host<Settings>
    ) {
        guard isWanted.load(ordering: .acquiring) else { return }
        let requests = queue.withLock { queue in
            isWanted.store(false, ordering: .releasing)
            defer { queue.requests = [] }
            return queue.requests
        }
        let frame: FrameCopy
        do {
            frame = try FrameCopy(buffer, of: pad)
        } catch {
            host.post(warning: error)
            return reportSkipped(host)
        }
        for request in requests {
            let refusal = queue.withLock { queue -> Refusal in
                guard queue.bytes == 0 || frame.bytes <= Self.maxBytes - queue.bytes else {
                    return Self.refuse(&queue)
                }
                queue.underWay += 1
                queue.bytes += frame.bytes
                return .none
            }
            guard isAccepted(refusal, host) else { continue }
            perform(bytes: frame.bytes, host) { [self] in
                let path = try write(to: request.target) { path throws(ElementError) in try frame.png(for: path) }
                if request.isReported { host.tell("saved to \(path)") }
                guard (host.settings as? any SnapshotSettings)?.postsMessages ?? true else { return }
                host.post(event: event, at: frame.time) { message in
                    message.set("location", path)
                    message.set(frame.shape.squared)
                }
            }
        }
    }

    // MARK: - Other images

    /// Writes an image. A failure, and a full queue, post a warning.
    /// - Parameter saved: called on the worker's thread with the path of the finished file.
    package func write<Settings>(
        _ picture: Picture, to target: SnapshotTarget, _ host: Host<Settings>,
        saved: @escaping @Sendable (String) -> Void
    ) {
        let refusal = queue.withLock { queue -> Refusal in
            guard queue.isFull else {
                queue.underWay += 1
                return .none
            }
            return Self.refuse(&queue)
        }
        guard isAccepted(refusal, host) else { return }
        perform(bytes: 0, host) { [self] in
            saved(try write(to: target) { path throws(ElementError) in try picture.png(for: path) })
        }
    }

    // MARK: - Worker

    private func perform<Settings>(
        bytes: Int, _ host: Host<Settings>, _ body: @escaping @Sendable () throws -> Void
    ) {
        worker.run { [self] in
            host.warning { try body() }
            finished(bytes: bytes, host)
        }
    }

    /// Removes a snapshot from the queue.
    private func finished<Settings>(bytes: Int, _ host: Host<Settings>) {
        queue.withLock { queue in
            queue.underWay -= 1
            queue.bytes -= bytes
        }
        reportSkipped(host)
    }

    /// If the queue is empty, reports the number of skipped snapshots, and sets the number to zero.
    private func reportSkipped<Settings>(_ host: Host<Settings>) {
        let skipped = queue.withLock { queue in
            guard queue.underWay == 0, queue.requests.isEmpty else { return 0 }
            defer { queue.skipped = 0 }
            return queue.skipped
        }
        guard skipped > 1 else { return }
        host.post(
            warning: ElementError(.busy, "skipped \(skipped) snapshots: earlier snapshots were not complete yet"))
    }

    /// Writes a file.
    /// - Returns: the path of the file.
    private func write(
        to target: SnapshotTarget, _ encode: (String) throws(ElementError) -> [UInt8]
    ) throws(ElementError) -> String {
        switch target {
        case .file(let path):
            let bytes = try encode(path)
            do {
                try replaceFile(path, with: bytes, isPrivate: false)
            } catch {
                throw ElementError(error, writing: path)
            }
            return path
        case .next(let pattern):
            let bytes = try encode(pattern)
            return try files.withLock { files throws(ElementError) in try files.create(pattern, with: bytes) }
        }
    }

    /// Waits until all files are written. Discards requests for which no frame has arrived, and posts a warning.
    func finish<Settings>(_ host: Host<Settings>) {
        let count = queue.withLock { queue in
            isWanted.store(false, ordering: .releasing)
            defer { queue.requests = [] }
            return queue.requests.count
        }
        worker.finish()
        reportSkipped(host)
        guard count > 0 else { return }
        let snapshots = count == 1 ? "a snapshot" : "\(count) snapshots"
        host.post(warning: ElementError(.busy, "skipped \(snapshots): the stream ended before the next frame"))
    }
}
