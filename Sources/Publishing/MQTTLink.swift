// SPDX-License-Identifier: LGPL-2.1-or-later
import CBrokers
import Files
import Glibc

/// A connection to an MQTT broker through libmosquitto. With QoS 1 or 2, libmosquitto keeps the messages in flight
/// (sent, but not acknowledged) after a lost connection. Over the next connection, libmosquitto sends these messages
/// again.
final class MQTTLink: Link {
    let library: SVMosquitto
    let settings: MQTTSettings
    var client: OpaquePointer?
    var version: MQTTVersion
    /// True from the start of a connection attempt to the end of the connection.
    var isOpen = false
    var isConnected = false
    var hasConnected = false
    /// True if a host answered the last connection attempt.
    var reachesHost = false
    /// The local address for connections, which selects IPv4 or IPv6; nil for no selection.
    ///
    /// libmosquitto tries only the first address of a host. If the first address is an IPv6 address, but the broker
    /// only listens on IPv4, the attempt fails. So after a failed attempt, the link switches between IPv4 and IPv6.
    var localAddress: String?
    /// The message numbers of the messages in flight. The key is libmosquitto's message ID.
    var recordNumbers: [Int32: UInt64] = [:]
    var events: [LinkEvent] = []
    /// The maximum number of messages in flight that the broker accepts.
    var receiveMaximum = Int.max
    /// False if the broker does not store retained messages. Brokers report this only with MQTT 5.
    var storesRetained = true
    var announcements = PendingAnnouncements()
    /// False after `stopAnnouncing`.
    var isAnnouncing = true
    /// The reason for the last TLS error; nil if there was no error or the reason is not known.
    var securityProblem: String?
    /// The reason code with which the broker ended the connection; 0 if the broker did not send a code.
    var farewell: Int32 = 0
    /// True after a broker has accepted this client.
    var wasAccepted = false
    var isBeginningAgain = false
    /// True after the link has ended the session of an earlier process. The link must end that session only once.
    var hasEndedSession = false
    var isLimitReported = false

    /// With QoS 2, mosquitto drops messages if more than 20 messages are in flight (max_inflight_messages).
    var largestWindow: Int { settings.quality == 2 ? 20 : 100 }
    var window: Int { settings.quality == 0 ? largestWindow : min(largestWindow, receiveMaximum) }
    var keepsInFlight: Bool { settings.quality > 0 }
    var repeatsInFlight: Bool { settings.quality == 1 }
    var mayRepeat: Bool { settings.quality > 0 }
    var closesOnMessages: Bool { !Self.farewells.contains(farewell) }
    /// Only marks the connection as closed. Destroying the client would also discard the messages in flight, which
    /// libmosquitto must keep. The next connection attempt closes the old connection.
    func abort() { (isOpen, isConnected) = (false, false) }

    var broker: String { "\(settings.address.host):\(settings.address.port)" }

    /// The keep-alive interval, in seconds. The broker closes a connection if nothing arrives for 1.5 times this
    /// interval.
    static let keepAlive: Int32 = 15

    /// After a lost connection, the broker keeps a QoS 2 session for this time, in seconds.
    static let sessionExpiry: UInt32 = 86_400

    /// MQTT 5 reason codes with which a broker closes a connection for a reason other than a message: busy, shutting
    /// down, keep alive timeout, session taken over, quota, administrative action, use another server, server moved,
    /// connection rate, maximum connect time.
    private static let farewells: Set<Int32> = [0x89, 0x8B, 0x8D, 0x8E, 0x97, 0x98, 0x9C, 0x9D, 0x9F, 0xA0]

    /// The error codes of libmosquitto's `publish` for a lost connection: MOSQ_ERR_NO_CONN (4), MOSQ_ERR_CONN_LOST (7),
    /// MOSQ_ERR_TLS (8), MOSQ_ERR_ERRNO (14) and MOSQ_ERR_KEEPALIVE (19).
    static let lossCodes: Set<Int32> = [4, 7, 8, 14, 19]

    /// - Parameter library: a replacement for libmosquitto in tests.
    init(_ settings: MQTTSettings, _ library: SVMosquitto? = nil) throws(LinkFailure) {
        guard let library = library ?? sv_mosquitto()?.pointee else {
            throw LinkFailure("libmosquitto.so.1 is not installed. Run \"apt install libmosquitto1\".")
        }
        self.library = library
        self.settings = settings
        version = MQTTVersion(knowsFive: library.has_version_5)
        try checkTopic(settings.topic)
        for file in [
            settings.credentials.authorityFile, settings.credentials.certificateFile, settings.credentials.keyFile,
        ] {
            if let file, access(file.systemPath, R_OK) != 0 {
                throw LinkFailure("cannot read \"\(file)\": \(String(cString: strerror(errno)))")
            }
        }
        client = try makeClient()
    }

    deinit { reset() }

