// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files
import Imaging

/// A Swift type that a GValue can hold.
package protocol BoxedValue: Sendable {
    /// Returns nil if the GValue has another type or an invalid value.
    static func read(_ value: borrowing GValue) -> Self?
    /// - Parameter value: a GValue that is initialised with the GType of this type.
    func write(to value: inout GValue)
    static var use: ValueUse { get }
}

extension BoxedValue {
    package static var use: ValueUse { .plain }
}

/// A Swift type for arguments of action signals and for message fields.
package protocol SignalValue: BoxedValue {
    static var valueType: GType { get }
}

package typealias ParamSpec = UnsafeMutablePointer<GParamSpec>

/// A Swift type for the values of properties.
package protocol PropertyValue: BoxedValue {
    /// Returns the GParamSpec of a property whose default is this value.
    func spec(_ texts: PropertyTexts, _ flags: GParamFlags) -> ParamSpec?
}

/// A Swift type for the values of properties with a range. Values outside the range are rejected.
package protocol PropertyNumber: BoxedValue, Comparable {
    /// True if the type holds only whole numbers.
    static var isInteger: Bool { get }
    /// The value as a `Double`, rounded if necessary.
    var real: Double { get }
    /// Creates the nearest value of this type.
    init(nearest number: Double)

    /// Returns the GParamSpec of a property whose default is this value.
    func spec(_ texts: PropertyTexts, in range: ClosedRange<Self>, _ flags: GParamFlags) -> ParamSpec?
}

extension PropertyNumber where Self: FixedWidthInteger {
    package static var isInteger: Bool { true }
    package var real: Double { Double(self) }
    package init(nearest number: Double) {
        // `Double(Self.max)` may be larger than `Self.max`, so the conversion would trap without this check.
        let isTooLarge = number >= Double(Self.max)
        self = isTooLarge ? .max : number > Double(Self.min) ? Self(number.rounded()) : .min
    }
}

extension SignalValue {
    /// Returns a GValue with this value.
    func boxed() -> GValue {
        var value = GValue()
        g_value_init(&value, Self.valueType)
        write(to: &value)
        return value
    }
}

extension GValue {
    fileprivate func get<Result>(_ getter: (UnsafePointer<GValue>?) -> Result) -> Result {
        withUnsafePointer(to: self) { getter($0) }
    }
}

// MARK: - Switches and numbers

extension Bool: SignalValue, PropertyValue {
    package static var valueType: GType { sv_type_boolean }
    package static func read(_ value: borrowing GValue) -> Bool? { value.get(g_value_get_boolean) != 0 }
    package func write(to value: inout GValue) { g_value_set_boolean(&value, self ? 1 : 0) }

    package func spec(_ texts: PropertyTexts, _ flags: GParamFlags) -> ParamSpec? {
        g_param_spec_boolean(texts.name, texts.nick, texts.blurb, self ? 1 : 0, flags)
    }
}

extension Int32: SignalValue, PropertyNumber {
    package static var valueType: GType { sv_type_int }
    package static func read(_ value: borrowing GValue) -> Int32? { value.get(g_value_get_int) }
    package func write(to value: inout GValue) { g_value_set_int(&value, self) }

    package func spec(_ texts: PropertyTexts, in range: ClosedRange<Int32>, _ flags: GParamFlags) -> ParamSpec? {
        g_param_spec_int(texts.name, texts.nick, texts.blurb, range.lowerBound, range.upperBound, self, flags)
    }
}

extension UInt32: SignalValue, PropertyNumber {
    package static var valueType: GType { sv_type_uint }
    package static func read(_ value: borrowing GValue) -> UInt32? { value.get(g_value_get_uint) }
    package func write(to value: inout GValue) { g_value_set_uint(&value, self) }

    package func spec(_ texts: PropertyTexts, in range: ClosedRange<UInt32>, _ flags: GParamFlags) -> ParamSpec? {
        g_param_spec_uint(texts.name, texts.nick, texts.blurb, range.lowerBound, range.upperBound, self, flags)
    }
}

/// A colour as in stock elements: a `guint` with alpha, red, green, blue from the highest byte to the lowest.
extension Color: PropertyValue {
    package static var use: ValueUse { .color }
    package static func read(_ value: borrowing GValue) -> Color? { UInt32.read(value).map { Color(argb: $0) } }
    package func write(to value: inout GValue) { argb.write(to: &value) }

