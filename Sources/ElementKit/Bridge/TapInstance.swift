// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging
import Waiting

/// Registers a tap element with `plugin`. If `plugin` is nil, registers the element only in this process (for tests).
package func register<E: StreamTap>(_ element: E.Type, plugin: OpaquePointer? = nil) -> Bool {
    let info = Unmanaged.passRetained(TapClass<E>()).toOpaque()
    return register(element, sv_register_tap(E.metadata.typeName, tapFunctions, info), plugin: plugin)
}

private final class TapClass<E: StreamTap>: ElementClass<E> {
    override func initialise(_ objectClass: UnsafeMutablePointer<GObjectClass>) {
        super.initialise(objectClass)
        for (name, direction) in [("sink", GST_PAD_SINK), ("src", GST_PAD_SRC)] {
            guard let caps = videoCaps(FrameFormat.all) else { return }
            if let encoded = gst_caps_from_string(E.encodedCaps.joined(separator: "; ")) {
                gst_caps_append(caps, encoded)
            }
            addPadTemplate(name, direction, GST_PAD_ALWAYS, caps: caps, on: objectClass)
        }
        addPadTemplate(
            "audio", GST_PAD_SINK, GST_PAD_REQUEST,
            caps: gst_caps_from_string(E.audioCaps.joined(separator: "; ")), on: objectClass)
    }

    override func makeInstance(_ object: UnsafeMutablePointer<GObject>) -> ObjectInstance {
        TapInstance<E>(host(of: object))
    }
}

/// The tap callbacks. `StreamTap` documents the call order.
private protocol TapCallbacks: AnyObject {
    func take(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn
    func takeAudio(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn
    func take(_ event: UnsafeMutablePointer<GstEvent>) -> Bool
    func takeAudio(_ event: UnsafeMutablePointer<GstEvent>) -> Bool
    func audioEnded(_ begins: Bool)
}

private func tap(_ instance: UnsafeMutableRawPointer?) -> (any TapCallbacks)? {
    ObjectInstance.of(instance) as? any TapCallbacks
}

private final class TapInstance<E: StreamTap>: ElementInstance<E, E.State>, TapCallbacks {
    /// The caps and the segment of the stream at a pad. Only the streaming thread of the pad uses them.
    private struct Stream {
        var caps: StreamCaps?
        var segment = GstSegment()

        /// Updates the caps or the segment from an event.
        mutating func take(_ event: UnsafeMutablePointer<GstEvent>) {
            switch event.pointee.type {
            case GST_EVENT_CAPS:
                var caps: UnsafeMutablePointer<GstCaps>?
                gst_event_parse_caps(event, &caps)
                if let caps { self.caps = StreamCaps(caps) }
            case GST_EVENT_SEGMENT: gst_event_copy_segment(event, &segment)
            case GST_EVENT_FLUSH_STOP: gst_segment_init(&segment, GST_FORMAT_UNDEFINED)
            default: break
            }
        }
    }

    private var video = Stream()
    private var audio = Stream()
    /// Ends waits of the audio thread, for example when the element stops.
    private let audioInterruption = Interruption()

    override func start() -> Bool {
        (video, audio) = (Stream(), Stream())
        audioInterruption.clear()
        return begin { try element.start(host.settings) }
    }

    // `element.stop` runs before the inherited method `end`, because the element may post its last messages. `end`
    // stops the worker and closes the file for messages (`host.lines`).
    override func stop() {
        attempt { element.stop(&$0) }
        end { _ in }
    }

    override func interrupt(_ why: Interruption.Reason, _ isOn: Bool) {
        super.interrupt(why, isOn)
        guard why == .stop else { return }
        if isOn { audioInterruption.set(.stop) } else { audioInterruption.clear(.stop) }
    }

    func take(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_FLUSH_START:
            // FLUSH_START does not arrive on the streaming thread, so this case must not use `state` or `video`.
            interrupt(.flush, true)
            return true
        case GST_EVENT_FLUSH_STOP:
            interrupt(.flush, false)
            interruptTime()
            attempt { element.flush(&$0) }
        case GST_EVENT_SEGMENT: interruptTime()
        case GST_EVENT_CAPS: _ = accept { _ in }
        case GST_EVENT_EOS: attempt { element.endOfStream(&$0) }
        default: break
        }
        video.take(event)
        return true
    }

    func take(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard let caps = video.caps else { return GST_FLOW_NOT_NEGOTIATED }
        let time = self.time(of: buffer, in: video.segment, rate: caps.frameRate)
        let packet = StreamPacket(buffer, caps, video.segment)
        let settings = host.settings(at: time.elapsed)
        let done: Void? = attempt { try element.see(&$0, settings, packet) }
        return done == nil && failed ? GST_FLOW_ERROR : GST_FLOW_OK
    }

    func takeAudio(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_FLUSH_START:
            audioInterruption.set(.flush)
            return true
        case GST_EVENT_FLUSH_STOP:
            audioInterruption.clear(.flush)
            element.flushAudio()
        case GST_EVENT_EOS: element.audioEnded()
        default: break
        }
        audio.take(event)
        return true
    }

    func takeAudio(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard let caps = audio.caps else { return GST_FLOW_NOT_NEGOTIATED }
        element.hear(StreamPacket(buffer, caps, audio.segment), unless: audioInterruption)
        return GST_FLOW_OK
    }

    func audioEnded(_ begins: Bool) {
        if begins {
            audioInterruption.set(.pause)
        } else {
            audioInterruption.clear(.pause)
            element.audioEnded()
        }
    }
}

// MARK: - The functions that CElements calls

/// The callbacks for the C part of the plugin (CElements). `nonisolated(unsafe)` is safe here, because the table never
/// changes after its initialisation.
private nonisolated(unsafe) let tapFunctions = immortal(
    SVTapFunctions(
        element: elementFunctions,
        buffer: { instance, pad, buffer in
            guard let buffer, let tap = tap(instance) else { return GST_FLOW_ERROR }
            return sv_tap_is_audio(pad) != 0 ? tap.takeAudio(buffer) : tap.take(buffer)
        },
        event: { instance, pad, event in
            guard let event, let tap = tap(instance) else { return 0 }
            return (sv_tap_is_audio(pad) != 0 ? tap.takeAudio(event) : tap.take(event)) ? 1 : 0
        },
        audio_ended: { instance, begins in tap(instance)?.audioEnded(begins != 0) }))
