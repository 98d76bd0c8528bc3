// SPDX-License-Identifier: LGPL-2.1-or-later
import Synchronization
import TestSupport
import Testing

@testable import Web

/// Tests of the key, the rate and the socket for OSC messages.
@Suite("OSC listener")
struct OSCListenerTests {
    private static func packet(_ address: String) -> [UInt8] {
        OSCPacketTests.text(address) + OSCPacketTests.text(",T")
    }

    private static func message(_ address: String) -> OSCMessage {
        OSCMessage(address: address, arguments: [.truth(true)])
    }

    private final class Receiver: OSCDelegate {
        private let verdicts = Mutex<[OSCGate.Verdict]>([])
        var all: [OSCGate.Verdict] { verdicts.withLock { $0 } }
        func received(_ verdict: OSCGate.Verdict) { verdicts.withLock { $0.append(verdict) } }
    }

    // MARK: - Key

    @Test("Only addresses that start with the key are accepted, and lose the key")
    func key() {
        var gate = OSCGate(key: "secret-0", rate: 1000, burst: 1000, at: 0)
        func verdicts(_ address: String) -> [OSCGate.Verdict] { gate.verdicts(on: Self.packet(address), at: 0) }
        #expect(verdicts("/secret-0/f/red") == [.accepted(Self.message("/f/red"))])
        #expect(verdicts("/secret-0/secret-0/f") == [.accepted(Self.message("/secret-0/f"))])
        for address in [
            "/f/red", "/", "//secret-0/f", "/secret-/f", "/secret-00/f", "/Secret-0/f", "/secret-1/f", "/f/secret-0",
            "/secret-0f/red",
        ] {
            #expect(verdicts(address) == [.wrongKey], "\(address)")
        }
        // The address is only the key.
        #expect(verdicts("/secret-0") == [.accepted(Self.message(""))])
        var open = OSCGate(key: nil, rate: 1000, burst: 1000, at: 0)
        #expect(open.verdicts(on: Self.packet("/f/red"), at: 0) == [.accepted(Self.message("/f/red"))])
        #expect(open.verdicts(on: [1], at: 0) == [.malformed(.size)])
    }

