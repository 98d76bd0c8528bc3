// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Synchronization

/// Sees to it that inputs which are not shown hold nothing up. GstAggregator waits until each input has a frame: those that
/// have none get a gap, an empty frame. It also notices which inputs are silent.
///
/// Of live inputs, frames that come too late are dropped, and one without a frame has no picture. If none is live, nothing
/// is dropped, and an input keeps its last picture: what it shows, once it is waited for, does not depend on how fast it is.
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
        /// No input gets a gap while frames are taken, by what was needed before.
        let gate: InputGate
        let watch = Mutex(Watch())

        init(_ choice: any InputChoice, _ mixer: UnsafeMutablePointer<GstElement>, _ gate: InputGate) {
            (self.choice, self.mixer, self.gate) = (choice, mixer, gate)
        }
    }

    fileprivate struct Watch {
        /// Running time of the next frame.
        var next = ClockTime.zero
        /// Counts how often frames were looked for: each time takes a gap away.
        var round: UInt64 = 0
        /// When it was looked last.
        var time: ClockTime?
    }

    init(_ choice: any InputChoice, mixer: UnsafeMutablePointer<GstElement>, gate: InputGate) {
        let desk = Desk(choice, mixer, gate)
        self.desk = desk
        ticker = Ticker(every: Self.period) { desk.tick() }
    }

    var isLive: Bool { desk.isLive }

    /// Notes that frames for a moment are looked for now.
    func begin(_ next: ClockTime?) {
        desk.gate.isTaking.withLock { $0 = true }
        if let next, isLive { desk.drop(before: next) }
    }

    /// Notes that the streaming thread waits for frames of the next moment.
    func end(_ next: ClockTime?) {
        desk.watch.withLock {
            $0.next = next ?? $0.next
            $0.round &+= 1
        }
        desk.gate.isTaking.withLock { isTaking in
            isTaking = false
            desk.replaceGaps()
        }
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
        let isLive = self.isLive
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
                silence: arrivals.silence, isLive: isLive)
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

    /// Takes back the gaps of inputs to which frames came while the streaming thread was taking frames, and gives new gaps.
    /// The caller holds the lock of `InputGate.isTaking`, which is false.
    func replaceGaps() {
        let inputs = inputs()
        for input in inputs { input.arrivals.takeBackGap(at: input.pad.pointer) }
        give(to: inputs)
    }

    /// Gives a gap to each input that has no frame and is not waited for. The caller holds the lock of
    /// `InputGate.isTaking`, which is false.
    private func give(to inputs: [Input]) {
        let needed = needed(of: inputs)
        let (next, round) = watch.withLock { ($0.next, $0.round) }
        for input in inputs where !needed.contains(input.life.number) && !input.arrivals.hasEnded {
            guard gst_aggregator_pad_has_buffer(input.pad.pointer) == 0,
                input.arrivals.takesGap(in: round)
            else { continue }
            sv_aggregator_give_gap(
                mixer.cast(), input.pad.pointer, GstClockTime(next.nanoseconds), input.life.isLive ? 0 : 1)
        }
    }

    func tick() {
        let now = ClockTime.now
        let isTaking = gate.isTaking.withLock { $0 }
        let passed = watch.withLock { watch in
            defer { watch.time = now }
            return watch.time.flatMap { now.since($0) } ?? .zero
        }
        let isPlaying = mixer.state == GST_STATE_PLAYING
        let inputs = inputs()
        let needed = needed(of: inputs)
        for input in inputs {
            // One that is not live is silent while it is waited for: others may be slow, or have a full queue.
            let isAwaited = !isTaking && needed.contains(input.life.number)
            let canArrive =
                input.life.isLive
                ? isPlaying : isAwaited && gst_aggregator_pad_has_buffer(input.pad.pointer) == 0
            input.arrivals.advance(by: canArrive ? passed : .zero)
        }
        gate.isTaking.withLock { if !$0 { give(to: self.inputs()) } }
        gate.countEvent()
    }
}
