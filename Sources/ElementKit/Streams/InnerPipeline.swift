// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Glibc
import Synchronization
import Waiting

/// A pipeline of GStreamer elements inside an element of this plugin, with its own threads and bus. The element pushes
/// frames into the pipeline and receives output buffers. The pipeline stops when this object is released. Any thread
/// may release this object, even a thread of the pipeline.
package final class InnerPipeline: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because it has pointers. The pointers are constant, and the GStreamer
    // functions called with them are thread-safe.
    private let pipeline: UnsafeMutablePointer<GstElement>
    private let source: Held<GstElement>
    /// The second input, the appsrc named `sound`; nil if there is none.
    private let sound: Held<GstElement>?
    private let box: Box
    private let isAbandoned = Atomic(false)

    /// The callbacks. They run in the pipeline's threads.
    package struct Events: Sendable {
        /// Called for each output buffer.
        let output: @Sendable (Output) -> Void
        /// If not nil, called for each output buffer instead of `output`. A packet has caps and a running time.
        let packet: (@Sendable (StreamPacket) -> Void)?
        /// Called when the pipeline has ended: with an error text, or with nil after `end()`.
        let ended: @Sendable (String?) -> Void

        package init(
            output: @escaping @Sendable (Output) -> Void = { _ in }, packet: (@Sendable (StreamPacket) -> Void)? = nil,
            ended: @escaping @Sendable (String?) -> Void
        ) {
            (self.output, self.packet, self.ended) = (output, packet, ended)
        }
    }

    /// An output buffer. It is valid only during the callback.
    package struct Output {
        package let bytes: UnsafeRawBufferPointer
        /// The offset in the file at which a muxer writes the bytes; nil if the buffer has no offset.
        package let position: Int?
        /// The timestamp of the buffer; nil if the buffer contains a file header or an index.
        package let time: ClockTime?
    }

    /// Creates and starts a pipeline.
    /// - Parameter description: a description as for gst-launch-1.0. The description must contain `appsrc name=in` for
    ///   the input, and may contain `appsrc name=sound` for a second input and `appsink name=out` for the output.
    package init(_ description: String, _ events: Events) throws(ElementError) {
        var error: UnsafeMutablePointer<GError>?
        let parsed = gst_parse_launch_full(description, nil, GST_PARSE_FLAG_FATAL_ERRORS, &error)
        defer { g_clear_error(&error) }
        guard let parsed else {
            let reason = error?.pointee.message.map { String(cString: $0) } ?? "unknown reason"
            throw ElementError(.missingPlugin, reason)
        }
        gst_object_ref_sink(parsed)
        guard let source = Held(gst_bin_get_by_name(parsed.cast(), "in")) else {
            gst_object_unref(parsed)
            throw ElementError(.failed, "the inner pipeline has no appsrc named \"in\"")
        }
        (pipeline, self.source, box) = (parsed, source, Box(events))
        sound = Held(gst_bin_get_by_name(parsed.cast(), "sound"))
        watch()
        guard gst_element_set_state(pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE else {
            throw ElementError(.failed, "cannot start the inner pipeline: \(description)")
        }
    }

    deinit {
        if isAbandoned.load(ordering: .acquiring) || box.isTelling {
            // Stops the pipeline in the background. A blocking stop in a thread of the pipeline would wait for the same
            // thread, and deadlock.
            gst_element_call_async(
                pipeline, { pipeline, _ in gst_element_set_state(pipeline, GST_STATE_NULL) }, nil, nil)
        } else {
            gst_element_set_state(pipeline, GST_STATE_NULL)
        }
        gst_object_unref(pipeline)
    }

    /// The frames in the queue of the source element (the appsrc named `in`).
    private struct Backlog: Sendable {
        var frames = 0
        var bytes = 0
        /// True if the frames in the queue must be dropped when they leave the source element.
        var drops = false
        /// True if `push` accepts no more frames.
        var isOver = false
    }

    private final class Box: Sendable {
        let backlog = Monitor(Backlog())
        private let events: Events
        /// The threads that are running a callback.
        private let threads = Mutex<[pthread_t]>([])
        /// The offset of the next buffer in the muxer's file, in bytes; nil if buffers have no offset.
        private let position = Mutex<Int?>(nil)

        init(_ events: Events) { self.events = events }

        /// True if the calling thread is running a callback.
        var isTelling: Bool { threads.withLock { $0.contains(pthread_self()) } }

        private func tell(_ body: () -> Void) {
            let thread = pthread_self()
            threads.withLock { $0.append(thread) }
            body()
            threads.withLock { threads in
                if let index = threads.lastIndex(of: thread) { threads.remove(at: index) }
            }
        }

        func give(_ sample: OpaquePointer) {
            guard let buffer = gst_sample_get_buffer(sample) else { return }
            if let packet = events.packet {
                guard let caps = gst_sample_get_caps(sample), let segment = gst_sample_get_segment(sample) else {
                    return
                }
                tell { packet(StreamPacket(buffer, StreamCaps(caps), segment.pointee)) }
            } else {
                give(buffer)
            }
        }

        private func give(_ buffer: UnsafeMutablePointer<GstBuffer>) {
            _ = withMappedBytes(buffer) { bytes in
                let sent = position.withLock { position in
                    defer { position = position.map { $0 + bytes.count } }
                    return position
                }
                let isHeader = buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_HEADER.rawValue != 0
                let time = isHeader ? nil : ClockTime(buffer.pointee.pts)
                tell { events.output(Output(bytes: bytes, position: sent, time: time)) }
            }
        }

        /// Updates the backlog when a frame leaves the source element.
        /// - Returns: true if the frame must be dropped.
        func leaves(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
            let bytes = Int(clamping: gst_buffer_get_size(buffer))
            return backlog.change { backlog in
                backlog.frames -= 1
                backlog.bytes -= bytes
                return backlog.drops
            }
        }

        /// Handles queries and events of muxers. Reports that the output is seekable, because muxers seek back to
        /// update the header of the file. Reads the offset of the next write from segment events.
        /// - Returns: true if this function has answered a query.
        func takesOver(_ info: UnsafeMutablePointer<GstPadProbeInfo>) -> Bool {
            if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM.rawValue != 0 {
                guard let query = gst_pad_probe_info_get_query(info), query.pointee.type == GST_QUERY_SEEKING else {
                    return false
                }
                gst_query_set_seeking(query, GST_FORMAT_BYTES, 1, 0, -1)
                return true
            }
            var segment: UnsafePointer<GstSegment>?
            if let event = gst_pad_probe_info_get_event(info), event.pointee.type == GST_EVENT_SEGMENT {
                gst_event_parse_segment(event, &segment)
            }
            if let segment = segment?.pointee {
                position.withLock { $0 = segment.format == GST_FORMAT_BYTES ? Int(clamping: segment.start) : nil }
            }
            return false
        }

        func take(_ message: UnsafeMutablePointer<GstMessage>) {
            switch message.pointee.type {
            case GST_MESSAGE_EOS: end(nil)
            case GST_MESSAGE_ERROR:
                var error: UnsafeMutablePointer<GError>?
                gst_message_parse_error(message, &error, nil)
                defer { g_clear_error(&error) }
                end(error?.pointee.message.map { String(cString: $0) } ?? "unknown error")
            default: break
            }
        }

        private func end(_ reason: String?) {
            backlog.change { $0.isOver = true }
            tell { events.ended(reason) }
        }

        static func of(_ data: gpointer?) -> Box? { data.map { Unmanaged<Box>.fromOpaque($0).takeUnretainedValue() } }
    }

    /// Adds a probe to a pad. The probe gets `box` as its context.
    private func addProbe(
        _ element: UnsafeMutablePointer<GstElement>, _ pad: String, _ types: [GstPadProbeType],
        _ callback: GstPadProbeCallback
    ) {
        guard let pad = Held(gst_element_get_static_pad(element, pad)) else { return }
        let mask = types.reduce(0) { $0 | $1.rawValue }
        gst_pad_add_probe(
            pad.pointer, GstPadProbeType(rawValue: mask), callback, Unmanaged.passRetained(box).toOpaque(),
            { if let data = $0 { Unmanaged<Box>.fromOpaque(data).release() } })
    }

    private func watch() {
        // Only this object uses the bus, so it may install the sync handler.
        if let bus = gst_element_get_bus(pipeline) {
            gst_bus_set_sync_handler(
                bus,
                { _, message, data in
                    if let message {
                        Box.of(data)?.take(message)
                        gst_message_unref(message)
                    }
                    return GST_BUS_DROP
                },
                Unmanaged.passRetained(box).toOpaque(),
                { if let data = $0 { Unmanaged<Box>.fromOpaque(data).release() } })
            gst_object_unref(bus)
        }
        addProbe(source.pointer, "src", [GST_PAD_PROBE_TYPE_BUFFER]) { _, info, data in
            guard let info, let buffer = gst_pad_probe_info_get_buffer(info), let box = Box.of(data) else {
                return GST_PAD_PROBE_OK
            }
            return box.leaves(buffer) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK
        }
        guard let sink = Held(gst_bin_get_by_name(pipeline.cast(), "out")) else { return }
        addProbe(
            sink.pointer, "sink", [GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM]
        ) { _, info, data in
            guard let info, let box = Box.of(data) else { return GST_PAD_PROBE_OK }
            return box.takesOver(info) ? GST_PAD_PROBE_HANDLED : GST_PAD_PROBE_OK
        }
        var callbacks = GstAppSinkCallbacks()
        callbacks.new_sample = { sink, data in
            guard let sink, let sample = gst_app_sink_try_pull_sample(sink, 0) else { return GST_FLOW_OK }
            defer { gst_sample_unref(sample) }
            Box.of(data)?.give(sample)
            return GST_FLOW_OK
        }
        gst_app_sink_set_callbacks(
            sink.pointer.cast(), &callbacks, Unmanaged.passRetained(box).toOpaque(),
            { if let data = $0 { Unmanaged<Box>.fromOpaque(data).release() } })
    }

    // MARK: - Feeding

    /// Waits until the queue of the source element has fewer than `frames` frames and fewer than `bytes` bytes, or is
    /// empty. Ends the wait if `push` accepts no more frames, or if `interruption` is set.
    package func waitForRoom(frames: Int, bytes: Int, unless interruption: Interruption) {
        box.backlog.wait(unless: interruption) { $0.isOver || $0.frames < 1 || $0.frames < frames && $0.bytes < bytes }
    }

    /// Adds a frame to the pipeline.
    /// - Parameter time: the timestamp in the pipeline; nil for the frame's timestamp.
    /// - Returns: false if no more frames are accepted.
    @discardableResult
    package func push(_ frame: SharedFrame, at time: ClockTime? = nil) -> Bool {
        guard let copy = copyForPipeline(frame.buffer, frame.format.info) else { return false }
        if let time {
            copy.pointee.pts = GstClockTime(time.nanoseconds)
            copy.pointee.dts = GstClockTime.max
            // Without a duration, muxers write no duration for the last frame, and players skip the frame.
            if copy.pointee.duration == GstClockTime.max, let rate = frame.format.rate, rate > 0 {
                copy.pointee.duration = GstClockTime(ClockTime(nearest: 1e9 / rate).nanoseconds)
            }
        }
        return push(copy, frame.format.caps)
    }

    /// Adds a packet to the first input, `in`.
    /// - Parameter origin: the running time that becomes the timestamp 0.
    /// - Returns: false if no more packets are accepted.
    @discardableResult
    package func push(_ packet: StreamPacket, from origin: Int64, duration: ClockTime? = nil) -> Bool {
        guard let copy = packet.copy(from: origin, duration: duration) else { return false }
        return push(copy, packet.caps.caps)
    }

    /// Adds a packet to the second input, `sound`.
    package func pushSound(_ packet: StreamPacket, from origin: Int64) {
        guard let sound, let copy = packet.copy(from: origin, duration: nil) else { return }
        let sample = gst_sample_new(copy, packet.caps.caps, nil, nil)
        gst_buffer_unref(copy)
        gst_app_src_push_sample(sound.pointer.cast(), sample)
        gst_sample_unref(sample)
    }

    /// Adds a buffer to the first input, `in`. Takes ownership of the buffer.
    private func push(_ buffer: UnsafeMutablePointer<GstBuffer>, _ caps: UnsafeMutablePointer<GstCaps>) -> Bool {
        let bytes = Int(clamping: gst_buffer_get_size(buffer))
        let sample = gst_sample_new(buffer, caps, nil, nil)
        gst_buffer_unref(buffer)
        defer { gst_sample_unref(sample) }
        let isTaken = box.backlog.withLock { backlog in
            guard !backlog.isOver else { return false }
            backlog.frames += 1
            backlog.bytes += bytes
            return true
        }
        return isTaken && gst_app_src_push_sample(source.pointer.cast(), sample) == GST_FLOW_OK
    }

    /// The number of bytes in the queue of the source element.
    package var waitingBytes: Int { box.backlog.withLock { $0.bytes } }

    // MARK: - Ending

    /// Ends the first input. The callback `ended` runs after all frames are processed and all inputs have ended.
    package func end() {
        box.backlog.change { $0.isOver = true }
        gst_app_src_end_of_stream(source.pointer.cast())
    }

    /// Ends the second input.
    package func endSound() {
        if let sound { gst_app_src_end_of_stream(sound.pointer.cast()) }
    }

    /// Drops the frames in the queue, so that the callback `ended` runs soon after `end`.
    package func dropWaiting() { box.backlog.change { $0.drops = true } }

    /// Drops the frames in the queue, and accepts no more frames. When this object is released, the pipeline stops in
    /// the background.
    package func abandon() {
        box.backlog.change { ($0.drops, $0.isOver) = (true, true) }
        isAbandoned.store(true, ordering: .releasing)
    }
}
