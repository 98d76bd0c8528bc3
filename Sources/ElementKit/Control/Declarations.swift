// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

// What our elements declare and GObject has no room for: it is attached to their GParamSpecs and GTypes, where whoever
// walks over the elements of a pipeline finds it, or, with those of others, does not.

/// The declaration of a property.
final class PropertyDeclaration: Sendable {
    let use: ValueUse
    /// Returns whether a value, of the property's type, is taken.
    let accepts: @Sendable (GValue) -> Bool

    init(_ use: ValueUse, accepts: @escaping @Sendable (GValue) -> Bool) {
        (self.use, self.accepts) = (use, accepts)
    }

    private static let key = g_quark_from_string("sv-property-declaration")

    /// Attaches the declaration to a specification, for as long as that lives.
    func attach(to spec: ParamSpec) {
        g_param_spec_set_qdata_full(spec, Self.key, Unmanaged.passRetained(self).toOpaque()) { data in
            if let data { Unmanaged<PropertyDeclaration>.fromOpaque(data).release() }
        }
    }

    /// Returns nil for a property of another's element.
    static func of(_ spec: ParamSpec) -> PropertyDeclaration? {
        g_param_spec_get_qdata(spec, key).map { Unmanaged<PropertyDeclaration>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// The declarations of a class's actions, by their names.
final class ActionDeclarations: Sendable {
    struct Item: Sendable {
        let blurb: String
        let arguments: [ActionArgument]
    }

    let items: [String: Item]

    init(_ items: [String: Item]) { self.items = items }

    private static let key = g_quark_from_string("sv-action-declarations")

    /// Attaches the declarations to a type, which lives as long as the process.
    func attach(to type: GType) { g_type_set_qdata(type, Self.key, Unmanaged.passRetained(self).toOpaque()) }

    /// Returns nil for a type that is not ours.
    static func of(_ type: GType) -> ActionDeclarations? {
        g_type_get_qdata(type, key).map { Unmanaged<ActionDeclarations>.fromOpaque($0).takeUnretainedValue() }
    }
}
