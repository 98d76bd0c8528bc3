// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

// A GObject struct begins with the struct of its parent class. So a pointer to an object is also a valid pointer to the
// struct of the parent class.

extension UnsafeMutablePointer {
    /// Converts the pointer to the type of another class of the same object.
    func cast<Other>(to _: Other.Type = Other.self) -> UnsafeMutablePointer<Other> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Other.self)
    }
}

/// A strong reference to a GStreamer object.
final class Held<Object> {
    let pointer: UnsafeMutablePointer<Object>

    /// Takes ownership of a reference.
    init?(_ pointer: UnsafeMutablePointer<Object>?) {
        guard let pointer else { return nil }
        self.pointer = pointer
    }

    deinit { gst_object_unref(pointer) }
}

/// Returns a pointer to a copy that is never freed.
func immortal<Value>(_ value: Value) -> UnsafePointer<Value> {
    let copy = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    copy.initialize(to: value)
    return UnsafePointer(copy)
}
