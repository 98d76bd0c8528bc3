// SPDX-License-Identifier: LGPL-2.1-or-later

/// What is wrong with a connection, in words for users.
package struct LinkFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// What has happened on a connection.
enum LinkEvent: Sendable {
    case connected
    /// Nothing arrives any more, but the connection sees to that itself.
    case interrupted(LinkFailure)
    case closed(LinkFailure)
    case acknowledged(UInt64)
    /// The message has left this machine, and nobody says whether it arrives.
    case sent(UInt64)
    /// The receiver will never take this message.
    case refused(UInt64, String)
    /// The connection has to be made once more, at once; what is in flight stays so.
    case restart
    /// As `restart`, and the broker has forgotten what is in flight.
    case sessionLost
    /// The receiver cannot do all that users may expect, in words for them.
    case limited(String)
}

/// A way to a file or a broker, for one thread.
protocol Link: AnyObject {
    /// The most messages that may be in flight.
    var window: Int { get }

    /// True if it keeps what is in flight when a connection ends, and sends it again over the next one.
    var keepsInFlight: Bool { get }

    /// True if what it sends again by itself may arrive twice.
    var repeatsInFlight: Bool { get }

    /// True if what is handed to it again after a loss may arrive twice.
    var mayRepeat: Bool { get }

    /// True if messages can be sent without a connection, which comes by itself.
    var sendsUnconnected: Bool { get }

    /// True if the receiver may have closed the connection because of a message that it does not take.
    var closesOnMessages: Bool { get }

    /// Begins to connect. `connected` follows, or `closed`.
    func connect() throws(LinkFailure)

    /// Sends a message. Returns false if it can take none at the moment.
    func send(_ record: Record) throws(LinkFailure) -> Bool

    /// Sends the state of the stream, of which only the newest counts.
    func send(status: [UInt8])

    /// Waits until something has happened, or until the descriptor can be read.
    func wait(for wakeup: Int32, milliseconds: Int32) -> [LinkEvent]

    /// Gives up an attempt to connect that takes too long.
    func abort()

    /// Closes the connection and forgets what was in flight.
    func reset()

    /// Ends the connection in good order, within some milliseconds.
    /// - Returns: what has happened meanwhile.
    func disconnect(milliseconds: Int32) -> [LinkEvent]
}

extension Link {
    var repeatsInFlight: Bool { false }
    var sendsUnconnected: Bool { false }
    var closesOnMessages: Bool { false }
    func abort() { reset() }
}
