// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Which files and texts of other elements the page may choose.
enum WebFiles: Int32, PropertyEnum {
    case uploads
    case any

    static let typeName = "GstSvWebFiles"

    static let members: [(value: Self, blurb: String)] = [
        (.uploads, "Files that were uploaded, or lie beside the one that is chosen; texts that are declared harmless"),
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
            "The IP address of this machine to listen on; 127.0.0.1: for this machine alone, 0.0.0.0: all",
            flags: .mutableReady),
        Property("port", \.port, in: 0...65535, "The port to listen on; 0: a free one", flags: .mutableReady),
        Property(
            "key", \.key,
            "Key that the page's address must contain, of 16 characters or more unless address is 127.0.0.1; none: a random one each time",
            flags: .mutableReady),
        Property(
            "hosts", \.hosts,
            "Names of this server besides the machine's own addresses, such as a proxy's, and servers whose pages may use this one, as NAME:PORT; separated by commas",
            flags: .mutableReady),
        Property(
            "tls-proxy", \.tlsProxy,
            "Whether all browsers come by a proxy that speaks TLS: only https pages are accepted, and cookies are Secure",
            nick: "TLS proxy", flags: .mutableReady),
        Property(
            "control", \.control, "Whether the page steers the pipeline, records and uploads; false: it only shows",
            flags: .mutableReady),
        Property("files", \.files, "Which files and texts the page may choose", flags: .mutableReady),
        Property(
            "upload-location", \.uploadLocation,
            "Folder for uploads and recordings; if not set, a temporary one, removed at the stop unless it has recordings",
            nick: "Upload location",
            flags: .mutableReady),
        Property("quality", \.quality, in: 1...100, "The quality of the JPEGs that are made of raw video"),
        Property(
            "url", \.url, "The address of the page, with its key, while it is there", nick: "Address of the page",
            flags: .readOnly),
    ]
}
