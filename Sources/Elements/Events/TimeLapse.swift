// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Glibc
import Synchronization
import Waiting

/// Writes one frame per interval to a video file.
final class TimeLapse: Sendable {
    fileprivate struct State {
        /// The encoder of raw frames; nil for an encoded stream.
        var source: PacketSource?
        var writer: ClipWriter?
        var last: Int64?
        var count: Int64 = 0
        /// True after an error, and from the call of `finish` on.
        var isOver = false
        var hasFailed = false
    }

    private let name: ClipName
    private let interval: Int64
    private let maxMemory: Int
    private let report: @Sendable (ClipReport) -> Void
    private let state = Mutex(State())
    /// The number of files that are not complete.
    private let files = Monitor(0)

    /// The duration of a frame in the file, in nanoseconds: 25 frames per second.
    private static let frame: Int64 = 40_000_000
    private static let rate = 25.0

    init(
        _ name: ClipName, every interval: Int64, atMost maxMemory: Int, report: @escaping @Sendable (ClipReport) -> Void
    ) {
        (self.name, self.interval, self.maxMemory, self.report) = (name, interval, maxMemory, report)
    }

    /// Adds a raw frame or a keyframe of an encoded stream. Skips the frame if the interval has not passed.
    /// - Parameter bitrate: the bit rate of the encoder for raw frames, in bits per second.
    func see(_ packet: StreamPacket, at time: Int64, bitrate: Int, unless interruption: Interruption) {
        guard let place = state.withLock({ $0.next(at: time, interval) }) else { return }
        let frame = packet.moved(to: place * Self.frame)
        guard packet.caps.isRaw else {
            let type = packet.caps.mediaType
            guard name.container.holds(video: type) else {
                return fail(
                    "cannot store \(type) in a .\(name.container.rawValue) file. Use a name that ends in .mkv.")
            }
            return write(frame)
        }
        do throws(ElementError) {
            if state.withLock({ $0.source == nil }) {
                let source = try PacketSource(
                    video: packet.caps, for: name.container, bitrate: bitrate,
                    packet: { [weak self] in self?.write($0) }, failed: { [weak self] in self?.fail($0) })
                state.withLock { $0.source = source }
            }
        } catch {
            return fail(error.message)
        }
        state.withLock { $0.source }?.push(frame, unless: interruption)
    }

    var container: ClipContainer { name.container }

    private func write(_ packet: StreamPacket) {
        do throws(ElementError) {
            if let writer = state.withLock({ $0.writer }) {
                writer.add(packet)
                if let problem = writer.problem { fail(problem) }
                return
            }
            guard Folder.exists(name.folder) else {
                throw ElementError(.notFound, "the folder \"\(name.folder)\" does not exist. Create the folder.")
            }
            let (folders, stem) = name.path(for: TriggerRule.Match(label: "time-lapse"), at: Self.now)
            let folder = ([name.folder] + folders).joined(separator: "/")
            try Folder.make(folder)
            let files = files
            files.change { $0 += 1 }
            // In an MP4 file, each frame gets its own fragment. The next frame can come much later, and an unfinished
            // fragment would be lost if the program is killed.
            let writer = try ClipWriter(
                in: folder, stem, name.container, from: 0, hasSound: false, atMost: maxMemory, frameRate: Self.rate,
                fragment: Int(Self.frame / 1_000_000)
            ) {
                files.change { $0 -= 1 }
            }
            state.withLock { $0.writer = writer }
            writer.add(packet)
        } catch {
            fail(error.message)
        }
    }

    private func fail(_ reason: String) {
        let isFirst = state.withLock { state in
            defer { (state.isOver, state.hasFailed) = (true, true) }
            return !state.hasFailed
        }
        if isFirst { report(.warning(ElementError(.write, "cannot write the time lapse: \(reason)"))) }
    }

    /// Completes the file, and waits for the end of writing.
    func finish(until deadline: Deadline = .never, unless interruption: Interruption? = nil) {
        let (source, writer) = state.withLock { state in
            state.isOver = true
            return (state.source, state.writer)
        }
        source?.drain(until: deadline, unless: interruption)
        // The encoder may have created the writer while it encoded the last frames.
        (writer ?? state.withLock { $0.writer })?.end()
        if !files.wait(until: deadline, unless: interruption, for: { $0 == 0 }) {
            state.withLock { $0.writer }?.abandon()
        }
        if let problem = state.withLock({ $0.writer })?.problem { fail(problem) }
    }

    private static var now: time_t { time(nil) }
}

extension TimeLapse.State {
    /// Returns the number of the next frame, from 0; nil if the interval has not passed.
    fileprivate mutating func next(at time: Int64, _ interval: Int64) -> Int64? {
        guard !isOver else { return nil }
        // After a seek, `time` can be before `last`. The frame then counts as due.
        if let last, time >= last, time - last < interval { return nil }
        last = time
        defer { count += 1 }
        return count
    }
}
