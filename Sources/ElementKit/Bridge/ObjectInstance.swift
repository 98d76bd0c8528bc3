// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

/// The Swift part of one GObject. The C part of the plugin (CElements) keeps a retained pointer to this object from
/// instance initialisation to finalize.
class ObjectInstance {
    func setProperty(_ id: UInt32, _ value: UnsafePointer<GValue>) {}
    func getProperty(_ id: UInt32, _ value: UnsafeMutablePointer<GValue>) {}
    /// The element or the mixer pad. The actions of an element run on this object.
    var object: AnyObject? { nil }

    static func of(_ pointer: UnsafeMutableRawPointer?) -> Self? {
        guard let pointer else { return nil }
        // The cast is safe: CElements passes only pointers that `create` has returned, and `create` returns only
        // instances of `ObjectInstance`.
        return Unmanaged<ObjectInstance>.fromOpaque(pointer).takeUnretainedValue() as? Self
    }
}

/// The Swift part of one GObject class. This object lives as long as the process.
class ClassInfo {
    func initialise(_ objectClass: UnsafeMutablePointer<GObjectClass>) {}
    func makeInstance(_ object: UnsafeMutablePointer<GObject>) -> ObjectInstance { ObjectInstance() }

    static func of(_ pointer: UnsafeRawPointer?) -> ClassInfo? {
        pointer.map { Unmanaged<ClassInfo>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// The callbacks of elements and pads, for the C part of the plugin (CElements).
let objectFunctions = SVObjectFunctions(
    class_init: { info, objectClass in
        if let objectClass { ClassInfo.of(info)?.initialise(objectClass) }
    },
    create: { info, object in
        guard let object, let info = ClassInfo.of(info) else { return nil }
        return Unmanaged.passRetained(info.makeInstance(object)).toOpaque()
    },
    destroy: { instance in
        if let instance { Unmanaged<ObjectInstance>.fromOpaque(instance).release() }
    },
    set_property: { instance, id, value in
        if let value { ObjectInstance.of(instance)?.setProperty(id, value) }
    },
    get_property: { instance, id, value in
        if let value { ObjectInstance.of(instance)?.getProperty(id, value) }
    })

// MARK: - Class initialisation

func install<S: ElementSettings>(_ properties: [Property<S>], on objectClass: UnsafeMutablePointer<GObjectClass>) {
    let base = UInt32(bitPattern: G_PARAM_READWRITE.rawValue) | sv_param_show_default
    for (index, property) in properties.enumerated() {
        guard let spec = property.makeSpec(base) else { continue }
        property.declaration.attach(to: spec)
        g_object_class_install_property(objectClass, UInt32(index + 1), spec)
    }
    guard let blurb = Animation.blurb(properties) else { return }
    let texts = PropertyTexts("animate", nil, blurb)
    let flags = GParamFlags(rawValue: Int32(bitPattern: base | PropertyFlags.mutablePlaying.rawValue))
    guard let spec = (nil as String?).spec(texts, flags) else { return }
    PropertyDeclaration(.text(.words)) { _ in true }.attach(to: spec)
    g_object_class_install_property(objectClass, UInt32(properties.count + 1), spec)
}

func install<E: Element>(_ actions: [Action<E>], of _: E.Type, on objectClass: UnsafeMutablePointer<GObjectClass>) {
    let type = objectClass.pointee.g_type_class.g_type
    let items = actions.map { ($0.name, ActionDeclarations.Item(blurb: $0.blurb, arguments: $0.arguments)) }
    ActionDeclarations(Dictionary(items) { first, _ in first }).attach(to: type)
    for action in actions {
        // The class owns the closure and its data. Both live as long as the process.
        let box = Unmanaged.passRetained(ActionBox(action)).toOpaque()
        let closure = g_closure_new_simple(UInt32(MemoryLayout<GClosure>.size), box)
        g_closure_set_marshal(closure) { closure, result, count, arguments, _, _ in
            guard let data = closure?.pointee.data, let arguments, count > 0 else { return }
            let object: UnsafeMutablePointer<GObject>? = g_value_get_object(arguments)?.assumingMemoryBound(
                to: GObject.self)
            Unmanaged<AnyActionBox>.fromOpaque(data).takeUnretainedValue()
                .invoke(ObjectInstance.of(sv_object_instance(object))?.object, arguments + 1, result)
        }
        var types = action.parameterTypes
        g_signal_newv(
            action.name, type, GSignalFlags(rawValue: G_SIGNAL_RUN_LAST.rawValue | G_SIGNAL_ACTION.rawValue), closure,
            nil, nil, nil, action.returnType, UInt32(types.count), &types)
    }
}

private class AnyActionBox {
    func invoke(_ element: AnyObject?, _ arguments: UnsafePointer<GValue>, _ result: UnsafeMutablePointer<GValue>?) {}
}

private final class ActionBox<E: Element>: AnyActionBox {
    let action: Action<E>
    init(_ action: Action<E>) { self.action = action }

    override func invoke(
        _ element: AnyObject?, _ arguments: UnsafePointer<GValue>, _ result: UnsafeMutablePointer<GValue>?
    ) {
        if let element = element as? E { action.invoke(element, arguments, result) }
    }
}

func describe(_ metadata: ElementMetadata, on objectClass: UnsafeMutablePointer<GObjectClass>) {
    gst_element_class_set_metadata(
        objectClass.cast(), metadata.longName, metadata.category.rawValue, metadata.description, ElementMetadata.author)
    for list in metadata.lists { gst_element_class_add_metadata(objectClass.cast(), list.name, "\n" + list.text) }
}

func addPadTemplate(
    _ name: String, _ direction: GstPadDirection, _ presence: GstPadPresence, caps: UnsafeMutablePointer<GstCaps>?,
    type: GType? = nil, on objectClass: UnsafeMutablePointer<GObjectClass>
) {
    guard let caps else { return }
    let template = gst_pad_template_new_with_gtype(name, direction, presence, caps, type ?? gst_pad_get_type())
    gst_element_class_add_pad_template(objectClass.cast(), template)
    gst_caps_unref(caps)
}
