// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Waiting

/// Records the stream: every frame with its timestamp, even if no page is open. Only one recording can run at a time.
final class Recorder: Sendable {
    private let host: Host<WebSinkSettings>
    private let folder: String
    /// Posts messages about recordings, in order.
    private let worker: Worker
    private let state = Monitor(State())

    private struct State: Sendable {
        var running: Recording?
        /// The number of the current or last recording.
        var number = 0
        /// Functions that the worker thread calls when the current recording has ended.
        var waiting: [@Sendable () -> Void] = []
        /// The names of finished files.
        var finished: Set<String> = []
        var last: Status?
        /// True while a thread passes the report about the end of a recording to the worker thread.
        var isReporting = false
        /// True when the element is stopping, so that no new recording starts.
        var isOver = false

        /// - Throws: `ElementError` with the reason if no recording may start.
        func checkMayBegin() throws(ElementError) {
            if isOver { throw ElementError(.failed, "the pipeline is stopping") }
            if let running {
                throw ElementError(
                    .busy,
                    running.isEnding ? "the previous recording is not complete yet" : "a recording is already running")
            }
        }
    }

    /// The state of a recording, for pages.
    struct Status: Sendable {
        var isOn = false
        var name = ""
        var seconds = 0.0
        var bytes = 0
        /// A description of the missing parts and of the reason; nil if the recording is complete.
        var problem: String?
    }

    init(_ host: Host<WebSinkSettings>, folder: String, _ worker: Worker) {
        (self.host, self.folder, self.worker) = (host, folder, worker)
    }

    /// Starts a recording of frames that have the same format as `frame`.
    /// - Parameter ended: called by the worker thread when the recording has ended.
    /// - Throws: `ElementError` with a text for users.
    func start(like frame: SharedFrame?, ended: @escaping @Sendable () -> Void) throws(ElementError) {
        guard let frame else { throw ElementError(.failed, "no frame has arrived yet") }
        let number = try state.withLock { state throws(ElementError) in
            try state.checkMayBegin()
            state.number += 1
            return state.number
        }
        let recording = try Recording(like: frame, in: folder, timestamp(.local)) { [weak self] in
            self?.finish(number)
        }
        do throws(ElementError) {
            try state.change { state throws(ElementError) in
                try state.checkMayBegin()
                (state.running, state.waiting) = (recording, [ended])
            }
        } catch {
            recording.end()
            throw error
        }
        // The recording may have failed before it was stored in `running`. In this case, report its end now.
        if recording.isOver { finish(number) }
    }

    /// Adds a frame to the current recording, if there is one. Blocks while the encoder is too slow, unless the element
    /// is interrupted.
    func add(_ frame: SharedFrame) {
        guard let recording = state.withLock({ $0.running }) else { return }
        if !recording.add(frame, unless: host.interruption) { recording.end() }
    }

    // MARK: - Ending

    /// Ends the current recording, if there is one.
    /// - Parameter ended: called when the file is complete: by the worker thread, or immediately if there is no
    ///   recording.
    func stop(ended: @escaping @Sendable () -> Void) {
        let recording = state.withLock { state in
            if state.running != nil { state.waiting.append(ended) }
            return state.running
        }
        if let recording { recording.end() } else { ended() }
    }

    /// Ends the recording, and waits until its file is complete or the element is interrupted.
    func stopAndWait() {
        state.withLock { $0.running }?.end()
        state.wait(unless: host.interruption) { $0.running == nil }
    }

    /// The maximum times for the steps of a stop, in milliseconds. `encoder`: the time to encode the waiting frames;
    /// the stop then drops the remaining frames. `file`: the time to complete the file.
    private static let patience: (encoder: UInt64, file: UInt64) = (250, 350)

    /// Ends the current recording and prevents new recordings. The call takes at most slightly longer than the sum of
    /// the times in `patience`.
    func close() {
        state.withLock { $0.isOver = true }
        if let recording = state.withLock({ $0.running }) { close(recording) }
        // Wait until no thread is passing the report about the end of a recording to the worker thread.
        state.wait { !$0.isReporting }
    }

    private func close(_ recording: Recording) {
        recording.end()
        if state.wait(until: .after(milliseconds: Self.patience.encoder), for: { $0.running == nil }) { return }
        recording.dropWaiting()
        if state.wait(until: .after(milliseconds: Self.patience.file), for: { $0.running == nil }) { return }
        recording.abandon()
        finish(state.withLock { $0.number }, isAbandoned: true)
    }

    /// Marks a recording as ended, and reports the end to pages and applications.
    private func finish(_ number: Int, isAbandoned: Bool = false) {
        guard let recording = state.withLock({ $0.number == number ? $0.running : nil }) else { return }
        // After a disk error, the encoder is still running, so end the encoder here.
        recording.abandon()
        let status = Status(recording, isAbandoned)
        let waiting = state.change { state -> [@Sendable () -> Void]? in
            guard state.running === recording else { return nil }
            (state.running, state.last, state.isReporting) = (nil, status, true)
            if recording.isKept { state.finished.insert(status.name) }
            defer { state.waiting = [] }
            return state.waiting
        }
        guard let waiting else { return }
        // Post the messages from the worker thread: the receiver of a message may stop the pipeline, which waits for
        // the current thread.
        worker.run { [self] in
            let path = "\(folder)/\(status.name)"
            if let problem = status.problem, recording.hasFrames {
                host.post(warning: ElementError(.write, "the recording \"\(path)\" is incomplete: \(problem)"))
            }
            if status.bytes > 0 { host.tell("recorded \(path)") }
            for completion in waiting { completion() }
        }
        state.change { $0.isReporting = false }
    }

    // MARK: - For pages

    /// Returns the path of a finished recording; nil if there is no such recording.
    func path(named name: String) -> String? {
        state.withLock { $0.finished.contains(name) ? "\(folder)/\(name)" : nil }
    }

    /// The file names of all finished recordings.
    var files: Set<String> { state.withLock { $0.finished } }

    /// The status of the current or last recording; nil if there was none.
    var status: Status? {
        let (last, running) = state.withLock { ($0.last, $0.running) }
        guard let running else { return last }
        let content = running.content
        return Status(isOn: true, name: content.name, seconds: running.length.seconds, bytes: content.bytes)
    }

    var isOn: Bool { state.withLock { $0.running != nil } }
}

extension Recorder.Status {
    /// Creates the final status of a recording that has ended.
    fileprivate init(_ recording: Recording, _ isAbandoned: Bool) {
        let (content, lost) = (recording.content, recording.lost)
        (name, bytes) = (content.name, content.bytes)
        let span = content.span ?? .zero
        seconds = span.seconds
        var parts: [String] = []
        if let problem = recording.problem {
            let end = bytes > 0 ? "the recording ends after \(span.rounded)" : "nothing was recorded"
            parts.append("\(end): \(problem)")
        } else if !recording.hasFrames {
            parts.append("nothing was recorded: no frame arrived")
        } else if lost.nanoseconds > 2_000_000 {
            parts.append("the last \(lost.rounded) are missing, because the encoder was too slow")
        }
        if isAbandoned, recording.unwritten > .zero {
            let unwritten = recording.unwritten.rounded
            parts.append("the last \(unwritten) are not on the disk yet, and are lost if the program ends now")
        }
        problem = parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}

extension ClockTime {
    /// The time in seconds for users, rounded up to one decimal.
    fileprivate var rounded: String { "\((seconds * 10).rounded(.up) / 10) s" }
}
