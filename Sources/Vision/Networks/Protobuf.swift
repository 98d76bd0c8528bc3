// SPDX-License-Identifier: LGPL-2.1-or-later

/// A parser for messages in the wire format of Protocol Buffers (https://protobuf.dev/programming-guides/encoding). It
/// supports only the features that ONNX uses. A message consists of fields, each with a field number and a value.
/// Nested messages are parsed only when they are needed.
struct ProtobufMessage {
    enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
        /// A value of four bytes (wire type 5).
        case fixed(ArraySlice<UInt8>)
        /// A value of eight bytes (wire type 1). The parser skips such values, because the supported ONNX fields do not
        /// use them.
        case other
    }

    struct Malformed: Error {}

    /// Maximum number of fields in a message. The limit protects against files that use too much memory: a small field
    /// needs more memory in the parser than in the file.
    private static let maxFields = 1 << 20

    private let fields: [(number: UInt64, value: Value)]

    init(_ bytes: ArraySlice<UInt8>) throws(Malformed) {
        var (remaining, fields) = (bytes, [(number: UInt64, value: Value)]())
        func skip(_ count: UInt64) throws(Malformed) -> ArraySlice<UInt8> {
            guard count <= UInt64(remaining.count) else { throw Malformed() }
            defer { remaining = remaining.dropFirst(Int(count)) }
            return remaining.prefix(Int(count))
        }
        while !remaining.isEmpty {
            let key = try Self.number(&remaining)
            switch key & 7 {
            case 0: fields.append((key >> 3, .number(try Self.number(&remaining))))
            case 1:
                _ = try skip(8)
                fields.append((key >> 3, .other))
            case 2:
                let count = try Self.number(&remaining)
                fields.append((key >> 3, .bytes(try skip(count))))
            case 5: fields.append((key >> 3, .fixed(try skip(4))))
            default: throw Malformed()
            }
            guard fields.count <= Self.maxFields else { throw Malformed() }
        }
        self.fields = fields
    }

    /// Reads an integer in the format varint: seven bits per byte, the lowest bits first.
    private static func number(_ remaining: inout ArraySlice<UInt8>) throws(Malformed) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard let byte = remaining.popFirst() else { throw Malformed() }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        throw Malformed()
    }

    /// Returns the integers of a repeated field, which may be packed or unpacked.
    func integers(_ field: UInt64) throws(Malformed) -> [Int64] {
        var integers: [Int64] = []
        for (number, value) in fields where number == field {
            switch value {
            case .number(let number): integers.append(Int64(bitPattern: number))
            case .bytes(var packed):
                while !packed.isEmpty { integers.append(Int64(bitPattern: try Self.number(&packed))) }
            case .fixed, .other: throw Malformed()
            }
        }
        return integers
    }

    /// Returns the bytes of a repeated float field, packed or unpacked. Each float has four bytes.
    func floats(_ field: UInt64) throws(Malformed) -> [UInt8] {
        var floats: [UInt8] = []
        for (number, value) in fields where number == field {
            switch value {
            case .fixed(let bytes): floats += bytes
            case .bytes(let packed) where packed.count.isMultiple(of: 4): floats += packed
            case .number, .bytes, .other: throw Malformed()
            }
        }
        return floats
    }

    /// Returns the first value of a field as text. If the field is missing, returns an empty text.
    func text(_ field: UInt64) throws(Malformed) -> String { try texts(field).first ?? "" }

    /// Returns the byte contents of each occurrence of a repeated field.
    func bytes(_ field: UInt64) throws(Malformed) -> [ArraySlice<UInt8>] {
        try fields.filter { $0.number == field }.map { field throws(Malformed) in
            guard case .bytes(let bytes) = field.value else { throw Malformed() }
            return bytes
        }
    }

    func messages(_ field: UInt64) throws(Malformed) -> [ProtobufMessage] {
        try bytes(field).map { bytes throws(Malformed) in try ProtobufMessage(bytes) }
    }

    func texts(_ field: UInt64) throws(Malformed) -> [String] {
        try bytes(field).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// A writer for messages in the wire format of Protocol Buffers.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    private mutating func number(_ number: UInt64) {
        var remaining = number
        while remaining >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: remaining) | 0x80)
            remaining >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: remaining))
    }

    mutating func add(_ field: UInt64, _ value: Int) {
        number(field << 3)
        number(UInt64(bitPattern: Int64(value)))
    }

    mutating func add(_ field: UInt64, _ value: Float) {
        number(field << 3 | 5)
        for shift in stride(from: UInt32(0), to: 32, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> shift))
        }
    }

    mutating func add(_ field: UInt64, _ contents: some Collection<UInt8>) {
        number(field << 3 | 2)
        number(UInt64(contents.count))
        bytes += contents
    }

    mutating func add(_ field: UInt64, _ text: String) { add(field, text.utf8) }

    mutating func add(_ field: UInt64, _ fill: (inout ProtobufWriter) -> Void) {
        var inner = ProtobufWriter()
        fill(&inner)
        add(field, inner.bytes)
    }
}
