// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging
import Synchronization
import Waiting

/// Registers a mixer and its pad class with `plugin`. If `plugin` is nil, registers them only in this process (for
/// tests).
package func register<E: VideoMixer>(_ element: E.Type, plugin: OpaquePointer? = nil) -> Bool {
    let padInfo = Unmanaged.passRetained(MixerPadClass<E.Pad>(E.metadata)).toOpaque()
    let padType = sv_register_pad(E.metadata.typeName + "Pad", padFunctions, padInfo)
    let info = Unmanaged.passRetained(MixerClass<E>(padType: padType)).toOpaque()
    let type = sv_register_aggregator(E.metadata.typeName, mixerFunctions, info)
    return padType != 0 && register(element, type, plugin: plugin)
}

private final class MixerClass<E: VideoMixer>: ElementClass<E> {
    private let padType: GType

    init(padType: GType) { self.padType = padType }

    override func initialise(_ objectClass: UnsafeMutablePointer<GObjectClass>) {
        super.initialise(objectClass)
        addPadTemplate(
            "sink_%u", GST_PAD_SINK, GST_PAD_REQUEST, caps: anyVideoCaps(preferring: E.formats), type: padType,
            on: objectClass)
        addPadTemplate(
            "src", GST_PAD_SRC, GST_PAD_ALWAYS, caps: videoCaps(E.formats),
            type: gst_aggregator_pad_get_type(), on: objectClass)
    }

    override func makeInstance(_ object: UnsafeMutablePointer<GObject>) -> ObjectInstance {
        MixerInstance<E>(host(of: object))
    }
}

/// The mixer callbacks. `VideoMixer` documents the call order.
private protocol MixerCallbacks: AnyObject {
    func chooseFormat(for downstream: UnsafeMutablePointer<GstCaps>, _ best: inout GstVideoInfo)
    func blendsAlpha(into downstream: UnsafeMutablePointer<GstCaps>) -> Bool
    func fixate(_ structure: UnsafeMutablePointer<GstStructure>)
    func awaitsInputs(look: Bool) -> Bool
    func looking(begins: Bool)
    func waitForInputs()
    func inputsChanged(added: AnyMixerPadInstance?)
    func aggregate(_ output: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn
    func navigate(_ event: UnsafeMutablePointer<GstEvent>) -> Bool
}

private func mixer(_ instance: UnsafeMutableRawPointer?) -> (any MixerCallbacks)? {
    ObjectInstance.of(instance) as? any MixerCallbacks
}

private final class MixerInstance<E: VideoMixer>: ElementInstance<E, E.State>, MixerCallbacks, InputHider {
    private var format: VideoFormat? {
        didSet { shape.withLock { $0 = format?.shape ?? .zero } }
    }
    /// The output's shape, protected by a lock. The threads that send navigation events read this copy.
    private let shape = Mutex(FrameShape.zero)
    var outputShape: FrameShape { shape.withLock { $0 } }
    /// The stream position for which the animations of the pads were last updated.
    private var animatedPosition: guint64?
    private var animatedTime = ElapsedTime()
    private var inputsAwaited: InputsAwaited?
    private let gate = InputGate()
    /// The value of `gate.events` when the inputs were last checked.
    private var events: UInt64 = 0
    /// Queues gaps (empty frames) at the hidden inputs; nil if the mixer shows all inputs.
    private var attendant: InputAttendant?
    /// The result of the last attempt to choose the inputs of the next frame: true on success, false if the mixer must
    /// try again. Nil before the first attempt.
    private var hasChosen: Bool?
    /// The time at which the mixer began to wait for a frame of a live input; nil if the mixer does not wait.
    private var waitBegan: ClockTime?
    /// The maximum time that the mixer waits for a live input before the next frame.
    private static var livePatience: ClockTime { ClockTime(nanoseconds: 200_000_000) }
    /// The maximum time that the mixer sleeps while it waits for inputs. After this time, the mixer checks for changes
    /// that cause no event: state changes of other elements, and the stop of the streaming thread.
    private static var longestSleep: ClockTime { ClockTime(nanoseconds: 10_000_000) }

    override func start() -> Bool {
        begin {
            inputsAwaited = InputsAwaited()
            let inputs = pads().compactMap(\.swift)
            for input in inputs { try input.startAnimation() }
            let state = try element.start(host.settings, pads: inputs.map { ($0.pad, $0.state) })
            if let choice = element.choice { attendant = InputAttendant(choice, mixer: host.element, gate: gate) }
            return state
        }
    }

