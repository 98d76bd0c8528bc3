// SPDX-License-Identifier: LGPL-2.1-or-later
import CBrokers
import Files

/// Creates the libmosquitto client, connects to the broker, and handles lost connections.
extension MQTTLink {
    // MARK: - The client

    func makeClient() throws(LinkFailure) -> OpaquePointer {
        let signals = BrokenPipes()
        // With QoS 2, do not use a clean session, because the broker must remember which messages it has received.
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
                library.will_set(client, settings.statusTopic, Int32(clamping: will.count), will, 1, storesRetained),
                "topic")
        }
        library.log_callback_set(client) { _, link, level, text in
            guard level == SV_MOSQUITTO_LOG_ERROR, let text else { return }
            MQTTLink.of(link)?.failed(String(cString: text))
        }
        library.message_callback_set(client) { _, link, message in
            if let message { MQTTLink.of(link)?.received(message.pointee) }
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

    func text(_ result: Int32) -> String {
        // After a TLS error, libmosquitto returns MOSQ_ERR_TLS (8). Version 2.0.21 returns MOSQ_ERR_ERRNO (14).
        if [8, 14, Self.hangUp].contains(result), let securityProblem { return securityProblem }
        return result == Self.hangUp ? "the host refused or reset the connection" : library.text(ofError: result)
    }

    /// The code for a connection that the host refused or reset, in addition to libmosquitto's error codes. With TLS,
    /// libmosquitto has no error code for this case.
    static let hangUp: Int32 = -100

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
        // Without a host, `connect_bind_v5` only stores the properties. With a host, it would wait for the connection.
        withSessionExpiry(Self.sessionExpiry) {
            _ = library.connect_bind_v5(client, nil, 0, Self.keepAlive, nil, $0)
        }
    }

    /// Calls `body` with a list of MQTT properties that contains the session expiry. With MQTT 3.1.1 or with QoS 0 or
    /// 1, calls `body` with nil.
    func withSessionExpiry(_ seconds: UInt32, _ body: (OpaquePointer?) -> Void) {
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
        // Reason code 0x9A means that the broker does not store retained messages, such as the will. The will and the
        // announcements are not essential, so connect again without a retained will. `announce` reports the problem.
        if reason == 0x9A, storesRetained, settings.homeAssistant != nil, let client, let will = settings.will,
            library.will_set(client, settings.statusTopic, Int32(clamping: will.count), will, 1, false) == 0
        {
            storesRetained = false
            return begin(again: .restart)
        }
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
                // Connect again, and let the publisher send these messages again.
                endSession()
                return begin(again: .sessionLost)
            }
            if isSessionPresent, version.isFive, !wasAccepted, !hasEndedSession {
                // The session belongs to an earlier process. The broker could mistake new messages for repeated
                // messages of that process, and drop them. So end the session and connect again.
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
        var retains: UInt8 = 1
        let isRetainKnown =
            properties != nil
            && library.property_read_byte(properties, Int32(SV_MQTT_RETAIN_AVAILABLE), &retains, false) != nil
        storesRetained = !isRetainKnown || retains != 0
        isConnected = true
        announcements.beginConnection()
        events.append(.connected)
        tellLimits()
    }

    /// Gives up a connection that has just begun, and reports `event`. The publisher then connects again.
    private func begin(again event: LinkEvent) {
        (isOpen, isConnected, isBeginningAgain) = (false, false, true)
        events.append(event)
    }

    /// Closes the connection that `begin(again:)` has given up. Must not be called in a callback of libmosquitto.
    func finishBeginningAgain() {
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
    func ended(_ result: Int32) {
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
        if text.includes("host name verification failed") {
            securityProblem = "TLS: " + CertificateProblem.wrongHost.words(host: host, other: nil)
        } else if problem.code != 0 {
            let other = library.certificate_words(problem.code).map { String(cString: $0) }
            securityProblem = "TLS: " + problem.words(host: host, other: other)
        } else if text.hasPrefix("OpenSSL Error"), let words = text.split(separator: ":").last {
            // OpenSSL's error texts have the format `error:NUMBER:LIBRARY:FUNCTION:REASON`.
            securityProblem = "TLS: \(words)"
        }
    }
}