    package func spec(_ texts: PropertyTexts, _ flags: GParamFlags) -> ParamSpec? {
        argb.spec(texts, in: 0...UInt32.max, flags)
    }
}

/// A number that is not negative. The GType is `guint`.
extension Int: PropertyNumber {
    package static func read(_ value: borrowing GValue) -> Int? { UInt32.read(value).map { Int($0) } }
    package func write(to value: inout GValue) { UInt32(clamping: self).write(to: &value) }

    package func spec(_ texts: PropertyTexts, in range: ClosedRange<Int>, _ flags: GParamFlags) -> ParamSpec? {
        UInt32(clamping: self).spec(
            texts, in: UInt32(clamping: range.lowerBound)...UInt32(clamping: range.upperBound), flags)
    }
}

extension Int64: SignalValue, PropertyNumber {
    package static var valueType: GType { sv_type_int64 }
    package static func read(_ value: borrowing GValue) -> Int64? { Int64(value.get(g_value_get_int64)) }
    package func write(to value: inout GValue) { g_value_set_int64(&value, gint64(self)) }

    package func spec(_ texts: PropertyTexts, in range: ClosedRange<Int64>, _ flags: GParamFlags) -> ParamSpec? {
        let (low, high) = (gint64(range.lowerBound), gint64(range.upperBound))
        return g_param_spec_int64(texts.name, texts.nick, texts.blurb, low, high, gint64(self), flags)
    }
}

extension UInt64: SignalValue, PropertyNumber {
    package static var valueType: GType { sv_type_uint64 }
    package static func read(_ value: borrowing GValue) -> UInt64? { UInt64(value.get(g_value_get_uint64)) }
    package func write(to value: inout GValue) { g_value_set_uint64(&value, guint64(self)) }

    package func spec(_ texts: PropertyTexts, in range: ClosedRange<UInt64>, _ flags: GParamFlags) -> ParamSpec? {
        let (low, high) = (guint64(range.lowerBound), guint64(range.upperBound))
        return g_param_spec_uint64(texts.name, texts.nick, texts.blurb, low, high, guint64(self), flags)
    }
}

extension Double: SignalValue, PropertyNumber {
    package static var valueType: GType { sv_type_double }
    package static func read(_ value: borrowing GValue) -> Double? { value.get(g_value_get_double) }
    package func write(to value: inout GValue) { g_value_set_double(&value, self) }

    package static var isInteger: Bool { false }
    package var real: Double { self }
    package init(nearest number: Double) { self = number }

    package func spec(_ texts: PropertyTexts, in range: ClosedRange<Double>, _ flags: GParamFlags) -> ParamSpec? {
        g_param_spec_double(texts.name, texts.nick, texts.blurb, range.lowerBound, range.upperBound, self, flags)
    }
}

// MARK: - Texts

extension String: SignalValue {
    package static var valueType: GType { sv_type_string }
    package static func read(_ value: borrowing GValue) -> String? {
        value.get(g_value_get_string).map { String(givenPath: $0) }
    }
    package func write(to value: inout GValue) { g_value_set_string(&value, self) }
}

/// A Swift type for the values of text properties. For an optional property, an empty text and the word `none` mean
/// nil. In gst-launch-1.0, users need the word `none`, because `name= !` sets the value `!`.
package protocol PropertyText: Sendable {
    var propertyText: String { get }
    /// Returns nil for an invalid text.
    init?(propertyText: String)
    static var textUse: TextUse { get }
}

extension PropertyText {
    package static var textUse: TextUse { .guarded }
}

extension Optional: BoxedValue, PropertyValue where Wrapped: PropertyText {
    package static var use: ValueUse { .text(Wrapped.textUse) }

    package static func read(_ value: borrowing GValue) -> Self? {
        guard let text = String.read(value), !text.isEmpty, text != "none" else { return .some(nil) }
        return Wrapped(propertyText: text).map { .some($0) }
    }

    package func write(to value: inout GValue) { g_value_set_string(&value, self?.propertyText) }

    package func spec(_ texts: PropertyTexts, _ flags: GParamFlags) -> ParamSpec? {
        g_param_spec_string(texts.name, texts.nick, texts.blurb, self?.propertyText, flags)
    }
}

extension String: PropertyText {
    package var propertyText: String { self }
    package init?(propertyText: String) { self = propertyText }
}

