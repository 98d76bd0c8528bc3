// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Glibc
import Waiting

/// The file of a recording, written by a thread of its own, so that a slow disk holds up neither the encoder nor a stop.
///
/// The file plays at every moment, except for what a kill cuts off at its end: bytes are written only up to a point where the
/// file may end, and the muxer's changes to earlier bytes are made last, after everything else is on the disk. There is no file
/// before the first such point. If the disk is full, the file is cut back to the last one.
final class RecordedFile: Sendable {
    /// What is in the file.
    struct Content: Sendable {
        var name = ""
        var bytes = 0
        /// The time from the first frame to the last one; nil without frames.
        var span: ClockTime?
    }

    fileprivate struct State: Sendable {
        /// What is in the file.
        var content: Content
        /// The part of it that waits to be written begins here.
        var start = 0
        var waiting: [UInt8] = []
        /// The points in the part that waits where the file may end.
        var points: [Point] = []
        /// Changes to bytes before `start`, the last one first: with mp4mux's last change the file is complete, while the one
        /// before takes its first index away.
        var changes: [FileChange] = []
        /// The times of the first and the last frame that have come.
        var first, last: ClockTime?
        /// As `coming`.
        var coming: ClockTime?
        var phase = Phase.open
        /// The reason why the disk has failed.
        var problem: String?
    }

    fileprivate enum Phase {
        /// `finishing`: everything that waits and all changes are to be written; `cut`: only what may be the end.
        case open, finishing, cut, over
    }

    /// A point where the file may end: an offset, and the time of the last frame before it.
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

    /// The bytes that may wait until the muxer waits, too.
    private static let room = 16 << 20
    /// The interval at which what was written is forced to the disk, in milliseconds.
    private static let syncInterval: UInt64 = 1000

    /// - Parameters:
    ///   - folder: where the file will be.
    ///   - stem: its name, without the ending; it gets a number if there is such a file.
    ///   - ended: called once, in the file's thread, when nothing more is written.
    init(in folder: String, _ stem: String, ending: String, ended: @escaping @Sendable () -> Void) {
        state = Monitor(State(content: Content(name: GrowingFile(in: folder, stem, ending: ending).name)))
        self.ended = ended
        worker.run { [self] in work(GrowingFile(in: folder, stem, ending: ending)) }
    }

    /// What is in the file by now.
    var content: Content { state.withLock { $0.content } }

    /// The time from the first frame to the last one that is in the file, or will be if the program goes on.
    var coming: ClockTime? { state.withLock { $0.coming } }

    /// True if nothing more is written.
    var isOver: Bool { state.withLock { $0.phase == .over } }

    /// The reason why the disk has failed.
    var problem: String? { state.withLock { $0.problem } }

    /// Adds bytes. Waits while too many of them wait for the disk.
    /// - Parameter isPoint: true if a file that ends after these bytes plays.
    func add(_ bytes: UnsafeRawBufferPointer, at position: Int?, time: ClockTime?, isPoint: Bool) {
        state.wait { $0.phase != .open || ($0.points.last?.offset ?? 0) - $0.start < Self.room }
        state.change { state in
            guard state.phase == .open else { return }
            let end = state.start + state.waiting.count
            let position = min(position ?? end, end)
            let bytes = Array(bytes)
            // The muxer may go back; what it overwrites may be written already, wait, or both.
            let old = bytes.prefix(max(0, state.start - position))
            if !old.isEmpty {
                state.changes.removeAll { $0.offset >= position && $0.end <= position + old.count }
                state.changes.insert(FileChange(offset: position, bytes: Array(old)), at: 0)
            }
            for (index, byte) in bytes.enumerated().dropFirst(old.count) {
                let place = position + index - state.start
                if state.waiting.indices.contains(place) {
                    state.waiting[place] = byte
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

    /// Completes the file: everything has been added.
    func finish() { close(.finishing) }

    /// Ends the file at the last point where it may end.
    func cut() { close(.cut) }

    private func close(_ phase: Phase) { state.change { if $0.phase == .open { $0.phase = phase } } }

    // MARK: - The file's thread

    private func work(_ file: consuming GrowingFile) {
        // A limit of the process on the size of files is an error like a full disk, and not its end.
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
                    // Without what was begun: players refuse an index that is not complete.
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
    /// The file may end after the bytes that wait.
    fileprivate mutating func addPoint(_ span: ClockTime?) {
        points.append(RecordedFile.Point(offset: start + waiting.count, span: span))
        coming = span
    }

    /// Takes what is to be done next; nil if that is nothing yet.
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
