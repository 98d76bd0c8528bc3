// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Synchronization

/// What has arrived at an input, and how long nothing has.
final class InputArrivals: Sendable {
    private let frames = Atomic<UInt64>(0)
    private let isOver = Atomic(false)
    private let watch = Mutex(Watch())

    private struct Watch {
        var frames: UInt64 = 0
        var silence = ClockTime.zero
        /// The round in which the input got a gap last.
        var gap: UInt64?
    }

    /// Notes what arrives, on the thread of the input.
    func note(_ arrival: SVArrival) {
        if arrival == SV_ARRIVAL_FRAME {
            frames.add(1, ordering: .relaxed)
        } else {
            isOver.store(arrival == SV_ARRIVAL_END, ordering: .releasing)
            // A flush has taken away what was queued.
            if arrival == SV_ARRIVAL_BEGIN { watch.withLock { $0.gap = nil } }
        }
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

    /// Returns true the first time that it is asked about a gap in this round.
    func takesGap(in round: UInt64) -> Bool {
        watch.withLock { watch in
            guard watch.gap != round else { return false }
            watch.gap = round
            return true
        }
    }

    /// Forgets everything.
    func clear() {
        frames.store(0, ordering: .relaxed)
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