/// A rectangle in pixels, written as `x,y,width,height`. Rectangles without an area are rejected.
extension Rectangle: PropertyText {
    package static var textUse: TextUse { .words }
    package var propertyText: String { "\(x),\(y),\(width),\(height)" }

    /// Creates a rectangle from four whole numbers within ±2³⁰, separated by commas. Spaces are ignored.
    package init?(propertyText text: String) {
        let limit = 1 << 30
        let parts = text.filter { $0 != " " }.split(separator: ",", omittingEmptySubsequences: false)
        let values = parts.compactMap { Int($0) }.filter { -limit...limit ~= $0 }
        guard parts.count == 4, values.count == 4, values[2] > 0, values[3] > 0 else { return nil }
        self.init(x: values[0], y: values[1], width: values[2], height: values[3])
    }
}

// MARK: - Enumerations

/// A Swift enumeration as a property type. `rawValue` is the GEnum value, and `nick` the name for users.
package protocol PropertyEnum: PropertyValue, CaseIterable, RawRepresentable<Int32> {
    /// The name of the GType, unique in the process, for example `GstSvBlendMode`.
    static var typeName: String { get }
    /// The name for users. The default is the case's name in lower-case words joined by hyphens.
    var nick: String { get }
    /// All values, each with its description for `gst-inspect-1.0`.
    static var members: [(value: Self, blurb: String)] { get }
}

extension PropertyEnum {
    package var nick: String {
        "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : "\($1)" }
    }

    package static func read(_ value: borrowing GValue) -> Self? { Self(rawValue: value.get(g_value_get_enum)) }
    package func write(to value: inout GValue) { g_value_set_enum(&value, rawValue) }

    package func spec(_ texts: PropertyTexts, _ flags: GParamFlags) -> ParamSpec? {
        let type = registered(Self.typeName) {
            g_enum_register_static(
                Self.typeName,
                terminated(
                    Self.members.map {
                        GEnumValue(
                            value: $0.value.rawValue, value_name: interned($0.blurb),
                            value_nick: interned($0.value.nick))
                    }, GEnumValue()))
        }
        return g_param_spec_enum(texts.name, texts.nick, texts.blurb, type, rawValue, flags)
    }
}

/// A Swift option set as a property type.
package protocol PropertyFlagSet: PropertyValue, OptionSet where RawValue: FixedWidthInteger & Sendable {
    static var typeName: String { get }
    /// All single flags, each with the name for users and the description for `gst-inspect-1.0`.
    static var members: [(value: Self, nick: String, blurb: String)] { get }
}

extension PropertyFlagSet {
    package static func read(_ value: borrowing GValue) -> Self? {
        Self(rawValue: RawValue(truncatingIfNeeded: value.get(g_value_get_flags)))
    }
    package func write(to value: inout GValue) { g_value_set_flags(&value, guint(truncatingIfNeeded: rawValue)) }

    package func spec(_ texts: PropertyTexts, _ flags: GParamFlags) -> ParamSpec? {
        let type = registered(Self.typeName) {
            g_flags_register_static(
                Self.typeName,
                terminated(
                    Self.members.map {
                        GFlagsValue(
                            value: guint(truncatingIfNeeded: $0.value.rawValue), value_name: interned($0.blurb),
                            value_nick: interned($0.nick))
                    }, GFlagsValue()))
        }
        return g_param_spec_flags(texts.name, texts.nick, texts.blurb, type, guint(truncatingIfNeeded: rawValue), flags)
    }
}

/// Registers a type on first use. GStreamer initialises classes one at a time, so no lock is necessary.
private func registered(_ name: String, _ register: () -> GType) -> GType {
    let type = g_type_from_name(name)
    return type != 0 ? type : register()
}

/// Returns a copy of the values, followed by `end`. The copy is never freed, because the type system keeps a pointer to
/// the copy.
private func terminated<Value>(_ values: [Value], _ end: Value) -> UnsafeMutablePointer<Value> {
    let copy = UnsafeMutableBufferPointer<Value>.allocate(capacity: values.count + 1)
    _ = copy.initialize(from: values + [end])
    return copy.baseAddress ?? UnsafeMutablePointer.allocate(capacity: 1)
}

/// Returns a copy of the text. The copy is never freed, because the type system keeps a pointer to the copy for the
/// life of the process.
func interned(_ text: String) -> UnsafePointer<CChar>? {
    g_intern_string(text)
}
