// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Which files and texts of other elements the page may choose.
enum WebFiles: Int32, PropertyEnum {
    case uploads
    case any

    static let typeName = "GstSvWebFiles"

    static let members: [(value: Self, blurb: String)] = [
        (.uploads, "Uploads, files next to the current file, and texts declared harmless"),
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
            "Key in the address of the page, at least 16 characters unless address is 127.0.0.1 (none = random)",
            flags: .mutableReady),
        Property(
            "hosts", \.hosts,
            "Additional names of this server, such as a proxy's, and servers whose pages may use this one, as NAME:PORT; "
                + "separated by commas",
            flags: .mutableReady),
        Property(
            "tls-proxy", \.tlsProxy,
            "Run behind a TLS proxy: accept only https pages, and use Secure cookies",
            nick: "TLS proxy", flags: .mutableReady),
        Property(
            "control", \.control, "Allow the page to control the pipeline, record and upload (false = view-only)",
            flags: .mutableReady),
        Property("files", \.files, "Files and texts that the page may set", flags: .mutableReady),
        Property(
            "upload-location", \.uploadLocation,
            "Folder for uploads and recordings (none = temporary folder, removed at the stop unless it has recordings)",
            nick: "Upload location",
            flags: .mutableReady),
        Property("quality", \.quality, in: 1...100, "JPEG quality for raw video"),
        Property(
            "url", \.url, "Address of the page, with its key, while the server runs", nick: "Address of the page",
            flags: .readOnly),
    ]
}
