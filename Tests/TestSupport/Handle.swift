// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit

/// A reference that keeps a GObject alive: an element, a pad, or another object with properties and signals.
package final class Handle: @unchecked Sendable {
    // Unchecked because of the pointer. The GObject functions that this class calls are thread-safe.
    package let object: UnsafeMutablePointer<GObject>

    /// Takes ownership of a reference.
    package init(taking pointer: UnsafeMutableRawPointer) {
        object = pointer.assumingMemoryBound(to: GObject.self)
    }

    /// Creates a new element outside of any pipeline.
    package convenience init(factory: String, _ properties: [(String, String)] = []) throws {
        _ = GStreamer.isReady
        let made = try required(gst_element_factory_make(factory, nil), "there is no element \(factory)")
        gst_object_ref_sink(made)
        self.init(taking: made)
        for (name, text) in properties { set(name, text) }
    }

    deinit { g_object_unref(object) }

    package func cast<Type>(to _: Type.Type) -> UnsafeMutablePointer<Type> {
        UnsafeMutableRawPointer(object).assumingMemoryBound(to: Type.self)
    }

    package var element: UnsafeMutablePointer<GstElement> { cast(to: GstElement.self) }
    package var gstObject: UnsafeMutablePointer<GstObject> { cast(to: GstObject.self) }
    package var pad: UnsafeMutablePointer<GstPad> { cast(to: GstPad.self) }

    // MARK: - Properties

    /// Sets a property from text, as in pipeline descriptions.
    package func set(_ property: String, _ text: String) {
        gst_util_set_object_arg(object, property, text)
    }

    package func set(_ property: String, value: some SignalValue) {
        var box = GValue()
        g_value_init(&box, type(of: value).valueType)
        value.write(to: &box)
        g_object_set_property(object, property, &box)
        g_value_unset(&box)
    }

    package func get<Value: SignalValue>(_ property: String, as _: Value.Type = Value.self) -> Value? {
        withValue(of: property) { Value.read($0.pointee) }.flatMap { $0 }
    }

    /// Returns the value of a property as text, as in pipeline descriptions. Returns nil for a string that is NULL.
    package func text(_ property: String) -> String? {
        withValue(of: property) { value in
            if g_type_check_value_holds(value, String.valueType) != 0 { return String.read(value.pointee) }
            guard let text = gst_value_serialize(value) else { return nil }
            defer { g_free(text) }
            return String(cString: text)
        }.flatMap { $0 }
    }

    /// Returns the number of an enumeration or flags value.
    package func number(_ property: String) -> Int? {
        withValue(of: property) { value in
            switch g_type_fundamental(value.pointee.g_type) {
            case GType(12 << 2): Int(g_value_get_enum(value))
            case GType(13 << 2): Int(g_value_get_flags(value))
            default: Int?.none
            }
        }.flatMap { $0 }
    }

    private func withValue<Result>(of property: String, _ body: (UnsafePointer<GValue>) -> Result) -> Result? {
        guard let spec = spec(property) else { return nil }
        var box = GValue()
        g_value_init(&box, spec.pointee.value_type)
        g_object_get_property(object, property, &box)
        defer { g_value_unset(&box) }
        return body(&box)
    }

    /// Returns the GParamSpec of a property. Returns nil if the property does not exist.
    package func spec(_ property: String) -> UnsafeMutablePointer<GParamSpec>? {
        let instance = UnsafeMutableRawPointer(object).assumingMemoryBound(to: GTypeInstance.self)
        guard let type = instance.pointee.g_class else { return nil }
        return g_object_class_find_property(
            UnsafeMutableRawPointer(type).assumingMemoryBound(to: GObjectClass.self), property)
    }

    // MARK: - Signals

    /// Emits an action signal, and ignores its return value.
    package func emit(_ signal: String, _ arguments: any SignalValue...) {
        emit(signal, arguments, answer: nil)
    }

    /// Emits an action signal, and returns its return value.
    package func ask<Answer: SignalValue>(
        _ signal: String, _ arguments: any SignalValue..., as _: Answer.Type = Answer.self
    ) -> Answer? {
        var answer = GValue()
        g_value_init(&answer, Answer.valueType)
        defer { g_value_unset(&answer) }
        emit(signal, arguments, answer: &answer)
        return Answer.read(answer)
    }

    private func emit(_ signal: String, _ arguments: [any SignalValue], answer: UnsafeMutablePointer<GValue>?) {
        let type = UnsafeMutableRawPointer(object).assumingMemoryBound(to: GTypeInstance.self).pointee.g_class
        guard let type = type?.pointee.g_type else { return }
        var values = [GValue](repeating: GValue(), count: arguments.count + 1)
        g_value_init(&values[0], type)
        g_value_set_object(&values[0], object)
        for (index, argument) in arguments.enumerated() {
            g_value_init(&values[index + 1], Swift.type(of: argument).valueType)
            argument.write(to: &values[index + 1])
        }
        g_signal_emitv(values, g_signal_lookup(signal, type), 0, answer)
        for index in values.indices { g_value_unset(&values[index]) }
    }
}

/// NULL as the string argument of an action signal.
package struct NullText: SignalValue {
    package init() {}
    package static var valueType: GType { String.valueType }
    package static func read(_ value: borrowing GValue) -> NullText? { NullText() }
    package func write(to value: inout GValue) { g_value_set_string(&value, nil) }
}
