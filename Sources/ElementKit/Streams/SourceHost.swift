// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging

extension Host {
    /// The pipeline's clock and base time; nil if the element has no clock yet.
    package var pipelineClock: PipelineClock? {
        gst_element_get_clock(element).map { PipelineClock($0, base: gst_element_get_base_time(element)) }
    }

    /// The caps that downstream accepts, limited to the pad template.
    package var allowedCaps: StreamCaps? {
        guard let pad = Held(gst_element_get_static_pad(element, "src")),
            let template = gst_pad_get_pad_template_caps(pad.pointer)
        else { return nil }
        defer { gst_caps_unref(template) }
        guard let allowed = gst_pad_peer_query_caps(pad.pointer, template) else { return nil }
        defer { gst_caps_unref(allowed) }
        // Downstream may ignore `template`, the filter of the query. So intersect the result with `template` again.
        guard let both = gst_caps_intersect_full(allowed, template, GST_CAPS_INTERSECT_FIRST) else { return nil }
        defer { gst_caps_unref(both) }
        return StreamCaps(both)
    }

    /// The current running time if the pipeline is in the state PLAYING; nil before this state.
    package var lateRunningTime: ClockTime? {
        guard var top = Held(gst_object_get_parent(object.cast())) else { return nil }
        while let parent = Held(gst_object_get_parent(top.pointer)) { top = parent }
        let isPlaying = top.pointer.cast(to: GstElement.self).state == GST_STATE_PLAYING
        return isPlaying ? pipelineClock?.now : nil
    }

    /// Sends the running time at which the source's stream will end to the mixer downstream. Only the streaming thread
    /// may call this function, after the first frame.
    /// - Parameter end: nil if the stream does not end, or if its end is unknown.
    package func announceEnd(_ end: ClockTime?) {
        guard let pad = Held(gst_element_get_static_pad(element, "src")), let event = InputEvent.ends(end).event
        else { return }
        gst_pad_push_event(pad.pointer, event)
    }

    /// Makes the pipeline query the latency again.
    package func latencyChanged() {
        gst_element_post_message(element, gst_message_new_latency(object.cast()))
    }
}

/// The clock and the base time of a playing pipeline.
package final class PipelineClock: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because `clock` is a pointer. Any thread may read a clock.
    let clock: UnsafeMutablePointer<GstClock>
    private let base: GstClockTime

    /// Takes ownership of a reference to the clock.
    init(_ clock: UnsafeMutablePointer<GstClock>, base: GstClockTime) { (self.clock, self.base) = (clock, base) }

    deinit { gst_object_unref(clock) }

    /// The current running time.
    package var now: ClockTime { runningTime(at: ClockTime(nanoseconds: UInt64(gst_clock_get_time(clock)))) }

    /// Returns the running time for a clock time; zero for times before the base time.
    package func runningTime(at time: ClockTime) -> ClockTime {
        time.since(ClockTime(nanoseconds: UInt64(base))) ?? .zero
    }
}
