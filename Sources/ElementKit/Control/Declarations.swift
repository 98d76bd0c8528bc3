// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

// A GParamSpec or a GType has no field for some information about the properties and actions of this plugin's elements.
// The following classes contain this information. Instances are attached to GParamSpecs and GTypes, so that code that
// visits a pipeline's elements can read them. Elements of other plugins have no declarations.

final class PropertyDeclaration: Sendable {
    let use: ValueUse
    /// Returns true if the property accepts a value. The value must have the property's type.
    let accepts: @Sendable (GValue) -> Bool

    init(_ use: ValueUse, accepts: @escaping @Sendable (GValue) -> Bool) {
        (self.use, self.accepts) = (use, accepts)
    }

    private static let key = g_quark_from_string("sv-property-declaration")

    /// Attaches the declaration to a GParamSpec, for the lifetime of the GParamSpec.
    func attach(to spec: ParamSpec) {
        g_param_spec_set_qdata_full(spec, Self.key, Unmanaged.passRetained(self).toOpaque()) { data in
            if let data { Unmanaged<PropertyDeclaration>.fromOpaque(data).release() }
        }
    }

    /// Returns the declaration; nil for a property of another plugin's element.
    static func of(_ spec: ParamSpec) -> PropertyDeclaration? {
        g_param_spec_get_qdata(spec, key).map { Unmanaged<PropertyDeclaration>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// The declarations of a class's actions, keyed by the action names.
final class ActionDeclarations: Sendable {
    struct Item: Sendable {
        let blurb: String
        let arguments: [ActionArgument]
    }

    let items: [String: Item]

    init(_ items: [String: Item]) { self.items = items }

    private static let key = g_quark_from_string("sv-action-declarations")

    /// Attaches the declarations to a type. The type lives as long as the process.
    func attach(to type: GType) { g_type_set_qdata(type, Self.key, Unmanaged.passRetained(self).toOpaque()) }

    /// Returns the declarations; nil for a type of another plugin.
    static func of(_ type: GType) -> ActionDeclarations? {
        g_type_get_qdata(type, key).map { Unmanaged<ActionDeclarations>.fromOpaque($0).takeUnretainedValue() }
    }
}
