// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Glibc
import Synchronization

/// A pipeline of stock elements that an element runs inside, with threads and a bus of its own: fed with frames, it gives
/// buffers, or writes a file. It ends, at the latest, when this object is gone, which may be in its own threads, too.
package final class InnerPipeline: @unchecked Sendable {
    // Unchecked because of the pointers, which never change: GStreamer allows what is done with them from any thread.
    private let pipeline: UnsafeMutablePointer<GstElement>
    private let source: Held<GstElement>
    private let box: Box

    /// What becomes of it, told from its threads.
    package struct Events: Sendable {
        /// A buffer came out; valid during the call.
        let output: @Sendable (UnsafeRawBufferPointer) -> Void
        /// It has come to its end: with an error, or nil after `end()`.
        let ended: @Sendable (String?) -> Void

        package init(
            output: @escaping @Sendable (UnsafeRawBufferPointer) -> Void = { _ in },
            ended: @escaping @Sendable (String?) -> Void
        ) {
            (self.output, self.ended) = (output, ended)
        }
    }

    /// Makes a pipeline and starts it.
    /// - Parameters:
    ///   - description: as for gst-launch-1.0; frames come from its `appsrc name=in`, and go to its `appsink name=out` if
    ///     it has one.
    ///   - location: the path of the file that its `filesink name=file` writes, if it has one.
    package init(
        _ description: String, location: String? = nil, _ events: Events
    ) throws(ElementError) {
        var error: UnsafeMutablePointer<GError>?
        let made = gst_parse_launch_full(description, nil, GST_PARSE_FLAG_FATAL_ERRORS, &error)
        defer { g_clear_error(&error) }
        guard let made else {
            let reason = error?.pointee.message.map { String(cString: $0) } ?? "no reason given"
            throw ElementError(.missingPlugin, reason)
        }
        gst_object_ref_sink(made)
        guard let source = Held(gst_bin_get_by_name(made.cast(), "in")) else {
            gst_object_unref(made)
            throw ElementError(.failed, "no appsrc named in")
        }
        (pipeline, self.source, box) = (made, source, Box(events))
        if let location { Held(gst_bin_get_by_name(made.cast(), "file"))?.pointer.setLocation(location) }
        watch()
        guard gst_element_set_state(pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE else {
            throw ElementError(.failed, "the inner pipeline does not start: \(description)")
        }
    }

    deinit {
        if box.isTelling {
            // Whoever was told has let it go: a thread that waits for its own end waits for ever.
            gst_element_call_async(
                pipeline, { pipeline, _ in gst_element_set_state(pipeline, GST_STATE_NULL) }, nil, nil)
        } else {
            gst_element_set_state(pipeline, GST_STATE_NULL)
        }
        gst_object_unref(pipeline)
    }

    private final class Box: Sendable {
        private let events: Events
        /// The threads in which an event is being told.
        private let threads = Mutex<[pthread_t]>([])

        init(_ events: Events) { self.events = events }

        /// True in a thread in which an event is being told.
        var isTelling: Bool { threads.withLock { $0.contains(pthread_self()) } }

        private func tell(_ body: () -> Void) {
            let thread = pthread_self()
            threads.withLock { $0.append(thread) }
            body()
            threads.withLock { threads in
                if let index = threads.lastIndex(of: thread) { threads.remove(at: index) }
            }
        }

        func give(_ bytes: UnsafeRawBufferPointer) { tell { events.output(bytes) } }

        func take(_ message: UnsafeMutablePointer<GstMessage>) {
            switch message.pointee.type {
            case GST_MESSAGE_EOS: tell { events.ended(nil) }
            case GST_MESSAGE_ERROR:
                var error: UnsafeMutablePointer<GError>?
                gst_message_parse_error(message, &error, nil)
                defer { g_clear_error(&error) }
                let reason = error?.pointee.message.map { String(cString: $0) } ?? "an unknown error"
                tell { events.ended(reason) }
            default: break
            }
        }

        static func of(_ data: gpointer?) -> Box? { data.map { Unmanaged<Box>.fromOpaque($0).takeUnretainedValue() } }
    }

    private func watch() {
        // The bus is this object's own, so that its handler is, too.
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
        guard let sink = Held(gst_bin_get_by_name(pipeline.cast(), "out")) else { return }
        var callbacks = GstAppSinkCallbacks()
        callbacks.new_sample = { sink, data in
            guard let sink, let sample = gst_app_sink_try_pull_sample(sink, 0) else { return GST_FLOW_OK }
            defer { gst_sample_unref(sample) }
            if let buffer = gst_sample_get_buffer(sample), let box = Box.of(data) {
                _ = withMappedBytes(buffer) { box.give($0) }
            }
            return GST_FLOW_OK
        }
        gst_app_sink_set_callbacks(
            sink.pointer.cast(), &callbacks, Unmanaged.passRetained(box).toOpaque(),
            { if let data = $0 { Unmanaged<Box>.fromOpaque(data).release() } })
    }

    // MARK: - Feeding

    /// The number of frames that wait to be worked on.
    package var waiting: Int { Int(clamping: gst_app_src_get_current_level_buffers(source.pointer.cast())) }

    /// Gives it a frame.
    /// - Parameter time: the time stamp that it has inside; nil for that which it has.
    /// - Returns: false if it takes no more.
    @discardableResult
    package func push(_ frame: SharedFrame, at time: ClockTime? = nil) -> Bool {
        // Shallow: the frame's memory is shared.
        guard let copy = gst_buffer_copy(frame.buffer) else { return false }
        if let time {
            copy.pointee.pts = GstClockTime(time.nanoseconds)
            copy.pointee.dts = GstClockTime.max
            // Muxers give the last frame no time otherwise, and players leave it out.
            if copy.pointee.duration == GstClockTime.max, let rate = frame.format.rate, rate > 0 {
                copy.pointee.duration = GstClockTime(ClockTime(nearest: 1e9 / rate).nanoseconds)
            }
        }
        let sample = gst_sample_new(copy, frame.format.caps, nil, nil)
        gst_buffer_unref(copy)
        defer { gst_sample_unref(sample) }
        return gst_app_src_push_sample(source.pointer.cast(), sample) == GST_FLOW_OK
    }

    /// Ends the stream: `ended` is told when all that was pushed is worked on.
    package func end() { gst_app_src_end_of_stream(source.pointer.cast()) }
}
