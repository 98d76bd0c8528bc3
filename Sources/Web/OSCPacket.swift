// SPDX-License-Identifier: LGPL-2.1-or-later

/// A message of OSC 1.0, the Open Sound Control protocol (https://opensoundcontrol.stanford.edu/spec-1_0.html).
package struct OSCMessage: Sendable, Equatable {
    /// Printable ASCII that starts with a slash.
    package let address: String
    package let arguments: [OSCValue]

    package init(address: String, arguments: [OSCValue]) { (self.address, self.arguments) = (address, arguments) }
}

/// An argument of an OSC message. The comment before each case contains the OSC type tag.
package enum OSCValue: Sendable, Equatable {
    /// `i`
    case int(Int32)
    /// `h`
    case long(Int64)
    /// `f`
    case float(Float)
    /// `d`
    case double(Double)
    /// `s`
    case text(String)
    /// `b` (blob). The bytes of the blob are not stored.
    case blob
    /// `T` for true, `F` for false
    case truth(Bool)
    /// `N`
    case null
}

/// The reason why bytes are not an OSC packet, for users.
package enum OSCFault: String, Error, Sendable {
    case size = "the size is not a multiple of four bytes"
    case kind = "neither a message nor a bundle"
    case truncated = "truncated"
    case padding = "padding bytes are not zero"
    case address = "the address contains a space, #, or characters that are not ASCII"
    case types = "missing or unsupported type tags"
    case arguments = "too many arguments"
    case text = "a text is not UTF-8"
    case remainder = "bytes follow the last argument"
    case depth = "bundles are nested too deeply"
    case length = "an address or a text is too long"
    case messages = "too many messages"
    /// The packet is not malformed, but the address of a message does not start with the key.
    case wrongKey = "wrong key"
}

extension OSCMessage {
    /// The maximum depth of nested bundles.
    static let maxDepth = 8
    /// The maximum number of arguments of a message.
    static let maxArguments = 64
    /// The maximum number of messages in a packet.
    static let maxMessages = 256
    /// The maximum number of bytes of an address or a text.
    static let maxText = 1024

    /// Reads a packet: a message, or a bundle of messages and bundles. Ignores the time tags of bundles.
    /// - Parameter key: the first part of each address; nil if addresses contain no key. If a message has a wrong key,
    ///   the method throws `wrongKey` without reading the remaining messages. So packets without the key take little
    ///   time.
    /// - Returns: the messages in the order of the packet, without the key in their addresses.
    package static func all(in packet: [UInt8], key: [UInt8]? = nil) throws(OSCFault) -> [OSCMessage] {
        var messages: [OSCMessage] = []
        try read(packet[...], key, depth: 0, into: &messages)
        return messages
    }

    private static func read(
        _ packet: ArraySlice<UInt8>, _ key: [UInt8]?, depth: Int, into messages: inout [OSCMessage]
    ) throws(OSCFault) {
        guard packet.count % 4 == 0 else { throw .size }
        var reader = OSCReader(packet)
        if packet.first == UInt8(ascii: "/") {
            guard messages.count < maxMessages else { throw .messages }
            messages.append(try reader.message(key))
        } else if packet.starts(with: "#bundle\0".utf8) {
            guard depth < maxDepth else { throw .depth }
            // Skip the text `#bundle` (8 bytes) and the time tag (8 bytes).
            _ = try reader.take(16)
            while !reader.isAtEnd {
                let size = Int(try reader.int32())
                guard size > 0 else { throw .size }
                try read(try reader.take(size), key, depth: depth + 1, into: &messages)
            }
        } else {
            throw .kind
        }
    }
}

/// Reads the parts of a packet in order. Each part is a multiple of four bytes long.
private struct OSCReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ count: Int) throws(OSCFault) -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw .truncated }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func skipPadding(_ count: Int) throws(OSCFault) {
        guard try take(count).allSatisfy({ $0 == 0 }) else { throw .padding }
    }

    /// Reads a text. It ends with one to four zero bytes, which fill the text to a multiple of four bytes.
    private mutating func text() throws(OSCFault) -> ArraySlice<UInt8> {
        guard let end = rest.firstIndex(of: 0) else { throw .truncated }
        let text = try take(rest.distance(from: rest.startIndex, to: end))
        guard text.count <= OSCMessage.maxText else { throw .length }
        try skipPadding(4 - text.count % 4)
        return text
    }

    private mutating func bits32() throws(OSCFault) -> UInt32 { try take(4).reduce(0) { $0 << 8 | UInt32($1) } }

    private mutating func bits64() throws(OSCFault) -> UInt64 { try take(8).reduce(0) { $0 << 8 | UInt64($1) } }

    mutating func int32() throws(OSCFault) -> Int32 { Int32(bitPattern: try bits32()) }

    private mutating func skipBlob() throws(OSCFault) {
        let count = try take(Int(try int32())).count
        try skipPadding((4 - count % 4) % 4)
    }

    mutating func message(_ key: [UInt8]?) throws(OSCFault) -> OSCMessage {
        var address = try text()
        if let key {
            let first = address.dropFirst().prefix { $0 != UInt8(ascii: "/") }
            guard isSame(first, key) else { throw .wrongKey }
            address = address.dropFirst(1 + first.count)
        }
        // OSC 1.0 allows all printable characters of ASCII except the space and `#`.
        guard address.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }) else { throw .address }
        var arguments: [OSCValue] = []
        // Some old programs omit the type tags. Accept this only if the message ends after the address, because the
        // types of arguments would be unknown.
        if !isAtEnd {
            let tags = try text()
            guard tags.first == UInt8(ascii: ",") else { throw .types }
            guard tags.count - 1 <= OSCMessage.maxArguments else { throw .arguments }
            for tag in tags.dropFirst() { arguments.append(try argument(tag)) }
        }
        guard isAtEnd else { throw .remainder }
        return OSCMessage(address: String(decoding: address, as: UTF8.self), arguments: arguments)
    }

    private mutating func argument(_ tag: UInt8) throws(OSCFault) -> OSCValue {
        switch tag {
        case UInt8(ascii: "i"): return .int(try int32())
        case UInt8(ascii: "h"): return .long(Int64(bitPattern: try bits64()))
        case UInt8(ascii: "f"): return .float(Float(bitPattern: try bits32()))
        case UInt8(ascii: "d"): return .double(Double(bitPattern: try bits64()))
        case UInt8(ascii: "s"):
            guard let text = String(validating: try text(), as: UTF8.self) else { throw .text }
            return .text(text)
        case UInt8(ascii: "b"):
            try skipBlob()
            return .blob
        case UInt8(ascii: "T"): return .truth(true)
        case UInt8(ascii: "F"): return .truth(false)
        case UInt8(ascii: "N"): return .null
        default: throw .types
        }
    }
}
