// SPDX-License-Identifier: LGPL-2.1-or-later
import CBrokers
import Files
import Glibc
import Synchronization

/// Settings for messages to Kafka.
package struct KafkaSettings: Sendable {
    package var address: KafkaAddress
    package var topic: String
    package var statusTopic: String
    /// The message key. Kafka stores all messages with the same key in the same partition, in order.
    package var key: String
    package var clientID: String
    package var credentials: Credentials
    /// First interval (`reconnectInterval`) and maximum interval between connection attempts, in milliseconds.
    package var reconnectInterval: Int
    package var maximumReconnectInterval: Int

    package init(
        address: KafkaAddress, topic: String, statusTopic: String, key: String, clientID: String,
        credentials: Credentials = Credentials(), reconnectInterval: Int = 1000, maximumReconnectInterval: Int = 30_000
    ) {
        (self.address, self.topic, self.statusTopic) = (address, topic, statusTopic)
        (self.key, self.clientID, self.credentials) = (key, clientID, credentials)
        (self.reconnectInterval, self.maximumReconnectInterval) = (reconnectInterval, maximumReconnectInterval)
    }
}

/// A producer of librdkafka, which connects and reconnects automatically. The producer is idempotent: even if it sends
/// a message several times, the broker stores the message exactly once and in order.
final class KafkaLink: Link {
    private let library: SVKafka
    private let settings: KafkaSettings
    private var client: OpaquePointer?
    private var topic: OpaquePointer?
    private var statusTopic: OpaquePointer?
    private var isConnected = false
    private var isQueueAttached = false
    /// True while `close` discards messages that were not delivered.
    private var isClosing = false
    /// The fatal error of the producer. After such an error, the link needs a new producer.
    private var fatalFailure: LinkFailure?
    private var events: [LinkEvent] = []
    /// The reason why the last connection to a broker failed. The final error of librdkafka, ALL_BROKERS_DOWN, does not
    /// contain a reason.
    private var lastReason: String?
    /// The last certificate error (X509_V_ERR_…), which a thread of librdkafka reports; 0 if there is none.
    private let certificateProblem = Atomic(0)

    let window = 1000
    var keepsInFlight: Bool { false }
    /// True, because a fatal error ends the idempotent producer. The publisher then sends the messages in flight again
    /// through a new producer, so these messages may arrive twice.
    var mayRepeat: Bool { true }
    var sendsUnconnected: Bool { true }

    init(_ settings: KafkaSettings) throws(LinkFailure) {
        guard let library = sv_kafka() else {
            throw LinkFailure("librdkafka.so.1 is not installed. Run \"apt install librdkafka1\".")
        }
        self.library = library.pointee
        self.settings = settings
        // Create the producer now, so that invalid settings are reported immediately.
        try open()
    }

    deinit { reset() }

    // MARK: - Opening

