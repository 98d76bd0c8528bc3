// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

/// A problem that users must know about. The element posts the problem as an error or as a warning on the bus.
package struct ElementError: Error, Sendable {
    /// The type of the problem, as in GStreamer's error domains and codes.
    package enum Reason: Sendable {
        /// Core errors: a missing element, or incompatible formats.
        case missingPlugin, negotiation
        /// Library errors: a general failure, or invalid settings.
        case failed, settings
        /// Resource errors, for files and other resources. `unsuitable`: the settings exclude this resource.
        case notFound, openRead, read, openWrite, write, busy, noSpaceLeft, unsuitable
        /// Stream errors, for streams and the content of files.
        case decode, format, wrongType, streamFailed
    }

    package let reason: Reason
    /// The message for users: the problem, with the path or the name, and the fix.
    package let message: String
    /// The details for developers: the message of the underlying library.
    package let details: String?

    package init(_ reason: Reason, _ message: String, details: String? = nil) {
        self.reason = reason
        self.message = message
        self.details = details
    }

    /// Converts an error of any type to an error for users. The reason is `failed` unless the error defines another
    /// reason.
    package init(_ error: any Error) {
        self = (error as? any ElementErrorConvertible)?.elementError ?? ElementError(.failed, "\(error)")
    }

    var domainAndCode: (domain: GQuark, code: Int32) {
        let (domain, code): (GQuark, UInt32) =
            switch reason {
            case .missingPlugin: (gst_core_error_quark(), GST_CORE_ERROR_MISSING_PLUGIN.rawValue)
            case .negotiation: (gst_core_error_quark(), GST_CORE_ERROR_NEGOTIATION.rawValue)
            case .failed: (gst_library_error_quark(), GST_LIBRARY_ERROR_FAILED.rawValue)
            case .settings: (gst_library_error_quark(), GST_LIBRARY_ERROR_SETTINGS.rawValue)
            case .notFound: (gst_resource_error_quark(), GST_RESOURCE_ERROR_NOT_FOUND.rawValue)
            case .openRead: (gst_resource_error_quark(), GST_RESOURCE_ERROR_OPEN_READ.rawValue)
            case .read: (gst_resource_error_quark(), GST_RESOURCE_ERROR_READ.rawValue)
            case .openWrite: (gst_resource_error_quark(), GST_RESOURCE_ERROR_OPEN_WRITE.rawValue)
            case .write: (gst_resource_error_quark(), GST_RESOURCE_ERROR_WRITE.rawValue)
            case .busy: (gst_resource_error_quark(), GST_RESOURCE_ERROR_BUSY.rawValue)
            case .noSpaceLeft: (gst_resource_error_quark(), GST_RESOURCE_ERROR_NO_SPACE_LEFT.rawValue)
            case .unsuitable: (gst_resource_error_quark(), GST_RESOURCE_ERROR_SETTINGS.rawValue)
            case .decode: (gst_stream_error_quark(), GST_STREAM_ERROR_DECODE.rawValue)
            case .format: (gst_stream_error_quark(), GST_STREAM_ERROR_FORMAT.rawValue)
            case .wrongType: (gst_stream_error_quark(), GST_STREAM_ERROR_WRONG_TYPE.rawValue)
            case .streamFailed: (gst_stream_error_quark(), GST_STREAM_ERROR_FAILED.rawValue)
            }
        return (domain, Int32(bitPattern: code))
    }
}

/// An error of another library that can be converted to an `ElementError`.
package protocol ElementErrorConvertible: Error {
    var elementError: ElementError { get }
}

extension ElementError: ElementErrorConvertible {
    package var elementError: ElementError { self }
}
