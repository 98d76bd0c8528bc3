// SPDX-License-Identifier: LGPL-2.1-or-later
/// Parses binary property lists (Apple's format 00). Such a list has objects, a table with the offset of each object,
/// and a trailer of 32 bytes. The objects refer to other objects by index. The trailer contains the position of the
/// table and the sizes of its entries.
struct BinaryListReader {
    private let bytes: [UInt8]
    private var budget: ParsingBudget
    /// `offsetSize`: the size of an offset in the table, in bytes. `numberSize`: the size of an object index, in bytes.
    private var offsetSize = 0
    private var numberSize = 0
    private var count = 0
    private var table = 0

    init(_ bytes: [UInt8], _ limits: ParsingLimits) {
        self.bytes = bytes
        budget = ParsingBudget(limits)
    }

    private static let wrong = ParsingError("the property list is malformed")
    private static let trailer = 32

    mutating func root() throws(ParsingError) -> JSONValue {
        guard bytes.count >= 8 + Self.trailer else { throw Self.wrong }
        let end = bytes.count - Self.trailer
        offsetSize = Int(bytes[end + 6])
        numberSize = Int(bytes[end + 7])
        count = try number(at: end + 8, size: 8)
        let root = try number(at: end + 16, size: 8)
        table = try number(at: end + 24, size: 8)
        guard 1...8 ~= offsetSize, 1...8 ~= numberSize, table <= end, count <= (end - table) / offsetSize else {
            throw Self.wrong
        }
        return try object(root, depth: 0)
    }

    /// Reads a big-endian unsigned integer.
    private func number(at position: Int, size: Int) throws(ParsingError) -> Int {
        guard position >= 0, size <= 8, position <= bytes.count - size else { throw Self.wrong }
        let number = bytes[position..<position + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let number = Int(exactly: number) else { throw Self.wrong }
        return number
    }

    private mutating func object(_ index: Int, depth: Int) throws(ParsingError) -> JSONValue {
        try budget.take(atDepth: depth)
        guard index < count else { throw Self.wrong }
        var position = try number(at: table + index * offsetSize, size: offsetSize)
        guard position < table else { throw Self.wrong }
        let marker = bytes[position]
        position += 1
        switch marker >> 4 {
        case 0x1: return try whole(at: position, marker)
        case 0x5, 0x6: return .text(try text(marker, &position))
        case 0xA:
            let count = try size(marker, &position, itemSize: numberSize)
            var list: [JSONValue] = []
            for item in 0..<count {
                list.append(
                    try object(try number(at: position + item * numberSize, size: numberSize), depth: depth + 1))
            }
            return .list(list)
        case 0xD:
            let count = try size(marker, &position, itemSize: 2 * numberSize)
            var table = TableBuilder()
            for item in 0..<count {
                let key = try number(at: position + item * numberSize, size: numberSize)
                let value = try number(at: position + (count + item) * numberSize, size: numberSize)
                guard case .text(let text) = try object(key, depth: depth + 1) else { throw Self.wrong }
                table.set(text, try object(value, depth: depth + 1))
            }
            return table.value
        case 0x2: return try real(at: position, marker)
        // The object is the value false (marker 8) or true (marker 9).
        case 0x0 where [0x08, 0x09].contains(marker): return .truth(marker == 0x09)
        // Null, dates, data, identifiers and sets become null.
        default: return .null
        }
    }

    /// Reads an integer. Integers with 8 bytes are signed, and shorter integers are unsigned. Longer integers become
    /// null.
    private func whole(at position: Int, _ marker: UInt8) throws(ParsingError) -> JSONValue {
        let size = 1 << Int(marker & 0x0F)
        guard size <= 8 else { return .null }
        guard position <= table - size else { throw Self.wrong }
        let bits = bytes[position..<position + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return .whole(Int64(bitPattern: bits))
    }

    private func real(at position: Int, _ marker: UInt8) throws(ParsingError) -> JSONValue {
        let size = 1 << Int(marker & 0x0F)
        guard size == 4 || size == 8, position <= table - size else { throw Self.wrong }
        let bits = bytes[position..<position + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let number =
            size == 8 ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        return JSONValue(number)
    }

    /// Returns the number of items of an object, and sets `position` to the offset of the first item. Throws an error
    /// if the items do not end before the offset table.
    private func size(_ marker: UInt8, _ position: inout Int, itemSize: Int) throws(ParsingError) -> Int {
        var size = Int(marker & 0x0F)
        if size == 0x0F {
            guard position < table, bytes[position] >> 4 == 0x1, bytes[position] & 0x0F <= 3 else { throw Self.wrong }
            let bytesOfSize = 1 << Int(bytes[position] & 0x0F)
            size = try number(at: position + 1, size: bytesOfSize)
            position += 1 + bytesOfSize
        }
        guard position <= table, size <= (table - position) / itemSize else { throw Self.wrong }
        return size
    }

    private mutating func text(_ marker: UInt8, _ position: inout Int) throws(ParsingError) -> String {
        let isWide = marker >> 4 == 0x6
        let count = try size(marker, &position, itemSize: isWide ? 2 : 1)
        try budget.take(text: isWide ? 2 * count : count)
        let text: String?
        if isWide {
            let units = (0..<count).map { UInt16(bytes[position + 2 * $0]) << 8 | UInt16(bytes[position + 2 * $0 + 1]) }
            text = String(validating: units, as: UTF16.self)
        } else {
            text = String(validating: bytes[position..<position + count], as: UTF8.self)
        }
        guard let text else { throw Self.wrong }
        return text
    }
}
