// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import TestSupport

/// An element with a source, which sends input, and a sink, which receives the output.
protocol Stand {
    var element: Handle { get }
    func set(_ state: GstState)
    /// Sends caps. Takes ownership of them.
    func setCaps(_ caps: UnsafeMutablePointer<GstCaps>?, input: Int)
    func push(_ buffer: Buffer, input: Int)
    /// Sends an event downstream. Takes ownership of it.
    func sendDownstream(_ event: UnsafeMutablePointer<GstEvent>?, input: Int)
    /// Sends an event upstream. Takes ownership of it.
    func sendUpstream(_ event: UnsafeMutablePointer<GstEvent>?)
    /// Ends the streams and stops the element.
    func finish()
}

/// Reads a buffer as a downstream element does.
private func look(at buffer: UnsafeMutablePointer<GstBuffer>) {
    var map = GstMapInfo()
    if gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 { gst_buffer_unmap(buffer, &map) }
    var cursor: gpointer?
    while let meta = gst_buffer_iterate_meta_filtered(
        buffer, &cursor, gst_video_region_of_interest_meta_api_get_type())
    {
        let region = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoRegionOfInterestMeta.self)
        var item = region.pointee.params
        while let link = item {
            if let data = link.pointee.data {
                g_free(gst_structure_to_string(data.assumingMemoryBound(to: GstStructure.self)))
            }
            item = link.pointee.next
        }
    }
}

/// An element between two pads without parents. All work happens in the thread that pushes.
final class PadStand: Stand {
    let element: Handle
    private let source: Handle
    private let sink: Handle
    /// The source of the request pad `audio`; nil if the element has no such pad.
    private let sound: Handle?
    private let bus = Bus()

    /// - Parameters:
    ///   - flow: the return value of the pad after the element.
    ///   - hasSound: true if the element has a request pad `audio`.
    init(_ factory: String, flow: GstFlowReturn, hasSound: Bool = false) throws {
        element = try Handle(factory: factory)
        source = Handle(taking: gst_object_ref_sink(try required(gst_pad_new("source", GST_PAD_SRC), "no pad")))
        sink = Handle(taking: gst_object_ref_sink(try required(gst_pad_new("sink", GST_PAD_SINK), "no pad")))
        gst_element_set_bus(element.element, bus.pointer)
        sound =
            hasSound
            ? Handle(taking: gst_object_ref_sink(try required(gst_pad_new("sound", GST_PAD_SRC), "no pad"))) : nil
        sink.pad.pointee.element_private = gpointer(bitPattern: Int(flow.rawValue))
        gst_pad_set_chain_function_full(
            sink.pad,
            { pad, _, buffer in
                if let buffer {
                    look(at: buffer)
                    gst_buffer_unref(buffer)
                }
                return GstFlowReturn(rawValue: Int32(Int(bitPattern: pad?.pointee.element_private)))
            }, nil, nil)
        let input = try required(gst_element_get_static_pad(element.element, "sink"), "no pad")
        let output = try required(gst_element_get_static_pad(element.element, "src"), "no pad")
        gst_pad_link(source.pad, input)
        gst_pad_link(output, sink.pad)
        gst_object_unref(input)
        gst_object_unref(output)
        for pad in [sink, source] { gst_pad_set_active(pad.pad, 1) }
        gst_pad_push_event(source.pad, gst_event_new_stream_start("fuzz"))
        guard let sound else { return }
        let audio = try required(gst_element_request_pad_simple(element.element, "audio"), "no pad")
        gst_pad_link(sound.pad, audio)
        gst_object_unref(audio)
        gst_pad_set_active(sound.pad, 1)
        gst_pad_push_event(sound.pad, gst_event_new_stream_start("fuzz-sound"))
    }

    // MARK: - Audio

    /// Sends an event to the audio pad. Takes ownership of it.
    func sendSound(_ event: UnsafeMutablePointer<GstEvent>?) {
        guard let event else { return }
        if let sound { gst_pad_push_event(sound.pad, event) } else { gst_event_unref(event) }
    }

    func pushSound(_ buffer: Buffer) {
        if let sound { gst_pad_push(sound.pad, buffer.reference) }
        _ = bus.pending(GST_MESSAGE_ANY)
    }

