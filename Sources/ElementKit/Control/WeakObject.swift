// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

/// A reference to a GObject that does not keep it alive.
final class WeakObject: @unchecked Sendable {
    // Unchecked because of the pointer, which never changes: GLib locks what it points to.
    private let reference: UnsafeMutablePointer<GWeakRef>

    init(_ object: UnsafeMutablePointer<GObject>) {
        reference = .allocate(capacity: 1)
        g_weak_ref_init(reference, object)
    }

    deinit {
        g_weak_ref_clear(reference)
        reference.deallocate()
    }

    /// The object, which stays alive as long as the result; nil if it is gone.
    var object: Held<GObject>? { Held(g_weak_ref_get(reference)?.assumingMemoryBound(to: GObject.self)) }
}

/// A signal of an object that is listened to until `disconnect`, or until the object is gone.
final class SignalConnection: Sendable {
    private let source: WeakObject
    private let handler: gulong

    /// - Parameters:
    ///   - callback: of the signal's shape; its last argument is `context`.
    ///   - context: kept alive as long as the callback may be called.
    init(_ object: UnsafeMutablePointer<GObject>, _ signal: String, _ callback: GCallback, _ context: AnyObject) {
        source = WeakObject(object)
        handler = g_signal_connect_data(
            object, signal, callback, Unmanaged.passRetained(context).toOpaque(),
            { data, _ in if let data { Unmanaged<AnyObject>.fromOpaque(data).release() } }, G_CONNECT_DEFAULT)
    }

    /// A callback that is running in another thread may still end.
    func disconnect() {
        guard let object = source.object, g_signal_handler_is_connected(object.pointer, handler) != 0 else { return }
        g_signal_handler_disconnect(object.pointer, handler)
    }
}
