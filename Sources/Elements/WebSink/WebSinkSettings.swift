// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Which files and texts of other elements the page may choose.
enum WebFiles: Int32, PropertyEnum {
    case uploads
    case any

    static let typeName = "GstSvWebFiles"

    static let members: [(value: Self, blurb: String)] = [
        (.uploads, "Uploads, files in the folder of the current file, and texts that cannot name files"),
        (.any, "All files that this program can read or write, and all texts"),
    ]
}

struct WebSinkSettings: ElementSettings {
    var address: String? = "127.0.0.1"
    var port = 8080
    var key: String?
    var hosts: String?
    var tlsProxy = false
    var control = true
    var files = WebFiles.uploads
    var uploadLocation: String?
    var quality = 85
    var url: String?
}

extension WebSink {
    static let properties: [Property<WebSinkSettings>] = [
        Property(
            "address", \.address,
            "IP address to listen on (127.0.0.1 = this machine only, 0.0.0.0 = all addresses)",
            flags: .mutableReady),
        Property("port", \.port, in: 0...65535, "Port to listen on (0 = a free port)", flags: .mutableReady),
        Property(
            "key", \.key,
            "Key in the address of the page, at least 16 characters unless address is 127.0.0.1 (if not set: random)",
            flags: .mutableReady),
        Property(
            "hosts", \.hosts,
            "Additional host names of this server, and other servers (NAME:PORT) whose pages may use this server, "
                + "separated by commas",
            flags: .mutableReady),
        Property(
            "tls-proxy", \.tlsProxy,
            "Run behind a TLS proxy: accept only https pages, and use cookies with the attribute Secure",
            nick: "TLS proxy", flags: .mutableReady),
        Property(
            "control", \.control, "Allow the page to control the pipeline, record and upload (false = view-only)",
            flags: .mutableReady),
        Property("files", \.files, "Files and texts that the page may set", flags: .mutableReady),
        Property(
            "upload-location", \.uploadLocation,
            "Folder for uploads and recordings (if not set: temporary folder, which is removed at the stop if it has no "
                + "recordings)",
            nick: "Upload location",
            flags: .mutableReady),
        Property("quality", \.quality, in: 1...100, "JPEG quality for raw video"),
        Property(
            "url", \.url, "Address of the page, including the key (none = the server does not run)",
            nick: "Address of the page",
            flags: .readOnly),
    ]
}
