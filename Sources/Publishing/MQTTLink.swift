// SPDX-License-Identifier: LGPL-2.1-or-later
import CBrokers
import Files
import Glibc

/// A connection to an MQTT broker through libmosquitto. With QoS 1 or 2, libmosquitto keeps the messages in flight
/// (sent, but not acknowledged) after a lost connection. Over the next connection, libmosquitto sends these messages
/// again.
final class MQTTLink: Link {
    private let library: SVMosquitto
    private let settings: MQTTSettings
    private var client: OpaquePointer?
    private var version: MQTTVersion
    /// True from the start of a connection attempt to the end of the connection.
    private var isOpen = false
    private var isConnected = false
    private var hasConnected = false
    /// True if a host answered the last connection attempt.
    private var reachesHost = false
    /// The local address for connections, which selects IPv4 or IPv6; nil for no selection.
    ///
    /// libmosquitto tries only the first address of a host. If the first address is an IPv6 address, but the broker
    /// only listens on IPv4, the attempt fails. So after a failed attempt, the link switches between IPv4 and IPv6.
    private var localAddress: String?
    /// The message numbers of the messages in flight. The key is libmosquitto's message ID.
    private var recordNumbers: [Int32: UInt64] = [:]
    private var events: [LinkEvent] = []
    /// The maximum number of messages in flight that the broker accepts.
    private var receiveMaximum = Int.max
    /// The reason for the last TLS error; nil if there was no error or the reason is not known.
    private var securityProblem: String?
    /// The reason code with which the broker ended the connection; 0 if the broker did not send a code.
    private var farewell: Int32 = 0
    /// True after a broker has accepted this client.
    private var wasAccepted = false
    private var isBeginningAgain = false
    /// True after the link has ended the session of an earlier process. The link must end that session only once.
    private var hasEndedSession = false
    private var isLimitReported = false

    /// With QoS 2, mosquitto drops messages if more than 20 messages are in flight (max_inflight_messages).
    private var largestWindow: Int { settings.quality == 2 ? 20 : 100 }
    var window: Int { settings.quality == 0 ? largestWindow : min(largestWindow, receiveMaximum) }
    var keepsInFlight: Bool { settings.quality > 0 }
    var repeatsInFlight: Bool { settings.quality == 1 }
    var mayRepeat: Bool { settings.quality > 0 }
    var closesOnMessages: Bool { !Self.farewells.contains(farewell) }
    /// Only marks the connection as closed, because libmosquitto must keep the messages in flight. The next connection
    /// attempt closes the connection.
    func abort() { (isOpen, isConnected) = (false, false) }

    private var broker: String { "\(settings.address.host):\(settings.address.port)" }

    /// The keep-alive interval, in seconds. The broker closes a connection if nothing arrives for 1.5 times this
    /// interval.
    private static let keepAlive: Int32 = 15

    /// After a lost connection, the broker keeps a QoS 2 session for this time, in seconds.
    private static let sessionExpiry: UInt32 = 86_400

    /// MQTT 5 reason codes of DISCONNECT packets that are not about a message: busy, shutting down, keep alive timeout,
    /// session taken over, quota, administrative action, use another server, server moved, connection rate, maximum
    /// connect time.
    private static let farewells: Set<Int32> = [0x89, 0x8B, 0x8D, 0x8E, 0x97, 0x98, 0x9C, 0x9D, 0x9F, 0xA0]

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

    // MARK: - The client

    private func makeClient() throws(LinkFailure) -> OpaquePointer {
        // With QoS 2, the session must not be clean, because the broker must remember which messages it has received.
        let signals = BrokenPipes()
        let client = library.create(settings.clientID, settings.quality < 2, Unmanaged.passUnretained(self).toOpaque())
        signals.restore()
        guard let client else {
            throw LinkFailure("client-id=\(settings.clientID): not a valid client name. Use another name.")
        }
        do throws(LinkFailure) {
            try setUp(client)
            return client
        } catch {
            library.destroy(client)
            throw error
        }
    }

