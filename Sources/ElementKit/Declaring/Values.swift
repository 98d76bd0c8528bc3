import CElements
import CGStreamer

/// A Swift type that travels in a GValue: through properties, action signals and message fields.
package protocol SignalValue: Sendable {
    static var valueType: GType { get }
    /// Returns nil if the GValue holds another type.
    static func read(_ value: borrowing GValue) -> Self?
    /// - Parameter value: initialised with `valueType`.
    func write(to value: inout GValue)
}

extension Bool: SignalValue {
    package static var valueType: GType { sv_type_boolean }
    package static func read(_ value: borrowing GValue) -> Bool? {
        withUnsafePointer(to: value) { g_value_get_boolean($0) != 0 }
    }
    package func write(to value: inout GValue) { g_value_set_boolean(&value, self ? 1 : 0) }
}

extension Int32: SignalValue {
    package static var valueType: GType { sv_type_int }
    package static func read(_ value: borrowing GValue) -> Int32? {
        withUnsafePointer(to: value) { g_value_get_int($0) }
    }
    package func write(to value: inout GValue) { g_value_set_int(&value, self) }
}

extension UInt32: SignalValue {
    package static var valueType: GType { sv_type_uint }
    package static func read(_ value: borrowing GValue) -> UInt32? {
        withUnsafePointer(to: value) { g_value_get_uint($0) }
    }
    package func write(to value: inout GValue) { g_value_set_uint(&value, self) }
}

extension Int64: SignalValue {
    package static var valueType: GType { sv_type_int64 }
    package static func read(_ value: borrowing GValue) -> Int64? {
        withUnsafePointer(to: value) { Int64(g_value_get_int64($0)) }
    }
    package func write(to value: inout GValue) { g_value_set_int64(&value, gint64(self)) }
}

extension UInt64: SignalValue {
    package static var valueType: GType { sv_type_uint64 }
    package static func read(_ value: borrowing GValue) -> UInt64? {
        withUnsafePointer(to: value) { UInt64(g_value_get_uint64($0)) }
    }
    package func write(to value: inout GValue) { g_value_set_uint64(&value, guint64(self)) }
}

extension Double: SignalValue {
    package static var valueType: GType { sv_type_double }
    package static func read(_ value: borrowing GValue) -> Double? {
        withUnsafePointer(to: value) { g_value_get_double($0) }
    }
    package func write(to value: inout GValue) { g_value_set_double(&value, self) }
}

extension String: SignalValue {
    package static var valueType: GType { sv_type_string }
    package static func read(_ value: borrowing GValue) -> String? {
        withUnsafePointer(to: value) { g_value_get_string($0) }.map { String(cString: $0) }
    }
    package func write(to value: inout GValue) { g_value_set_string(&value, self) }
}

// MARK: - Enumerations

/// A Swift enumeration that is a property's type. `rawValue` is the number, `nick` what users type.
package protocol PropertyEnum: CaseIterable, RawRepresentable<Int32>, Sendable {
    /// The GType's name, unique in the process: `GstSvBlendMode`.
    static var typeName: String { get }
    /// The name that users type; the case's name, in words separated by hyphens, unless a type says otherwise.
    var nick: String { get }
    /// The description that `gst-inspect-1.0` shows beside the nick.
    var blurb: String { get }
}

extension PropertyEnum {
    package var nick: String {
        "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : "\($1)" }
    }

    static var type: GType {
        registered(typeName) {
            let values = UnsafeMutablePointer<GEnumValue>.allocate(capacity: allCases.count + 1)
            for (index, value) in allCases.enumerated() {
                (values + index).initialize(
                    to: GEnumValue(
                        value: value.rawValue, value_name: permanent(value.blurb), value_nick: permanent(value.nick)))
            }
            (values + allCases.count).initialize(to: GEnumValue())
            return g_enum_register_static(typeName, values)
        }
    }
}

/// A Swift option set that is a property's type.
package protocol PropertyFlagSet: OptionSet, Sendable where RawValue == UInt32 {
    static var typeName: String { get }
    /// All single flags, each with the name that users type and the description that `gst-inspect-1.0` shows.
    static var members: [(value: Self, nick: String, blurb: String)] { get }
}

extension PropertyFlagSet {
    static var type: GType {
        registered(typeName) {
            let values = UnsafeMutablePointer<GFlagsValue>.allocate(capacity: members.count + 1)
            for (index, member) in members.enumerated() {
                (values + index).initialize(
                    to: GFlagsValue(
                        value: member.value.rawValue, value_name: permanent(member.blurb),
                        value_nick: permanent(member.nick)))
            }
            (values + members.count).initialize(to: GFlagsValue())
            return g_flags_register_static(typeName, values)
        }
    }
}

/// Registers a type when the first class that uses it is initialised; GStreamer initialises classes one at a time.
private func registered(_ name: String, _ register: () -> GType) -> GType {
    let known = g_type_from_name(name)
    return known != 0 ? known : register()
}

/// Returns a copy that is never freed: the type system keeps pointers to these texts for the life of the process.
func permanent(_ text: String) -> UnsafePointer<CChar>? {
    g_intern_string(text)
}
