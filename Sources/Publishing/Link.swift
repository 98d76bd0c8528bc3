// SPDX-License-Identifier: LGPL-2.1-or-later

/// A connection error with a message for users.
package struct LinkFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

enum LinkEvent: Sendable {
    case connected
    /// The connection is lost. The link reconnects automatically.
    case interrupted(LinkFailure)
    case closed(LinkFailure)
    case acknowledged(UInt64)
    /// The link has sent the message, and the receiver does not acknowledge messages.
    case sent(UInt64)
    /// The receiver has rejected this message and will always reject it.
    case refused(UInt64, String)
    /// The publisher must reconnect immediately. Messages in flight (sent, but not acknowledged) stay in flight.
    case restart
    /// The publisher must reconnect immediately, and the broker no longer knows the messages in flight.
    case sessionLost
    /// The receiver does not support a feature, for example it does not report refused messages. The text is for users.
    case limited(String)
    /// The receiver has answered all pending messages for Home Assistant. `refusal` is the reason of the last refusal.
    case announced(refusal: LinkFailure?)
    /// Home Assistant has started and needs the announcements again.
    case announcementWanted
}

/// A connection to a file or a broker. Only one thread may use a link.
protocol Link: AnyObject {
    /// The maximum number of messages in flight (sent, but not acknowledged).
    var window: Int { get }

    /// True if the link keeps messages in flight after a lost connection. After reconnecting, the link sends these
    /// messages again.
    var keepsInFlight: Bool { get }

    /// True if a message may arrive twice when the link itself sends a message in flight again.
    var repeatsInFlight: Bool { get }

    /// True if a message may arrive twice when the publisher passes the message to the link again after a lost
    /// connection.
    var mayRepeat: Bool { get }

    /// True if the link connects automatically. `send` then also works while there is no connection.
    var sendsUnconnected: Bool { get }

    /// True if the receiver may close the connection because it does not accept a message.
    var closesOnMessages: Bool { get }

    /// Starts to connect. Later, the event `connected` or `closed` reports the result.
    func connect() throws(LinkFailure)

    /// Sends a message. Returns false if the link cannot take a message now.
    func send(_ record: Record) throws(LinkFailure) -> Bool

    /// Sends a status message. The receiver does not acknowledge status messages. The link may drop a status message,
    /// for example if there is no connection.
    func send(status: [UInt8])

    /// True if the receiver has not answered all messages for Home Assistant.
    var isAnnouncementPending: Bool { get }

    /// Announces the device to Home Assistant, or removes the device. Later, the event `announced` reports the result.
    /// If announcements are pending, the link first waits for their answers.
    func announce() throws(LinkFailure)

    /// Sends no further messages for Home Assistant. Messages in flight stay in flight until `reset`.
    func stopAnnouncing()

    /// Sends the state of the device in Home Assistant.
    /// - Returns: false if the link cannot take the state now.
    func send(deviceState: [UInt8]) throws(LinkFailure) -> Bool

    /// Waits until events are available, `wakeup` is readable, or `milliseconds` have passed. Returns the events.
    func wait(for wakeup: Int32, milliseconds: Int32) -> [LinkEvent]

    /// Cancels a connection attempt that takes too long.
    func abort()

    /// Closes the connection and discards the messages in flight.
    func reset()

    /// Shuts down the connection within `milliseconds`.
    /// - Returns: the events during the shutdown.
    func disconnect(milliseconds: Int32) -> [LinkEvent]
}

extension Link {
    var repeatsInFlight: Bool { false }
    var sendsUnconnected: Bool { false }
    var closesOnMessages: Bool { false }
    func abort() { reset() }
    var isAnnouncementPending: Bool { false }
    func announce() throws(LinkFailure) {}
    func stopAnnouncing() {}
    func send(deviceState: [UInt8]) throws(LinkFailure) -> Bool { true }
}