    private func checkTopic(_ topic: String) throws(LinkFailure) {
        let hasWildcard = topic.utf8.contains { [0, UInt8(ascii: "+"), UInt8(ascii: "#")].contains($0) }
        guard !topic.isEmpty, !hasWildcard, topic.utf8.count <= 65000 else {
            throw LinkFailure("topic=\(topic): not a valid topic. Use at most 65000 bytes, without + and #.")
        }
    }

    // MARK: - Sending

    func send(_ record: Record) throws(LinkFailure) -> Bool {
        guard let client, isConnected else { return false }
        var message: Int32 = 0
        // libmosquitto may call the callback before `publish` returns, when the message ID is not known yet.
        // `published` stores such early message IDs in `early`.
        isSending = true
        defer { isSending = false }
        let result = library.publish(
            client, &message, settings.topic, Int32(clamping: record.payload.count), record.payload, settings.quality,
            settings.retains)
        switch result {
        case 0: break
        case _ where Self.lossCodes.contains(result):
            // Although `publish` failed, libmosquitto keeps the message and sends the message over the next connection.
            if keepsInFlight { recordNumbers[message] = record.number }
            let failure = LinkFailure("\(broker): \(text(result))")
            abort()
            throw failure
        // Error 1 is MOSQ_ERR_NOMEM.
        case 1: return false
        default:
            events.append(.refused(record.number, text(result)))
            return true
        }
        if early.contains(message) {
            events.append(.sent(record.number))
        } else {
            recordNumbers[message] = record.number
        }
        early = []
        return true
    }

    private var isSending = false
    private var early: Set<Int32> = []

    func published(_ message: Int32, _ reason: Int32, _ properties: OpaquePointer?) {
        if let number = recordNumbers.removeValue(forKey: message) {
            if settings.quality == 0 {
                events.append(.sent(number))
            } else if reason < 0x80 || reason == 0x92 {
                // Reason code 0x92 (packet identifier not found) means that the broker has already received the message
                // over the lost connection.
                events.append(.acknowledged(number))
            } else {
                events.append(.refused(number, library.text(ofReason: reason, properties)))
            }
        } else if isSending {
            early.insert(message)
        } else {
            announcementAnswered(
                message, refusal: reason < 0x80 || reason == 0x92 ? nil : library.text(ofReason: reason, properties))
        }
    }

    func send(status: [UInt8]) {
        guard let client, isConnected else { return }
        _ = library.publish(client, nil, settings.statusTopic, Int32(clamping: status.count), status, 0, true)
    }

    func wait(for wakeup: Int32, milliseconds: Int32) -> [LinkEvent] {
        if events.isEmpty, !isOpen {
            var descriptor = pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0)
            poll(&descriptor, 1, milliseconds)
        } else if events.isEmpty, let client {
            var timeout = min(50, milliseconds)
            if isConnected {
                let wantsToWrite = library.want_write(client)
                var descriptors = [
                    pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
                    pollfd(
                        fd: library.socket(client), events: Int16(POLLIN | (wantsToWrite ? POLLOUT : 0)), revents: 0),
                ]
                poll(&descriptors, nfds_t(descriptors.count), milliseconds)
                timeout = 0
            }
            let result = library.loop(client, timeout, 1)
            if result != 0 {
                ended(result)
            } else if !isConnected, settings.address.usesTLS, hasHungUp(client) {
                ended(Self.hangUp)
            }
        }
        if isBeginningAgain { finishBeginningAgain() }
        defer { events = [] }
        return events
    }

    /// True if the host has refused or reset the connection. With TLS, libmosquitto's `loop` does not notice this error
    /// and waits.
    private func hasHungUp(_ client: OpaquePointer) -> Bool {
        var descriptor = pollfd(fd: library.socket(client), events: 0, revents: 0)
        return poll(&descriptor, 1, 0) > 0 && descriptor.revents & Int16(POLLERR | POLLHUP) != 0
    }

    // MARK: - Closing

    func reset() {
        forget()
        events = []
    }

    /// Destroys the libmosquitto client. The messages in flight of this client are lost.
    func forget() {
        if let client = client.take() { library.destroy(client) }
        (isOpen, isConnected, hasConnected, wasAccepted, isBeginningAgain) = (false, false, false, false, false)
        recordNumbers = [:]
        announcements = PendingAnnouncements()
    }

    /// Disconnects. With MQTT 5, also ends the session in the broker, so that the broker forgets the messages of this
    /// session.
    func endSession() {
        guard let client else { return }
        guard library.has_version_5 else {
            _ = library.disconnect(client)
            return
        }
        withSessionExpiry(0) { _ = library.disconnect_v5(client, 0, $0) }
    }

    func disconnect(milliseconds: Int32) -> [LinkEvent] {
        defer { reset() }
        guard let client, isConnected else { return events }
        endSession()
        for _ in 0..<max(1, milliseconds / 10) where library.loop(client, 10, 1) != 0 { break }
        return events
    }
}