    private func open() throws(LinkFailure) {
        guard let conf = library.conf_new() else { throw LinkFailure("not enough memory for librdkafka") }
        var options: [(name: String, value: String)] = [
            ("bootstrap.servers", settings.address.servers), ("client.id", settings.clientID),
            ("enable.idempotence", "true"), ("linger.ms", "5"), ("message.timeout.ms", "0"),
            ("reconnect.backoff.ms", "\(min(3_600_000, max(1, settings.reconnectInterval)))"),
            ("reconnect.backoff.max.ms", "\(min(3_600_000, max(1, settings.maximumReconnectInterval)))"),
            // With murmur2_random, a key has the same partition as in Kafka's Java client.
            ("partitioner", "murmur2_random"), ("log.connection.close", "false"),
        ]
        let credentials = settings.credentials
        let usesTLS = settings.address.usesTLS
        // librdkafka verifies host names by default only since version 2.0.
        if usesTLS { options.append(("ssl.endpoint.identification.algorithm", "https")) }
        if let username = credentials.username {
            options += [
                ("security.protocol", usesTLS ? "sasl_ssl" : "sasl_plaintext"), ("sasl.mechanism", "PLAIN"),
                ("sasl.username", username), ("sasl.password", credentials.password ?? ""),
            ]
        } else if usesTLS {
            options.append(("security.protocol", "ssl"))
        }
        // If there is no CA file, librdkafka uses the certificate authorities of the system.
        if let file = credentials.authorityFile { options.append(("ssl.ca.location", file)) }
        if let file = credentials.certificateFile { options.append(("ssl.certificate.location", file)) }
        if let file = credentials.keyFile { options.append(("ssl.key.location", file)) }

        var text = [CChar](repeating: 0, count: 512)
        for (name, value) in options where library.conf_set(conf, name, value, &text, text.count) != 0 {
            library.conf_destroy(conf)
            // The error text of librdkafka may contain the value of the option. So the message must not contain the
            // error text if the option is the password.
            throw LinkFailure(name == "sasl.password" ? "librdkafka does not accept the password" : Self.words(text))
        }
        library.conf_set_opaque(conf, Unmanaged.passUnretained(self).toOpaque())
        library.conf_set_log_cb(conf) { _, _, _, _ in }
        library.conf_set_dr_msg_cb(conf) { _, message, link in
            if let message { KafkaLink.of(link)?.delivered(message.pointee) }
        }
        library.conf_set_error_cb(conf) { _, error, reason, link in
            KafkaLink.of(link)?.failed(error, reason.map { String(cString: $0) } ?? "")
        }
        if usesTLS {
            _ = library.conf_set_ssl_cert_verify_cb?(conf) { _, _, _, problem, _, _, _, _, _, link in
                guard let problem else { return 0 }
                if problem.pointee != 0 { KafkaLink.of(link)?.noteProblem(Int(problem.pointee)) }
                return problem.pointee == 0 ? 1 : 0
            }
        }
        guard let client = library.create(Int32(SV_KAFKA_PRODUCER), conf, &text, text.count) else {
            library.conf_destroy(conf)
            throw LinkFailure(Self.words(text))
        }
        self.client = client
        topic = library.topic_new(client, settings.topic, nil)
        statusTopic = library.topic_new(client, settings.statusTopic, nil)
        guard topic != nil, statusTopic != nil else {
            reset()
            throw LinkFailure(
                "topic=\(settings.topic): not a valid topic. Use letters, digits, dots, hyphens and underscores.")
        }
    }

