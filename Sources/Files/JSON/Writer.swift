// SPDX-License-Identifier: LGPL-2.1-or-later
/// Writes JSON (RFC 8259) as UTF-8 on one line. The writer adds the commas. The same instance can write many lines, and
/// reuses its memory.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    /// Starts a new line, and reuses the memory of the previous line.
    package mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// The current line as a string.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    // MARK: - Lists and tables

    package mutating func table(_ members: (inout JSONWriter) -> Void) {
        begin("{")
        members(&self)
        end("}")
    }

    package mutating func list(_ items: (inout JSONWriter) -> Void) {
        begin("[")
        items(&self)
        end("]")
    }

    private mutating func begin(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func end(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Writes the name of a JSON object's member. The next written value is the value of the member.
    /// - Parameter name: a name without characters that need an escape.
    package mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        endName()
    }

    /// Writes the name of a JSON object's member, like `name(_:)`. This name may contain any characters.
    package mutating func name(any name: String) {
        separate()
        writeQuoted(name)
        bytes.removeLast()
        endName()
    }

    private mutating func endName() {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: - Values

    package mutating func write(_ value: JSONValue) {
        switch value {
        case .null: writeNull()
        case .truth(let isTrue): write(isTrue)
        case .whole(let number): write(number)
        case .count(let number): write(number)
        case .real(let number): write(number)
        case .exact(let number): writeExact(number)
        case .text(let text): write(text)
        case .list(let values): list { for value in values { $0.write(value) } }
        case .table(let members): table { for (name, value) in members { $0.write(name, value) } }
        }
    }

    /// Writes a member of a JSON object.
    package mutating func write(_ name: String, _ value: JSONValue) {
        self.name(any: name)
        write(value)
    }

    package mutating func write(_ isTrue: Bool) { writeWord(isTrue ? "true" : "false") }

    package mutating func writeNull() { writeWord("null") }

    private mutating func writeWord(_ word: StaticString) {
        separate()
        word.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    // This method is inlinable, because other modules call it for each detection. So they can compile a fast version
    // for the concrete type of the number. Otherwise, each operation would be a call through the protocol
    // `FixedWidthInteger`.
    @inlinable
    package mutating func write(_ number: some FixedWidthInteger) {
        write(UInt64(clamping: number.magnitude), isNegative: number < 0)
    }

    @usableFromInline
    package mutating func write(_ magnitude: UInt64, isNegative: Bool) {
        separate()
        if isNegative { bytes.append(UInt8(ascii: "-")) }
        writeDigits(magnitude)
    }

    /// Writes a number. Below 10⁹, the number has at most six digits after the decimal point; for larger numbers, see
    /// `writeLarge`. If the number is infinite or NaN, writes null.
    package mutating func write(_ number: Double) {
        let millionths = (number * 1e6).rounded()
        guard millionths.magnitude < 1e15 else { return writeLarge(number) }
        separate()
        if millionths < 0 { bytes.append(UInt8(ascii: "-")) }
        let (integer, fraction) = UInt64(millionths.magnitude).quotientAndRemainder(dividingBy: 1_000_000)
        writeDigits(integer)
        guard fraction != 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var (remainder, digitValue) = (fraction, UInt64(100_000))
        while remainder != 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remainder / digitValue))
            (remainder, digitValue) = (remainder % digitValue, digitValue / 10)
        }
    }

    /// Writes a number of at least 10⁹. If the number is an integer after rounding to six digits after the decimal
    /// point, writes this integer; otherwise, writes the number without rounding. If the number is infinite or NaN,
    /// writes null.
    private mutating func writeLarge(_ number: Double) {
        let rounded = (number * 1e6).rounded() / 1e6
        if rounded.magnitude < 1e15, let integer = Int64(exactly: rounded) {
            write(integer)
        } else {
            writeExact(number)
        }
    }

    /// Writes a number without rounding. If the number is infinite or NaN, writes null.
    package mutating func writeExact(_ number: Double) {
        guard number.isFinite else { return writeNull() }
        separate()
        bytes.append(contentsOf: "\(number)".utf8)
    }

    private mutating func writeDigits(_ number: UInt64) {
        guard number >= 10 else { return bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number)) }
        let start = bytes.count
        var left = number
        while left != 0 {
            let (quotient, digit) = left.quotientAndRemainder(dividingBy: 10)
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
            left = quotient
        }
        bytes[start...].reverse()
    }

    package mutating func write(_ text: String) {
        separate()
        writeQuoted(text)
    }

    // MARK: - Texts

    /// Writes a text in quotes. Escapes all characters that could end the line or the quoted text.
    private mutating func writeQuoted(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.withContiguousStorageIfAvailable({ writeEscaped($0) }) == nil {
            Array(text.utf8).withUnsafeBufferPointer { writeEscaped($0) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// - Parameter text: valid UTF-8.
    private mutating func writeEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var (written, position) = (0, 0)
        while position < text.count {
            let count = Self.countToEscape(text, at: position)
            guard count > 0 else {
                position += 1
                continue
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[written..<position]))
            writeEscape(of: text, at: position, count)
            position += count
            written = position
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[written...]))
    }

    /// Returns the length in bytes of the character at `position`, if this character needs an escape. Otherwise returns
    /// 0.
    private static func countToEscape(_ text: UnsafeBufferPointer<UInt8>, at position: Int) -> Int {
        func byte(_ offset: Int) -> UInt8 { position + offset < text.count ? text[position + offset] : 0 }
        switch text[position] {
        case ..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F: return 1
        // Control characters U+0080 to U+009F.
        case 0xC2: return (0x80...0x9F).contains(byte(1)) ? 2 : 0
        // Line separators U+2028 and U+2029.
        case 0xE2: return byte(1) == 0x80 && (0xA8...0xA9).contains(byte(2)) ? 3 : 0
        default: return 0
        }
    }

    private mutating func writeEscape(of text: UnsafeBufferPointer<UInt8>, at position: Int, _ count: Int) {
        bytes.append(UInt8(ascii: "\\"))
        switch text[position] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(text[position])
        case UInt8(ascii: "\n"): bytes.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): bytes.append(UInt8(ascii: "t"))
        case let byte:
            let last = UInt32(text[position + count - 1])
            let scalar = count == 1 ? UInt32(byte) : count == 2 ? last : 0x1F80 + last
            bytes.append(UInt8(ascii: "u"))
            for shift in [12, 8, 4, 0] as [UInt32] {
                let digit = UInt8(truncatingIfNeeded: scalar >> shift & 15)
                bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }
}

extension String {
    /// The text as a JSON string in quotes, on one line.
    package var json: String { JSONValue.text(self).line }
}