    private func endSound() {
        guard let sound else { return }
        gst_pad_set_active(sound.pad, 0)
        guard let audio = gst_pad_get_peer(sound.pad) else { return }
        gst_pad_unlink(sound.pad, audio)
        gst_element_release_request_pad(element.element, audio)
        gst_object_unref(audio)
    }

    // MARK: - Video

    func set(_ state: GstState) {
        gst_element_set_state(element.element, state)
        // The case has already handled the errors on the bus.
        _ = bus.pending(GST_MESSAGE_ANY)
    }

    func setCaps(_ caps: UnsafeMutablePointer<GstCaps>?, input: Int) {
        guard let caps else { return }
        gst_pad_push_event(source.pad, gst_event_new_caps(caps))
        gst_caps_unref(caps)
    }

    func push(_ buffer: Buffer, input: Int) {
        gst_pad_push(source.pad, buffer.reference)
        _ = bus.pending(GST_MESSAGE_ANY)
    }

    func sendDownstream(_ event: UnsafeMutablePointer<GstEvent>?, input: Int) {
        if let event { gst_pad_push_event(source.pad, event) }
    }

    func sendUpstream(_ event: UnsafeMutablePointer<GstEvent>?) {
        if let event { gst_pad_push_event(sink.pad, event) }
    }

    func finish() {
        gst_element_set_state(element.element, GST_STATE_NULL)
        endSound()
        for pad in [source, sink] { gst_pad_set_active(pad.pad, 0) }
        gst_element_set_bus(element.element, nil)
        for name in ["sink", "src"] {
            guard let pad = gst_element_get_static_pad(element.element, name) else { continue }
            if let peer = gst_pad_get_peer(pad) {
                if name == "sink" { gst_pad_unlink(peer, pad) } else { gst_pad_unlink(pad, peer) }
                gst_object_unref(peer)
            }
            gst_object_unref(pad)
        }
    }
}

/// A mixer with two inputs. Each input has its own thread.
final class MixerStand: Stand {
    let element: Handle
    private let pipeline: Pipeline
    private let sources: [Handle]
    private let sink: Handle

    init(_ name: String) throws {
        let line = try Pipeline(
            "\(name) name=e ! appsink name=out sync=false async=false drop=true max-buffers=4 "
                + "appsrc name=a format=time ! e. appsrc name=b format=time ! e.")
        pipeline = line
        element = try line.element("e")
        sources = try ["a", "b"].map { try line.element($0) }
        sink = try line.element("out")
    }

    /// Returns the sink pads of the mixer.
    func pads() throws -> [Handle] { try ["sink_0", "sink_1"].map { try pipeline.pad("e", $0) } }

    func set(_ state: GstState) { pipeline.set(state) }

    func setCaps(_ caps: UnsafeMutablePointer<GstCaps>?, input: Int) {
        guard let caps else { return }
        gst_app_src_set_caps(sources[input].cast(to: GstAppSrc.self), caps)
        gst_caps_unref(caps)
    }

    func push(_ buffer: Buffer, input: Int) {
        gst_app_src_push_buffer(sources[input].cast(to: GstAppSrc.self), buffer.reference)
    }

    func sendDownstream(_ event: UnsafeMutablePointer<GstEvent>?, input: Int) {
        guard let event else { return }
        gst_element_send_event(sources[input].element, event)
    }

    func sendUpstream(_ event: UnsafeMutablePointer<GstEvent>?) {
        guard let event else { return }
        gst_element_send_event(sink.element, event)
    }

    func finish() {
        for source in sources { gst_app_src_end_of_stream(source.cast(to: GstAppSrc.self)) }
        // The timeout is short. If a timestamp is far in the future, the mixer first outputs all frames up to this
        // timestamp.
        let wanted = GstMessageType(rawValue: GST_MESSAGE_EOS.rawValue | GST_MESSAGE_ERROR.rawValue)
        if let message = gst_bus_timed_pop_filtered(
            pipeline.bus.pointer, 5 * GstClockTime(GStreamer.millisecond), wanted)
        {
            gst_message_unref(message)
        }
        while let sample = gst_app_sink_try_pull_sample(sink.cast(to: GstAppSink.self), 0) {
            if let buffer = gst_sample_get_buffer(sample) { look(at: buffer) }
            gst_sample_unref(sample)
        }
        pipeline.set(GST_STATE_NULL)
    }
}