    override func stop() {
        // The attendant calls the element, so release the attendant before the element stops.
        attendant = nil
        end { element.stop(&$0) }
        (hasChosen, waitBegan) = (nil, nil)
        for pad in pads() {
            pad.swift?.state = E.Pad.State()
            pad.swift?.arrivals.clear()
        }
        format = nil
        (animatedPosition, animatedTime) = (nil, ElapsedTime())
    }

    func chooseFormat(for downstream: UnsafeMutablePointer<GstCaps>, _ best: inout GstVideoInfo) {
        if element.choice != nil, let format, format.info.isAllowed(by: downstream) {
            best = format.info
            return
        }
        MixerFormatChoice(formats: E.formats).choose(
            for: downstream, over: firstPads().filter(\.hasCaps).map(\.info), &best)
    }

    func blendsAlpha(into downstream: UnsafeMutablePointer<GstCaps>) -> Bool {
        MixerFormatChoice(formats: E.formats).blendsAlpha(into: downstream)
    }

    /// Fixates caps to the first input's pixel aspect ratio, the element's preferred size for this ratio, and the
    /// highest frame rate of the inputs. If downstream does not allow a value, uses the nearest allowed value.
    func fixate(_ structure: UnsafeMutablePointer<GstStructure>) {
        if let format, element.choice != nil {
            return structure.fixate(
                rate: (format.info.fps_n, format.info.fps_d), pixel: (format.info.par_n, format.info.par_d)
            ) { format.shape.size(in: $0) }
        }
        let all = firstPads().filter { $0.info.finfo != nil && $0.info.width > 0 }
        let pads = element.choice == nil ? all : Array(all.prefix(1))
        let inputs = pads.compactMap { pad in pad.swift.map { $0.inputShape(pad.info) } }
        let rates = pads.map(\.info).filter { $0.fps_n > 0 && $0.fps_d > 0 }
        let fastest = rates.max { Int64($0.fps_n) * Int64($1.fps_d) < Int64($1.fps_n) * Int64($0.fps_d) }
        structure.fixate(
            rate: (fastest?.fps_n ?? 25, fastest?.fps_d ?? 1),
            pixel: (max(1, pads.first?.info.par_n ?? 1), max(1, pads.first?.info.par_d ?? 1))
        ) { element.outputSize(for: inputs, of: $0) }
    }

    override func setInfo(_ info: GstVideoInfo) -> Bool {
        // Rejects caps without a frame rate, because GstVideoAggregator computes the time of the next frame from the
        // rate.
        guard info.fps_n > 0, let new = VideoFormat(info) else { return false }
        format = new
        return accept { try element.configure(&$0, for: new) }
    }

    /// Returns true if the mixer must wait for inputs before the first frame. If `look` is false, returns the previous
    /// result without checking the inputs.
    func awaitsInputs(look: Bool) -> Bool {
        guard look, var awaited = inputsAwaited else { return inputsAwaited != nil }
        events = gate.events.withLock { $0 }
        let pads = pads()
        let needed = element.choice?.needed(of: pads.compactMap { $0.life(isLive: isLive) })
        let isComplete = pads.allSatisfy { $0.hasCaps || $0.hasEnded || needed?.contains($0.number) == false }
        // With live inputs, the stream starts as soon as the input `choice.first` is ready. Without live inputs, the
        // mixer also waits for other elements, because the pipeline cannot play until all elements are ready.
        let isEnough =
            isComplete && isLive && element.choice.map { choice in pads.contains { $0.number == choice.first } } == true
        guard let missing = isEnough ? nil : awaited.missing(before: host.element, haveCaps: isComplete) else {
            inputsAwaited = nil
            return false
        }
        guard awaited.isOver(for: host.element) else {
            host.log(.log, "waiting for \(missing) before the first frame")
            inputsAwaited = awaited
            return true
        }
        host.log(.warning, "the first frame no longer waits for \(missing)")
        inputsAwaited = nil
        return false
    }

    func looking(begins: Bool) {
        if begins {
            hasChosen = nil
            events = gate.events.withLock { $0 }
            attendant?.begin(next?.start)
        } else {
            attendant?.end(next)
            tellSources()
        }
    }

    /// Reports to the source of each input whether the mixer shows the input.
    private func tellSources() {
        guard format != nil, let time = next?.start else { return }
        let choice = element.choice
        // gst_aggregator_get_latency returns GST_CLOCK_TIME_NONE (all bits set) if no input is live.
        let isAwaited = choice == nil && gst_aggregator_get_latency(host.element.cast()) == GstClockTime.max
        for pad in pads() where pad.hasCaps {
            let isShown = choice?.shows(pad.number) ?? !hides(UnsafeMutableRawPointer(pad.pad))
            pad.swift?.tell(InputVisibility(isShown: isShown, isAwaited: isAwaited, time: time), through: pad)
        }
    }

