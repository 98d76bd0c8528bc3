// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

/// Receives the errors that elements of the surrounding pipeline post, until `stop`. If a bin handles an error itself,
/// the error does not reach the pipeline or this object.
package final class ErrorWatch: Sendable {
    private let connection: BusConnection?

    /// - Parameter receive: called in the threads that post errors. These threads may hold locks, so the function must
    ///   be short and must not call other code.
    package init<Settings>(_ host: Host<Settings>, receive: @escaping @Sendable () -> Void) {
        let top = ControlNode.top(of: host.element)
        connection = top.flatMap {
            BusConnection($0.pointer, "sync-message::error", errorCallback, ErrorReceiver(receive))
        }
    }

    /// Stops receiving errors. Call this method once.
    package func stop() { connection?.disconnect() }
}

private final class ErrorReceiver: Sendable {
    let receive: @Sendable () -> Void

    init(_ receive: @escaping @Sendable () -> Void) { self.receive = receive }
}

private let errorCallback: GCallback = {
    let callback: BusCallback = { _, _, data in
        guard let data else { return }
        Unmanaged<ErrorReceiver>.fromOpaque(data).takeUnretainedValue().receive()
    }
    return unsafeBitCast(callback, to: GCallback.self)
}()

extension Host {
    /// Returns true if the pipeline's target state is PLAYING. Returns false while the pipeline is paused, and after
    /// the element is released. Any thread may call this function at any time.
    package var isMeantToPlay: @Sendable () -> Bool {
        let element = WeakObject(object)
        return {
            guard let element = element.object, let top = ControlNode.top(of: element.pointer.cast()) else {
                return false
            }
            let pipeline = top.pointer.cast(to: GstElement.self)
            return top.pointer.cast(to: GstObject.self).locked { _ in pipeline.pointee.target_state }
                == GST_STATE_PLAYING
        }
    }
}
