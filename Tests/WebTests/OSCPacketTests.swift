// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport
import Testing

@testable import Web

/// Tests of the OSC parser, with packets that were written by hand from the specification of OSC 1.0.
@Suite("OSC packets")
struct OSCPacketTests {
    private static let fourBytes: [UInt8] = [0, 0, 0, 0]

    /// Returns an OSC text: the bytes, and one to four zero bytes.
    static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return bytes + [UInt8](repeating: 0, count: 4 - bytes.count % 4)
    }

    /// Returns a bundle with the time tag "immediately".
    static func bundle(_ parts: [UInt8]...) -> [UInt8] {
        parts.reduce(Array("#bundle\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 1]) { bytes, part in
            bytes + [0, 0, UInt8(part.count >> 8), UInt8(part.count & 0xFF)] + part
        }
    }

    /// Bytes, and the messages in these bytes.
    private static let valid: [([UInt8], [OSCMessage])] = [
        // The two messages in the section "OSC Message Examples" of the specification.
        (
            [
                0x2F, 0x6F, 0x73, 0x63, 0x69, 0x6C, 0x6C, 0x61, 0x74, 0x6F, 0x72, 0x2F, 0x34, 0x2F, 0x66, 0x72, 0x65,
                0x71, 0x75, 0x65, 0x6E, 0x63, 0x79, 0x00, 0x2C, 0x66, 0x00, 0x00, 0x43, 0xDC, 0x00, 0x00,
            ], [OSCMessage(address: "/oscillator/4/frequency", arguments: [.float(440)])]
        ),
        (
            [
                0x2F, 0x66, 0x6F, 0x6F, 0x00, 0x00, 0x00, 0x00, 0x2C, 0x69, 0x69, 0x73, 0x66, 0x66, 0x00, 0x00, 0x00,
                0x00, 0x03, 0xE8, 0xFF, 0xFF, 0xFF, 0xFF, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x00, 0x00, 0x00, 0x3F, 0x9D,
                0xF3, 0xB6, 0x40, 0xB5, 0xB2, 0x2D,
            ],
            [
                OSCMessage(
                    address: "/foo", arguments: [.int(1000), .int(-1), .text("hello"), .float(1.234), .float(5.678)])
            ]
        ),
        ([0x2F, 0x61, 0, 0, 0x2C, 0, 0, 0], [OSCMessage(address: "/a", arguments: [])]),
        // Without type tags, as old programs send.
        ([0x2F, 0x61, 0, 0], [OSCMessage(address: "/a", arguments: [])]),
        (
            [0x2F, 0x61, 0, 0, 0x2C, 0x54, 0x46, 0x4E, 0, 0, 0, 0],
            [OSCMessage(address: "/a", arguments: [.truth(true), .truth(false), .null])]
        ),
        (
            [
                0x2F, 0x61, 0, 0, 0x2C, 0x68, 0x64, 0, 0x80, 0, 0, 0, 0, 0, 0, 1, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0,
            ], [OSCMessage(address: "/a", arguments: [.long(.min + 1), .double(1.5)])]
        ),
        (
            [0x2F, 0x61, 0, 0, 0x2C, 0x62, 0x62, 0, 0, 0, 0, 5, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0],
            [OSCMessage(address: "/a", arguments: [.blob, .blob])]
        ),
        (
            [0x2F, 0x61, 0, 0, 0x2C, 0x73, 0x73, 0, 0, 0, 0, 0, 0x74, 0x65, 0x78, 0x74, 0, 0, 0, 0],
            [OSCMessage(address: "/a", arguments: [.text(""), .text("text")])]
        ),
        ([0x23, 0x62, 0x75, 0x6E, 0x64, 0x6C, 0x65, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0], []),
        (
            [
                0x23, 0x62, 0x75, 0x6E, 0x64, 0x6C, 0x65, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8, 0x2F, 0x61, 0, 0, 0x2C,
                0, 0, 0, 0, 0, 0, 0x1C, 0x23, 0x62, 0x75, 0x6E, 0x64, 0x6C, 0x65, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8,
                0x2F, 0x62, 0, 0, 0x2C, 0x54, 0, 0,
            ], [OSCMessage(address: "/a", arguments: []), OSCMessage(address: "/b", arguments: [.truth(true)])]
        ),
    ]

    @Test("A valid packet results in its messages", arguments: valid)
    func reads(_ bytes: [UInt8], _ messages: [OSCMessage]) throws {
        #expect(try OSCMessage.all(in: bytes) == messages)
    }

    private static let malformed: [([UInt8], OSCFault)] = [
        ([], .kind),
        ([0x2F], .size), ([0x2F, 0x61, 0], .size), ([0x2F, 0x61, 0, 0, 0], .size),
        (text("a/b"), .kind), (fourBytes, .kind), (text("#bundl"), .kind),
        // The address has no zero byte at the end.
        (Array("/abc".utf8), .truncated),
        ([0x2F, 0x61, 0, 1, 0x2C, 0, 0, 0], .padding),
        (text("/a b") + text(","), .address), (text("/é") + text(","), .address),
        (text("/a#") + text(","), .address), (text("/a\u{7F}") + text(","), .address),
        (text("/a") + text("i") + fourBytes, .types), (text("/a") + fourBytes, .types),
        (text("/a") + text(",x") + fourBytes, .types), (text("/a") + text(",[i]") + fourBytes, .types),
        (text("/a") + Array(",iii".utf8), .truncated),
        (text("/a") + text(",i"), .truncated), (text("/a") + text(",h") + fourBytes, .truncated),
        (text("/a") + text(",s") + Array("abcd".utf8), .truncated),
        (text("/a") + text(",s") + [0x61, 0, 0, 1], .padding),
        (text("/a") + text(",s") + [0xFF, 0, 0, 0], .text), (text("/a") + text(",s") + [0xC3, 0, 0, 0], .text),
        (text("/a") + text(",b") + [0, 0, 0, 5, 1, 2, 3, 4], .truncated),
        (text("/a") + text(",b") + [0xFF, 0xFF, 0xFF, 0xFF], .truncated),
        (text("/a") + text(",b") + [0x80, 0, 0, 0], .truncated),
        (text("/a") + text(",b") + [0x7F, 0xFF, 0xFF, 0xFF], .truncated),
        (text("/a") + text(",b") + [0, 0, 0, 1, 1, 0, 0, 1], .padding),
        (text("/a") + text(",") + fourBytes, .remainder), (text("/a") + text(",i") + fourBytes + fourBytes, .remainder),
        (text("/a") + text("," + String(repeating: "T", count: 65)), .arguments),
        // Bundles: without a time tag, with a wrong size of a part, and with a malformed part after a valid part.
        (text("#bundle"), .truncated), (bundle() + fourBytes, .size),
        (bundle() + [0, 0, 0, 8] + text("/a"), .truncated), (bundle() + [0xFF, 0xFF, 0xFF, 0xFC], .size),
        (bundle() + [0, 0, 0, 2, 0x2F, 0x61, 0, 0], .size), (bundle(text("/a"), text("b")), .kind),
        (nested(9), .depth), (text("/" + String(repeating: "a", count: 1024)), .length),
        (text("/a") + text(",s") + text(String(repeating: "a", count: 1025)), .length),
        (many(257), .messages),
    ]

    private static func many(_ count: Int) -> [UInt8] {
        (0..<count).reduce(bundle()) { bytes, _ in bytes + [0, 0, 0, 4] + text("/a") }
    }

    private static func nested(_ depth: Int) -> [UInt8] {
        (0..<depth).reduce(text("/a")) { bytes, _ in bundle(bytes) }
    }

    @Test("A malformed packet results in an error, without any message", arguments: malformed)
    func refuses(_ bytes: [UInt8], _ fault: OSCFault) {
        #expect(throws: fault) { try OSCMessage.all(in: bytes) }
    }

    @Test("Eight bundles inside each other are allowed, and 64 arguments")
    func limits() throws {
        #expect(try OSCMessage.all(in: Self.nested(8)).map(\.address) == ["/a"])
        #expect(try OSCMessage.all(in: Self.many(256)).count == 256)
        let tags = Self.text("," + String(repeating: "T", count: 64))
        #expect(try OSCMessage.all(in: Self.text("/a") + tags).first?.arguments.count == 64)
    }

    @Test("100,000 random packets do not trap")
    func random() throws {
        var random = Random(seed: 7)
        let good = Self.valid.map(\.0)
        var (valid, malformed) = (0, 0)
        for number in 0..<100_000 {
            var bytes: [UInt8]
            if number % 4 == 0 {
                bytes = (0..<random.next() % 64).map { _ in random.byte() }
            } else {
                bytes = good[Int(random.next() % UInt64(good.count))]
                for _ in 0..<random.next() % 4 { bytes[Int(random.next() % UInt64(bytes.count))] = random.byte() }
                if number % 4 == 1 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
                if number % 4 == 2 { bytes = Self.bundle(bytes, good[number % good.count]) }
            }
            guard let messages = try? OSCMessage.all(in: bytes) else {
                malformed += 1
                continue
            }
            valid += 1
            // The smallest message has four bytes, and four bytes for its size.
            if messages.count > max(1, bytes.count / 8) || messages.contains(where: { $0.arguments.count > 64 }) {
                Issue.record("\(messages) in \(bytes)")
            }
        }
        // The packets are neither all valid nor all malformed.
        #expect(valid > 10_000 && malformed > 10_000, "\(valid) valid, \(malformed) malformed")
    }

    @Test("The parser keeps no memory of a packet")
    func memory() throws {
        let blob = [UInt8](repeating: 1, count: 60_000)
        let good = Self.text("/a") + Self.text(",b") + [0, 0, 0xEA, 0x60] + blob
        let bad = Array(good[..<(good.count - 4)])
        let before = try Self.residentPages()
        for number in 0..<3000 {
            let isRead = (try? OSCMessage.all(in: number % 2 == 0 ? good : bad)) != nil
            #expect(isRead == (number % 2 == 0))
        }
        // The packets have 180 MB. Other tests use memory at the same time, so the limit is far above zero.
        #expect(try (Self.residentPages() - before) * Int(getpagesize()) < 64 << 20)
    }

    /// Returns the number of memory pages that this process uses.
    private static func residentPages() throws -> Int {
        let words = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(words.count > 1 ? Int(words[1]) : nil)
    }
}
