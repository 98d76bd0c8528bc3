// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import CGStreamerCheck
import Imaging

/// An element in the state PLAYING between pads of the test.
package final class Harness: @unchecked Sendable {
    // Unchecked because of the pointer. Only one thread at a time pushes and pulls. All other functions of GstHarness
    // are thread-safe.
    package let element: Handle
    package let bus = Bus()
    package let harness: UnsafeMutablePointer<GstHarness>
    /// The format and size of the output frames, if the element does not change them.
    private var frame: (format: PixelFormat, width: Int, height: Int)

    /// - Parameters:
    ///   - sink: name of the pad to which the test pushes frames.
    ///   - frame: a frame with the caps of the input.
    package init(
        _ factory: String, _ properties: [(String, String)] = [], sink: String = "sink", like frame: TestFrame
    ) throws {
        element = try Handle(factory: factory, properties)
        gst_element_set_bus(element.element, bus.pointer)
        harness = gst_harness_new_with_element(element.element, sink, "src")
        self.frame = (frame.format, frame.width, frame.height)
        gst_harness_set_src_caps_str(harness, frame.caps())
    }

    deinit { tearDown() }

    private var isUp = true
    private func tearDown() {
        guard isUp else { return }
        isUp = false
        gst_element_set_bus(element.element, nil)
        gst_harness_teardown(harness)
    }

    /// Sends the caps of `frame` for the following frames.
    package func renegotiate(like frame: TestFrame) {
        self.frame = (frame.format, frame.width, frame.height)
        gst_harness_set_src_caps_str(harness, frame.caps())
    }

    package func push(_ buffer: Buffer) -> GstFlowReturn { gst_harness_push(harness, buffer.reference) }

    /// Waits for the next output buffer, and returns it.
    package func pull() throws -> Buffer {
        Buffer(taking: try required(gst_harness_pull(harness), "no buffer came"))
    }

    /// Pushes a buffer without keeping a reference, and pulls the result.
    package func process(giving pointer: UnsafeMutablePointer<GstBuffer>) throws -> Buffer {
        let flow = gst_harness_push(harness, pointer)
        guard flow == GST_FLOW_OK else { throw TestFailure("flow \(flow.rawValue)") }
        return try pull()
    }

    /// Pushes a frame, and pulls the result.
    package func process(_ input: TestFrame, at pts: UInt64? = 0) throws -> TestFrame {
        try shown(process(giving: input.buffer(at: pts).reference))
    }

    /// Returns the frame in an output buffer.
    package func shown(_ buffer: Buffer) throws -> TestFrame {
        try TestFrame(buffer, frame.format, frame.width, frame.height)
    }

    /// Ends the stream and stops the element. The element first completes its work in the background.
    package func stop() {
        pushDownstream(gst_event_new_eos())
        gst_element_set_state(element.element, GST_STATE_NULL)
    }

    /// The number of output buffers that the test has not pulled.
    package var waiting: Int { Int(gst_harness_buffers_in_queue(harness)) }

    /// Presses the first mouse button at a position in the frame.
    package func click(_ place: Point) {
        let event = gst_navigation_event_new_mouse_button_press(1, place.x, place.y, GST_NAVIGATION_MODIFIER_NONE)
        gst_harness_push_upstream_event(harness, event)
    }

    package func press(_ key: String) {
        let event = gst_navigation_event_new_key_press(key, GST_NAVIGATION_MODIFIER_NONE)
        gst_harness_push_upstream_event(harness, event)
    }
}

// MARK: - Events

extension Harness {
    package func pushUpstream(_ event: UnsafeMutablePointer<GstEvent>?) {
        gst_harness_push_upstream_event(harness, event)
    }

    package func pushDownstream(_ event: UnsafeMutablePointer<GstEvent>?) {
        gst_harness_push_event(harness, event)
    }

    /// Returns the type of the next event that the element has sent upstream. Returns nil if there is none.
    package func takeUpstreamEvent() -> GstEventType? {
        guard let event = gst_harness_try_pull_upstream_event(harness) else { return nil }
        defer { gst_event_unref(event) }
        return event.pointee.type
    }

    /// Returns the position in the next event that the element has sent upstream. Returns nil if it is not a mouse
    /// event.
    package func takeUpstreamPlace() -> Point? {
        guard let event = gst_harness_try_pull_upstream_event(harness) else { return nil }
        defer { gst_event_unref(event) }
        guard event.pointee.type == GST_EVENT_NAVIGATION else { return nil }
        var (x, y) = (0.0, 0.0)
        if gst_navigation_event_get_type(event) == GST_NAVIGATION_EVENT_MOUSE_SCROLL {
            gst_navigation_event_parse_mouse_scroll_event(event, &x, &y, nil, nil)
            return Point(x, y)
        }
        return gst_navigation_event_get_coordinates(event, &x, &y) != 0 ? Point(x, y) : nil
    }

    /// Begins a new segment in the format time.
    /// - Parameter offset: the length of the first part of the segment, which has no running time.
    package func startSegment(at start: UInt64, streamTime: UInt64, offset: UInt64 = 0) {
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        segment.start = guint64(start)
        segment.offset = guint64(offset)
        segment.time = guint64(streamTime)
        pushDownstream(gst_event_new_segment(&segment))
    }

    package func flush() {
        pushDownstream(gst_event_new_flush_start())
        pushDownstream(gst_event_new_flush_stop(1))
    }
}
