import CGStreamer

/// A pipeline from a gst-launch description.
final class Pipeline {
    private let element: UnsafeMutablePointer<GstElement>

    init(_ description: String) throws {
        var error: UnsafeMutablePointer<GError>?
        let parsed = gst_parse_launch_full(description, nil, GST_PARSE_FLAG_FATAL_ERRORS, &error)
        defer { g_clear_error(&error) }
        guard let parsed else {
            throw Failure(error.map { String(cString: $0.pointee.message) } ?? "not a pipeline: \(description)")
        }
        element = parsed
        gst_object_ref_sink(parsed)
    }

    deinit {
        gst_element_set_state(element, GST_STATE_NULL)
        gst_object_unref(element)
    }

    /// The element of that name; the caller owns the reference.
    func element(_ name: String) throws -> UnsafeMutablePointer<GstElement> {
        let bin = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstBin.self)
        guard let found = gst_bin_get_by_name(bin, name) else { throw Failure("the pipeline has no \(name)") }
        return found
    }

    /// Plays to the end of the stream and stops.
    func play() throws {
        defer { gst_element_set_state(element, GST_STATE_NULL) }
        guard let bus = gst_element_get_bus(element) else { throw Failure("the pipeline has no bus") }
        defer { gst_object_unref(bus) }
        gst_element_set_state(element, GST_STATE_PLAYING)
        let wanted = GstMessageType(GST_MESSAGE_EOS.rawValue | GST_MESSAGE_ERROR.rawValue)
        let patience = GstClockTime(Child.patience - 20) * 1_000_000_000
        guard let message = gst_bus_timed_pop_filtered(bus, patience, wanted) else {
            throw Failure("the pipeline hangs")
        }
        defer { gst_message_unref(message) }
        guard message.pointee.type == GST_MESSAGE_ERROR else { return }
        var error: UnsafeMutablePointer<GError>?
        gst_message_parse_error(message, &error, nil)
        defer { g_clear_error(&error) }
        throw Failure(error.map { String(cString: $0.pointee.message) } ?? "the pipeline failed")
    }

    /// Fails unless the property has the value.
    func check(_ expectation: StreamTask.Expectation) throws {
        let owner = try element(expectation.element)
        defer { gst_object_unref(owner) }
        var object = UnsafeMutableRawPointer(owner)
        var name = expectation.element
        if let padName = expectation.pad {
            name += ".\(padName)"
            guard let pad = gst_element_get_static_pad(owner, padName) else { throw Failure("there is no \(name)") }
            object = UnsafeMutableRawPointer(pad)
        }
        defer { if expectation.pad != nil { gst_object_unref(object) } }
        let found = Self.value(of: expectation.property, in: object.assumingMemoryBound(to: GObject.self))
        let isEqual =
            found == expectation.value
            || found.flatMap { Double($0) }.map { $0 == Double(expectation.value) } ?? false
        guard isEqual else {
            throw Failure("\(name) has \(expectation.property)=\(found ?? "none"), not \(expectation.value)")
        }
    }

    /// A property as GStreamer writes it in text; an enumeration by its nick.
    private static func value(of property: String, in object: UnsafeMutablePointer<GObject>) -> String? {
        guard let type = object.pointee.g_type_instance.g_class else { return nil }
        let objectClass = UnsafeMutableRawPointer(type).assumingMemoryBound(to: GObjectClass.self)
        guard g_object_class_find_property(objectClass, property) != nil else { return nil }
        var value = GValue()
        g_object_get_property(object, property, &value)
        defer { g_value_unset(&value) }
        if g_type_is_a(value.g_type, g_type_from_name("GEnum")) != 0, let type = g_type_class_ref(value.g_type) {
            defer { g_type_class_unref(type) }
            let enumeration = type.assumingMemoryBound(to: GEnumClass.self)
            let entry = g_enum_get_value(enumeration, g_value_get_enum(&value))
            return entry.map { String(cString: $0.pointee.value_nick) }
        }
        guard let text = gst_value_serialize(&value) else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }
}
