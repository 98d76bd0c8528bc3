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
        func core(_ code: GstCoreError) -> (GQuark, Int32) {
            (gst_core_error_quark(), Int32(bitPattern: code.rawValue))
        }
        func library(_ code: GstLibraryError) -> (GQuark, Int32) {
            (gst_library_error_quark(), Int32(bitPattern: code.rawValue))
        }
        func resource(_ code: GstResourceError) -> (GQuark, Int32) {
            (gst_resource_error_quark(), Int32(bitPattern: code.rawValue))
        }
        func stream(_ code: GstStreamError) -> (GQuark, Int32) {
            (gst_stream_error_quark(), Int32(bitPattern: code.rawValue))
        }
        return switch reason {
        case .missingPlugin: core(GST_CORE_ERROR_MISSING_PLUGIN)
        case .negotiation: core(GST_CORE_ERROR_NEGOTIATION)
        case .failed: library(GST_LIBRARY_ERROR_FAILED)
        case .settings: library(GST_LIBRARY_ERROR_SETTINGS)
        case .notFound: resource(GST_RESOURCE_ERROR_NOT_FOUND)
        case .openRead: resource(GST_RESOURCE_ERROR_OPEN_READ)
        case .read: resource(GST_RESOURCE_ERROR_READ)
        case .openWrite: resource(GST_RESOURCE_ERROR_OPEN_WRITE)
        case .write: resource(GST_RESOURCE_ERROR_WRITE)
        case .busy: resource(GST_RESOURCE_ERROR_BUSY)
        case .noSpaceLeft: resource(GST_RESOURCE_ERROR_NO_SPACE_LEFT)
        case .unsuitable: resource(GST_RESOURCE_ERROR_SETTINGS)
        case .decode: stream(GST_STREAM_ERROR_DECODE)
        case .format: stream(GST_STREAM_ERROR_FORMAT)
        case .wrongType: stream(GST_STREAM_ERROR_WRONG_TYPE)
        case .streamFailed: stream(GST_STREAM_ERROR_FAILED)
        }
    }
}

/// An error of another library that can be converted to one for users.
package protocol ElementErrorConvertible: Error {
    var elementError: ElementError { get }
}

extension ElementError: ElementErrorConvertible {
    package var elementError: ElementError { self }
}
