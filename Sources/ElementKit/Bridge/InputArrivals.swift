// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Synchronization

/// What has arrived at an input, and how long nothing has.
final class InputArrivals: Sendable {
    private let frames = Atomic<UInt64>(0)
    /// Counts what is queued: frames, events, queries.
    private let items = Atomic<UInt64>(0)
    private let isOver = Atomic(false)
    private let watch = Mutex(Watch())
    /// The gate of the mixer, once the pad belongs to one.
    private let gate = Mutex<InputGate?>(nil)

    private struct Watch {
        var frames: UInt64 = 0
        var silence = ClockTime.zero
        /// The round in which the input got a gap last.
        var round: UInt64?
        var gap: Gap?
        /// Whether the input's thread brings something that is not in the queue yet.
        var isComing = false
    }

    /// A gap in the input's queue, and how much had come before it was given.
    private enum Gap {
        /// Still an event.
        case given(after: UInt64)
        /// Takes the place of a frame.
        case queued(after: UInt64)
    }

    typealias Pad = UnsafeMutablePointer<GstAggregatorPad>

    /// Notes which mixer the pad belongs to.
    func join(_ gate: InputGate) { self.gate.withLock { $0 = gate } }

    /// Notes what arrives, on the thread of the input.
    func note(_ arrival: SVArrival, at pad: Pad) {
        let gate = gate.withLock { $0 }
        switch arrival {
        case SV_ARRIVAL_FRAME, SV_ARRIVAL_OTHER:
            if arrival == SV_ARRIVAL_FRAME { frames.add(1, ordering: .relaxed) }
            items.add(1, ordering: .relaxed)
            gate?.isTaking.withLock { isTaking in
                watch.withLock { $0.isComing = true }
                if !isTaking { takeBackGap(at: pad) }
            }
        case SV_ARRIVAL_QUEUED:
            watch.withLock { $0.isComing = false }
        case SV_ARRIVAL_GAP:
            gate?.isTaking.withLock { _ in
                watch.withLock { if case .given(let items) = $0.gap { $0.gap = .queued(after: items) } }
                takeBackGap(at: pad)
            }
        case SV_ARRIVAL_BEGIN, SV_ARRIVAL_END:
            isOver.store(arrival == SV_ARRIVAL_END, ordering: .releasing)
        case SV_ARRIVAL_FLUSH:
            watch.withLock { ($0.round, $0.gap) = (nil, nil) }
        default: break
        }
        gate?.countEvent()
    }

    /// Removes a gap from the queue if anything has come since: there is no room for a frame beside it, and a query waits
    /// behind it. One thread may feed several inputs, so it must not wait here. The caller holds the lock of
    /// `InputGate.isTaking`, which is false.
    func takeBackGap(at pad: Pad) {
        let isStale = watch.withLock { watch in
            guard case .queued(let items) = watch.gap, items < self.items.load(ordering: .relaxed) else {
                return false
            }
            (watch.round, watch.gap) = (nil, nil)
            return true
        }
        if isStale { sv_aggregator_pad_drop_gap(pad) }
    }

    var hasFrames: Bool { frames.load(ordering: .relaxed) > 0 }
    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    /// How long nothing has arrived although it could.
    var silence: ClockTime {
        let now = frames.load(ordering: .relaxed)
        return watch.withLock { $0.frames == now ? $0.silence : .zero }
    }

    /// Notes that time has passed.
    /// - Parameter time: zero if nothing could arrive meanwhile.
    func advance(by time: ClockTime) {
        let now = frames.load(ordering: .relaxed)
        watch.withLock { watch in
            watch.silence = watch.frames == now ? watch.silence + time : .zero
            watch.frames = now
        }
    }

    /// Returns whether the input is to get a gap: once in a round, and not while something is on its way, which would have
    /// to wait for the gap.
    func takesGap(in round: UInt64) -> Bool {
        let now = items.load(ordering: .relaxed)
        return watch.withLock { watch in
            guard watch.round != round, !watch.isComing else { return false }
            (watch.round, watch.gap) = (round, .given(after: now))
            return true
        }
    }

    /// Forgets everything but the mixer.
    func clear() {
        frames.store(0, ordering: .relaxed)
        items.store(0, ordering: .relaxed)
        isOver.store(false, ordering: .relaxed)
        watch.withLock { $0 = Watch() }
    }
}

/// Does something again and again, on the thread of the system's clock, until it is released, which
/// waits if it is being done.
final class Ticker {
    private let job: Job
    private let clockID: GstClockID?

    private final class Job: Sendable {
        let body: Mutex<(@Sendable () -> Void)?>
        init(_ body: @escaping @Sendable () -> Void) { self.body = Mutex(body) }
    }

    init(every period: ClockTime, _ body: @escaping @Sendable () -> Void) {
        job = Job(body)
        guard let clock = gst_system_clock_obtain() else {
            clockID = nil
            return
        }
        defer { gst_object_unref(clock) }
        let period = GstClockTime(period.nanoseconds)
        clockID = gst_clock_new_periodic_id(clock, gst_clock_get_time(clock) &+ period, period)
        gst_clock_id_wait_async(
            clockID,
            { _, _, _, data in
                if let data { Unmanaged<Job>.fromOpaque(data).takeUnretainedValue().body.withLock { $0?() } }
                return 1
            }, Unmanaged.passRetained(job).toOpaque(),
            { if let data = $0 { Unmanaged<Job>.fromOpaque(data).release() } })
    }

    deinit {
        job.body.withLock { $0 = nil }
        guard let clockID else { return }
        gst_clock_id_unschedule(clockID)
        gst_clock_id_unref(clockID)
    }
}
