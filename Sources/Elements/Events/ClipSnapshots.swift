// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Synchronization

/// Writes the frame of an event as a JPEG file beside the clip, in a separate thread.
final class ClipSnapshots: Sendable {
    private let worker = Worker()
    private let report: @Sendable (ClipReport) -> Void
    private let paths = Mutex<[Int: String]>([:])

    init(_ report: @escaping @Sendable (ClipReport) -> Void) { self.report = report }

    /// - Parameters:
    ///   - packets: the packets of the clip so far. If the event has no frame, the frame is decoded from these packets.
    ///   - number: the number of the clip.
    ///   - clip: the path of the clip.
    func take(_ event: ClipEvent, _ packets: [StreamPacket], of number: Int, beside clip: String) {
        worker.run { [self] in
            let path = Self.path(beside: clip)
            do {
                let bytes = try Self.frame(of: event, packets).jpeg()
                do throws(FileError) { try createFile(path, with: bytes) } catch {
                    throw ElementError(error, writing: path)
                }
                paths.withLock { $0[number] = path }
            } catch {
                report(.warning(ElementError(error)))
            }
        }
    }

    private static func frame(of event: ClipEvent, _ packets: [StreamPacket]) throws(ElementError) -> SharedFrame {
        if let frame = event.frame?.frame { return frame }
        guard !packets.isEmpty else {
            throw ElementError(
                .decode, "cannot save the frame of the event: max-memory is too small. Increase max-memory.")
        }
        let last = packets.lastIndex { ($0.presentation ?? .max) <= event.time } ?? packets.startIndex
        let first = packets[...last].lastIndex(where: \.isKey) ?? packets.startIndex
        return try StreamPacket.lastFrame(of: Array(packets[first...last]))
    }

    private static func path(beside clip: String) -> String {
        guard let dot = clip.lastIndex(of: ".") else { return "\(clip).jpg" }
        return "\(clip[..<dot]).jpg"
    }

    /// Removes and returns the path of a clip's snapshot; nil if there is no complete snapshot.
    func path(of number: Int) -> String? { paths.withLock { $0.removeValue(forKey: number) } }

    /// Calls a closure when all earlier snapshots are written.
    func whenIdle(_ body: @escaping @Sendable () -> Void) { worker.run(body) }
}