    private func setUp(_ client: OpaquePointer) throws(LinkFailure) {
        localAddress = nil
        let credentials = settings.credentials
        if let username = credentials.username {
            try check(library.username_pw_set(client, username, credentials.password), "username")
        }
        if settings.address.usesTLS {
            let authorities = credentials.authorityFile == nil ? "/etc/ssl/certs" : nil
            try check(
                library.tls_set(
                    client, credentials.authorityFile, authorities, credentials.certificateFile, credentials.keyFile,
                    nil),
                "certificates")
        }
        if let will = settings.will {
            try check(
                library.will_set(client, settings.statusTopic, Int32(clamping: will.count), will, 1, true), "topic")
        }
        library.log_callback_set(client) { _, link, level, text in
            guard level == SV_MOSQUITTO_LOG_ERROR, let text else { return }
            MQTTLink.of(link)?.failed(String(cString: text))
        }
        if library.has_version_5 {
            library.connect_v5_callback_set(client) { _, link, reason, flags, properties in
                MQTTLink.of(link)?.connected(reason, isSessionPresent: flags & 1 != 0, properties)
            }
            library.publish_v5_callback_set(client) { _, link, message, reason, properties in
                MQTTLink.of(link)?.published(message, reason, properties)
            }
            library.disconnect_v5_callback_set(client) { _, link, reason, _ in MQTTLink.of(link)?.disconnected(reason) }
        } else {
            library.connect_callback_set(client) { _, link, reason in
                MQTTLink.of(link)?.connected(reason, isSessionPresent: nil, nil)
            }
            library.publish_callback_set(client) { _, link, message in MQTTLink.of(link)?.published(message, 0, nil) }
        }
    }

    private static func of(_ link: UnsafeMutableRawPointer?) -> MQTTLink? {
        link.map { Unmanaged<MQTTLink>.fromOpaque($0).takeUnretainedValue() }
    }

    private func check(_ result: Int32, _ what: String) throws(LinkFailure) {
        guard result != 0 else { return }
        throw LinkFailure("\(what): \(text(result))")
    }

    private func text(_ result: Int32) -> String {
        // Error 8 is MOSQ_ERR_TLS.
        if [8, Self.hangUp].contains(result), let securityProblem { return securityProblem }
        return result == Self.hangUp ? "the host refused or reset the connection" : library.text(ofError: result)
    }

    /// The error code of this link if a host refuses or resets the connection. With TLS, libmosquitto has no error code
    /// for this case.
    private static let hangUp: Int32 = -100

    // MARK: - Connecting

    func connect() throws(LinkFailure) {
        let client = if let client { client } else { try makeClient() }
        self.client = client
        (securityProblem, farewell) = (nil, 0)
        try check(library.max_inflight_messages_set(client, UInt32(largestWindow)), "window")
        setVersion(of: client)
        if hasConnected, !reachesHost { takeTurns(client) }
        reachesHost = false
        var result = open(client)
        let failure = LinkFailure("\(broker): \(text(result))")
        if result != 0 {
            // The host may have no address of the selected family (IPv4 or IPv6), or no program listens on the address.
            // So try the other family.
            takeTurns(client)
            result = open(client)
        }
        isOpen = result == 0
        if result != 0 { throw failure }
    }

    private func open(_ client: OpaquePointer) -> Int32 {
        defer { hasConnected = true }
        let address = settings.address
        return hasConnected
            ? library.reconnect_async(client)
            : library.connect_async(client, address.host, address.port, Self.keepAlive)
    }

    private func takeTurns(_ client: OpaquePointer) {
        guard library.string_option != nil else { return }
        // libmosquitto 2.0 frees the string of the local address twice if the option is removed. So set another address
        // instead.
        let address = localAddress == "0.0.0.0" ? "::" : "0.0.0.0"
        localAddress = address
        _ = library.string_option(client, Int32(SV_MOSQUITTO_BIND_ADDRESS), address)
    }

