// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// A mouse or touch event in the video window.
package struct PointerEvent: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// `button` counts from 1, the left button. A touch has the button 1.
        case press(button: Int32)
        case release(button: Int32)
        case move
        /// The number of scroll steps: `across` to the right, and `down` downwards.
        case scroll(across: Double, down: Double)
    }

    package let kind: Kind
    /// The position in pixels of the element's frames.
    package let place: Point
    /// True if the event comes from a web page of svwebsink. An element should then only report the object at the
    /// position, because the web page asks its user what to do.
    package let isFromPage: Bool

    package init(_ kind: Kind, at place: Point, isFromPage: Bool = false) {
        (self.kind, self.place, self.isFromPage) = (kind, place, isFromPage)
    }

    /// The name of the field that marks events from a web page.
    static let pageField = "svwebsink"

    /// True if the left button was pressed, or the screen was touched. Such an event selects an object.
    package var isClick: Bool { kind == .press(button: 1) }
}

extension PointerEvent {
    /// Returns nil for keys and other events without a position.
    init?(_ event: UnsafeMutablePointer<GstEvent>) {
        var (x, y, across, down) = (0.0, 0.0, 0.0, 0.0)
        var button: gint = 0
        switch gst_navigation_event_get_type(event) {
        case GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS:
            gst_navigation_event_parse_mouse_button_event(event, &button, &x, &y)
            kind = .press(button: button)
        case GST_NAVIGATION_EVENT_MOUSE_BUTTON_RELEASE:
            gst_navigation_event_parse_mouse_button_event(event, &button, &x, &y)
            kind = .release(button: button)
        case GST_NAVIGATION_EVENT_MOUSE_SCROLL:
            gst_navigation_event_parse_mouse_scroll_event(event, &x, &y, &across, &down)
            kind = .scroll(across: across, down: down)
        case GST_NAVIGATION_EVENT_TOUCH_DOWN: kind = .press(button: 1)
        case GST_NAVIGATION_EVENT_TOUCH_UP: kind = .release(button: 1)
        case GST_NAVIGATION_EVENT_MOUSE_MOVE, GST_NAVIGATION_EVENT_TOUCH_MOTION: kind = .move
        default: return nil
        }
        // `gst_navigation_event_get_coordinates` does not support scroll events, so the scroll case above reads the
        // position itself.
        gst_navigation_event_get_coordinates(event, &x, &y)
        guard x.isFinite, y.isFinite else { return nil }
        place = Point(x, y)
        isFromPage = gst_event_get_structure(event).flatMap { StructureView($0).bool(Self.pageField) } ?? false
    }

    /// Returns a copy of a pointer event with another position (transfer full).
    static func moved(_ event: UnsafeMutablePointer<GstEvent>, to position: Point) -> UnsafeMutablePointer<GstEvent>? {
        guard let moved = gst_event_copy(event) else { return nil }
        if gst_navigation_event_set_coordinates(moved, position.x, position.y) == 0 {
            let structure = gst_event_writable_structure(moved)
            structure?.set("pointer_x", position.x)
            structure?.set("pointer_y", position.y)
        }
        return moved
    }
}

extension Rectangle {
    package func contains(_ point: Point) -> Bool {
        point.x >= Double(x) && point.y >= Double(y) && point.x < Double(x) + Double(width)
            && point.y < Double(y) + Double(height)
    }
}

extension [Detection] {
    /// Returns the smallest detection that contains a point. If boxes overlap, the smallest object is usually in front,
    /// or a part of a larger object.
    package func smallest(at point: Point) -> Detection? {
        filter { $0.box.contains(point) }.min { $0.box.area < $1.box.area }
    }
}
