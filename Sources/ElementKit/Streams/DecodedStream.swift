// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files
import Synchronization

/// The decoded video of a URI. GStreamer elements decode the stream in a separate pipeline with its own threads and
/// bus.
package final class DecodedStream: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because `pipeline` is mutable and has no lock. Only `open` and `close` use
    // `pipeline`, and the caller must not call both methods at the same time. All other members are constant or behind
    // a lock.
    private var pipeline: UnsafeMutablePointer<GstElement>?
    private let box: Box
    private let clock: PipelineClock

    package struct Request: Sendable {
        let uri: String
        /// Properties of the source element, with values as in gst-launch-1.0. Properties that the element does not
        /// have are ignored.
        let properties: [(name: String, value: String)]
        /// The target caps. Frames in other formats are converted.
        let caps: StreamCaps

        /// The camera of this machine to read; nil to read `uri`.
        let camera: Camera?

        package init(
            uri: String, properties: [(name: String, value: String)], caps: StreamCaps, camera: Camera? = nil
        ) {
            (self.uri, self.properties, self.caps, self.camera) = (uri, properties, caps, camera)
        }
    }

    /// A camera of this machine.
    package struct Camera: Sendable {
        let device: String
        /// The value of the property `extra-controls`; nil to change no controls.
        let controls: String?
        /// The caps that select the camera's mode (such as format and size); `ANY` for any mode.
        let caps: String
        /// The name of the source element. The element is v4l2src, except in tests.
        let element: String

        /// - Throws: `ElementError` if the caps or the controls are malformed.
        package init(
            device: String, controls: String?, caps: String?, element: String = "v4l2src"
        ) throws(ElementError) {
            (self.device, self.element) = (device, element)
            self.caps = caps ?? "ANY"
            guard let parsed = gst_caps_from_string(self.caps) else {
                throw ElementError(
                    .settings, "camera-caps is malformed. Write camera-caps as image/jpeg,width=1280,height=720.")
            }
            gst_caps_unref(parsed)
            self.controls = try controls.map { controls throws(ElementError) in
                guard let structure = CameraControls.structure(controls), let text = gst_structure_to_string(structure)
                else {
                    throw ElementError(
                        .settings, "camera-controls is malformed. Write camera-controls as focus_absolute=30,gain=5.")
                }
                defer {
                    gst_structure_free(structure)
                    g_free(text)
                }
                return String(cString: text)
            }
        }

        /// The part of the pipeline description that reads the camera.
        fileprivate var description: String { "\(element) name=camera ! capsfilter name=mode ! decodebin name=in" }
    }

    /// The callbacks. They run in threads of the pipeline and must not block. No callback runs after `close` has
    /// returned.
    package struct Events: Sendable {
        /// Called for each decoded frame. The frame's `time` is a time of the pipeline clock, not a running time.
        let frame: @Sendable (StreamFrame) -> Void
        /// Called before the first frame, with the latency of the stream.
        let latency: @Sendable (ClockTime) -> Void
        /// Called at the end of the stream. The argument is true if the stream has a duration, like a file.
        let ended: @Sendable (Bool) -> Void
        let failed: @Sendable (StreamFailure) -> Void
        /// Called with the text of the camera element's first warning, for example about a refused control.
        let warned: @Sendable (String) -> Void

        package init(
            frame: @escaping @Sendable (StreamFrame) -> Void, latency: @escaping @Sendable (ClockTime) -> Void,
            ended: @escaping @Sendable (Bool) -> Void, failed: @escaping @Sendable (StreamFailure) -> Void,
            warned: @escaping @Sendable (String) -> Void
        ) {
            (self.frame, self.latency, self.ended, self.failed, self.warned) = (frame, latency, ended, failed, warned)
        }
    }

    /// - Parameter clock: the clock of the pipeline that receives the frames.
    package init(_ request: Request, clock: PipelineClock, _ events: Events) {
        (self.clock, box) = (clock, Box(request, events))
    }

    deinit {
        if let pipeline { gst_object_unref(pipeline) }
    }

    /// The time of the monotonic clock at which the source last delivered data; nil before the first data.
    package var heard: ClockTime? { box.heard }

    /// Creates and starts the pipeline. The call may block.
    package func open() {
        let caps = box.request.caps
        let rate = caps.fixesFrameRate ? "videorate skip-to-first=true max-duplication-time=1000000000 ! " : ""
        let description =
            "\(box.request.camera?.description ?? "uridecodebin name=in") ! videoconvert ! videoscale add-borders=true ! \(rate)appsink name=out qos=false "
            + "enable-last-sample=false wait-on-eos=false max-buffers=4 drop=true"
        var error: UnsafeMutablePointer<GError>?
        let parsed = gst_parse_launch_full(description, nil, GST_PARSE_FLAG_FATAL_ERRORS, &error)
        defer { g_clear_error(&error) }
        guard let parsed else {
            let text = error?.pointee.message.map { String(cString: $0) } ?? "unknown reason"
            return box.events.failed(StreamFailure(kind: .missingPlugin, text: text))
        }
        gst_object_ref_sink(parsed)
        pipeline = parsed
        gst_pipeline_use_clock(parsed.cast(), clock.clock)
        guard let input = Held(gst_bin_get_by_name(parsed.cast(), "in")),
            let output = Held(gst_bin_get_by_name(parsed.cast(), "out"))
        else { return }
        if let camera = box.request.camera {
            guard let source = Held(gst_bin_get_by_name(parsed.cast(), "camera")),
                let mode = Held(gst_bin_get_by_name(parsed.cast(), "mode"))
            else { return }
            box.prepare(source.pointer, camera)
            gst_util_set_object_arg(mode.pointer.cast(), "caps", camera.caps)
        } else {
            gst_util_set_object_arg(input.pointer.cast(), "uri", box.request.uri)
        }
        gst_app_sink_set_caps(output.pointer.cast(), caps.caps)
        box.watch(parsed, input.pointer, output.pointer)
        let change = gst_element_set_state(parsed, GST_STATE_PAUSED)
        guard change != GST_STATE_CHANGE_FAILURE else {
            return box.events.failed(StreamFailure(kind: .other, text: "cannot start the stream"))
        }
        // With `sync`, a stream that is not live (such as a file) plays in real time. A live stream already arrives in
        // real time.
        gst_util_set_object_arg(
            output.pointer.cast(), "sync", change == GST_STATE_CHANGE_NO_PREROLL ? "false" : "true")
        gst_element_set_state(parsed, GST_STATE_PLAYING)
    }

    /// Allows only one thread at a time to close an HTTP connection. With GStreamer 1.22 and libsoup 3, the process
    /// crashes if several threads close connections at the same time. The bug is outside this plugin: a program that
    /// uses only `souphttpsrc` crashes, too.
    private static let closingHTTP = Mutex(())

    /// Stops the pipeline. The call may block.
    package func close() {
        guard let pipeline else { return }
        if box.request.uri.lowercased().hasPrefix("http") {
            Self.closingHTTP.withLock { _ in _ = gst_element_set_state(pipeline, GST_STATE_NULL) }
        } else {
            gst_element_set_state(pipeline, GST_STATE_NULL)
        }
        gst_object_unref(pipeline)
        self.pipeline = nil
    }
}

