// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

/// Sees the errors that elements of the pipeline around an element post, until `stop`. Errors that a bin handles itself do not
/// reach the pipeline, and are not seen.
package final class ErrorWatch: Sendable {
    private let connection: BusConnection?

    /// - Parameter receive: called in the threads that post errors, which may hold locks: it must be short and must not call out
    ///   to others.
    package init<Settings>(_ host: Host<Settings>, receive: @escaping @Sendable () -> Void) {
        let top = ControlNode.top(of: host.element)
        connection = top.flatMap {
            BusConnection($0.pointer, "sync-message::error", errorCallback, ErrorReceiver(receive))
        }
    }

    /// To be called once.
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
    /// A question that any thread may ask at any time: is the pipeline meant to play? False while it is paused, and when it is
    /// gone.
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