    @Test("One wrong key refuses a whole bundle")
    func bundle() {
        var gate = OSCGate(key: "k", rate: 1000, burst: 1000, at: 0)
        let packet = OSCPacketTests.bundle(Self.packet("/k/a/b"), Self.packet("/a/b"), Self.packet("/k/c/d"))
        #expect(gate.verdicts(on: packet, at: 0) == [.wrongKey])
        let good = OSCPacketTests.bundle(Self.packet("/k/a/b"), Self.packet("/k/c/d"))
        #expect(
            gate.verdicts(on: good, at: 0) == [.accepted(Self.message("/a/b")), .accepted(Self.message("/c/d"))])
        // The key is checked before the type tags.
        #expect(gate.verdicts(on: OSCPacketTests.text("/a/b") + [1, 2, 3, 4], at: 0) == [.wrongKey])
    }

    // MARK: - Rate

    @Test("A burst passes, then messages pass at the rate, also within a bundle")
    func rate() {
        let second: UInt64 = 1_000_000_000
        var gate = OSCGate(key: nil, rate: 10, burst: 5, at: second)
        func passed(_ count: Int, at time: UInt64) -> Int {
            (0..<count).count { _ in
                gate.verdicts(on: Self.packet("/a/b"), at: time) == [.accepted(Self.message("/a/b"))]
            }
        }
        #expect(passed(8, at: second) == 5)
        #expect(passed(3, at: second + second / 20) == 0)
        // After 0.1 s, there is one new token.
        #expect(passed(3, at: second + second / 10 + 1) == 1)
        // The clock goes back.
        #expect(passed(3, at: 0) == 0)
        // After a long pause, there are not more tokens than in the first burst.
        let part = Self.packet("/a/b")
        let verdicts = gate.verdicts(
            on: OSCPacketTests.bundle(part, part, part, part, part, part, part), at: 1000 * second)
        #expect(verdicts.count { $0 == .accepted(Self.message("/a/b")) } == 5)
        #expect(verdicts.suffix(2) == [.tooMany, .tooMany])
    }

    @Test("Messages with a wrong key do not use up the rate of others")
    func strangers() {
        var gate = OSCGate(key: "k", rate: 1, burst: 2, at: 0)
        for _ in 0..<100 { #expect(gate.verdicts(on: Self.packet("/x/a/b"), at: 0) == [.wrongKey]) }
        #expect(gate.verdicts(on: Self.packet("/k/a/b"), at: 0) == [.accepted(Self.message("/a/b"))])
    }

    // MARK: - Socket

    @Test("Packets to the port arrive in order, and malformed packets do not end the listener")
    func socket() throws {
        let receiver = Receiver()
        let listener = try OSCListener(OSCConfiguration(), receiver)
        let client = try DatagramClient(listener.port)
        #expect(client.send(Self.packet("/f/red")))
        #expect(client.send([1, 2, 3]))
        #expect(client.send([]))
        // The size of the largest UDP packets with IPv4.
        let count = 65_507 / 4 * 4 - 12
        let blob =
            OSCPacketTests.text("/a") + OSCPacketTests.text(",b") + [0, 0, UInt8(count >> 8), UInt8(count & 0xFF)]
        #expect(client.send(blob + [UInt8](repeating: 9, count: count)))
        #expect(client.send(OSCPacketTests.bundle(Self.packet("/f/green"), Self.packet("/f/blue"))))
        #expect(eventually { receiver.all.last == .accepted(Self.message("/f/blue")) })
        #expect(
            receiver.all.filter { $0 != .malformed(.kind) } == [
                .accepted(Self.message("/f/red")), .malformed(.size),
                .accepted(OSCMessage(address: "/a", arguments: [.blob])),
                .accepted(Self.message("/f/green")), .accepted(Self.message("/f/blue")),
            ])
        listener.stop()
        // The port is free again.
        var configuration = OSCConfiguration()
        configuration.port = listener.port
        try OSCListener(configuration, receiver).stop()
    }

    @Test("The port cannot be used twice")
    func portInUse() throws {
        let receiver = Receiver()
        let listener = try OSCListener(OSCConfiguration(), receiver)
        defer { listener.stop() }
        var configuration = OSCConfiguration()
        configuration.port = listener.port
        let error = #expect(throws: WebError.self) { try OSCListener(configuration, receiver) }
        #expect(error?.cause == .portInUse && error?.message.contains("Set another osc-port.") == true)
    }

    @Test(
        "Other computers can send messages only with a long key",
        arguments: [
            ("0.0.0.0", nil, "Set osc-key-file"), ("::", nil, "Set osc-key-file"),
            ("0.0.0.0", "fifteen-letters", "has only 15 characters"), ("127.0.0.1", "", "the key is empty"),
            ("127.0.0.1", "a/b", "characters other than letters"),
            ("127.0.0.1", "a b", "characters other than letters"),
            ("127.0.0.1", "é", "characters other than letters"),
            ("192.0.2.1", "sixteen-letters.", "osc-address=192.0.2.1 is not an address"),
        ] as [(String, String?, String)])
    func settings(_ address: String, _ key: String?, _ reason: String) throws {
        var configuration = OSCConfiguration()
        (configuration.address, configuration.key) = (address, key)
        let error = #expect(throws: WebError.self) { try OSCListener(configuration, Receiver()) }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test(
        "These keys are allowed",
        arguments: [("0.0.0.0", "sixteen-letters."), ("127.0.0.1", "k"), ("127.0.0.1", nil)] as [(String, String?)])
    func allowed(_ address: String, _ key: String?) throws {
        var configuration = OSCConfiguration()
        (configuration.address, configuration.key) = (address, key)
        try OSCListener(configuration, Receiver()).stop()
    }
}
