// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

/// A problem that users have to know about: becomes an error or warning on the bus.
package struct ElementError: Error, Sendable {
    /// The kind of problem, by GStreamer's domains and codes.
    package enum Reason: Sendable {
        /// Core errors: an element that is not installed, formats that do not fit.
        case missingPlugin, negotiation
        /// Library errors: any failure, or wrong settings.
        case failed, settings
        /// Errors of a file or another resource; `unsuitable` is one that cannot be used with these settings.
        case notFound, openRead, read, openWrite, write, busy, noSpaceLeft, unsuitable
        /// Errors in the stream or in a file's content.
        case decode, format, wrongType, streamFailed
    }

    package let reason: Reason
    /// The message for users: what is wrong, with the path or the name, and what to do about it.
    package let message: String
    /// The details for developers: what the library below said.
    package let details: String?

    package init(_ reason: Reason, _ message: String, details: String? = nil) {
        self.reason = reason
        self.message = message
        self.details = details
    }

    /// Creates the error for users from an error of any type: a failure, unless the error says more.
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

/// An error of another library that can be converted to one for users.
package protocol ElementErrorConvertible: Error {
    var elementError: ElementError { get }
}

extension ElementError: ElementErrorConvertible {
    package var elementError: ElementError { self }
}
