// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// What the mouse, or a finger, does in the video window.
package struct PointerEvent: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// Buttons count from 1, the left one; a finger is that.
        case press(button: Int32)
        case release(button: Int32)
        case move
        /// By how many steps a wheel was turned, to the right and downwards.
        case scroll(across: Double, down: Double)
    }

    package let kind: Kind
    /// The place in pixels of the element's frames.
    package let place: Point
    /// True for the page of svwebsink, which asks what to do with the object there.
    package let isFromPage: Bool

    package init(_ kind: Kind, at place: Point, isFromPage: Bool = false) {
        (self.kind, self.place, self.isFromPage) = (kind, place, isFromPage)
    }

    /// The field of events from a page.
    static let pageField = "svwebsink"

    /// True for the button, or the finger, that chooses things.
    package var isClick: Bool { kind == .press(button: 1) }
}

extension PointerEvent {
    /// Returns nil for keys and all that has no place.
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
        // Those of a wheel are not among what this function knows.
        gst_navigation_event_get_coordinates(event, &x, &y)
        guard x.isFinite, y.isFinite else { return nil }
        place = Point(x, y)
        isFromPage = gst_event_get_structure(event).flatMap { StructureView($0).bool(Self.pageField) } ?? false
    }

    /// Returns a copy of a mouse event at another place, owned by the caller.
    static func moved(_ event: UnsafeMutablePointer<GstEvent>, to place: Point) -> UnsafeMutablePointer<GstEvent>? {
        guard let moved = gst_event_copy(event) else { return nil }
        if gst_navigation_event_set_coordinates(moved, place.x, place.y) == 0 {
            let structure = gst_event_writable_structure(moved)
            structure?.set("pointer_x", place.x)
            structure?.set("pointer_y", place.y)
        }
        return moved
    }
}

extension Rectangle {
    package func contains(_ place: Point) -> Bool {
        place.x >= Double(x) && place.y >= Double(y) && place.x < Double(x) + Double(width)
            && place.y < Double(y) + Double(height)
    }
}

extension [Detection] {
    /// Returns the smallest one at a place: where one covers another it is the one in front, or a part of it.
    package func smallest(at place: Point) -> Detection? {
        filter { $0.box.contains(place) }.min { $0.box.area < $1.box.area }
    }
}
