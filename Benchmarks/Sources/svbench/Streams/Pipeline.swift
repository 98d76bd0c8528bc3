// SPDX-License-Identifier: LGPL-2.1-or-later
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

    /// Returns the element of that name, which lives as long as the pipeline.
    func element(_ name: String) throws -> UnsafeMutablePointer<GstElement> {
        guard let found = gst_bin_get_by_name(element.cast(), name) else {
            throw Failure("the pipeline has no \(name)")
        }
        gst_object_unref(found)
        return found
    }

    /// Calls `body` for each buffer that passes a pad, in the streaming thread.
    func onBuffer(_ pad: String, of name: String, _ body: @escaping (UnsafeMutablePointer<GstBuffer>) -> Void) throws {
        guard let pad = gst_element_get_static_pad(try element(name), pad) else {
            throw Failure("there is no \(name).\(pad)")
        }
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

    /// Sets a property such as `m::sink_1::alpha`, and fails unless it then has the value. gst-launch's parser and
    /// GStreamer drop some wrong ones silently.
    func set(_ property: String, to wanted: String) throws {
        var owner: UnsafeMutablePointer<GObject>?
        var specification: UnsafeMutablePointer<GParamSpec>?
        guard gst_child_proxy_lookup(OpaquePointer(element), property, &owner, &specification) != 0,
            let owner, let name = specification?.pointee.name
        else { throw Failure("\(property) is not there, not \(wanted)") }
        defer { g_object_unref(owner) }
        gst_util_set_object_arg(owner, name, wanted)
        var value = GValue()
        g_object_get_property(owner, name, &value)
        defer { g_value_unset(&value) }
        let serialized = gst_value_serialize(&value)
        defer { g_free(serialized) }
        let found = serialized.map { String(cString: $0) } ?? ""
        guard found == wanted || Double(found).map({ $0 == Double(wanted) }) == true else {
            throw Failure("\(property) is \(found), not \(wanted)")
        }
    }
}

private final class Watcher {
    let body: (UnsafeMutablePointer<GstBuffer>) -> Void

    init(_ body: @escaping (UnsafeMutablePointer<GstBuffer>) -> Void) { self.body = body }
}
