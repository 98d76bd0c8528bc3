// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Synchronization

/// Prevents hidden inputs (inputs that the mixer does not show) from blocking the mixer. GstAggregator waits until each
/// input has a frame. So the attendant queues a gap (an empty frame) at each hidden input without a frame. The
/// attendant also measures how long each input has received no frame.
///
/// If any input is live, the attendant drops late frames of hidden inputs, and the mixer does not show an input without
/// a frame. If no input is live, the attendant drops nothing, and the mixer keeps the last image of each input. The
/// output then does not depend on the processing speed.
final class InputAttendant {
    private let desk: Desk
    private let ticker: Ticker

    /// The interval between checks for inputs that need a gap (an empty frame). The attendant also checks the inputs
    /// before and after each output frame.
    private static let period = ClockTime(nanoseconds: 10_000_000)

    /// The state that the streaming thread and the thread of `ticker` share.
    fileprivate final class Desk: @unchecked Sendable {
        // The class is `@unchecked Sendable`, because `mixer` is a pointer. The GStreamer functions called with `mixer`
        // are thread-safe. The mixer outlives the attendant, because the mixer releases the attendant when the mixer
        // stops.
        let mixer: UnsafeMutablePointer<GstElement>
        let choice: any InputChoice
        /// While the mixer takes frames from the queues of the inputs, `isTaking` is true, and the attendant inserts no
        /// gaps (empty frames). During this time, the mixer can choose other inputs, so the attendant does not know
        /// which inputs are hidden.
        let gate: InputGate
        let watch = Mutex(Watch())

        init(_ choice: any InputChoice, _ mixer: UnsafeMutablePointer<GstElement>, _ gate: InputGate) {
            (self.choice, self.mixer, self.gate) = (choice, mixer, gate)
        }
    }

    fileprivate struct Watch {
        /// The running times of the start and the end of the next output frame.
        var next = (start: ClockTime.zero, end: ClockTime.zero)
        /// True if the mixer found too few frames in the queues of the inputs in the last round. The next round is then
        /// for the same output frame.
        var isRepeated = false
        /// The number of rounds. In each round, the mixer searches the queues of the inputs for frames, and removes the
        /// gaps (empty frames) of the previous round.
        var round: UInt64 = 0
        /// The time of the last check of the inputs.
        var time: ClockTime?

        /// Returns true if the mixer has already taken this input's frame in the last round, but found too few frames
        /// of other inputs. The input then needs a gap (an empty frame), because the mixer would wait for one more
        /// frame of this input in the next round. This frame may never arrive. For example, a program may send one
        /// frame to each input, and then wait for the output.
        func hasFrame(of pad: UnsafeMutablePointer<GstAggregatorPad>) -> Bool {
            isRepeated
                && sv_video_aggregator_pad_is_complete(
                    pad.cast(), GstClockTime(next.start.nanoseconds), GstClockTime(next.end.nanoseconds)) != 0
        }
    }

    init(_ choice: any InputChoice, mixer: UnsafeMutablePointer<GstElement>, gate: InputGate) {
        let desk = Desk(choice, mixer, gate)
        self.desk = desk
        ticker = Ticker(every: Self.period) { desk.tick() }
    }

    var isLive: Bool { desk.isLive }

    /// The streaming thread calls this function before it searches the queues for frames. `next` is the running time of
    /// the next output frame.
    func begin(_ next: ClockTime?) {
        desk.gate.isTaking.withLock { $0 = true }
        if let next, isLive { desk.drop(before: next) }
    }

    /// The streaming thread calls this function after it has searched the queues for frames. `next` contains the
    /// running times of the start and the end of the next output frame.
    func end(_ next: (start: ClockTime, end: ClockTime)?) {
        desk.watch.withLock {
            $0.isRepeated = next.map { [next = $0.next] in $0 == next } ?? false
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
    /// gst_aggregator_get_latency returns GST_CLOCK_TIME_NONE (all bits set) if no input is live.
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

    /// Drops frames that end before `start`, a running time. Drops no frames of inputs that the mixer waits for.
    func drop(before start: ClockTime) {
        let inputs = inputs()
        let needed = needed(of: inputs)
        for input in inputs where !needed.contains(input.life.number) {
            sv_aggregator_pad_drop_before(input.pad.pointer, GstClockTime(start.nanoseconds))
        }
    }

    /// Removes the gaps (empty frames) of inputs at which items arrived while the streaming thread searched the queues,
    /// and inserts new gaps. The caller must hold the lock of `InputGate.isTaking`, and `isTaking` must be false.
    func replaceGaps() {
        let inputs = inputs()
        for input in inputs { input.arrivals.takeBackGap(at: input.pad.pointer) }
        give(to: inputs)
    }

    /// Inserts a gap (an empty frame) at each input that has no frame in its queue and that the mixer does not wait
    /// for. Without live inputs, an input for which `Watch.hasFrame` is true also gets a gap. The caller must hold the
    /// lock of `InputGate.isTaking`, and `isTaking` must be false.
    private func give(to inputs: [Input]) {
        let needed = needed(of: inputs)
        let watch = watch.withLock(\.self)
        for input in inputs where !input.arrivals.hasEnded {
            guard
                !needed.contains(input.life.number)
                    || (!input.life.isLive && watch.hasFrame(of: input.pad.pointer)),
                gst_aggregator_pad_has_buffer(input.pad.pointer) == 0,
                input.arrivals.takesGap(in: watch.round)
            else { continue }
            sv_aggregator_give_gap(
                mixer.cast(), input.pad.pointer, GstClockTime(watch.next.start.nanoseconds), input.life.isLive ? 0 : 1)
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
            // `silence` of an input that is not live grows only while the mixer waits for this input. At other times,
            // the queue of the input may be full, or the mixer may wait for slower inputs.
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
