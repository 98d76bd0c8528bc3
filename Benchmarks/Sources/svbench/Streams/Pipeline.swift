import CGStreamer

/// A pipeline from a gst-launch description.
final class Pipeline {
    let element: UnsafeMutablePointer<GstElement>

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

    /// Returns the element of that name; the caller owns the reference.
    func element(_ name: String) throws -> UnsafeMutablePointer<GstElement> {
        let bin = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstBin.self)
        guard let found = gst_bin_get_by_name(bin, name) else { throw Failure("the pipeline has no \(name)") }
        return found
    }

    /// Returns the pad of the element of that name; the caller owns the reference.
    private func pad(_ pad: String, of name: String) throws -> UnsafeMutablePointer<GstPad> {
        let owner = try element(name)
        defer { gst_object_unref(owner) }
        guard let found = gst_element_get_static_pad(owner, pad) else { throw Failure("there is no \(name).\(pad)") }
        return found
    }

    /// Calls `body` for each buffer that passes a pad, in the streaming thread.
    func onBuffer(
        _ pad: String, of name: String, _ body: @escaping (UnsafeMutablePointer<GstBuffer>) -> Void
    ) throws {
        let pad = try self.pad(pad, of: name)
        defer { gst_object_unref(pad) }
        _ = gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER,
            { _, info, user in
                if let user, let data = info?.pointee.data {
                    Unmanaged<Watcher>.fromOpaque(user).takeUnretainedValue()
                        .body(data.assumingMemoryBound(to: GstBuffer.self))
                }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(Watcher(body)).toOpaque(),
            { if let user = $0 { Unmanaged<Watcher>.fromOpaque(user).release() } })
    }

    /// Makes the `appsrc` of that name send `total` frames.
    func feed(_ name: String, with footage: Footage, as kind: SourceKind, caps description: String, total: Int) throws {
        guard let caps = gst_caps_from_string(description) else { throw Failure("not caps: \(description)") }
        defer { gst_caps_unref(caps) }
        let appsrc = try element(name)
        defer { gst_object_unref(appsrc) }
        gst_app_src_set_caps(UnsafeMutableRawPointer(appsrc).assumingMemoryBound(to: GstAppSrc.self), caps)
        try FrameSource(kind: kind, showing: footage, caps: caps, total: total).attach(to: appsrc)
    }

    /// Plays to the end of the stream and stops.
    /// - Parameter end: the work to be done between these two.
    func play(end: () throws -> Void) throws {
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
        guard message.pointee.type == GST_MESSAGE_ERROR else { return try end() }
        var error: UnsafeMutablePointer<GError>?
        gst_message_parse_error(message, &error, nil)
        defer { g_clear_error(&error) }
        throw Failure(error.map { String(cString: $0.pointee.message) } ?? "the pipeline failed")
    }

    /// Fails unless the property has the value.
    func check(_ expectation: StreamJob.Expectation) throws {
        let owner =
            try expectation.pad.map { UnsafeMutableRawPointer(try pad($0, of: expectation.element)) }
            ?? UnsafeMutableRawPointer(element(expectation.element))
        defer { gst_object_unref(owner) }
        let found = Self.value(of: expectation.property, in: owner.assumingMemoryBound(to: GObject.self))
        let isEqual =
            found == expectation.value
            || found.flatMap { Double($0) }.map { $0 == Double(expectation.value) } ?? false
        guard isEqual else {
            throw Failure("\(expectation.property) is \(found ?? "not there"), not \(expectation.value)")
        }
    }

    /// Returns a property in GStreamer's textual form; an enumeration by its nick.
    private static func value(of property: String, in object: UnsafeMutablePointer<GObject>) -> String? {
        guard let type = object.pointee.g_type_instance.g_class else { return nil }
        let objectClass = UnsafeMutableRawPointer(type).assumingMemoryBound(to: GObjectClass.self)
        guard g_object_class_find_property(objectClass, property) != nil else { return nil }
        var value = GValue()
        g_object_get_property(object, property, &value)
        defer { g_value_unset(&value) }
        guard let text = gst_value_serialize(&value) else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }
}

private final class Watcher {
    let body: (UnsafeMutablePointer<GstBuffer>) -> Void

    init(_ body: @escaping (UnsafeMutablePointer<GstBuffer>) -> Void) { self.body = body }
}
