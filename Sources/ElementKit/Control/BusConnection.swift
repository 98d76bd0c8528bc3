// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

/// Calls a function for each message on a pipeline's bus, in the thread that posts the message. The application still
/// receives all messages.
final class BusConnection: Sendable {
    private let bus: WeakObject
    private let connection: SignalConnection

    /// - Parameters:
    ///   - top: the pipeline. If the pipeline has no bus, the initializer returns nil.
    ///   - signal: `sync-message`, or `sync-message::error` to receive only errors.
    ///   - callback: see `SignalConnection`.
    init?(_ top: UnsafeMutablePointer<GObject>, _ signal: String, _ callback: GCallback, _ context: AnyObject) {
        guard sv_object_is(top, gst_element_get_type()) != 0,
            let bus = Held(gst_element_get_bus(top.cast())?.cast(to: GObject.self))
        else { return nil }
        gst_bus_enable_sync_message_emission(bus.pointer.cast())
        self.bus = WeakObject(bus.pointer)
        connection = SignalConnection(bus.pointer, signal, callback, context)
    }

    /// Disconnects. Call this method once. If a callback is running in another thread, the callback may return after
    /// this method.
    func disconnect() {
        connection.disconnect()
        if let bus = bus.object { gst_bus_disable_sync_message_emission(bus.pointer.cast()) }
    }
}

typealias BusCallback = @convention(c) (gpointer?, UnsafeMutablePointer<GstMessage>?, gpointer?) -> Void