    private var isLive: Bool { attendant?.isLive == true }

    /// The running times of the start and the end of the next frame.
    private var next: (start: ClockTime, end: ClockTime)? {
        guard let source = host.object.cast(to: GstAggregator.self).pointee.srcpad else { return nil }
        var segment = source.cast(to: GstAggregatorPad.self).pointee.segment
        let position = segment.position == .max ? segment.start : max(segment.position, segment.start)
        let (numerator, denominator) = format.map { ($0.info.fps_n, $0.info.fps_d) } ?? (25, 1)
        let scale = (GstClockTime(max(1, numerator)), GstClockTime(max(1, denominator)) &* 1_000_000_000)
        // Rounds the time in the same way as the base class, GstVideoAggregator.
        let count = gst_util_uint64_scale_round(position, scale.0, scale.1)
        let end = max(gst_util_uint64_scale(count &+ 1, scale.1, scale.0), position)
        guard let start = ClockTime(gst_segment_to_running_time(&segment, GST_FORMAT_TIME, position)),
            let end = ClockTime(gst_segment_to_running_time(&segment, GST_FORMAT_TIME, end))
        else { return nil }
        return (start, end)
    }

    func chooseInputs() {
        guard hasChosen == nil, element.choice != nil else { return }
        // Reads the settings before the list of inputs. Another thread may add an input, and then name this input in a
        // property. In the opposite order, the list might not contain the named input.
        let (settings, inputs) = (host.settings, pads())
        let (isLive, next) = (self.isLive, self.next)
        let lives = inputs.compactMap { $0.life(isLive: isLive, next: next) }
        let pads = Dictionary(inputs.compactMap { input in input.swift.map { (input.number, $0.pad) } }) { $1 }
        hasChosen =
            attempt { try element.choose(&$0, settings, inputs: lives, pads: pads, time: next?.start) } ?? true
    }

    /// True if the mixer must try the next frame again, because a selected input has no frame yet. With live inputs,
    /// the mixer waits for at most `livePatience`, and then does not show the input. Without live inputs, the wait has
    /// no limit. In this case, the base class waits before each attempt until the needed inputs have frames.
    private var mustWait: Bool {
        guard hasChosen == false else {
            waitBegan = nil
            return false
        }
        guard isLive else { return true }
        let now = ClockTime.now
        let began = waitBegan ?? now
        waitBegan = began
        return now.since(began).map { $0 < Self.livePatience } ?? false
    }

    /// Sleeps until an input has changed, but not longer than `longestSleep`. Without this sleep, the mixer would try
    /// again and again without a pause: the base class does not sleep if the existing inputs have frames, or if the
    /// output frame is already late.
    func waitForInputs() {
        guard inputsAwaited != nil || waitBegan != nil else { return }
        let previous = events
        gate.events.wait(until: .after(nanoseconds: Self.longestSleep.nanoseconds)) { $0 != previous }
    }

    /// Handles a change of the inputs.
    /// - Parameter added: the new input; nil if an input was removed.
    func inputsChanged(added: AnyMixerPadInstance?) {
        added?.arrivals.join(gate)
        gate.countEvent()
    }

    func aggregate(_ output: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard let format else { return GST_FLOW_NOT_NEGOTIATED }
        if element.choice != nil {
            animateInputs()
            chooseInputs()
            let (inputs, time) = (pads(), next?.start)
            if !inputs.isEmpty, inputs.allSatisfy({ $0.hasEnded && !$0.hasPicture(at: time) }) { return GST_FLOW_EOS }
            if mustWait { return sv_flow_need_data }
        }
        let source = host.object.cast(to: GstAggregator.self).pointee.srcpad?.cast(to: GstAggregatorPad.self)
        let time = self.time(of: output, in: source?.pointee.segment ?? GstSegment(), rate: format.frameRate)
        animateInputs()
        let settings = host.settings(at: time.elapsed)
        let inputs = pads(byName: false).compactMap { $0.swift?.input($0) }
        let mixed: Void?? = withMappedFrame(output, format.info, GST_MAP_WRITE) { pixels in
            attempt {
                try element.mix(
                    &$0, settings, inputs: inputs,
                    output: Frame(pixels, size: format.size, time: time, buffer: output))
            }
        }
        return mixed.flatMap { $0 } == nil ? GST_FLOW_ERROR : GST_FLOW_OK
    }

