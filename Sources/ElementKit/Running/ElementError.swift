import CGStreamer

/// Something that users have to know: becomes an error or warning on the bus.
package struct ElementError: Error, Sendable {
    package enum Reason: Sendable {
        case core(GstCoreError)
        case library(GstLibraryError)
        case resource(GstResourceError)
        case stream(GstStreamError)
    }

    package let reason: Reason
    /// For users: what is wrong, with the path or the name, and what to do about it.
    package let message: String
    /// For developers: what the library below said.
    package let details: String?

    package init(_ reason: Reason, _ message: String, details: String? = nil) {
        self.reason = reason
        self.message = message
        self.details = details
    }

    /// `error` itself, or a description of an error of another type.
    package init(_ error: any Error) {
        self = error as? ElementError ?? ElementError(.library(GST_LIBRARY_ERROR_FAILED), "\(error)")
    }

    var domainAndCode: (domain: GQuark, code: Int32) {
        switch reason {
        case .core(let code): (gst_core_error_quark(), Int32(bitPattern: code.rawValue))
        case .library(let code): (gst_library_error_quark(), Int32(bitPattern: code.rawValue))
        case .resource(let code): (gst_resource_error_quark(), Int32(bitPattern: code.rawValue))
        case .stream(let code): (gst_stream_error_quark(), Int32(bitPattern: code.rawValue))
        }
    }
}
