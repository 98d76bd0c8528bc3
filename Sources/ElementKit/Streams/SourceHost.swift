// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging

/// For sources.
extension Host {
    /// The clock of the pipeline, and the time by it at which the pipeline began to play; nil while it does not play.
    package var pipelineClock: PipelineClock? {
        gst_element_get_clock(element).map { PipelineClock($0, base: gst_element_get_base_time(element)) }
    }

    /// The caps that may be sent: what the elements after this one take.
    package var allowedCaps: StreamCaps? {
        guard let pad = Held(gst_element_get_static_pad(element, "src")),
            let template = gst_pad_get_pad_template_caps(pad.pointer)
        else { return nil }
        defer { gst_caps_unref(template) }
        guard let allowed = gst_pad_peer_query_caps(pad.pointer, template) else { return nil }
        defer { gst_caps_unref(allowed) }
        // Downstream may answer with less than it was asked for, or with more.
        guard let both = gst_caps_intersect_full(allowed, template, GST_CAPS_INTERSECT_FIRST) else { return nil }
        defer { gst_caps_unref(both) }
        return StreamCaps(both)
    }

    /// Has the pipeline ask for the latency again.
    package func latencyChanged() {
        gst_element_post_message(element, gst_message_new_latency(object.cast()))
    }
}

/// The clock of a pipeline that plays.
package final class PipelineClock: @unchecked Sendable {
    // Unchecked because of the pointer: a clock may be read in any thread.
    let clock: UnsafeMutablePointer<GstClock>
    private let base: GstClockTime

    /// Takes ownership of a reference to the clock.
    init(_ clock: UnsafeMutablePointer<GstClock>, base: GstClockTime) { (self.clock, self.base) = (clock, base) }

    deinit { gst_object_unref(clock) }

    /// The running time.
    package var now: ClockTime { runningTime(at: ClockTime(nanoseconds: UInt64(gst_clock_get_time(clock)))) }

    /// Returns the running time at a time of the clock; zero for times before the pipeline began to play.
    package func runningTime(at time: ClockTime) -> ClockTime {
        time.since(ClockTime(nanoseconds: UInt64(base))) ?? .zero
    }
}