    /// Sets the animated properties of all pads to their values for the next frame. Sets all pads together, because an
    /// input can hide another input.
    func animateInputs() {
        guard let source = host.object.cast(to: GstAggregator.self).pointee.srcpad else { return }
        var segment = source.cast(to: GstAggregatorPad.self).pointee.segment
        let position = segment.position == .max ? segment.start : max(segment.position, segment.start)
        guard position != animatedPosition else { return }
        animatedPosition = position
        let runningTime = ClockTime(gst_segment_to_running_time(&segment, GST_FORMAT_TIME, position))
        let elapsed = animatedTime.advance(to: runningTime, rate: format?.frameRate)
        for pad in pads() { pad.swift?.animate(to: elapsed) }
    }

    /// Returns true if no part of the pad's input is visible. The settings may hide the input, the input may be outside
    /// the output, or it may be behind an opaque input that has a frame.
    func hides(_ pad: UnsafeMutableRawPointer) -> Bool {
        guard let format else { return false }
        let pads = pads(byName: false)
        guard let index = pads.firstIndex(where: { UnsafeMutableRawPointer($0.pad) == pad }) else { return false }
        let output = format.shape
        guard let visible = pads[index].area(in: output)?.area.visible.intersection(output.size.bounds),
            !visible.isEmpty
        else { return true }
        return pads[(index + 1)...].contains { other in
            guard other.hasWholeFrame, let area = other.area(in: output)?.area else { return false }
            return area.isOpaque && area.visible.intersection(visible) == visible
        }
    }

    /// Sends keys to all inputs. Sends a pointer event only to the topmost input at the pointer position, and converts
    /// the position to pixels of this input.
    func navigate(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        guard let pointer = PointerEvent(event)?.place else {
            return pads().reduce(false) { taken, pad in pad.push(gst_event_ref(event)) || taken }
        }
        let output = outputShape
        for pad in pads(byName: false).reversed() {
            guard let (size, area) = pad.area(in: output), area.visible.width > 0, area.visible.height > 0 else {
                continue
            }
            let (visible, full) = (area.visible, area.full)
            let source = Point(
                (pointer.x - Double(full.x)) * Double(size.width) / Double(full.width),
                (pointer.y - Double(full.y)) * Double(size.height) / Double(full.height))
            guard visible.contains(pointer), let moved = PointerEvent.moved(event, to: source) else { continue }
            return pad.push(moved)
        }
        return false
    }

    /// Returns the sink pads, sorted by the numbers in their names. The input `choice.first` comes before all other
    /// inputs.
    private func firstPads() -> [PadReference<E.Pad>] {
        let pads = pads()
        guard let first = element.choice?.first else { return pads }
        return pads.filter { $0.number == first } + pads.filter { $0.number != first }
    }

    /// Returns the sink pads, sorted by the numbers in their names. If `byName` is false, the pads are in the order of
    /// GstVideoAggregator: by zorder, lowest first.
    private func pads(byName: Bool = true) -> [PadReference<E.Pad>] {
        let element = host.element
        var pads: [PadReference<E.Pad>] = []
        g_mutex_lock(&element.pointee.object.lock)
        var next = element.pointee.sinkpads
        while let item = next {
            if let pad = item.pointee.data { pads.append(PadReference(pad)) }
            next = item.pointee.next
        }
        g_mutex_unlock(&element.pointee.object.lock)
        return byName ? pads.sorted { $0.number < $1.number } : pads
    }
}

// MARK: - The functions that CElements calls

/// The callbacks for the C part of the plugin (CElements). `nonisolated(unsafe)` is safe here, because the table never
/// changes after its initialisation.
private nonisolated(unsafe) let mixerFunctions = immortal(
    SVAggregatorFunctions(
        element: elementFunctions,
        choose_format: { instance, downstream, best in
            guard let downstream, let best else { return }
            mixer(instance)?.chooseFormat(for: downstream, &best.pointee)
        },
        blends_alpha: { instance, downstream in
            guard let downstream else { return 0 }
            return mixer(instance)?.blendsAlpha(into: downstream) == true ? 1 : 0
        },
        fixate_caps: { instance, caps in
            guard let writable = sv_caps_make_writable(caps) else { return nil }
            if let structure = gst_caps_get_structure(writable, 0) { mixer(instance)?.fixate(structure) }
            return gst_caps_fixate(writable)
        },
        awaits_inputs: { mixer($0)?.awaitsInputs(look: $1 != 0) == true ? 1 : 0 },
        looking: { mixer($0)?.looking(begins: $1 != 0) },
        wait_for_inputs: { mixer($0)?.waitForInputs() },
        inputs_changed: { mixer($0)?.inputsChanged(added: AnyMixerPadInstance.of($1)) },
        aggregate: { instance, output in
            guard let output else { return GST_FLOW_ERROR }
            return mixer(instance)?.aggregate(output) ?? GST_FLOW_ERROR
        },
        navigate: { instance, event in
            guard let event else { return 0 }
            return mixer(instance)?.navigate(event) == true ? 1 : 0
        }))
