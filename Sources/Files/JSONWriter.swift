// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// Writes values of JSON (RFC 8259) on one line, as UTF-8 into bytes that are used again. Commas come by themselves.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    /// Begins a new line. The memory of the last one is kept.
    package mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// What was written, as a text.
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

    /// Begins a member of a table; its value comes next.
    /// - Parameter name: without anything that has to be escaped.
    package mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        endName()
    }

    /// Begins a member with any name.
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

    package mutating func write(_ isTrue: Bool) { writeWord(isTrue ? "true" : "false") }

    package mutating func writeNull() { writeWord("null") }

    private mutating func writeWord(_ word: StaticString) {
        separate()
        word.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    // Inlinable: other modules write whole numbers for each detection, and would go through the protocol otherwise.
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

    /// Writes a number with six digits after the point at most; what is not finite as null.
    package mutating func write(_ number: Double) {
        let millionths = (number * 1e6).rounded()
        guard millionths.magnitude < 1e15 else { return writeLarge(number) }
        separate()
        if millionths < 0 { bytes.append(UInt8(ascii: "-")) }
        let (whole, rest) = UInt64(millionths.magnitude).quotientAndRemainder(dividingBy: 1_000_000)
        writeDigits(whole)
        guard rest != 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var (left, place) = (rest, UInt64(100_000))
        while left != 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: left / place))
            (left, place) = (left % place, place / 10)
        }
    }

    /// Writes a number that has no six digits after the point any more; what is not finite as null.
    private mutating func writeLarge(_ number: Double) {
        let rounded = (number * 1e6).rounded() / 1e6
        if rounded.magnitude < 1e15, let whole = Int64(exactly: rounded) { write(whole) } else { writeExact(number) }
    }

    /// Writes a number with as many digits as it takes to read the same one again; what is not finite as null.
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

    /// Writes a text in quotes. Whatever a reader might take for the end of a line or of the text is escaped.
    private mutating func writeQuoted(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.withContiguousStorageIfAvailable({ writeEscaped($0) }) == nil {
            Array(text.utf8).withUnsafeBufferPointer { writeEscaped($0) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// - Parameter text: valid UTF-8.
    private mutating func writeEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var (written, place) = (0, 0)
        while place < text.count {
            let count = Self.countToEscape(text, at: place)
            guard count > 0 else {
                place += 1
                continue
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[written..<place]))
            writeEscape(of: text, at: place, count)
            place += count
            written = place
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[written...]))
    }

    /// Returns how many bytes the character that begins here has if it is to be escaped: 0 if it is not.
    private static func countToEscape(_ text: UnsafeBufferPointer<UInt8>, at place: Int) -> Int {
        func byte(_ offset: Int) -> UInt8 { place + offset < text.count ? text[place + offset] : 0 }
        switch text[place] {
        case ..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F: return 1
        // Up to U+009F.
        case 0xC2: return (0x80...0x9F).contains(byte(1)) ? 2 : 0
        // U+2028 and U+2029.
        case 0xE2: return byte(1) == 0x80 && (0xA8...0xA9).contains(byte(2)) ? 3 : 0
        default: return 0
        }
    }

    private mutating func writeEscape(of text: UnsafeBufferPointer<UInt8>, at place: Int, _ count: Int) {
        bytes.append(UInt8(ascii: "\\"))
        switch text[place] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(text[place])
        case UInt8(ascii: "\n"): bytes.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): bytes.append(UInt8(ascii: "t"))
        case let byte:
            let last = UInt32(text[place + count - 1])
            let scalar = count == 1 ? UInt32(byte) : count == 2 ? last : 0x1F80 + last
            bytes.append(UInt8(ascii: "u"))
            for shift in [12, 8, 4, 0] as [UInt32] {
                let digit = UInt8(truncatingIfNeeded: scalar >> shift & 15)
                bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }
}
