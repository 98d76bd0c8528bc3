// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

// GObject's classes and instances begin with those of their parents, so that one pointer serves for all of them.

extension UnsafeMutablePointer {
    /// Returns the pointer as one to another class of the same object.
    func cast<Other>(to _: Other.Type = Other.self) -> UnsafeMutablePointer<Other> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Other.self)
    }
}

/// Keeps an object of GStreamer's alive.
final class Held<Object> {
    let pointer: UnsafeMutablePointer<Object>

    /// Takes ownership of a reference.
    init?(_ pointer: UnsafeMutablePointer<Object>?) {
        guard let pointer else { return nil }
        self.pointer = pointer
    }

    deinit { gst_object_unref(pointer) }
}

/// Returns a copy that is never freed.
func immortal<Value>(_ value: Value) -> UnsafePointer<Value> {
    let copy = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    copy.initialize(to: value)
    return UnsafePointer(copy)
}
