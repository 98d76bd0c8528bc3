// SPDX-License-Identifier: LGPL-2.1-or-later

/// A connection error, with a message for users.
package struct LinkFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// An event on a connection.
enum LinkEvent: Sendable {
    case connected
    /// The connection is down, and the link reconnects by itself.
    case interrupted(LinkFailure)
    case closed(LinkFailure)
    case acknowledged(UInt64)
    /// The message has left this machine. The receiver will not acknowledge the message.
    case sent(UInt64)
    /// The receiver will never take this message.
    case refused(UInt64, String)
    /// The publisher must reconnect at once. Messages in flight stay in flight.
    case restart
    /// Like `restart`, but the broker has lost its state of the messages in flight.
    case sessionLost
    /// The receiver lacks a feature that users may expect. The text is for users.
    case limited(String)
}

/// A connection to a file or a broker. Only one thread uses a link.
protocol Link: AnyObject {
    /// The maximum number of messages in flight.
    var window: Int { get }

    /// True if the link keeps messages in flight after a connection is lost, and sends these messages again after it
    /// reconnects.
    var keepsInFlight: Bool { get }

    /// True if a message that the link itself sends again may arrive twice.
    var repeatsInFlight: Bool { get }

    /// True if a message may arrive twice when the publisher hands the message to the link again after a lost
    /// connection.
    var mayRepeat: Bool { get }

    /// True if `send` works before a connection exists, because the link connects by itself.
    var sendsUnconnected: Bool { get }

    /// True if the receiver may have closed the connection because it rejects a message.
    var closesOnMessages: Bool { get }

    /// Starts to connect. The event `connected` or `closed` follows.
    func connect() throws(LinkFailure)

    /// Sends a message. Returns false if the link can take no message at the moment.
    func send(_ record: Record) throws(LinkFailure) -> Bool

    /// Sends the stream state. A newer state replaces an older state.
    func send(status: [UInt8])

    /// Waits for an event, until `wakeup` is readable, or until the time is over. Returns the events.
    func wait(for wakeup: Int32, milliseconds: Int32) -> [LinkEvent]

    /// Cancels an attempt to connect that takes too long.
    func abort()

    /// Closes the connection and discards messages in flight.
    func reset()

    /// Ends the connection with a regular shutdown, within `milliseconds`.
    /// - Returns: the events during the shutdown.
    func disconnect(milliseconds: Int32) -> [LinkEvent]
}

extension Link {
    var repeatsInFlight: Bool { false }
    var sendsUnconnected: Bool { false }
    var closesOnMessages: Bool { false }
    func abort() { reset() }
}
