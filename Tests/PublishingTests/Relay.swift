// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Synchronization
import TestSupport

/// A relay between a client and a broker. It can drop answers, and can behave like an old broker. It serves one
/// connection at a time.
final class Relay: Sendable {
    /// The answer of the relay to a client with MQTT 5.
    enum Age: Sendable {
        case current
        /// The relay answers that it does not support the version.
        case refuses
        /// The relay closes the connection without an answer.
        case closes
    }

    let port: Int
    private let target: Int
    private let listener: Int32
    private let losesAnswers = Atomic(false)
    private let lostBytes = Atomic(0)
    private let isCut = Atomic(false)
    private let thread = Mutex<BackgroundThread?>(nil)

    private let age: Age
    private let closings: Atomic<Int>
    private let farewells: Atomic<Int>
    private let isHeld = Atomic(false)
    private let losesReleases = Atomic(false)
    private let lostReleases = Atomic(0)
    private let forbidden: Forbidden?

    /// Packets on which the relay closes the connection, like some brokers that do not allow a topic.
    enum Forbidden: Sendable, Hashable {
        /// PUBLISH packets whose topic begins with this text.
        case publishing(String)
        case subscribing

        fileprivate func includes(_ packet: ArraySlice<UInt8>) -> Bool {
            switch self {
            case .subscribing: return packet.first == 0x82
            case .publishing(let topic):
                guard let kind = packet.first, kind & 0xF0 == 0x30 else { return false }
                // The topic and its length (2 bytes) follow the length of the packet, which ends with a byte below 0x80.
                let rest = packet.dropFirst().drop { $0 >= 0x80 }
                return rest.dropFirst(3).starts(with: topic.utf8)
            }
        }
    }

    /// - Parameters:
    ///   - closings: number of connections that the relay closes immediately before it serves a connection, as if no
    ///     broker were running.
    ///   - farewells: number of connections that the relay ends after their first message, with the reason that the
    ///     server is shutting down.
    ///   - forbidden: packets on which the relay closes the connection.
    init(
        to target: Int, _ age: Age = .current, closings: Int = 0, farewells: Int = 0, forbidden: Forbidden? = nil
    ) throws {
        (self.target, self.age, self.forbidden) = (target, age, forbidden)
        self.closings = Atomic(closings)
        self.farewells = Atomic(farewells)
        (port, listener) = try listenOnFreePort()
        let thread = BackgroundThread { [weak self] _ in self?.serve() }
        self.thread.withLock { $0 = thread }
    }

    /// Ends the thread and the connection.
    func stop() {
        cut()
        thread.withLock { $0.take() }?.stop()
        close(listener)
    }

    /// From now on, drops data from the broker.
    func loseAnswers() { losesAnswers.store(true, ordering: .releasing) }

    var hasLostAnswers: Bool { lostBytes.load(ordering: .acquiring) > 0 }

    /// From now on, drops PUBREL packets of the client.
    func loseReleases() { losesReleases.store(true, ordering: .releasing) }

    var countOfLostReleases: Int { lostReleases.load(ordering: .acquiring) }

    /// Stops or resumes accepting connections.
    func hold(_ isHeld: Bool) { self.isHeld.store(isHeld, ordering: .releasing) }

    /// Ends the connection. The relay does not drop data of the next connection.
    func cut() { isCut.store(true, ordering: .releasing) }

    /// Waits up to 2 ms for a connection, and serves it until it ends.
    private func serve() {
        guard canRead(listener), !isHeld.load(ordering: .acquiring) else { return }
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        defer { close(client) }
        if closings.load(ordering: .acquiring) > 0 {
            closings.subtract(1, ordering: .releasing)
            return
        }
        if age != .current, isOfVersionFive(client) {
            // The CONNACK packet of MQTT 3.1.1 for an unacceptable protocol version.
            if age == .refuses { _ = pass([0x20, 2, 0, 1], to: client) }
            return
        }
        guard let broker = connected(to: target) else { return }
        defer { close(broker) }
        defer {
            losesAnswers.store(false, ordering: .releasing)
            losesReleases.store(false, ordering: .releasing)
        }
        isCut.store(false, ordering: .releasing)
        while !isCut.load(ordering: .acquiring) {
            if canRead(client) {
                guard let bytes = received(client) else { return }
                // 0x30 is the type of a PUBLISH packet.
                if bytes[0] & 0xF0 == 0x30, farewells.load(ordering: .acquiring) > 0 { return shutDown(client) }
                if let forbidden, packets(in: bytes).contains(where: forbidden.includes) { return }
                guard pass(losesReleases.load(ordering: .acquiring) ? withoutReleases(bytes) : bytes, to: broker) else {
                    return
                }
            }
            if canRead(broker) {
                guard let bytes = received(broker) else { return }
                // Read the flag after the data has arrived. So the relay drops all answers to messages after
                // `loseAnswers`.
                if losesAnswers.load(ordering: .acquiring) {
                    lostBytes.add(bytes.count, ordering: .releasing)
                } else {
                    guard pass(bytes, to: client) else { return }
                }
            }
        }
    }

    /// Ends the connection like an MQTT 5 broker that is shutting down.
    private func shutDown(_ client: Int32) {
        farewells.subtract(1, ordering: .releasing)
        _ = pass([0xE0, 2, 0x8B, 0], to: client)
        // Wait until the client closes the connection. If a socket is closed before all bytes are read, data is lost in
        // both directions.
        while received(client) != nil {}
    }

    /// Returns true if the client uses MQTT 5. The first packet stays in the socket. It contains the type, the length
    /// (one or two bytes), `MQTT` and the version.
    private func isOfVersionFive(_ client: Int32) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 10)
        guard recv(client, &bytes, bytes.count, Int32(MSG_PEEK | MSG_WAITALL)) == bytes.count else { return false }
        return bytes[bytes[1] < 0x80 ? 8 : 9] == 5
    }

    /// Returns the packets without PUBREL packets.
    private func withoutReleases(_ bytes: [UInt8]) -> [UInt8] {
        packets(in: bytes).reduce(into: []) { kept, packet in
            if packet.first == 0x62 { lostReleases.add(1, ordering: .releasing) } else { kept += packet }
        }
    }

    /// Splits bytes into packets. libmosquitto sends one packet at a time, so `bytes` ends with a complete packet.
    private func packets(in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var (rest, packets) = (bytes[...], [ArraySlice<UInt8>]())
        while !rest.isEmpty {
            var (count, shift, place) = (0, 0, rest.startIndex + 1)
            while place < rest.endIndex {
                count |= Int(rest[place] & 0x7F) << shift
                shift += 7
                place += 1
                if rest[place - 1] < 0x80 { break }
            }
            let packet = rest[..<min(rest.endIndex, place + count)]
            packets.append(packet)
            rest = rest[packet.endIndex...]
        }
        return packets
    }

    /// Waits up to 2 ms for data. Returns true if data is available.
    private func canRead(_ file: Int32) -> Bool {
        var descriptor = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 2) > 0
    }

    /// Returns the available bytes. Returns nil at the end of the connection.
    private func received(_ file: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = recv(file, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    private func pass(_ bytes: [UInt8], to file: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let step = bytes[sent...].withUnsafeBytes { send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard step > 0 else { return false }
            sent += step
        }
        return true
    }
}
