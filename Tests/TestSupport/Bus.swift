// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

/// A message from a bus.
package struct Message: Sendable {
    package let type: GstMessageType
    /// The text of an error, warning or info message.
    package let text: String
    package let details: String
    package let domain: GQuark
    package let code: Int32
    /// The name of the object that posted the message.
    package let source: String
    /// The structure of all other messages, in the text form of gst_structure_to_string.
    package let structure: String

    init(_ message: UnsafeMutablePointer<GstMessage>) {
        type = message.pointee.type
        source = message.pointee.src.map { $0.pointee.name.map { String(cString: $0) } ?? "" } ?? ""
        var error: UnsafeMutablePointer<GError>?
        var debug: UnsafeMutablePointer<CChar>?
        switch type {
        case GST_MESSAGE_ERROR: gst_message_parse_error(message, &error, &debug)
        case GST_MESSAGE_WARNING: gst_message_parse_warning(message, &error, &debug)
        case GST_MESSAGE_INFO: gst_message_parse_info(message, &error, &debug)
        default: break
        }
        text = error?.pointee.message.map { String(cString: $0) } ?? ""
        details = debug.map { String(cString: $0) } ?? ""
        domain = error?.pointee.domain ?? 0
        code = error?.pointee.code ?? -1
        if error == nil, let own = gst_message_get_structure(message), let text = gst_structure_to_string(own) {
            structure = String(cString: text)
            g_free(text)
        } else {
            structure = ""
        }
        g_clear_error(&error)
        g_free(debug)
    }

    package func isError(_ domain: GQuark, _ code: UInt32) -> Bool {
        self.domain == domain && self.code == Int32(bitPattern: code)
    }

    package func isError(_ code: GstResourceError) -> Bool { isError(gst_resource_error_quark(), code.rawValue) }
    package func isError(_ code: GstStreamError) -> Bool { isError(gst_stream_error_quark(), code.rawValue) }
    package func isError(_ code: GstLibraryError) -> Bool { isError(gst_library_error_quark(), code.rawValue) }
    package func isError(_ code: GstCoreError) -> Bool { isError(gst_core_error_quark(), code.rawValue) }
}

package final class Bus: @unchecked Sendable {
    // Unchecked because of the pointer. A GstBus is thread-safe.
    package let pointer: UnsafeMutablePointer<GstBus>

    package init() {
        _ = GStreamer.isReady
        pointer = gst_bus_new()
    }

    /// Takes ownership of a reference.
    init(taking pointer: UnsafeMutablePointer<GstBus>) { self.pointer = pointer }

    deinit { gst_object_unref(pointer) }

    /// Waits for the next message of these types, and returns it. Drops messages of other types before it.
    package func wait(_ types: GstMessageType...) -> Message? {
        let mask = types.reduce(0) { $0 | $1.rawValue }
        guard
            let message = gst_bus_timed_pop_filtered(pointer, GStreamer.patience, GstMessageType(rawValue: mask))
        else { return nil }
        defer { gst_message_unref(message) }
        return Message(message)
    }

    /// Returns all messages of these types that are on the bus now. Drops all other messages.
    package func pending(_ types: GstMessageType...) -> [Message] {
        let mask = types.reduce(0) { $0 | $1.rawValue }
        var messages: [Message] = []
        while let message = gst_bus_pop_filtered(pointer, GstMessageType(rawValue: mask)) {
            messages.append(Message(message))
            gst_message_unref(message)
        }
        return messages
    }
}

/// The fields of a GstStructure that was parsed from text.
package final class Fields {
    private let structure: UnsafeMutablePointer<GstStructure>

    /// Parses a text. Returns nil if it is not a valid structure.
    package convenience init?(_ text: String) {
        guard let structure = gst_structure_from_string(text, nil) else { return nil }
        self.init(taking: structure)
    }

    private init(taking structure: UnsafeMutablePointer<GstStructure>) { self.structure = structure }

    deinit { gst_structure_free(structure) }

    package var name: String { String(cString: gst_structure_get_name(structure)) }
    package var count: Int { Int(gst_structure_n_fields(structure)) }
    package func text(_ field: String) -> String? {
        gst_structure_get_string(structure, field).map { String(cString: $0) }
    }
    package func int(_ field: String) -> Int? {
        var value: gint = 0
        return gst_structure_get_int(structure, field, &value) != 0 ? Int(value) : nil
    }
    package func uint(_ field: String) -> UInt32? {
        var value: guint = 0
        return gst_structure_get_uint(structure, field, &value) != 0 ? value : nil
    }
    package func int64(_ field: String) -> Int64? {
        var value: gint64 = 0
        return gst_structure_get_int64(structure, field, &value) != 0 ? Int64(value) : nil
    }
    package func uint64(_ field: String) -> UInt64? {
        var value: guint64 = 0
        return gst_structure_get_uint64(structure, field, &value) != 0 ? UInt64(value) : nil
    }
    package func double(_ field: String) -> Double? {
        var value = 0.0
        return gst_structure_get_double(structure, field, &value) != 0 ? value : nil
    }
    /// Returns an array of structures. Returns nil if the field is not an array.
    package func structures(_ field: String) -> [Fields]? {
        guard let value = gst_structure_get_value(structure, field),
            value.pointee.g_type == gst_value_array_get_type()
        else { return nil }
        return (0..<gst_value_array_get_size(value)).compactMap { index in
            gst_value_array_get_value(value, index).flatMap { gst_value_get_structure($0) }
                .flatMap { gst_structure_copy($0) }.map { Fields(taking: $0) }
        }
    }
    package func bool(_ field: String) -> Bool? {
        var value: gboolean = 0
        return gst_structure_get_boolean(structure, field, &value) != 0 ? value != 0 : nil
    }
}
