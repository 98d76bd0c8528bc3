// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Glibc
import Waiting

/// The file of a recording. A separate thread writes the file, so that a slow disk delays neither the encoder nor the
/// end of a recording.
///
/// The file is always playable: if the program is killed, only the end of the recording is lost. A `Point` is an offset
/// at which the file may end. The thread writes bytes only up to the last `Point`. The file does not exist before the
/// first `Point`, or is empty if its name is reserved. If the disk is full, the thread truncates the file to the last
/// complete `Point`. The muxer can change bytes that it has output earlier. The thread applies these changes at the
/// end, when all other bytes are on the disk.
final class RecordedFile: Sendable {
    /// The content of the file.
    struct Content: Sendable {
        var name = ""
        var bytes = 0
        /// The time from the first frame to the last frame in the file; nil without frames.
        var span: ClockTime?
    }

    fileprivate struct State: Sendable {
        var content: Content
        /// The file offset at which the bytes in `waiting` begin.
        var start = 0
        var waiting: [UInt8] = []
        /// The offsets at which the file may end, within the range of the bytes in `waiting`.
        var points: [Point] = []
        /// Changes that the muxer has made to bytes before `start`, the newest first. The thread applies the changes in
        /// this order. For mp4mux, the newest change completes the file, and the change before it removes the first
        /// index.
        var changes: [FileChange] = []
        /// `first`: the time of the first frame. `last`: the time of the last frame so far.
        var first, last: ClockTime?
        /// The value of `RecordedFile.coming`.
        var coming: ClockTime?
        var phase = Phase.open
        /// The description of a disk error; nil if there was none.
        var problem: String?
    }

    fileprivate enum Phase {
        /// `finishing`: the thread writes all bytes in `waiting`, and then all changes. `cut`: the thread writes only
        /// up to the last `Point` (an offset at which the file may end).
        case open, finishing, cut, over
    }

    /// An offset at which the file may end (`offset`), and the time from the first frame to the last frame before this
    /// offset (`span`).
    fileprivate struct Point {
        let offset: Int
        let span: ClockTime?
    }

    fileprivate enum Step {
        case write([UInt8], points: [Point])
        case finish([FileChange])
    }

    private let state: Monitor<State>
    private let worker = Worker()
    private let ended: @Sendable () -> Void

    /// Maximum number of bytes that wait to be written. If more bytes wait, `add` blocks the muxer.
    private static let room = 16 << 20
    /// The interval between forced writes to the disk (sync), in milliseconds.
    private static let syncInterval: UInt64 = 1000

    /// - Parameters:
    ///   - folder: the folder for the file.
    ///   - stem: the file name without the ending. If a file with this name exists, a number is added.
    ///   - ended: called once, on the file's thread, when writing has ended.
    ///   - number: the number of a file that `GrowingFile.reserve` has created; nil for a new file.
    init(
        in folder: String, _ stem: String, ending: String, reserved number: Int? = nil,
        ended: @escaping @Sendable () -> Void
    ) {
        @Sendable func file() -> GrowingFile {
            if let number { return GrowingFile(in: folder, stem, ending: ending, reserved: number) }
            return GrowingFile(in: folder, stem, ending: ending)
        }
        state = Monitor(State(content: Content(name: file().name)))
        self.ended = ended
        worker.run { [self] in work(file()) }
    }

    /// Returns true for the index of an MP4 file (moov) or of a fragment (moof). The index describes the frames before
    /// the index, so a file that ends after the index is playable.
    static func isIndex(_ box: UnsafeRawBufferPointer) -> Bool {
        let type = box.dropFirst(4).prefix(4)
        return type.elementsEqual("moov".utf8) || type.elementsEqual("moof".utf8)
    }

    var content: Content { state.withLock { $0.content } }

    /// The time from the first frame to the last frame before the last `Point` (an offset at which the file may end).
    /// Nil if there is no `Point`. All these frames are in the file, or will be written to the file.
    var coming: ClockTime? { state.withLock { $0.coming } }

    /// True when writing has ended.
    var isOver: Bool { state.withLock { $0.phase == .over } }

    /// The description of a disk error; nil if there was none.
    var problem: String? { state.withLock { $0.problem } }

