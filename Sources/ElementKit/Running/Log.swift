// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

package enum LogLevel: Sendable {
    /// Errors, which are also posted on the bus.
    case error
    case warning
    /// Rare events: property changes, loaded files.
    case info
    /// Decisions of the element.
    case debug
    /// Messages for every frame.
    case log

    var level: GstDebugLevel {
        switch self {
        case .error: GST_LEVEL_ERROR
        case .warning: GST_LEVEL_WARNING
        case .info: GST_LEVEL_INFO
        case .debug: GST_LEVEL_DEBUG
        case .log: GST_LEVEL_LOG
        }
    }
}

/// The debug category of an element. It has the name of the element: `GST_DEBUG=svblend:5`.
struct DebugCategory: @unchecked Sendable {
    // The struct is `@unchecked Sendable`, because `category` is a pointer. GStreamer never frees a category, and reads
    // its threshold atomically.
    private let category: UnsafeMutablePointer<GstDebugCategory>?

    init(name: String, description: String) {
        category = _gst_debug_category_new(name, 0, description)
    }

    func log(
        _ level: LogLevel, object: UnsafeMutablePointer<GObject>?, _ message: @autoclosure () -> String,
        file: StaticString, function: StaticString, line: Int32
    ) {
        let level = level.level
        guard let category, gst_debug_category_get_threshold(category).rawValue >= level.rawValue else { return }
        // A StaticString is an ASCII or UTF-8 literal with a terminating zero, so the bytes are valid C strings.
        file.withUTF8Buffer { file in
            function.withUTF8Buffer { function in
                file.withMemoryRebound(to: CChar.self) { file in
                    function.withMemoryRebound(to: CChar.self) { function in
                        sv_log(category, level, file.baseAddress, function.baseAddress, line, object, message())
                    }
                }
            }
        }
    }
}