/// The reason why a stream cannot be read.
package struct StreamFailure: Sendable {
    package enum Kind: Sendable {
        case unauthorized, notFound, connection, missingPlugin, format, other
        /// The source element and the next elements have no common caps.
        case negotiation
        /// Another program uses the resource.
        case busy
    }
    package let kind: Kind
    /// The error text from GStreamer. The text may contain the URI.
    package let text: String

    package init(kind: Kind, text: String) { (self.kind, self.text) = (kind, text) }

    /// Creates a failure from an error message on the bus.
    init(_ message: UnsafeMutablePointer<GstMessage>) {
        var error: UnsafeMutablePointer<GError>?
        var details: UnsafeMutablePointer<CChar>?
        gst_message_parse_error(message, &error, &details)
        defer {
            g_clear_error(&error)
            g_free(details)
        }
        text = [error?.pointee.message, details].compactMap { $0.map { String(cString: $0) } }.joined(separator: ": ")
        guard let error = error?.pointee else {
            kind = .other
            return
        }
        let code = UInt32(bitPattern: error.code)
        kind =
            switch (error.domain, code) {
            case (gst_resource_error_quark(), GST_RESOURCE_ERROR_NOT_AUTHORIZED.rawValue): .unauthorized
            case (gst_resource_error_quark(), GST_RESOURCE_ERROR_NOT_FOUND.rawValue): .notFound
            case (gst_resource_error_quark(), GST_RESOURCE_ERROR_BUSY.rawValue): .busy
            case (gst_resource_error_quark(), GST_RESOURCE_ERROR_SETTINGS.rawValue): .negotiation
            case (gst_resource_error_quark(), _): .connection
            case (gst_stream_error_quark(), _) where text.includes("not-negotiated"): .negotiation
            case (gst_core_error_quark(), GST_CORE_ERROR_MISSING_PLUGIN.rawValue),
                (gst_stream_error_quark(), GST_STREAM_ERROR_CODEC_NOT_FOUND.rawValue):
                .missingPlugin
            case (gst_stream_error_quark(), GST_STREAM_ERROR_FAILED.rawValue): .connection
            case (gst_stream_error_quark(), _): .format
            default: .other
            }
    }
}

