// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files

/// An element message of another element in the pipeline.
package struct ElementMessage: Sendable {
    /// The name of the message, such as `svfacedetect`.
    package let name: String
    /// The name of the element that has posted the message.
    package let source: String
    /// The fields of the message. The member `objects` is a list of tables, whose member `type` is the type of the
    /// object.
    package let fields: JSONValue

    package init(name: String, source: String, fields: JSONValue) {
        (self.name, self.source, self.fields) = (name, source, fields)
    }

    /// The running time of the frame that the message is about; nil if unknown.
    package var runningTime: ClockTime? {
        switch fields["running-time"] {
        case .count(let time): ClockTime(nanoseconds: time)
        case .whole(let time): UInt64(exactly: time).map { ClockTime(nanoseconds: $0) }
        case .null, .truth, .real, .exact, .text, .list, .table, nil: nil
        }
    }
}

/// Receives the element messages of all other elements of the surrounding pipeline, until `stop`.
package final class MessageWatch: Sendable {
    private let connection: BusConnection?

    /// - Parameter receive: called in the threads that post messages. These threads may hold locks, so the function
    ///   must be short and must not call other code.
    package init<Settings>(_ host: Host<Settings>, receive: @escaping @Sendable (ElementMessage) -> Void) {
        let receiver = MessageReceiver(UInt(bitPattern: host.object), receive)
        connection = ControlNode.top(of: host.element).flatMap {
            BusConnection($0.pointer, "sync-message::element", messageCallback, receiver)
        }
    }

    /// Stops receiving messages. Call this method once.
    package func stop() { connection?.disconnect() }
}

private final class MessageReceiver: Sendable {
    /// The address of the element that receives messages. Messages from this element itself are ignored.
    private let own: UInt
    private let receive: @Sendable (ElementMessage) -> Void

    init(_ own: UInt, _ receive: @escaping @Sendable (ElementMessage) -> Void) {
        (self.own, self.receive) = (own, receive)
    }

    func take(_ message: UnsafeMutablePointer<GstMessage>) {
        guard UInt(bitPattern: message.pointee.src) != own, let structure = gst_message_get_structure(message) else {
            return
        }
        receive(
            ElementMessage(
                name: StructureView(structure).name, source: message.pointee.src?.currentName ?? "",
                fields: JSONValue(fieldsOf: structure)))
    }
}

private let messageCallback: GCallback = {
    let callback: BusCallback = { _, message, data in
        guard let message, let data else { return }
        Unmanaged<MessageReceiver>.fromOpaque(data).takeUnretainedValue().take(message)
    }
    return unsafeBitCast(callback, to: GCallback.self)
}()
