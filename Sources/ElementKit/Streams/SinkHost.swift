// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

/// Statistics from GstBaseSink: the number of frames that the sink has shown, and the number of frames that the sink
/// has dropped.
package struct SinkStatistics: Sendable {
    package let shown: UInt64
    package let dropped: UInt64
}

/// A pointer or keyboard event over the video. Positions are in pixels of the frame.
package enum NavigationInput: Sendable {
    /// A key, named like an X11 keysym: `space`, `Left`, `c`.
    case key(String, isPressed: Bool)
    /// A button: 1 = left, 2 = middle, 3 = right.
    case button(Int32, isPressed: Bool, x: Double, y: Double)
    case move(x: Double, y: Double)
    case scroll(x: Double, y: Double, dx: Double, dy: Double)
}

extension Host {
    package var sinkStatistics: SinkStatistics? {
        guard let statistics = gst_base_sink_get_stats(object.cast()) else { return nil }
        defer { gst_structure_free(statistics) }
        var (shown, dropped) = (guint64(0), guint64(0))
        guard gst_structure_get_uint64(statistics, "rendered", &shown) != 0,
            gst_structure_get_uint64(statistics, "dropped", &dropped) != 0
        else { return nil }
        return SinkStatistics(shown: UInt64(shown), dropped: UInt64(dropped))
    }

    /// The latency that the pipeline has set for the sink; zero if the source is not live.
    package var sinkLatency: ClockTime { ClockTime(gst_base_sink_get_latency(object.cast())) ?? .zero }

    /// The name of the outermost pipeline around the element; the element's name if there is no pipeline.
    package var pipelineName: String {
        var top = gst_object_ref(object)?.assumingMemoryBound(to: GstObject.self)
        while let here = top, let parent = gst_object_get_parent(here) {
            gst_object_unref(here)
            top = parent
        }
        guard let top else { return "" }
        defer { gst_object_unref(top) }
        return top.currentName ?? ""
    }

    /// The version of the element's plugin; nil if the element has no plugin.
    package var pluginVersion: String? {
        guard let factory = gst_element_get_factory(element),
            let plugin = gst_plugin_feature_get_plugin(factory)
        else { return nil }
        defer { gst_object_unref(UnsafeMutableRawPointer(plugin)) }
        return gst_plugin_get_version(plugin).map { String(cString: $0) }
    }

    /// Sends a navigation event upstream, as a video window does. Marks the event as an event from a web page.
    /// - Returns: true if an element has handled the event.
    @discardableResult
    package func send(_ input: NavigationInput) -> Bool {
        let event: UnsafeMutablePointer<GstEvent>? =
            switch input {
            case .key(let key, true): gst_navigation_event_new_key_press(key, GST_NAVIGATION_MODIFIER_NONE)
            case .key(let key, false): gst_navigation_event_new_key_release(key, GST_NAVIGATION_MODIFIER_NONE)
            case .button(let button, true, let x, let y):
                gst_navigation_event_new_mouse_button_press(button, x, y, GST_NAVIGATION_MODIFIER_NONE)
            case .button(let button, false, let x, let y):
                gst_navigation_event_new_mouse_button_release(button, x, y, GST_NAVIGATION_MODIFIER_NONE)
            case .move(let x, let y): gst_navigation_event_new_mouse_move(x, y, GST_NAVIGATION_MODIFIER_NONE)
            case .scroll(let x, let y, let dx, let dy):
                gst_navigation_event_new_mouse_scroll(x, y, dx, dy, GST_NAVIGATION_MODIFIER_NONE)
            }
        if let event { gst_event_writable_structure(event)?.set(PointerEvent.pageField, true) }
        guard let event, let pad = Held(gst_element_get_static_pad(element, "sink")) else { return false }
        return gst_pad_push_event(pad.pointer, event) != 0
    }
}

/// Returns true if an element with this factory name is installed.
package func isInstalled(_ factory: String) -> Bool {
    guard let factoryObject = gst_element_factory_find(factory) else { return false }
    gst_object_unref(UnsafeMutableRawPointer(factoryObject))
    return true
}
