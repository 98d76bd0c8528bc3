// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files

extension JSONValue {
    /// Creates the JSON that svwebsink sends to its web pages for a bus message. Returns nil if the pages do not need
    /// messages of this type.
    /// - Parameters:
    ///   - element: the ID of the element that posted the message; nil if unknown.
    ///   - isTop: true if the pipeline posted the message. If false, the initializer returns nil for state changes and
    ///     end-of-stream messages.
    init?(_ message: UnsafeMutablePointer<GstMessage>, from element: String?, isTop: Bool) {
        var members: [(name: String, value: JSONValue)] = [("type", .text("message"))]
        func add(_ kind: String, _ name: String, _ text: String, _ fields: JSONValue) {
            members += [
                ("kind", .text(kind)), ("element", .text(element ?? "")), ("name", .text(name)), ("text", .text(text)),
                ("fields", fields),
            ]
        }
        switch message.pointee.type {
        case GST_MESSAGE_ELEMENT:
            guard let structure = gst_message_get_structure(message) else { return nil }
            add("element", StructureView(structure).name, "", JSONValue(fieldsOf: structure))
        case GST_MESSAGE_ERROR: add("error", "", Self.text(gst_message_parse_error, message), .table([]))
        case GST_MESSAGE_WARNING: add("warning", "", Self.text(gst_message_parse_warning, message), .table([]))
        case GST_MESSAGE_INFO: add("info", "", Self.text(gst_message_parse_info, message), .table([]))
        case GST_MESSAGE_EOS where isTop: add("eos", "", "end of stream", .table([]))
        case GST_MESSAGE_STATE_CHANGED where isTop:
            var state = GST_STATE_NULL
            gst_message_parse_state_changed(message, nil, &state, nil)
            add("state", "", gst_element_state_get_name(state).map { String(cString: $0) } ?? "", .table([]))
        default: return nil
        }
        self = .table(members)
    }

    private typealias ErrorParser = (
        UnsafeMutablePointer<GstMessage>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?,
        UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Void

    private static func text(_ parse: ErrorParser, _ message: UnsafeMutablePointer<GstMessage>) -> String {
        var error: UnsafeMutablePointer<GError>?
        parse(message, &error, nil)
        defer { g_clear_error(&error) }
        return error?.pointee.message.map { String(cString: $0) } ?? ""
    }

    /// `deepest`: the maximum nesting depth of structures. `longest`: the maximum number of items per list.
    private static let (deepest, longest) = (8, 1000)

    /// Creates a JSON object with the fields of a structure. A nested structure also gets its name as the member
    /// `type`.
    init(fieldsOf structure: UnsafePointer<GstStructure>, depth: Int = 0) {
        var members: [(name: String, value: JSONValue)] = []
        if depth > 0 { members.append(("type", .text(StructureView(structure).name))) }
        StructureView(structure).forEachField { name, value in
            if let value = JSONValue(field: value, depth: depth) { members.append((String(cString: name), value)) }
        }
        self = .table(members)
    }

    private init?(field value: UnsafePointer<GValue>, depth: Int) {
        switch sv_value_kind(value.pointee.g_type) {
        case SV_VALUE_STRUCTURE:
            guard depth < Self.deepest, let inner = gst_value_get_structure(value) else { return nil }
            self.init(fieldsOf: inner, depth: depth + 1)
        case SV_VALUE_LIST:
            guard depth < Self.deepest else { return nil }
            var items: [JSONValue] = []
            while items.count < Self.longest, let item = sv_value_get_item(value, guint(items.count)) {
                guard let json = JSONValue(field: item, depth: depth + 1) else { return nil }
                items.append(json)
            }
            self = .list(items)
        default: self.init(of: value)
        }
    }
}
