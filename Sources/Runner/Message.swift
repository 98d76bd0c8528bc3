// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Glibc

/// A message on the bus.
enum Message {
    case error(String)
    case warning(String)
    /// Information for the user, such as the address of svwebsink's page.
    case info(String)
    /// An event of an element that users should see.
    case report(Log.Priority, String)
    case endOfStream
    case isPlaying
    case clockLost
    case latencyChanged
    case stateRequested(GstState)
    case buffering(percent: Int32)
    case propertyChanged(String)
    /// A source has lost its camera (`isWaiting`) or has reconnected.
    case source(String, isWaiting: Bool)
    case other

    /// Takes ownership of the message.
    init(_ message: UnsafeMutablePointer<GstMessage>, of pipeline: UnsafeMutablePointer<GstElement>) {
        defer { gst_message_unref(message) }
        let isPipelines = message.pointee.src == pipeline.cast()
        switch message.pointee.type {
        case GST_MESSAGE_ERROR: self = .error(Self.text(gst_message_parse_error, message, hasAdvice: true))
        case GST_MESSAGE_WARNING: self = .warning(Self.text(gst_message_parse_warning, message))
        case GST_MESSAGE_INFO: self = Self.details(of: message).map { .info($0) } ?? .other
        case GST_MESSAGE_EOS: self = .endOfStream
        case GST_MESSAGE_STATE_CHANGED where isPipelines:
            var state = GST_STATE_NULL
            gst_message_parse_state_changed(message, nil, &state, nil)
            self = state == GST_STATE_PLAYING ? .isPlaying : .other
        case GST_MESSAGE_CLOCK_LOST: self = .clockLost
        case GST_MESSAGE_LATENCY: self = .latencyChanged
        case GST_MESSAGE_REQUEST_STATE:
            var state = GST_STATE_NULL
            gst_message_parse_request_state(message, &state)
            self = .stateRequested(state)
        case GST_MESSAGE_BUFFERING:
            var percent: gint = 0
            gst_message_parse_buffering(message, &percent)
            self = .buffering(percent: percent)
        case GST_MESSAGE_PROPERTY_NOTIFY: self = Self.property(message).map { .propertyChanged($0) } ?? .other
        case GST_MESSAGE_ELEMENT:
            self = gst_message_get_structure(message).flatMap { Self.event($0, of: message) } ?? .other
        default: self = .other
        }
    }

    // MARK: - Texts

    private typealias Parser = (
        UnsafeMutablePointer<GstMessage>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?,
        UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Void

    /// Returns the text of an error or a warning for the log: the name of the element, the error text, and the details.
    /// - Parameter hasAdvice: true to add advice about cameras. Use false for warnings, which can have the same code as
    ///   an error, but other causes.
    private static func text(
        _ parse: Parser, _ message: UnsafeMutablePointer<GstMessage>, hasAdvice: Bool = false
    ) -> String {
        var error: UnsafeMutablePointer<GError>?
        var debug: UnsafeMutablePointer<CChar>?
        parse(message, &error, &debug)
        defer {
            g_clear_error(&error)
            g_free(debug)
        }
        let text = error?.pointee.message.map { String(cString: $0) } ?? "unknown error"
        // The first line of the details is a position in the source code of the element.
        let lines = debug.map { String(cString: $0).split(whereSeparator: \.isNewline).dropFirst() } ?? []
        let details = lines.isEmpty ? "" : " (\(lines.joined(separator: " ")))"
        let camera = message.pointee.src.flatMap { source -> UnsafeMutablePointer<GstElement>? in
            let isElement = g_type_check_instance_is_a(source.cast(to: GTypeInstance.self), gst_element_get_type())
            return isElement != 0 ? source.cast(to: GstElement.self) : nil
        }
        let isCamera = hasAdvice && camera?.factoryName == "v4l2src"
        let advice = isCamera ? error.flatMap { cameraAdvice($0.pointee, details) } : nil
        return "\(source(of: message)): \(text)\(advice.map { " \($0)" } ?? "")\(details)"
    }

    /// Returns the details of an info message. The runner does not print other parts of the message.
    private static func details(of message: UnsafeMutablePointer<GstMessage>) -> String? {
        var debug: UnsafeMutablePointer<CChar>?
        gst_message_parse_info(message, nil, &debug)
        defer { g_free(debug) }
        return debug.map { String(cString: $0) }
    }

    private static func source(of message: UnsafeMutablePointer<GstMessage>) -> String {
        message.pointee.src?.pointee.name.map { String(cString: $0) } ?? "unknown"
    }

    /// Returns `PATH: NAME = VALUE`, the format of gst-launch-1.0.
    private static func property(_ message: UnsafeMutablePointer<GstMessage>) -> String? {
        var object: UnsafeMutablePointer<GstObject>?
        var name: UnsafePointer<CChar>?
        var value: UnsafePointer<GValue>?
        gst_message_parse_property_notify(message, &object, &name, &value)
        guard let object, let name, let path = gst_object_get_path_string(object) else { return nil }
        defer { g_free(path) }
        return "\(String(cString: path)): \(String(cString: name)) = \(value.flatMap(text) ?? "")"
    }

    private static func text(of value: UnsafePointer<GValue>) -> String? {
        let text: UnsafeMutablePointer<gchar>? =
            switch value.pointee.g_type {
            case g_type_from_name("gchararray"): g_value_dup_string(value)
            case gst_caps_get_type(): gst_value_get_caps(value).flatMap { gst_caps_to_string($0) }
            // For texts, gst_value_serialize would add quotes and escape characters, so only other types use it.
            default: gst_value_serialize(value)
            }
        defer { g_free(text) }
        return text.map { String(cString: $0) }
    }

    // MARK: - Events of elements

    private static func event(
        _ structure: UnsafePointer<GstStructure>, of message: UnsafeMutablePointer<GstMessage>
    ) -> Message? {
        func field(_ name: String) -> String? {
            gst_structure_get_string(structure, name).map { String(cString: $0) }
        }
        let source = source(of: message)
        switch gst_structure_get_name(structure).map({ String(cString: $0) }) {
        case "missing-plugin": return .report(.warning, "\(source): no plugin for \(field("name") ?? "this stream")")
        case "svurisrc":
            switch field("event") {
            case "lost": return .source(source, isWaiting: true)
            case "back": return .source(source, isWaiting: false)
            default: return nil
            }
        case "svpublish":
            guard let event = field("event"), ["connected", "dropped", "kept"].contains(event) else {
                return nil
            }
            var count: guint64 = 0
            let messages = gst_structure_get_uint64(structure, "count", &count) != 0 ? " \(count) messages" : ""
            let reason = field("reason").map { ": \($0)" } ?? ""
            return .report(event == "connected" ? .notice : .warning, "\(source): \(event)\(messages)\(reason)")
        default: return nil
        }
    }
}
