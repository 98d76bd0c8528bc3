// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files
import Imaging

/// An initialised GValue, which is unset when this struct is destroyed.
struct OwnedValue: ~Copyable {
    private var box = GValue()

    /// Creates the initial value of a type; nil if a GValue cannot hold this type.
    init?(_ type: GType) {
        guard g_type_check_is_value_type(type) != 0 else { return nil }
        g_value_init(&box, type)
    }

    deinit {
        var last = box
        g_value_unset(&last)
    }

    /// Calls `body` with the value. `body` may read the value, and set it to another value of the same type.
    mutating func use<Result>(_ body: (UnsafeMutablePointer<GValue>) -> Result) -> Result {
        withUnsafeMutablePointer(to: &box) { body($0) }
    }

    /// Calls `body` with the value, for reading only.
    borrowing func read<Result>(_ body: (UnsafePointer<GValue>) -> Result) -> Result {
        withUnsafePointer(to: box) { body($0) }
    }
}

// MARK: - From GValues

extension JSONValue {
    /// The maximum length of a text, in bytes. Longer texts are truncated.
    private static let longestText = 1 << 16

    /// Converts a GValue to JSON: numbers, texts, the nicks of enumerations and flags, and otherwise GStreamer's
    /// serialized text. Returns nil for objects and other types without a text form.
    init?(of value: UnsafePointer<GValue>, use: ValueUse = .plain) {
        switch sv_value_kind(value.pointee.g_type) {
        case SV_VALUE_BOOLEAN: self = .truth(g_value_get_boolean(value) != 0)
        case SV_VALUE_SIGNED: self.init(exactly: Int64(sv_value_get_signed(value)))
        case SV_VALUE_UNSIGNED:
            let number = UInt64(sv_value_get_unsigned(value))
            if case .color = use { self = .text(Self.color(number)) } else { self.init(exactly: number) }
        // Converts the float to its shortest decimal text first. A direct conversion to Double would show 0.1 as
        // 0.10000000149011612.
        case SV_VALUE_FLOAT: self = .exact(Double("\(g_value_get_float(value))") ?? .nan)
        case SV_VALUE_DOUBLE: self = .exact(g_value_get_double(value))
        case SV_VALUE_ENUM:
            let number = g_value_get_enum(value)
            let name = Choice.all(of: value.pointee.g_type).first { $0.number == Int64(number) }?.nick
            self = .text(name ?? "\(number)")
        case SV_VALUE_FLAGS:
            self = .list(Choice.flags(UInt32(g_value_get_flags(value)), of: value.pointee.g_type).map { .text($0) })
        case SV_VALUE_STRING: self = .text((String.read(value.pointee) ?? "").cut(toBytes: Self.longestText))
        case SV_VALUE_STRUCTURE, SV_VALUE_LIST, SV_VALUE_TEXT:
            self = .text((Self.serialized(value) ?? "").cut(toBytes: Self.longestText))
        default: return nil
        }
    }

