// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files
import Glibc

/// A named set of fields, used for element messages and for the parameters of detections.
package struct Structure: ~Copyable {
    private let structure: UnsafeMutablePointer<GstStructure>?

    /// - Parameter name: a letter, followed by letters, digits, and `/-_.:+`. With an invalid name, the structure stays
    ///   empty.
    package init(_ name: String) {
        structure = gst_structure_new_empty(name)
    }

    /// Creates a message about a frame, with `timestamp`, `stream-time` and `running-time` in nanoseconds, if known.
    package init(_ name: String, at time: FrameTime) {
        self.init(name)
        if let timestamp = time.timestamp { set("timestamp", timestamp) }
        if let streamTime = time.streamTime { set("stream-time", streamTime) }
        if let runningTime = time.runningTime { set("running-time", runningTime) }
    }

    /// Copies a structure. If `other` is nil, the structure stays empty.
    init(copying other: StructureView?) {
        structure = other?.copy
    }

    deinit {
        if let structure { gst_structure_free(structure) }
    }

    package mutating func set(_ field: String, _ value: some SignalValue) {
        structure?.set(field, value)
    }

    /// Sets a field. Ignores values of types that messages do not support.
    mutating func set(_ field: StaticString, _ value: JSONValue) {
        guard let structure, var box = value.boxed() else { return }
        gst_structure_take_value(structure, field.cString, &box)
    }

    package mutating func set(_ field: String, _ count: Int) { set(field, Int32(clamping: count)) }

    package mutating func set(_ size: PixelSize) {
        set("width", size.width)
        set("height", size.height)
    }

    mutating func set(_ field: String, _ inner: consuming Structure) {
        structure?.set(field, inner)
    }

    mutating func set<Element>(_ field: String, each elements: [Element], _ make: (Element) -> Structure) {
        structure?.set(field, each: elements, make)
    }

    /// Sets a field to numbers, stored as bytes (float32, native byte order) in a GVariant of the type `ay`.
    mutating func set(_ field: String, bytesOf floats: [Float]) {
        guard let structure else { return }
        let byte = g_variant_type_new("y")
        defer { g_variant_type_free(byte) }
        var box = GValue()
        g_value_init(&box, sv_type_variant)
        g_value_take_variant(
            &box,
            floats.withUnsafeBytes { g_variant_new_fixed_array(byte, $0.baseAddress, gsize($0.count), 1) })
        gst_structure_take_value(structure, field, &box)
    }

    /// Merges the fields of `parameter` into the nested structure with the same name.
    mutating func merge(_ parameter: borrowing Structure) {
        guard let structure else { return }
        parameter.withView { view in
            let inner = Structure(copying: StructureView(structure).inner(view.name) ?? view)
            inner.structure?.merge(view)
            structure.set(view.name, inner)
        }
    }

    mutating func remove(_ field: String) {
        if let structure { gst_structure_remove_field(structure, field) }
    }

    /// Calls `body` with the content, for reading. Returns nil if the structure is empty because of an invalid name.
    borrowing func withView<Result>(_ body: (StructureView) -> Result) -> Result? {
        structure.map { body(StructureView($0)) }
    }

    fileprivate consuming func boxed() -> GValue? {
        guard let structure = take() else { return nil }
        var box = GValue()
        g_value_init(&box, gst_structure_get_type())
        g_value_take_boxed(&box, structure)
        return box
    }

    /// Returns the C structure (transfer full).
    consuming func take() -> UnsafeMutablePointer<GstStructure>? {
        let structure = structure
        discard self
        return structure
    }
}

extension UnsafeMutablePointer<GstStructure> {
    func set(_ field: String, _ value: some SignalValue) {
        var box = value.boxed()
        gst_structure_take_value(self, field, &box)
    }

    /// Copies all fields of another structure.
    func merge(_ other: StructureView) {
        other.forEachField { gst_structure_set_value(self, $0, $1) }
    }

    func set(_ field: String, _ inner: consuming Structure) {
        guard var box = inner.boxed() else { return }
        gst_structure_take_value(self, field, &box)
    }

    /// Sets an array of structures.
    func set<Element>(_ field: String, each elements: [Element], _ make: (Element) -> Structure) {
        var array = GValue()
        g_value_init(&array, gst_value_array_get_type())
        for element in elements {
            guard var box = make(element).boxed() else { continue }
            gst_value_array_append_and_take_value(&array, &box)
        }
        gst_structure_take_value(self, field, &array)
    }
}

/// A read-only view of a C structure. It is valid as long as the owner of the structure exists.
struct StructureView {
    private let structure: UnsafePointer<GstStructure>

    init(_ structure: UnsafePointer<GstStructure>) { self.structure = structure }

