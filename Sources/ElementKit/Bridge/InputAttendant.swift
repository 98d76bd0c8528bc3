// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Synchronization

/// Sees to it that inputs which are not shown hold nothing up. GstAggregator waits until each input has a frame: those that
/// have none get a gap, an empty frame. It also notices which inputs are silent.
final class InputAttendant {
    private let desk: Desk
    private let ticker: Ticker

    /// How often it looks after the inputs by itself; else before and after each frame.
    private static let period = ClockTime(nanoseconds: 10_000_000)

    /// What the streaming thread and that of the clock share.
    fileprivate final class Desk: @unchecked Sendable {
        // Unchecked because of `mixer`: GStreamer allows what is done with it from any thread, and it outlives the
        // attendant, which it releases when it stops.
        let mixer: UnsafeMutablePointer<GstElement>
        let choice: any InputChoice
        let isBusy = Atomic(false)
        let watch = Mutex(Watch())

        init(_ choice: any InputChoice, _ mixer: UnsafeMutablePointer<GstElement>) {
            (self.choice, self.mixer) = (choice, mixer)
        }
    }

    fileprivate struct Watch {
        var next = (start: ClockTime.zero, end: ClockTime(nanoseconds: 40_000_000))
        /// Counts how often frames were looked for: each time takes a gap away.
        var round: UInt64 = 0
        /// The frame that was next, and the time, when it was looked last.
        var start: ClockTime?
        var time: ClockTime?
    }

    init(_ choice: any InputChoice, mixer: UnsafeMutablePointer<GstElement>) {
        let desk = Desk(choice, mixer)
        self.desk = desk
        ticker = Ticker(every: Self.period) { desk.tick() }
    }

    var isLive: Bool { desk.isLive }

    /// Notes that frames for a moment are looked for now.
    func begin(_ next: (start: ClockTime, end: ClockTime)?) {
        desk.isBusy.store(true, ordering: .relaxed)
        if let next { desk.drop(before: next.start) }
    }

    /// Notes that the streaming thread waits for frames of the next moment.
    func end(_ next: (start: ClockTime, end: ClockTime)?) {
        desk.isBusy.store(false, ordering: .relaxed)
        desk.watch.withLock {
            $0.next = next ?? $0.next
            $0.round &+= 1
        }
        desk.fill()
    }
}

extension InputAttendant.Desk {
    /// None is all bits.
    var isLive: Bool { gst_aggregator_get_latency(mixer.cast()) != GstClockTime.max }

    private struct Input {
        let pad: Held<GstAggregatorPad>
        let arrivals: InputArrivals
        let life: MixerInputLife
    }

    private func inputs() -> [Input] {
        let object = mixer.cast(to: GstObject.self)
        g_mutex_lock(&object.pointee.lock)
        defer { g_mutex_unlock(&object.pointee.lock) }
        var inputs: [Input] = []
        var next = mixer.pointee.sinkpads
        while let item = next {
            next = item.pointee.next
            guard let pad = Held(gst_object_ref(item.pointee.data)?.assumingMemoryBound(to: GstAggregatorPad.self)),
                let instance = AnyMixerPadInstance.of(sv_object_instance(pad.pointer.cast()))
            else { continue }
            let arrivals = instance.arrivals
            let life = MixerInputLife(
                number: number(of: pad.pointer.cast()), hasFrames: arrivals.hasFrames,
                hasEnded: gst_aggregator_pad_is_eos(pad.pointer) != 0,
                silence: arrivals.silence, hasPicture: false)
            inputs.append(Input(pad: pad, arrivals: arrivals, life: life))
        }
        return inputs
    }

    private func needed(of inputs: [Input]) -> Set<Int> { choice.needed(of: inputs.map(\.life)) }

    /// Drops what is over of inputs that nobody waits for.
    func drop(before start: ClockTime) {
        let inputs = inputs()
        let needed = needed(of: inputs)
        for input in inputs where !needed.contains(input.life.number) {
            sv_aggregator_pad_drop_before(input.pad.pointer, GstClockTime(start.nanoseconds))
        }
    }

    /// Gives a gap to the inputs that nobody waits for and that have nothing.
    func fill() {
        let inputs = inputs()
        let needed = needed(of: inputs)
        let (next, round) = watch.withLock { ($0.next, $0.round) }
        // A gap ends before a frame for the same time does, which would otherwise be taken for an old one.
        let end = next.start + ClockTime(nanoseconds: (next.end.nanoseconds &- next.start.nanoseconds) / 2)
        for input in inputs where !needed.contains(input.life.number) && !input.arrivals.hasEnded {
            guard gst_aggregator_pad_has_buffer(input.pad.pointer) == 0,
                input.arrivals.takesGap(in: round)
            else { continue }
            sv_aggregator_give_gap(
                mixer.cast(), input.pad.pointer, GstClockTime(next.start.nanoseconds), GstClockTime(end.nanoseconds))
        }
    }

    func tick() {
        let now = ClockTime.now
        let isBusy = isBusy.load(ordering: .relaxed)
        let (passed, hasAdvanced) = watch.withLock { watch in
            defer { (watch.time, watch.start) = (now, watch.next.start) }
            return (watch.time.flatMap { now.since($0) } ?? .zero, watch.start != watch.next.start)
        }
        let isLive = isLive
        let isPlaying = mixer.pointee.current_state == GST_STATE_PLAYING
        let inputs = inputs()
        let needed = needed(of: inputs)
        for input in inputs {
            let canArrive: Bool
            if isLive {
                canArrive = isPlaying
            } else if needed.contains(input.life.number) {
                canArrive = !isBusy && gst_aggregator_pad_has_buffer(input.pad.pointer) == 0
            } else {
                // The queue is full while no frame is made.
                canArrive = hasAdvanced
            }
            input.arrivals.advance(by: canArrive ? passed : .zero)
        }
        if !isBusy { fill() }
    }
}
