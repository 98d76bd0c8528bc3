// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

/// A pipeline that is created from a description. Tests refer to its appsrc and appsink elements by name.
package final class Pipeline: @unchecked Sendable {
    // Unchecked because of the pointers. The GStreamer functions that this class calls are thread-safe.
    package let handle: Handle
    package let bus: Bus

    package init(_ description: String) throws {
        _ = GStreamer.isReady
        var error: UnsafeMutablePointer<GError>?
        let made = gst_parse_launch_full(description, nil, GST_PARSE_FLAG_FATAL_ERRORS, &error)
        defer { g_clear_error(&error) }
        guard let made else {
            throw TestFailure(error?.pointee.message.map { String(cString: $0) } ?? "no pipeline")
        }
        gst_object_ref_sink(made)
        handle = Handle(taking: made)
        bus = Bus(taking: try required(gst_element_get_bus(made), "no bus"))
    }

    deinit {
        // Other threads may wait for space in an appsrc. The state NULL ends these waits.
        gst_element_set_state(handle.element, GST_STATE_NULL)
    }

    package func element(_ name: String) throws -> Handle {
        Handle(taking: try required(gst_bin_get_by_name(handle.cast(to: GstBin.self), name), "no element \(name)"))
    }

    package func pad(_ element: String, _ pad: String) throws -> Handle {
        let owner = try self.element(element)
        return Handle(taking: try required(gst_element_get_static_pad(owner.element, pad), "no pad \(pad)"))
    }

    @discardableResult
    package func set(_ state: GstState) -> GstStateChangeReturn {
        gst_element_set_state(handle.element, state)
    }

    package func stop() throws { try reach(GST_STATE_NULL) }

    package func play() throws {
        guard set(GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE else {
            throw TestFailure("does not play: \(bus.pending(GST_MESSAGE_ERROR).map(\.text))")
        }
    }

    /// Sets a state, and waits until the pipeline has reached it.
    package func reach(_ state: GstState) throws {
        guard set(state) != GST_STATE_CHANGE_FAILURE,
            gst_element_get_state(handle.element, nil, nil, GStreamer.patience) == GST_STATE_CHANGE_SUCCESS
        else { throw TestFailure("state \(state.rawValue) is not reached: \(bus.pending(GST_MESSAGE_ERROR))") }
    }

    /// Waits for the end of the stream. Throws if an element posts an error.
    package func finish() throws {
        let message = try required(bus.wait(GST_MESSAGE_EOS, GST_MESSAGE_ERROR), "the stream does not end")
        guard message.type == GST_MESSAGE_EOS else { throw TestFailure("\(message.text): \(message.details)") }
    }

    // MARK: - appsrc and appsink

    package func push(_ frame: TestFrame, into source: String, at pts: UInt64, duration: UInt64? = nil) throws {
        try push(frame.buffer(at: pts, duration: duration), into: source)
    }

    package func push(_ buffer: Buffer, into source: String) throws {
        let source = try element(source)
        let flow = gst_app_src_push_buffer(source.cast(to: GstAppSrc.self), buffer.reference)
        guard flow == GST_FLOW_OK else { throw TestFailure("appsrc: flow \(flow.rawValue)") }
    }

    package func end(_ source: String) throws {
        gst_app_src_end_of_stream(try element(source).cast(to: GstAppSrc.self))
    }

    /// Returns the next frame at an appsink. Returns nil at the end of the stream.
    package func pull(_ sink: String = "out") throws -> Sample? {
        try pull(sink) { buffer, caps in try Sample(frame: TestFrame(buffer, caps: caps), buffer: buffer) }
    }

    /// Returns the next buffer of any format at an appsink, with the size of its frame. Returns nil at the end of the
    /// stream.
    package func pullBuffer(_ sink: String = "out") throws -> (buffer: Buffer, width: Int, height: Int)? {
        try pull(sink) { buffer, caps in
            var info = GstVideoInfo()
            guard let caps, gst_video_info_from_caps(&info, caps) != 0 else { throw TestFailure("no video caps") }
            return (buffer, Int(info.width), Int(info.height))
        }
    }

    /// Returns the frame that is already at an appsink. Returns nil if there is none.
    package func pullNow(_ sink: String = "out") throws -> Sample? {
        try pull(sink, patience: 0) { buffer, caps in try Sample(frame: TestFrame(buffer, caps: caps), buffer: buffer) }
    }

    private func pull<Result>(
        _ sink: String, patience: GstClockTime = GStreamer.patience,
        _ body: (Buffer, UnsafeMutablePointer<GstCaps>?) throws -> Result
    ) throws -> Result? {
        let appSink = try element(sink).cast(to: GstAppSink.self)
        guard let sample = gst_app_sink_try_pull_sample(appSink, patience) else {
            if gst_app_sink_is_eos(appSink) != 0 || patience == 0 { return nil }
            throw TestFailure("no frame came; \(bus.pending(GST_MESSAGE_ERROR).map { $0.text + $0.details })")
        }
        defer { gst_sample_unref(sample) }
        let buffer = try required(gst_sample_get_buffer(sample), "no buffer")
        return try body(Buffer(taking: gst_buffer_ref(buffer)), gst_sample_get_caps(sample))
    }

    package func pullAll(_ sink: String = "out") throws -> [Sample] {
        var samples: [Sample] = []
        while let sample = try pull(sink) { samples.append(sample) }
        return samples
    }
}

package struct Sample: Sendable {
    package let frame: TestFrame
    package let buffer: Buffer
    package var pts: UInt64 { buffer.pts }
}
