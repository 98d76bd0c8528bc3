// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Files

// The object lock (GST_OBJECT_LOCK) protects the state, the flags and the name of an object.

extension UnsafeMutablePointer<GstObject> {
    /// Runs `body` while holding the object lock. `body` must not call functions that take the lock.
    func locked<Result>(_ body: (GstObject) -> Result) -> Result {
        g_mutex_lock(&pointee.lock)
        defer { g_mutex_unlock(&pointee.lock) }
        return body(pointee)
    }

    /// The current name; nil if the object has no name.
    var currentName: String? {
        guard let name = gst_object_get_name(self) else { return nil }
        defer { g_free(name) }
        return String(cString: name)
    }
}

extension UnsafeMutablePointer<GstElement> {
    var state: GstState { cast(to: GstObject.self).locked { _ in pointee.current_state } }

    func setLocation(_ path: String) {
        var value = GValue()
        g_value_init(&value, String.valueType)
        // Sets the path as bytes, because a path may not be valid UTF-8.
        g_value_set_string(&value, path.systemPath)
        g_object_set_property(cast(), "location", &value)
        g_value_unset(&value)
    }
}