    var name: String { gst_structure_get_name(structure).map { String(cString: $0) } ?? "" }

    var copy: UnsafeMutablePointer<GstStructure>? { gst_structure_copy(structure) }

    func text(_ field: String) -> String? {
        gst_structure_get_string(structure, field).map { String(cString: $0) }
    }

    func int(_ field: String) -> Int32? {
        var value: gint = 0
        return gst_structure_get_int(structure, field, &value) != 0 ? value : nil
    }

    /// Returns nil if the value is not a finite number.
    func double(_ field: String) -> Double? {
        var value = 0.0
        return gst_structure_get_double(structure, field, &value) != 0 && value.isFinite ? value : nil
    }

    func bool(_ field: String) -> Bool? {
        var value: gboolean = 0
        return gst_structure_get_boolean(structure, field, &value) != 0 ? value != 0 : nil
    }

    /// Returns nil if the field is missing, or has a type that messages do not support.
    func value(_ field: StaticString) -> JSONValue? {
        gst_structure_get_value(structure, field.cString).flatMap { JSONValue($0.pointee) }
    }

    /// Returns the numbers of a field that `set(_:bytesOf:)` has set; nil for other fields.
    func floats(_ field: String) -> [Float]? {
        guard let value = gst_structure_get_value(structure, field), value.pointee.g_type == sv_type_variant,
            let variant = g_value_get_variant(value), let type = g_variant_get_type_string(variant),
            String(cString: type) == "ay"
        else { return nil }
        var count: gsize = 0
        let bytes = g_variant_get_fixed_array(variant, &count, 1)
        return [Float](unsafeUninitializedCapacity: Int(count) / MemoryLayout<Float>.size) { floats, size in
            if let bytes, let base = floats.baseAddress {
                // Copies the bytes, because they may not be aligned for Float.
                memcpy(base, bytes, floats.count * MemoryLayout<Float>.size)
            }
            size = bytes == nil ? 0 : floats.count
        }
    }

    /// The values of the fields `width` and `height`.
    var size: PixelSize? {
        guard let width = int("width"), let height = int("height") else { return nil }
        return PixelSize(width: Int(width), height: Int(height))
    }

    func inner(_ field: String) -> StructureView? {
        guard let value = gst_structure_get_value(structure, field),
            value.pointee.g_type == gst_structure_get_type(), let inner = gst_value_get_structure(value)
        else { return nil }
        return StructureView(inner)
    }

    /// Returns the structures of an array, at most `limit`. Ignores values of other types.
    func list(_ field: String, atMost limit: Int) -> [StructureView] {
        guard let array = gst_structure_get_value(structure, field), array.pointee.g_type == gst_value_array_get_type()
        else { return [] }
        return (0..<min(UInt32(clamping: limit), gst_value_array_get_size(array))).compactMap { index in
            guard let value = gst_value_array_get_value(array, index),
                value.pointee.g_type == gst_structure_get_type(), let inner = gst_value_get_structure(value)
            else { return nil }
            return StructureView(inner)
        }
    }

    /// The nested structures, in order.
    var inner: [StructureView] {
        var structures: [StructureView] = []
        forEachField { name, _ in inner(String(cString: name)).map { structures.append($0) } }
        return structures
    }

    func forEachField(_ body: (UnsafePointer<CChar>, UnsafePointer<GValue>) -> Void) {
        for index in 0..<max(0, gst_structure_n_fields(structure)) {
            if let name = gst_structure_nth_field_name(structure, UInt32(index)),
                let value = gst_structure_get_value(structure, name)
            {
                body(name, value)
            }
        }
    }
}

extension StaticString {
    fileprivate var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

extension JSONValue {
    /// Returns nil for null, lists and tables.
    fileprivate func boxed() -> GValue? {
        switch self {
        case .truth(let isTrue): isTrue.boxed()
        case .whole(let number): Int32(clamping: number).boxed()
        case .count(let number): number.boxed()
        case .real(let number), .exact(let number): number.boxed()
        case .text(let text): text.boxed()
        case .null, .list, .table: nil
        }
    }

    /// Returns nil for types that messages do not support.
    init?(_ value: GValue) {
        switch value.g_type {
        case String.valueType: self = .text(String.read(value) ?? "")
        case Bool.valueType: self = .truth(Bool.read(value) ?? false)
        case Int32.valueType: self = .whole(Int64(Int32.read(value) ?? 0))
        case UInt32.valueType: self = .whole(Int64(UInt32.read(value) ?? 0))
        case Int64.valueType: self = .whole(Int64.read(value) ?? 0)
        case UInt64.valueType: self = .count(UInt64.read(value) ?? 0)
        case Double.valueType: self = .real(Double.read(value) ?? 0)
        default: return nil
        }
    }
}