/// The data that the threads of the pipeline share.
private final class Box: Sendable {
    let request: DecodedStream.Request
    let events: DecodedStream.Events
    private let heardAt = Atomic<UInt64>(0)
    private let hasWarned = Atomic(false)
    private let progress = Mutex(Progress())

    private struct Progress {
        var caps: StreamCaps?
        /// The arrival time of the first frame, even if this frame is incomplete (GST_BUFFER_FLAG_CORRUPTED).
        var first: ClockTime?
        /// True after the first frame was delivered.
        var hasFrame = false
    }

    /// The maximum time for which incomplete frames are dropped at the start. A decoder may output incomplete frames
    /// until the first keyframe. After this time, incomplete frames are delivered, because some streams never send a
    /// keyframe.
    private static let patience = 3 * ClockTime.second

    init(_ request: DecodedStream.Request, _ events: DecodedStream.Events) {
        (self.request, self.events) = (request, events)
    }

    var heard: ClockTime? {
        let time = heardAt.load(ordering: .relaxed)
        return time == 0 ? nil : ClockTime(nanoseconds: time)
    }

    private func hear() { heardAt.store(ClockTime.now.nanoseconds, ordering: .relaxed) }

    static func of(_ data: gpointer?) -> Box? { data.map { Unmanaged<Box>.fromOpaque($0).takeUnretainedValue() } }

    private var retained: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    private static let release: GDestroyNotify = { if let data = $0 { Unmanaged<Box>.fromOpaque(data).release() } }
    private static let disconnect: GClosureNotify = { data, _ in release(data) }

    // MARK: - What is watched

