// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

final class WeakObject: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because `reference` is a pointer. The pointer is constant, and GLib protects
    // the GWeakRef with a lock.
    private let reference: UnsafeMutablePointer<GWeakRef>

    init(_ object: UnsafeMutablePointer<GObject>) {
        reference = .allocate(capacity: 1)
        g_weak_ref_init(reference, object)
    }

    deinit {
        g_weak_ref_clear(reference)
        reference.deallocate()
    }

    /// A strong reference to the object; nil if the object is gone.
    var object: Held<GObject>? { Held(g_weak_ref_get(reference)?.assumingMemoryBound(to: GObject.self)) }
}

/// A connection to a signal of an object, until `disconnect` or until the object is gone.
final class SignalConnection: Sendable {
    private let source: WeakObject
    private let handler: gulong

    /// - Parameters:
    ///   - callback: a function with the signal's signature. Its last argument is `context`.
    ///   - context: kept alive while the callback may run.
    init(_ object: UnsafeMutablePointer<GObject>, _ signal: String, _ callback: GCallback, _ context: AnyObject) {
        source = WeakObject(object)
        handler = g_signal_connect_data(
            object, signal, callback, Unmanaged.passRetained(context).toOpaque(),
            { data, _ in if let data { Unmanaged<AnyObject>.fromOpaque(data).release() } }, G_CONNECT_DEFAULT)
    }

    /// Disconnects. If a callback is running in another thread, the callback may return after this method.
    func disconnect() {
        guard let object = source.object, g_signal_handler_is_connected(object.pointer, handler) != 0 else { return }
        g_signal_handler_disconnect(object.pointer, handler)
    }
}