    private func setVersion(of client: OpaquePointer) {
        guard library.has_version_5 else { return }
        let number = version.isFive ? SV_MQTT_5 : SV_MQTT_3_1_1
        _ = library.int_option(client, Int32(SV_MOSQUITTO_PROTOCOL_VERSION), Int32(number))
        // If the host is missing, `connect_bind_v5` only stores the properties. With a host, `connect_bind_v5` would
        // wait for the connection.
        withSessionExpiry(Self.sessionExpiry) {
            _ = library.connect_bind_v5(client, nil, 0, Self.keepAlive, nil, $0)
        }
    }

    /// Calls `body` with the property for the session expiry.
    /// - Parameter body: receives nil with MQTT 3.1.1 or with QoS 0 or 1.
    private func withSessionExpiry(_ seconds: UInt32, _ body: (OpaquePointer?) -> Void) {
        var properties: OpaquePointer?
        if version.isFive, settings.quality == 2 {
            _ = library.property_add_int32(&properties, Int32(SV_MQTT_SESSION_EXPIRY), seconds)
        }
        body(properties)
        library.property_free_all(&properties)
    }

    /// - Parameters:
    ///   - isSessionPresent: true if the broker has a session for this client; nil if this is not known.
    private func connected(_ reason: Int32, isSessionPresent: Bool?, _ properties: OpaquePointer?) {
        reachesHost = true
        // Reason code 0x84 means that the broker does not support the protocol version.
        if reason == 0x84, version.wasRefused() { return begin(again: .restart) }
        guard reason == 0 else {
            return close(LinkFailure("\(broker): \(library.text(ofReason: reason, properties))"))
        }
        guard version.wasAccepted() else {
            if let client { _ = library.disconnect(client) }
            return begin(again: .restart)
        }
        if settings.quality == 2, let isSessionPresent {
            if !isSessionPresent, !recordNumbers.isEmpty {
                // The broker has no session for this client, so the broker may have lost the messages in flight.
                endSession()
                return begin(again: .sessionLost)
            }
            if isSessionPresent, version.isFive, !wasAccepted, !hasEndedSession {
                // The broker has a session of an earlier process. The broker could mistake new messages for messages of
                // that process.
                hasEndedSession = true
                endSession()
                return begin(again: .restart)
            }
        }
        wasAccepted = true
        var maximum: UInt16 = 0
        let isLimited =
            properties != nil
            && library.property_read_int16(properties, Int32(SV_MQTT_RECEIVE_MAXIMUM), &maximum, false) != nil
            && maximum > 0
        receiveMaximum = isLimited ? Int(maximum) : .max
        isConnected = true
        events.append(.connected)
        tellLimits()
    }

    /// Gives up a connection that has just begun, and reports `event`. The publisher then connects again.
    private func begin(again event: LinkEvent) {
        (isOpen, isConnected, isBeginningAgain) = (false, false, true)
        events.append(event)
    }

    /// Closes the connection that `begin(again:)` has given up. Must not be called in a callback of libmosquitto.
    private func finishBeginningAgain() {
        isBeginningAgain = false
        // This call of `loop` sends the DISCONNECT packet.
        if let client { _ = library.loop(client, 0, 1) }
        if events.contains(where: { if case .sessionLost = $0 { true } else { false } }) { forget() }
    }

    private func tellLimits() {
        guard version.isSettled, settings.quality > 0, !isLimitReported else { return }
        isLimitReported = true
        let who = library.has_version_5 ? "the broker" : "the installed libmosquitto"
        events.append(
            .limited(
                "\(broker): \(who) supports only MQTT 3.1.1, in which brokers do not report refused messages. "
                    + "svpublish counts refused messages as acknowledged."))
    }

