// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

/// A pipeline for a single file, created from a pipeline description. The pipeline stops when this value is destroyed.
struct FilePipeline: ~Copyable {
    private let pipeline: UnsafeMutablePointer<GstElement>
    private let bus: UnsafeMutablePointer<GstBus>?
    /// True after a wait was cancelled.
    private var isAbandoned = false

    /// The maximum time that a decoder may take. After this time, the decoder counts as hung.
    private static let patience = 30 * ClockTime.second
    /// The interval between two calls of `isObsolete` during a wait.
    private static let slice = ClockTime.second / 20

    init(_ description: String) throws(ElementError) {
        var error: UnsafeMutablePointer<GError>?
        let parsed = gst_parse_launch_full(description, nil, GST_PARSE_FLAG_FATAL_ERRORS, &error)
        defer { g_clear_error(&error) }
        guard let parsed else {
            let reason = error?.pointee.message.map { String(cString: $0) } ?? "unknown reason"
            throw ElementError(
                .missingPlugin,
                "cannot read or write image files: \(reason). Install gstreamer1.0-plugins-good and gstreamer1.0-plugins-bad."
            )
        }
        gst_object_ref_sink(parsed)
        pipeline = parsed
        bus = gst_element_get_bus(parsed)
    }

    deinit {
        if isAbandoned {
            // Stops the pipeline in the background, because a decoder may need a second to stop in the middle of a
            // large image.
            gst_element_call_async(
                pipeline, { pipeline, _ in gst_element_set_state(pipeline, GST_STATE_NULL) }, nil, nil)
        } else {
            gst_element_set_state(pipeline, GST_STATE_NULL)
        }
        gst_object_unref(bus)
        gst_object_unref(pipeline)
    }

    func setLocation(of name: String, to path: String) {
        withElement(name) { $0.setLocation(path) }
    }

    /// Checks the caps at the input of the element with this name. If `guardian` refuses the image, the element posts
    /// an error.
    func watch(_ name: String, _ guardian: SizeGuard) {
        withElement(name) { element in
            guard let pad = gst_element_get_static_pad(element, "sink") else { return }
            let types = GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue | GST_PAD_PROBE_TYPE_BUFFER.rawValue
            gst_pad_add_probe(
                pad, GstPadProbeType(rawValue: types),
                { pad, info, data in
                    guard let info, let data else { return GST_PAD_PROBE_OK }
                    let guardian = Unmanaged<SizeGuard>.fromOpaque(data).takeUnretainedValue()
                    if guardian.lets(info) { return GST_PAD_PROBE_OK }
                    // The probe drops all data after a refusal, so the awaited message would never arrive. An error
                    // ends the wait.
                    if let element = Held(gst_pad_get_parent_element(pad)) {
                        gst_element_message_full(
                            element.pointer, GST_MESSAGE_ERROR, gst_stream_error_quark(),
                            Int32(bitPattern: GST_STREAM_ERROR_WRONG_TYPE.rawValue), nil, nil, #fileID, #function, #line
                        )
                    }
                    return GST_PAD_PROBE_DROP
                },
                Unmanaged.passRetained(guardian).toOpaque(),
                { if let data = $0 { Unmanaged<SizeGuard>.fromOpaque(data).release() } })
            gst_object_unref(pad)
        }
    }

    /// Waits for the first image at the appsink with this name. The caller owns the sample.
    /// - Parameters:
    ///   - bytes: the input of the appsrc named `source`; nil if the pipeline has no appsrc.
    ///   - isObsolete: called repeatedly. If it returns true, the wait ends, and the pipeline stops in the background.
    mutating func preroll(
        _ name: String, feeding bytes: [UInt8]? = nil, to source: String = "", unless isObsolete: () -> Bool
    ) -> Result<OpaquePointer, Failure> {
        if let failure = start(GST_STATE_PAUSED) {
            isAbandoned = isObsolete()
            return .failure(failure)
        }
        if let bytes {
            feed(source, gst_buffer_new_memdup(bytes, gsize(bytes.count)))
        }
        if let failure = wait(for: GST_MESSAGE_ASYNC_DONE, unless: isObsolete) {
            isAbandoned = isObsolete()
            return .failure(failure)
        }
        let sample = withElement(name) { gst_app_sink_try_pull_preroll($0.cast(), 0) }
        guard let sample, let sample else { return .failure(Failure(text: "the file ends before the first image")) }
        return .success(sample)
    }