    func watch(
        _ pipeline: UnsafeMutablePointer<GstElement>, _ input: UnsafeMutablePointer<GstElement>,
        _ output: UnsafeMutablePointer<GstElement>
    ) {
        if let bus = gst_element_get_bus(pipeline) {
            gst_bus_set_sync_handler(
                bus,
                { _, message, data in
                    if let message {
                        Box.of(data)?.take(message)
                        gst_message_unref(message)
                    }
                    return GST_BUS_DROP
                }, retained, Self.release)
            gst_object_unref(bus)
        }
        var callbacks = GstAppSinkCallbacks()
        callbacks.new_sample = { sink, data in
            guard let sink, let sample = gst_app_sink_try_pull_sample(sink, 0) else { return GST_FLOW_OK }
            Box.of(data)?.give(sample, from: sink)
            return GST_FLOW_OK
        }
        gst_app_sink_set_callbacks(output.cast(), &callbacks, retained, Self.release)

        // Sets `single-stream` of multipartdemux, which reads the HTTP streams of cameras. Otherwise, decodebin would
        // wait forever for more streams.
        let deepAdded: @convention(c) (gpointer?, gpointer?, UnsafeMutablePointer<GstElement>?, gpointer?) -> Void = {
            _, _, element, _ in
            guard let element else { return }
            let objectClass = sv_object_get_class(element.cast())
            if g_object_class_find_property(objectClass, "single-stream") != nil {
                gst_util_set_object_arg(element.cast(), "single-stream", "true")
            }
        }
        g_signal_connect_data(
            pipeline, "deep-element-added", unsafeBitCast(deepAdded, to: GCallback.self), nil, nil,
            GConnectFlags(rawValue: 0))

        guard g_signal_lookup("source-setup", sv_object_get_type(input.cast())) != 0 else { return }
        let setUp: @convention(c) (gpointer?, UnsafeMutablePointer<GstElement>?, gpointer?) -> Void = {
            _, source, data in
            if let source { Box.of(data)?.setUp(source) }
        }
        g_signal_connect_data(
            input, "source-setup", unsafeBitCast(setUp, to: GCallback.self), retained, Self.disconnect,
            GConnectFlags(rawValue: 0))
    }

    /// Sets the properties of a camera element, and records the times at which the element delivers data.
    func prepare(_ source: UnsafeMutablePointer<GstElement>, _ camera: DecodedStream.Camera) {
        let objectClass = sv_object_get_class(source.cast())
        let properties = [("device", camera.device), ("extra-controls", camera.controls)]
        for (name, value) in properties where g_object_class_find_property(objectClass, name) != nil {
            if let value { gst_util_set_object_arg(source.cast(), name, value) }
        }
        if let pad = Held(gst_element_get_static_pad(source, "src")) { listen(to: pad.pointer) }
    }

    private func setUp(_ source: UnsafeMutablePointer<GstElement>) {
        let objectClass = sv_object_get_class(source.cast())
        for (name, value) in request.properties where g_object_class_find_property(objectClass, name) != nil {
            gst_util_set_object_arg(source.cast(), name, value)
        }
        // Selects only video, because decoding audio and metadata would waste time.
        if g_signal_lookup("select-stream", sv_object_get_type(source.cast())) != 0 {
            let select: @convention(c) (gpointer?, guint, UnsafeMutablePointer<GstCaps>?, gpointer?) -> gboolean = {
                _, _, caps, _ in
                guard let caps, let structure = gst_caps_get_structure(caps, 0),
                    let media = gst_structure_get_string(structure, "media")
                else { return 1 }
                return String(cString: media) == "video" ? 1 : 0
            }
            g_signal_connect_data(
                source, "select-stream", unsafeBitCast(select, to: GCallback.self), nil, nil,
                GConnectFlags(rawValue: 0))
        }
        let added: @convention(c) (gpointer?, UnsafeMutablePointer<GstPad>?, gpointer?) -> Void = { _, pad, data in
            if let pad { Box.of(data)?.listen(to: pad) }
        }
        g_signal_connect_data(
            source, "pad-added", unsafeBitCast(added, to: GCallback.self), retained, Self.disconnect,
            GConnectFlags(rawValue: 0))
        if let pad = Held(gst_element_get_static_pad(source, "src")) { listen(to: pad.pointer) }
    }

    private func listen(to pad: UnsafeMutablePointer<GstPad>) {
        let types = GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue
        gst_pad_add_probe(
            pad, GstPadProbeType(rawValue: types),
            { _, _, data in
                Box.of(data)?.hear()
                return GST_PAD_PROBE_OK
            }, retained, Self.release)
    }

    // MARK: - What comes