    private static func serialized(_ value: UnsafePointer<GValue>) -> String? {
        let isNull = g_value_fits_pointer(value) != 0 && g_value_peek_pointer(value) == nil
        guard !isNull, let text = gst_value_serialize(value) else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// Returns `#aarrggbb`.
    private static func color(_ argb: UInt64) -> String {
        let digits = String(argb & 0xFFFF_FFFF, radix: 16)
        return "#" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}

/// A value of an enumeration, or a flag.
struct Choice {
    let number: Int64
    let nick: String
    let blurb: String

    /// Returns all values of an enumeration or flags type, in declaration order; an empty array for other types.
    static func all(of type: GType) -> [Choice] {
        let kind = sv_value_kind(type)
        guard kind == SV_VALUE_ENUM || kind == SV_VALUE_FLAGS, let data = g_type_class_ref(type) else { return [] }
        defer { g_type_class_unref(data) }
        func text(_ text: UnsafePointer<CChar>?) -> String { text.map { String(givenPath: $0) } ?? "" }
        if kind == SV_VALUE_ENUM {
            let list = data.assumingMemoryBound(to: GEnumClass.self).pointee
            return UnsafeBufferPointer(start: list.values, count: Int(list.n_values)).map {
                Choice(number: Int64($0.value), nick: text($0.value_nick), blurb: text($0.value_name))
            }
        }
        let list = data.assumingMemoryBound(to: GFlagsClass.self).pointee
        return UnsafeBufferPointer(start: list.values, count: Int(list.n_values)).map {
            Choice(number: Int64($0.value), nick: text($0.value_nick), blurb: text($0.value_name))
        }
    }

    /// Returns the nicks of the set flags. A flag with several bits is included only if at least one of these bits is
    /// not a flag itself.
    static func flags(_ bits: UInt32, of type: GType) -> [String] {
        let all = all(of: type)
        let single = all.filter { $0.number.nonzeroBitCount == 1 && bits & UInt32(truncatingIfNeeded: $0.number) != 0 }
        var remaining = bits & ~single.reduce(0) { $0 | UInt32(truncatingIfNeeded: $1.number) }
        var nicks = single.map(\.nick)
        for choice in all where choice.number.nonzeroBitCount > 1 {
            let number = UInt32(truncatingIfNeeded: choice.number)
            guard remaining & number != 0, bits & number == number else { continue }
            nicks.append(choice.nick)
            remaining &= ~number
        }
        return nicks
    }
}

// MARK: - To GValues

/// The reason why a request was refused, on one line.
package struct ControlError: Error, Sendable, CustomStringConvertible {
    package let reason: String
    package var description: String { reason }

    init(_ reason: String) { self.reason = reason }
}

extension OwnedValue {
    /// Sets the value from JSON.
    /// - Throws: an error that names the expected type.
    mutating func set(_ json: JSONValue, use: ValueUse = .plain) throws(ControlError) {
        let reason = self.use { value in Self.write(json, use, to: value) }
        if let reason { throw ControlError(reason) }
    }

    /// Writes JSON to a GValue. Returns the error message; nil on success.
    private static func write(_ json: JSONValue, _ use: ValueUse, to value: UnsafeMutablePointer<GValue>) -> String? {
        let type = value.pointee.g_type
        switch sv_value_kind(type) {
        case SV_VALUE_BOOLEAN:
            guard let isTrue = json.truth else { return "expected true or false, not \(json.shortLine)" }
            g_value_set_boolean(value, isTrue ? 1 : 0)
        case SV_VALUE_SIGNED:
            guard let number = json.whole, sv_value_set_signed(value, gint64(number)) != 0 else {
                return "expected a whole number, not \(json.shortLine)"
            }
        case SV_VALUE_UNSIGNED:
            if case .color = use, let text = json.text {
                guard let color = color(text) else {
                    return "expected a colour such as #ff336699, not \(json.shortLine)"
                }
                return sv_value_set_unsigned(value, guint64(color)) != 0 ? nil : "the colour is out of range"
            }
            guard let number = json.count, sv_value_set_unsigned(value, guint64(number)) != 0 else {
                return "expected a whole number of 0 or more, not \(json.shortLine)"
            }
        case SV_VALUE_FLOAT:
            guard let number = json.number, number.isFinite, Float(number).isFinite else {
                return "expected a number, not \(json.shortLine)"
            }
            g_value_set_float(value, Float(number))
        case SV_VALUE_DOUBLE:
            guard let number = json.number, number.isFinite else {
                return "expected a number, not \(json.shortLine)"
            }
            g_value_set_double(value, number)
        case SV_VALUE_ENUM:
            let choices = Choice.all(of: type)
            guard let choice = choices.first(where: { $0.nick == json.text || $0.number == json.whole }),
                let number = Int32(exactly: choice.number)
            else { return unknown("value", json.text ?? json.shortLine, among: choices.map(\.nick)) }
            g_value_set_enum(value, number)
        case SV_VALUE_FLAGS:
            let choices = Choice.all(of: type)
            guard let names = json.list ?? json.text?.split(separator: "+").map({ .text(String($0)) }) else {
                return "expected a list of flags, not \(json.shortLine)"
            }
            var bits: UInt32 = 0
            for name in names {
                guard let choice = choices.first(where: { $0.nick == name.text }) else {
                    return unknown("flag", name.text ?? name.shortLine, among: choices.map(\.nick))
                }
                bits |= UInt32(truncatingIfNeeded: choice.number)
            }
            g_value_set_flags(value, bits)
        case SV_VALUE_STRING:
            guard let text = json.text, !text.utf8.contains(0) else {
                return "expected a text, not \(json.shortLine)"
            }
            g_value_set_string(value, text)
        case SV_VALUE_STRUCTURE:
            // Only one property of this type can be set, `extra-controls` of cameras. See `ControlledProperty`.
            guard let text = json.text, let structure = CameraControls.structure(text) else {
                return "expected controls such as focus_absolute=30,gain=5, not \(json.shortLine)"
            }
            g_value_take_boxed(value, structure)
        default: return "values of this type are read-only"
        }
        return nil
    }

    /// Parses `#rrggbb` or `#aarrggbb`.
    private static func color(_ text: String) -> UInt32? {
        let digits = text.dropFirst()
        guard text.first == "#", [6, 8].contains(digits.count), digits.allSatisfy(\.isHexDigit) else { return nil }
        return UInt32(digits, radix: 16).map { digits.count == 6 ? 0xFF00_0000 | $0 : $0 }
    }
}

extension JSONValue {
    /// The limit (2^53) up to which JavaScript represents every whole number exactly.
    private static let largestExact: UInt64 = 1 << 53

    /// Creates a number, or a text of digits if JavaScript cannot represent the number exactly.
    init(exactly number: Int64) {
        self = number.magnitude <= Self.largestExact ? .whole(number) : .text("\(number)")
    }

    init(exactly number: UInt64) {
        self = number <= Self.largestExact ? .count(number) : .text("\(number)")
    }

    /// The value as JSON for an error message, at most 60 bytes.
    var shortLine: String {
        let line = line
        return line.utf8.count > 60 ? line.cut(toBytes: 60) + "…" : line
    }
}