    /// Feeds one image to the appsrc named `source` and waits for the end of the stream.
    /// - Returns: the bytes of the first buffer at the appsink named `sink`.
    func run(pushing picture: Picture, into source: String, out sink: String) -> Result<[UInt8], Failure> {
        var info = picture.format.info
        guard let caps = gst_video_info_to_caps(&info) else {
            return .failure(Failure(text: "cannot create caps for the image"))
        }
        defer { gst_caps_unref(caps) }
        return run(pushing: picture.buffer, caps, into: source, out: sink)
    }

    /// Feeds one buffer to the appsrc named `source` and waits for the end of the stream.
    func run(
        pushing buffer: UnsafeMutablePointer<GstBuffer>, _ caps: UnsafeMutablePointer<GstCaps>, into source: String,
        out sink: String
    ) -> Result<[UInt8], Failure> {
        switch sample(pushing: [buffer], caps, into: source, out: sink) {
        case .failure(let failure): return .failure(failure)
        case .success(let sample):
            defer { gst_sample_unref(sample) }
            let buffer = gst_sample_get_buffer(sample)
            let count = Int(clamping: gst_buffer_get_size(buffer))
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
                filled = Int(clamping: gst_buffer_extract(buffer, 0, bytes.baseAddress, gsize(count)))
            }
            return .success(bytes)
        }
    }

    /// Feeds buffers to the appsrc named `source` and waits for the end of the stream.
    /// - Returns: the first sample in the queue of the appsink named `sink` (transfer full).
    func sample(
        pushing buffers: [UnsafeMutablePointer<GstBuffer>], _ caps: UnsafeMutablePointer<GstCaps>, into source: String,
        out sink: String
    ) -> Result<OpaquePointer, Failure> {
        if let failure = start(GST_STATE_PLAYING) { return .failure(failure) }
        withElement(source) { element in
            let source = element.cast(to: GstAppSrc.self)
            gst_app_src_set_caps(source, caps)
            // Makes shallow copies, because appsrc sets timestamps on buffers.
            for buffer in buffers { gst_app_src_push_buffer(source, gst_buffer_copy(buffer)) }
            gst_app_src_end_of_stream(source)
        }
        if let failure = wait(for: GST_MESSAGE_EOS) { return .failure(failure) }
        let sample = withElement(sink) { gst_app_sink_try_pull_sample($0.cast(), 0) }
        guard let sample, let sample else { return .failure(Failure(text: "the pipeline returned no data")) }
        return .success(sample)
    }

    /// Feeds a buffer and the end of the stream to the appsrc with this name. Takes ownership of the buffer.
    private func feed(_ name: String, _ buffer: UnsafeMutablePointer<GstBuffer>?) {
        withElement(name) { element in
            let source = element.cast(to: GstAppSrc.self)
            gst_app_src_push_buffer(source, buffer)
            gst_app_src_end_of_stream(source)
        }
    }

    /// The error message of an element in the pipeline.
    struct Failure: Error {
        let text: String
    }

    private func start(_ state: GstState) -> Failure? {
        guard gst_element_set_state(pipeline, state) == GST_STATE_CHANGE_FAILURE else { return nil }
        let message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR)
        return message.map { read($0) } ?? Failure(text: "cannot start the pipeline for the file")
    }

    /// Waits for a message of this type. Returns nil if the message has arrived; otherwise the failure.
    private func wait(for type: GstMessageType, unless isObsolete: () -> Bool = { false }) -> Failure? {
        let types = GstMessageType(rawValue: type.rawValue | GST_MESSAGE_ERROR.rawValue)
        var waited = ClockTime.zero
        while waited < Self.patience, !isObsolete() {
            if let message = gst_bus_timed_pop_filtered(bus, GstClockTime(Self.slice.nanoseconds), types) {
                guard message.pointee.type != GST_MESSAGE_ERROR else { return read(message) }
                gst_message_unref(message)
                return nil
            }
            waited = waited + Self.slice
        }
        return Failure(text: "no result within \(Int(waited.seconds)) s")
    }

    /// Reads an error message, and takes ownership of the message.
    private func read(_ message: UnsafeMutablePointer<GstMessage>) -> Failure {
        defer { gst_message_unref(message) }
        var error: UnsafeMutablePointer<GError>?
        var details: UnsafeMutablePointer<CChar>?
        gst_message_parse_error(message, &error, &details)
        defer {
            g_clear_error(&error)
            g_free(details)
        }
        let texts = [error?.pointee.message, details].compactMap { $0.map { String(cString: $0) } }
        return Failure(text: texts.joined(separator: ": "))
    }

    @discardableResult
    private func withElement<Result>(_ name: String, _ body: (UnsafeMutablePointer<GstElement>) -> Result) -> Result? {
        Held(gst_bin_get_by_name(pipeline.cast(), name)).map { body($0.pointer) }
    }
}