    /// Adds bytes from the muxer. Blocks while too many bytes wait for the disk.
    /// - Parameters:
    ///   - position: the file offset of the bytes; nil to append the bytes.
    ///   - time: the time of the frame in the bytes; nil for bytes without a frame.
    ///   - isPoint: true if a file that ends after these bytes is playable.
    func add(_ bytes: UnsafeRawBufferPointer, at position: Int?, time: ClockTime?, isPoint: Bool) {
        state.wait { $0.phase != .open || ($0.points.last?.offset ?? 0) - $0.start < Self.room }
        state.change { state in
            guard state.phase == .open else { return }
            let end = state.start + state.waiting.count
            let position = min(position ?? end, end)
            let bytes = Array(bytes)
            // The muxer may go back to an earlier offset and overwrite bytes. The old bytes may be on the disk, in
            // `waiting`, or in both.
            let old = bytes.prefix(max(0, state.start - position))
            if !old.isEmpty {
                state.changes.removeAll { $0.offset >= position && $0.end <= position + old.count }
                state.changes.insert(FileChange(offset: position, bytes: Array(old)), at: 0)
            }
            for (index, byte) in bytes.enumerated().dropFirst(old.count) {
                let waitingIndex = position + index - state.start
                if state.waiting.indices.contains(waitingIndex) {
                    state.waiting[waitingIndex] = byte
                } else {
                    state.waiting += bytes[index...]
                    break
                }
            }
            if let time {
                state.first = state.first ?? time
                state.last = max(state.last ?? time, time)
            }
            guard isPoint, let first = state.first, let last = state.last else { return }
            state.addPoint(last.since(first))
        }
    }

    /// Completes the file after the last call of `add`.
    func finish() { close(.finishing) }

    /// Ends the file at the last `Point`: the last offset at which the file is playable.
    func cut() { close(.cut) }

    private func close(_ phase: Phase) { state.change { if $0.phase == .open { $0.phase = phase } } }

    // MARK: - The file's thread

    private func work(_ file: consuming GrowingFile) {
        // If the process has a file size limit, a write beyond the limit raises a signal that ends the process. Block
        // this signal, so that the write fails as on a full disk.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGXFSZ)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var problem: String?
        do throws(FileError) {
            try write(&file)
        } catch {
            problem = error.description
        }
        file.removeIfEmpty()
        state.change { state in
            (state.phase, state.waiting, state.points) = (.over, [], [])
            state.problem = problem
        }
        ended()
    }

    private func write(_ file: inout GrowingFile) throws(FileError) {
        var nextSync = Deadline.never
        while true {
            switch state.wait(until: nextSync, { $0.nextStep() }) {
            case .write(let bytes, let points):
                let end = points.last?.offset ?? 0
                do throws(FileError) {
                    try file.append(bytes)
                } catch {
                    // Remove the incomplete bytes, because players reject an incomplete index.
                    let last = points.last { $0.offset <= file.size }
                    file.cut(to: last?.offset ?? end - bytes.count)
                    note(file, last?.span)
                    throw error
                }
                note(file, points.last?.span)
                if nextSync == .never { nextSync = .after(milliseconds: Self.syncInterval) }
                if nextSync.hasPassed { fallthrough }
            case nil:
                try file.sync()
                nextSync = .never
            case .finish(let changes):
                try file.sync()
                for change in changes { try file.apply(change) }
                if !changes.isEmpty { try file.sync() }
                return
            }
        }
    }

    private func note(_ file: borrowing GrowingFile, _ span: ClockTime?) {
        let content = Content(name: file.name, bytes: file.size, span: span)
        state.change { state in
            state.content = Content(name: content.name, bytes: content.bytes, span: span ?? state.content.span)
        }
    }
}

extension RecordedFile.State {
    /// Records that the file is playable if it ends after the bytes that are in `waiting` now.
    fileprivate mutating func addPoint(_ span: ClockTime?) {
        points.append(RecordedFile.Point(offset: start + waiting.count, span: span))
        coming = span
    }

    /// Removes and returns the next step of the writing thread; nil if the thread has nothing to do yet.
    fileprivate mutating func nextStep() -> RecordedFile.Step? {
        if phase == .finishing, let first, let last, points.last?.offset != start + waiting.count {
            addPoint(last.since(first))
        }
        if let end = points.last?.offset, end > start {
            let step = RecordedFile.Step.write(Array(waiting.prefix(end - start)), points: points)
            waiting.removeFirst(end - start)
            (start, points) = (end, [])
            return step
        }
        return phase == .open ? nil : .finish(phase == .finishing ? changes : [])
    }
}
