// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Files

// State, flags and name of an object belong to its lock (GST_OBJECT_LOCK).

extension UnsafeMutablePointer<GstObject> {
    /// Runs `body` with the lock of the object held. It must call nothing that takes the lock itself.
    func locked<Result>(_ body: (GstObject) -> Result) -> Result {
        g_mutex_lock(&pointee.lock)
        defer { g_mutex_unlock(&pointee.lock) }
        return body(pointee)
    }

    /// The name as it is now; nil if the object has none.
    var currentName: String? {
        guard let name = gst_object_get_name(self) else { return nil }
        defer { g_free(name) }
        return String(cString: name)
    }
}

extension UnsafeMutablePointer<GstElement> {
    /// The state that the element has reached.
    var state: GstState { cast(to: GstObject.self).locked { _ in pointee.current_state } }

    /// Sets the property `location` to a path.
    func setLocation(_ path: String) {
        var value = GValue()
        g_value_init(&value, String.valueType)
        // As bytes: a path need not be UTF-8.
        g_value_set_string(&value, path.systemPath)
        g_object_set_property(cast(), "location", &value)
        g_value_unset(&value)
    }
}