    private func take(_ message: UnsafeMutablePointer<GstMessage>) {
        switch message.pointee.type {
        case GST_MESSAGE_ERROR: events.failed(StreamFailure(message))
        case GST_MESSAGE_WARNING where request.camera != nil: warn(message)
        case GST_MESSAGE_EOS:
            var duration: gint64 = 0
            let source = message.pointee.src?.cast(to: GstElement.self)
            let isKnown = gst_element_query_duration(source, GST_FORMAT_TIME, &duration) != 0 && duration > 0
            events.ended(isKnown)
        default: break
        }
    }

    /// Reports only the first warning of the camera element. Warnings of other elements are ignored, because they
    /// concern only single frames.
    private func warn(_ message: UnsafeMutablePointer<GstMessage>) {
        guard let name = message.pointee.src?.pointee.name, String(cString: name) == "camera",
            !hasWarned.exchange(true, ordering: .relaxed)
        else { return }
        var error: UnsafeMutablePointer<GError>?
        gst_message_parse_warning(message, &error, nil)
        defer { g_clear_error(&error) }
        events.warned(error?.pointee.message.map { String(cString: $0) } ?? "unknown warning")
    }

    /// Delivers a frame to the `frame` callback. Takes ownership of the sample.
    private func give(_ sample: OpaquePointer, from sink: UnsafeMutablePointer<GstAppSink>) {
        guard let buffer = gst_sample_get_buffer(sample), let caps = gst_sample_get_caps(sample) else {
            return gst_sample_unref(sample)
        }
        let base = gst_element_get_base_time(sink.cast())
        let time = gst_sample_get_segment(sample).flatMap { segment in
            segment.pointee.format == GST_FORMAT_TIME
                ? ClockTime(gst_segment_to_running_time(segment, GST_FORMAT_TIME, buffer.pointee.pts)) : nil
        }
        let isCorrupted = buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_CORRUPTED.rawValue != 0
        let (current, isFirst) = note(caps, isCorrupted: isCorrupted)
        let own = current == nil ? nil : owned(buffer)
        // Releases the sample before using the buffer, because the sample's reference would make the buffer read-only.
        gst_sample_unref(sample)
        guard let current, let own else { return }
        let frame = StreamFrame(own, current)
        frame.time = time.flatMap { time in
            ClockTime(base).map { $0 + time }
        }
        if isFirst, let latency = latency(of: sink.cast()) { events.latency(latency) }
        events.frame(frame)
    }

    /// Returns a reference to a buffer, or a deep copy of a camera's buffer. While anything uses a buffer of the
    /// camera's driver, the device stays busy and cannot be opened again. Returns nil if there is not enough memory.
    private func owned(_ buffer: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer>? {
        request.camera == nil ? gst_buffer_ref(buffer) : gst_buffer_copy_deep(buffer)
    }

    /// Returns the caps of a frame; nil if the frame must be dropped. `isFirst` is true for the first frame that is not
    /// dropped.
    private func note(_ caps: UnsafeMutablePointer<GstCaps>, isCorrupted: Bool) -> (StreamCaps?, isFirst: Bool) {
        progress.withLock { progress in
            let isFirst = !progress.hasFrame
            if isFirst {
                let first = progress.first ?? .now
                progress.first = first
                if isCorrupted, ClockTime.now < first + Self.patience { return (nil, false) }
                progress.hasFrame = true
            }
            if let last = progress.caps, last.caps == caps { return (last, isFirst) }
            let new = StreamCaps(caps)
            progress.caps = new
            return (new, isFirst)
        }
    }

    private func latency(of sink: UnsafeMutablePointer<GstElement>) -> ClockTime? {
        guard let pad = Held(gst_element_get_static_pad(sink, "sink")), let query = gst_query_new_latency() else {
            return nil
        }
        defer { gst_query_unref(query) }
        guard gst_pad_peer_query(pad.pointer, query) != 0 else { return nil }
        var (isLive, minimum) = (gboolean(0), GstClockTime(0))
        gst_query_parse_latency(query, &isLive, &minimum, nil)
        return isLive != 0 ? ClockTime(minimum) : .zero
    }
}
