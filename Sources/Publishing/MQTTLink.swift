// SPDX-License-Identifier: LGPL-2.1-or-later
import CBrokers
import Files
import Glibc

/// How messages go to an MQTT broker.
package struct MQTTSettings: Sendable {
    package var address: BrokerAddress
    package var topic: String
    package var statusTopic: String
    package var clientID: String
    /// 0: at most once, 1: at least once, 2: exactly once.
    package var quality: Int32
    package var retains: Bool
    package var credentials: Credentials
    /// What the broker tells others when the connection is lost; nil for nothing.
    package var will: [UInt8]?

    package init(
        address: BrokerAddress, topic: String, statusTopic: String, clientID: String, quality: Int32 = 1,
        retains: Bool = false, credentials: Credentials = Credentials(), will: [UInt8]? = nil
    ) {
        (self.address, self.topic, self.statusTopic, self.clientID) = (address, topic, statusTopic, clientID)
        (self.quality, self.retains, self.credentials, self.will) = (quality, retains, credentials, will)
    }
}

/// A connection to an MQTT broker, by libmosquitto. What is in flight with a quality of 1 or 2 stays with libmosquitto,
/// which sends it again over the next connection.
final class MQTTLink: Link {
    private let library: SVMosquitto
    private let settings: MQTTSettings
    private var client: OpaquePointer?
    /// True from an attempt to connect to the end of the connection.
    private var isOpen = false
    private var isConnected = false
    private var hasConnected = false
    private var numbers: [Int32: UInt64] = [:]
    private var events: [LinkEvent] = []

    /// mosquitto drops what is beyond its own limit of 20 (max_inflight_messages) with a quality of 2.
    var window: Int { settings.quality == 2 ? 20 : 100 }
    var keepsInFlight: Bool { settings.quality > 0 }
    var mayRepeat: Bool { settings.quality == 1 }
    var closesOnMessages: Bool { true }
    /// What is in flight stays; the next attempt closes the last one.
    func abort() { (isOpen, isConnected) = (false, false) }

    /// Seconds without a sign of life after which the broker takes the connection for lost.
    private static let keepAlive: Int32 = 15

    init(_ settings: MQTTSettings) throws(LinkFailure) {
        guard let library = sv_mosquitto() else {
            throw LinkFailure("libmosquitto.so.1 is not installed: apt install libmosquitto1")
        }
        self.library = library.pointee
        self.settings = settings
        try checkTopic(settings.topic)
        for file in [
            settings.credentials.authorityFile, settings.credentials.certificateFile, settings.credentials.keyFile,
        ] {
            if let file, access(file.systemPath, R_OK) != 0 {
                throw LinkFailure("\(file): cannot be read: \(String(cString: strerror(errno)))")
            }
        }
        client = try makeClient()
    }

    deinit { reset() }

    private func checkTopic(_ topic: String) throws(LinkFailure) {
        let hasWildcard = topic.utf8.contains { [0, UInt8(ascii: "+"), UInt8(ascii: "#")].contains($0) }
        guard !topic.isEmpty, !hasWildcard, topic.utf8.count <= 65000 else {
            throw LinkFailure("\(topic): no topic for a message: + and # stand for others")
        }
    }

    // MARK: - Connecting

    private func makeClient() throws(LinkFailure) -> OpaquePointer {
        // With a quality of 2 the broker has to remember which messages it has seen.
        let client = library.create(settings.clientID, settings.quality < 2, Unmanaged.passUnretained(self).toOpaque())
        guard let client else { throw LinkFailure("\(settings.clientID): this is refused as the name of a client") }
        do throws(LinkFailure) {
            try setUp(client)
            return client
        } catch {
            library.destroy(client)
            throw error
        }
    }

    private func setUp(_ client: OpaquePointer) throws(LinkFailure) {
        let credentials = settings.credentials
        try check(library.max_inflight_messages_set(client, UInt32(window)), "window")
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
        library.connect_callback_set(client) { _, link, code in MQTTLink.of(link)?.connected(code) }
        library.publish_callback_set(client) { _, link, message in MQTTLink.of(link)?.published(message) }
    }

    private func check(_ result: Int32, _ what: String) throws(LinkFailure) {
        guard result != 0 else { return }
        throw LinkFailure("\(what): \(text(result))")
    }

    private func text(_ result: Int32) -> String {
        // MOSQ_ERR_ERRNO
        if result == 14 { return String(cString: Glibc.strerror(errno)) }
        return library.strerror(result).map { String(cString: $0) } ?? "error \(result)"
    }

    func connect() throws(LinkFailure) {
        let client = if let client { client } else { try makeClient() }
        self.client = client
        let address = settings.address
        let result =
            hasConnected
            ? library.reconnect_async(client)
            : library.connect_async(client, address.host, address.port, Self.keepAlive)
        hasConnected = true
        isOpen = result == 0
        try check(result, "\(address.host):\(address.port)")
    }

    private static func of(_ link: UnsafeMutableRawPointer?) -> MQTTLink? {
        link.map { Unmanaged<MQTTLink>.fromOpaque($0).takeUnretainedValue() }
    }

    private func connected(_ code: Int32) {
        if code == 0 {
            isConnected = true
            events.append(.connected)
        } else {
            let reason = library.connack_string(code).map { String(cString: $0) } ?? "code \(code)"
            close(LinkFailure("\(settings.address.host):\(settings.address.port): \(reason)"))
        }
    }

    /// Reports the end of a connection, once.
    private func close(_ failure: LinkFailure) {
        (isOpen, isConnected) = (false, false)
        if !keepsInFlight { numbers = [:] }
        if events.contains(where: { if case .closed = $0 { true } else { false } }) { return }
        events.append(.closed(failure))
    }

    // MARK: - Sending

    func send(_ record: Record) throws(LinkFailure) -> Bool {
        guard let client, isConnected else { return false }
        var message: Int32 = 0
        // The callback may come before this returns.
        isSending = true
        defer { isSending = false }
        let result = library.publish(
            client, &message, settings.topic, Int32(clamping: record.payload.count), record.payload, settings.quality,
            settings.retains)
        switch result {
        case 0: break
        // MOSQ_ERR_NO_CONN, CONN_LOST, TLS, ERRNO, KEEPALIVE
        case 4, 7, 8, 14, 19:
            // libmosquitto has it all the same, and sends it over the next connection.
            if keepsInFlight { numbers[message] = record.number }
            let failure = LinkFailure("\(settings.address.host):\(settings.address.port): \(text(result))")
            abort()
            throw failure
        // MOSQ_ERR_NOMEM
        case 1: return false
        default:
            events.append(.refused(record.number, text(result)))
            return true
        }
        if early.contains(message) {
            events.append(.acknowledged(record.number))
        } else {
            numbers[message] = record.number
        }
        early = []
        return true
    }

    private var isSending = false
    private var early: Set<Int32> = []

    private func published(_ message: Int32) {
        if let number = numbers.removeValue(forKey: message) {
            events.append(.acknowledged(number))
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
                close(LinkFailure("\(settings.address.host):\(settings.address.port): \(text(result))"))
            }
        }
        defer { events = [] }
        return events
    }

    // MARK: - Closing

    func reset() {
        if let client = client.take() { library.destroy(client) }
        (isOpen, isConnected, hasConnected) = (false, false, false)
        (numbers, events) = ([:], [])
    }

    func disconnect(milliseconds: Int32) -> [LinkEvent] {
        defer { reset() }
        guard let client, isConnected else { return events }
        _ = library.disconnect(client)
        for _ in 0..<max(1, milliseconds / 10) where library.loop(client, 10, 1) != 0 { break }
        return events
    }
}