    private static func words(_ text: [CChar]) -> String {
        String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func of(_ link: UnsafeMutableRawPointer?) -> KafkaLink? {
        link.map { Unmanaged<KafkaLink>.fromOpaque($0).takeUnretainedValue() }
    }

    func connect() throws(LinkFailure) { if client == nil { try open() } }

    // MARK: - Sending

    /// Sends a message even if there is no connection. Only the delivery of a message shows that a broker is reachable.
    func send(_ record: Record) throws(LinkFailure) -> Bool {
        guard let topic else { return false }
        // The message number is passed to librdkafka as an opaque pointer. Message numbers begin with 1, so the pointer
        // is never NULL.
        let sent = produce(record.payload, to: topic, UnsafeMutableRawPointer(bitPattern: UInt(record.number)))
        guard sent != 0 else { return true }
        let error = library.last_error()
        if error == SV_KAFKA_ERROR_QUEUE_FULL { return false }
        if error == SV_KAFKA_ERROR_FATAL {
            let failure = LinkFailure(fatalReason)
            close()
            throw failure
        }
        events.append(.refused(record.number, words(error)))
        return true
    }

    private func produce(_ payload: [UInt8], to topic: OpaquePointer, _ number: UnsafeMutableRawPointer?) -> Int32 {
        // librdkafka copies the payload and does not change it. The C function requires a mutable pointer.
        var payload = payload
        let key = settings.key
        return payload.withUnsafeMutableBytes {
            library.produce(
                topic, Int32(SV_KAFKA_ANY_PARTITION), Int32(SV_KAFKA_COPY), $0.baseAddress, $0.count,
                key, key.utf8.count, number)
        }
    }

    func send(status: [UInt8]) {
        // If there is no connection, skip the status message, because a late status message would be out of date.
        guard let statusTopic, isConnected else { return }
        _ = produce(status, to: statusTopic, nil)
    }

    private func words(_ error: Int32) -> String {
        library.err2str(error).map { String(cString: $0) } ?? "error \(error)"
    }

    private var fatalReason: String {
        var text = [CChar](repeating: 0, count: 512)
        _ = library.fatal_error(client, &text, text.count)
        return Self.words(text)
    }

    private func delivered(_ message: SVKafkaMessage) {
        if message.error == 0, !isConnected {
            isConnected = true
            lastReason = nil
            events.append(.connected)
        }
        guard let opaque = message.opaque else { return }
        let number = UInt64(UInt(bitPattern: opaque))
        if message.error == 0 {
            events.append(.acknowledged(number))
        } else if !isClosing, library.fatal_error(client, nil, 0) == 0 {
            events.append(.refused(number, words(message.error)))
        }
    }

    private func failed(_ error: Int32, _ reason: String) {
        switch Int(error) {
        case SV_KAFKA_ERROR_FATAL: fatalFailure = LinkFailure(fatalReason)
        case SV_KAFKA_ERROR_TLS:
            let problem = certificateProblem.exchange(0, ordering: .relaxed)
            lastReason = problem == 0 ? brief(reason) : "TLS: \(words(aboutCertificate: problem))"
            // librdkafka reports ALL_BROKERS_DOWN only once. Users would not see later TLS errors, so report each TLS
            // error here.
            if !isConnected, let lastReason { events.append(.interrupted(LinkFailure(lastReason))) }
        case SV_KAFKA_ERROR_TRANSPORT, SV_KAFKA_ERROR_RESOLVE, SV_KAFKA_ERROR_AUTHENTICATION: lastReason = brief(reason)
        case SV_KAFKA_ERROR_ALL_BROKERS_DOWN:
            isConnected = false
            events.append(.interrupted(LinkFailure(lastReason ?? reason)))
        default: break
        }
    }

    /// Returns the reason of a connection error without the elapsed time, such as ` (after 5ms in state CONNECT)`.
    /// Reasons that only differ in the time are then equal.
    private func brief(_ reason: String) -> String {
        reason.firstOccurrence(of: " (after ").map { String(reason[..<$0.lowerBound]) } ?? reason
    }

    private func words(aboutCertificate problem: Int) -> String {
        CertificateProblem(code: problem).words(host: settings.address.servers, other: nil)
    }

    /// Stores a certificate error (X509_V_ERR_…). Threads of librdkafka call this method.
    private func noteProblem(_ problem: Int) { certificateProblem.store(problem, ordering: .relaxed) }

    func wait(for wakeup: Int32, milliseconds: Int32) -> [LinkEvent] {
        if let client {
            if !isQueueAttached, let queue = library.queue_get_main(client) {
                var one: UInt64 = 1
                library.queue_io_event_enable(queue, wakeup, &one, 8)
                library.queue_destroy(queue)
                isQueueAttached = true
            }
            if library.poll(client, 0) == 0, events.isEmpty {
                Self.sleep(wakeup, milliseconds)
                _ = library.poll(client, 0)
            }
        } else if events.isEmpty {
            Self.sleep(wakeup, milliseconds)
        }
        if let failure = fatalFailure.take() {
            close()
            events.append(.closed(failure))
        }
        defer { events = [] }
        return events
    }

    private static func sleep(_ wakeup: Int32, _ milliseconds: Int32) {
        var descriptor = pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0)
        Glibc.poll(&descriptor, 1, milliseconds)
    }

    // MARK: - Closing

    func reset() {
        close()
        events = []
    }

    func disconnect(milliseconds: Int32) -> [LinkEvent] {
        if let client, isConnected { _ = library.flush(client, milliseconds) }
        close()
        defer { events = [] }
        return events
    }

    private func close() {
        guard let client else { return }
        isClosing = true
        _ = library.purge(client, Int32(SV_KAFKA_PURGE_ALL))
        _ = library.flush(client, 0)
        if let topic = topic.take() { library.topic_destroy(topic) }
        if let statusTopic = statusTopic.take() { library.topic_destroy(statusTopic) }
        library.destroy_flags(client, 0)
        self.client = nil
        (isConnected, isQueueAttached, isClosing, fatalFailure) = (false, false, false, nil)
    }
}
