// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Synchronization
import Waiting

/// An event that starts or extends a clip.
struct ClipEvent: Sendable {
    let match: TriggerRule.Match
    /// The running time of the event, in nanoseconds.
    var time: Int64
    /// The raw frame of the event, for the snapshot; nil if the stream is encoded or no snapshot is needed.
    var frame: StreamPacket?
}

/// The data of a clip for a report.
struct ClipInfo: Sendable {
    let match: TriggerRule.Match
    var path = ""
    var bytes = 0
    var duration = ClockTime.zero
    /// The number of events in the clip.
    var events = 1
    /// The path of the snapshot; nil if there is none.
    var snapshot: String?

    /// The paths of the files that exist.
    var files: [String] { (bytes > 0 ? [path] : []) + (snapshot.map { [$0] } ?? []) }
}

/// A report of the recorder.
enum ClipReport: Sendable {
    case started(ClipInfo)
    case finished(ClipInfo)
    case failed(ClipInfo, ElementError)
    /// A problem that does not make a clip fail.
    case warning(ElementError)
}

/// The settings of the recorder.
struct ClipPlan: Sendable {
    let name: ClipName
    /// Times in nanoseconds.
    let preRoll, postRoll, maxDuration: Int64
    /// The maximum size of the packets in memory, in bytes.
    let maxMemory: Int
    let takesSnapshots: Bool
}

/// Keeps the last seconds of an encoded stream, and writes clips around events.
///
/// Any thread may call the methods. A separate thread does the work, so that neither the stream nor the encoder waits
/// for the disk.
final class ClipRecorder: Sendable {
    private let worker = Worker()
    private let desk: ClipDesk
    private let inbox = Mutex<[Request]>([])
    private let maxMemory: Int
    private let takesSnapshots: Bool
    /// The number of bytes in packets that wait for the worker thread.
    private let waiting = Atomic(0)
    /// True if packets were dropped because the worker thread is too slow.
    private let hasDropped = Atomic(false)

    /// An event whose frame has not passed the element yet. `time` is the running time in nanoseconds; nil if unknown.
    private struct Request: Sendable {
        let match: TriggerRule.Match
        let time: Int64?
    }

    /// The maximum number of events that wait for a frame.
    private static let maxRequests = 100
    /// If an event is later than the current frame by more than this time, in nanoseconds, its time counts as wrong.
    /// The event then belongs to the current frame.
    private static let maxAhead: Int64 = 5_000_000_000

    /// - Parameter report: receives the reports, on another thread. Must not block.
    init(_ plan: ClipPlan, report: @escaping @Sendable (ClipReport) -> Void) {
        (maxMemory, takesSnapshots) = (plan.maxMemory, plan.takesSnapshots)
        let worker = worker
        desk = ClipDesk(plan, report: report) { job in worker.run(job) }
    }

    /// Adds an event that starts or extends a clip.
    /// - Parameter time: the running time of the event; nil for the next frame.
    func note(_ match: TriggerRule.Match, at time: Int64?) {
        inbox.withLock { inbox in
            if inbox.count < Self.maxRequests { inbox.append(Request(match: match, time: time)) }
        }
    }

    /// Passes the waiting events up to the running time `now` of the packet to the worker thread.
    /// - Parameter isRaw: true if the packet is a raw frame that can become a snapshot.
    func see(_ packet: StreamPacket, at now: Int64, isRaw: Bool) {
        let due = inbox.withLock { inbox in
            guard !inbox.isEmpty else { return [Request]() }
            let isDue: (Request) -> Bool = { request in
                request.time.map { $0 <= now || $0.subtractingReportingOverflow(now).partialValue > Self.maxAhead }
                    ?? true
            }
            defer { inbox.removeAll(where: isDue) }
            return inbox.filter(isDue)
        }
        for request in due {
            let time = request.time.flatMap { $0 <= now ? max($0, 0) : nil } ?? now
            let event = ClipEvent(match: request.match, time: time, frame: isRaw && takesSnapshots ? packet : nil)
            worker.run { [desk] in desk.take(event) }
        }
    }

    /// Adds an encoded video packet.
    func add(_ packet: StreamPacket) { run(for: packet) { $0.add(packet) } }

    /// Adds an encoded audio packet.
    func addSound(_ packet: StreamPacket) { run(for: packet) { $0.addSound(packet) } }

    /// Ends the current clip, because the stream cannot be encoded. New events are reported as failed until a packet
    /// arrives.
    func fail(_ error: ElementError) { worker.run { [desk] in desk.fail(error) } }

    /// Discards the audio after a flush of the audio stream.
    func flushSound() { worker.run { [desk] in desk.flushSound() } }

    /// Handles the end of the audio.
    func endSound() { worker.run { [desk] in desk.endSound() } }

    /// Runs a job with a packet on the worker thread. Drops the packet if too many bytes already wait.
    private func run(for packet: StreamPacket, _ job: @escaping @Sendable (ClipDesk) -> Void) {
        let bytes = packet.bytes
        guard waiting.load(ordering: .relaxed) <= maxMemory else {
            hasDropped.store(true, ordering: .relaxed)
            return
        }
        waiting.add(bytes, ordering: .relaxed)
        worker.run { [self] in
            if hasDropped.exchange(false, ordering: .relaxed) { desk.interrupt() }
            job(desk)
            waiting.subtract(bytes, ordering: .relaxed)
        }
    }

    /// Ends the current clip, and discards the packets of the stream. Call this method after a flush.
    func interrupt() {
        inbox.withLock { $0 = [] }
        worker.run { [desk] in desk.interrupt() }
    }

    /// Ends all clips, and waits until the files are complete.
    /// - Returns: false if the deadline has passed or the wait was interrupted.
    @discardableResult
    func finish(until deadline: Deadline = .never, unless interruption: Interruption? = nil) -> Bool {
        let rest = inbox.withLock { inbox in
            defer { inbox = [] }
            return inbox
        }
        worker.run { [desk] in
            for request in rest { desk.takeLast(request.match) }
            desk.finish()
        }
        let isDone = Monitor(false)
        worker.run { [desk] in desk.whenIdle { isDone.change { $0 = true } } }
        return isDone.wait(until: deadline, unless: interruption) { $0 }
    }

    /// Ends all files at the last offset at which they are playable, without waiting.
    func abandon() { worker.run { [desk] in desk.abandon() } }
}
