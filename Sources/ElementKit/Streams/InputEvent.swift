// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

/// A custom event between a source and the mixer that shows the source. GStreamer elements between them, such as queue
/// and videoconvert, pass these events on.
enum InputEvent {
    /// Upstream: reports whether the mixer shows the source.
    case visibility(InputVisibility)
    /// Downstream: reports the running time at which the stream will end; nil if the end is unknown.
    case ends(ClockTime?)

    private static let endName = "swiftvision-end"

    /// Returns nil if the structure belongs to an event of another type.
    init?(_ structure: UnsafePointer<GstStructure>) {
        var time: guint64 = 0
        let isTimed = gst_structure_get_uint64(structure, "running-time", &time) != 0
        let running = isTimed ? ClockTime(nanoseconds: UInt64(time)) : nil
        if gst_structure_has_name(structure, SV_VISIBILITY_EVENT) != 0 {
            let view = StructureView(structure)
            guard let isShown = view.bool("shown"), let isAwaited = view.bool("awaited") else { return nil }
            self = .visibility(InputVisibility(isShown: isShown, isAwaited: isAwaited, time: running ?? .zero))
        } else if gst_structure_has_name(structure, Self.endName) != 0 {
            self = .ends(running)
        } else {
            return nil
        }
    }

    /// A new event (transfer full).
    var event: UnsafeMutablePointer<GstEvent>? {
        switch self {
        case .visibility(let visibility):
            var structure = Structure(SV_VISIBILITY_EVENT)
            structure.set("shown", visibility.isShown)
            structure.set("awaited", visibility.isAwaited)
            structure.set("running-time", visibility.time)
            return gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, structure.take())
        case .ends(let end):
            var structure = Structure(Self.endName)
            if let end { structure.set("running-time", end) }
            return gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, structure.take())
        }
    }
}

/// A message from a mixer to the source of an input.
package struct InputVisibility: Equatable, Sendable {
    /// True if the mixer shows the source.
    package let isShown: Bool
    /// True if the mixer waits for the source's frames, even if the mixer does not show the source.
    package let isAwaited: Bool
    /// The running time of the mixer's next frame.
    package let time: ClockTime
}
