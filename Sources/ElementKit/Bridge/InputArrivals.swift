// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Synchronization

/// Counts the frames and events that arrive at an input, and measures the time without frames.
final class InputArrivals: Sendable {
    private let frames = Atomic<UInt64>(0)
    /// The number of items (frames, events and queries) that have arrived at the input.
    private let items = Atomic<UInt64>(0)
    private let isOver = Atomic(false)
    private let watch = Mutex(Watch())
    /// The number of streams that have begun at the input. A flush counts as the beginning of a stream.
    private let beginnings = Atomic<UInt64>(0)
    private let announcedEnd = Mutex<ClockTime?>(nil)
    /// The `InputGate` of the mixer; nil until the pad is added to a mixer.
    private let gate = Mutex<InputGate?>(nil)

    private struct Watch {
        var frames: UInt64 = 0
        var silence = ClockTime.zero
        /// `round`: the number of the round in which the input last received a gap (an empty frame). `InputAttendant`
        /// counts the rounds. `gap`: the gap in the input's queue; nil if the queue has no gap.
        var round: UInt64?
        var gap: Gap?
        /// True while the input's thread delivers an item (a frame, event or query) that is not in the queue yet.
        var isComing = false
    }

    /// A gap (an empty frame) in the input's queue. `after` is the number of items that had arrived when the gap was
    /// inserted.
    private enum Gap {
        /// The gap is an event in the queue.
        case inserted(after: UInt64)
        /// The base class has replaced the gap event by an empty buffer in the queue.
        case queued(after: UInt64)
    }

    typealias Pad = UnsafeMutablePointer<GstAggregatorPad>

    /// Connects this object to the `InputGate` of the mixer.
    func join(_ gate: InputGate) { self.gate.withLock { $0 = gate } }

    /// Records the arrival of an item (a frame, event or query) at the input. Called on the input's thread, except for
    /// SV_ARRIVAL_GAP (called on the mixer's streaming thread).
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
                watch.withLock { if case .inserted(let items) = $0.gap { $0.gap = .queued(after: items) } }
                takeBackGap(at: pad)
            }
        case SV_ARRIVAL_BEGIN, SV_ARRIVAL_END:
            isOver.store(arrival == SV_ARRIVAL_END, ordering: .releasing)
            if arrival == SV_ARRIVAL_BEGIN {
                beginnings.add(1, ordering: .relaxed)
                announcedEnd.withLock { $0 = nil }
            }
        case SV_ARRIVAL_FLUSH:
            watch.withLock { ($0.round, $0.gap) = (nil, nil) }
        default: break
        }
        gate?.countEvent()
    }

    /// Removes the gap from the queue if an item (a frame, event or query) has arrived after the gap. Otherwise, the
    /// gap would block the input's thread: the queue has no room for both a gap and a frame, and a query waits until
    /// the gap is removed. If one thread feeds several inputs, it must not block at one input, because the other inputs
    /// would get no data. The caller must hold the lock of `InputGate.isTaking`. Only the streaming thread may call
    /// this function while `isTaking` is true.
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

    var streams: UInt64 { beginnings.load(ordering: .relaxed) }

    /// The running time at which the input's stream will end; nil if the input's source has not announced the end.
    var end: ClockTime? {
        get { announcedEnd.withLock { $0 } }
        set { announcedEnd.withLock { $0 = newValue } }
    }

    /// The time since the input's last frame. Times in which no frame could arrive, such as pauses, do not count.
    var silence: ClockTime {
        let now = frames.load(ordering: .relaxed)
        return watch.withLock { $0.frames == now ? $0.silence : .zero }
    }

    /// Adds the elapsed time to `silence`, or resets `silence` if a frame has arrived.
    /// - Parameter time: the time since the last call; zero if no frame could arrive in this time.
    func advance(by time: ClockTime) {
        let now = frames.load(ordering: .relaxed)
        watch.withLock { watch in
            watch.silence = watch.frames == now ? watch.silence + time : .zero
            watch.frames = now
        }
    }

    /// Returns true if the input may receive a gap (an empty frame) in this round, and records the gap. An input
    /// receives at most one gap per round (see `InputAttendant`). An input receives no gap while an item is arriving,
    /// because the item would have to wait for the gap.
    func takesGap(in round: UInt64) -> Bool {
        let now = items.load(ordering: .relaxed)
        return watch.withLock { watch in
            guard watch.round != round, !watch.isComing else { return false }
            (watch.round, watch.gap) = (round, .inserted(after: now))
            return true
        }
    }

    /// Resets everything except the connection to the mixer and the number of streams.
    func clear() {
        frames.store(0, ordering: .relaxed)
        items.store(0, ordering: .relaxed)
        isOver.store(false, ordering: .relaxed)
        watch.withLock { $0 = Watch() }
        announcedEnd.withLock { $0 = nil }
    }
}

/// Calls a function repeatedly, on the thread of the system clock. Releasing the ticker stops the calls, and waits for
/// a running call.
final class Ticker: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because `clockID` is a pointer. The pointer is constant, and the GStreamer
    // functions called with it are thread-safe.
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