    /// Reports that the connection has ended. Further calls for the same connection report nothing.
    private func close(_ failure: LinkFailure) {
        (isOpen, isConnected) = (false, false)
        if !keepsInFlight { recordNumbers = [:] }
        if events.contains(where: { if case .closed = $0 { true } else { false } }) { return }
        events.append(.closed(failure))
    }

    /// Handles an error that libmosquitto's `loop` returned.
    private func ended(_ result: Int32) {
        guard isOpen else { return }
        // The codes are MOSQ_ERR_PROTOCOL (2), MOSQ_ERR_CONN_LOST (7) and MOSQ_ERR_MALFORMED_PACKET (21).
        let isUnanswered = !isConnected && [2, 7, 21].contains(result)
        // MOSQ_ERR_ERRNO, or MOSQ_ERR_TLS without a known reason, means that the first address of the host refused the
        // connection. Another address of the host may accept the connection.
        let mayReachOther = localAddress == nil && securityProblem == nil && library.string_option != nil
        if !isConnected, [8, 14, Self.hangUp].contains(result), mayReachOther { return begin(again: .restart) }
        guard isUnanswered else { return close(LinkFailure("\(broker): \(text(result))")) }
        version.wasIgnored()
        reachesHost = true
        let hint = settings.address.usesTLS ? "" : ". If the broker expects TLS, write the address as ssl://HOST:PORT."
        close(LinkFailure("\(broker): the broker closed the connection without an answer\(hint)"))
    }

    /// Handles a connection that the broker or libmosquitto has ended.
    private func disconnected(_ reason: Int32) {
        guard reason >= 0x80, isOpen else { return }
        farewell = reason
        close(LinkFailure("\(broker): the broker ended the connection: \(library.text(ofReason: reason))"))
    }

    /// Handles an error message in libmosquitto's log, because only the log contains details of TLS errors.
    private func failed(_ text: String) {
        guard securityProblem == nil, let client else { return }
        let problem = CertificateProblem(code: library.certificate_problem(client))
        let host = settings.address.host
        if text.contains("host name verification failed") {
            securityProblem = "TLS: " + CertificateProblem.wrongHost.words(host: host, other: nil)
        } else if problem.code != 0 {
            let other = library.certificate_words(problem.code).map { String(cString: $0) }
            securityProblem = "TLS: " + problem.words(host: host, other: other)
        } else if text.hasPrefix("OpenSSL Error"), let words = text.split(separator: ":").last {
            // OpenSSL's error texts have the format `error:NUMBER:LIBRARY:FUNCTION:REASON`.
            securityProblem = "TLS: \(words)"
        }
    }

    // MARK: - Sending

    func send(_ record: Record) throws(LinkFailure) -> Bool {
        guard let client, isConnected else { return false }
        var message: Int32 = 0
        // libmosquitto may call the callback for a published message before `publish` returns.
        isSending = true
        defer { isSending = false }
        let result = library.publish(
            client, &message, settings.topic, Int32(clamping: record.payload.count), record.payload, settings.quality,
            settings.retains)
        switch result {
        case 0: break
        // The codes are MOSQ_ERR_NO_CONN (4), MOSQ_ERR_CONN_LOST (7), MOSQ_ERR_TLS (8), MOSQ_ERR_ERRNO (14) and
        // MOSQ_ERR_KEEPALIVE (19).
        case 4, 7, 8, 14, 19:
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

    private func published(_ message: Int32, _ reason: Int32, _ properties: OpaquePointer?) {
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

    /// Destroys the libmosquitto client and its messages in flight.
    private func forget() {
        if let client = client.take() { library.destroy(client) }
        (isOpen, isConnected, hasConnected, wasAccepted, isBeginningAgain) = (false, false, false, false, false)
        recordNumbers = [:]
    }

    /// Disconnects and ends the broker's session. The next client then does not know the messages of this session.
    private func endSession() {
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
