// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Selects the files and texts of other elements that the page may set.
enum WebFiles: Int32, PropertyEnum {
    case uploads
    case any

    static let typeName = "GstSvWebFiles"

    static let members: [(value: Self, blurb: String)] = [
        (
            .uploads,
            "Uploaded files, files in the folder of the property's current file, and texts that cannot name files"
        ),
        (.any, "All files that this program can read or write, and all texts"),
    ]
}

/// Selects when pages can show thumbnails of the inputs of svswitch and svmixer.
enum WebThumbnails: Int32, PropertyEnum {
    case auto
    case `true`
    case `false`

    static let typeName = "GstSvWebThumbnails"

    static let members: [(value: Self, blurb: String)] = [
        (.auto, "Thumbnails, unless an svoverlay in the pipeline hides anything"),
        (.true, "Thumbnails, even if they show what svoverlay hides"),
        (.false, "No thumbnails"),
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
    var thumbnails = WebThumbnails.auto
    var metrics = false
    var oscPort = 0
    var oscAddress: String? = "127.0.0.1"
    var oscKeyFile: String?
    var url: String?
}

extension WebSink {
    static let properties: [Property<WebSinkSettings>] = [
        Property(
            "address", \.address,
            "IP address on which svwebsink listens (127.0.0.1 = only this machine can connect, 0.0.0.0 = other "
                + "machines can also connect)",
            flags: .mutableReady),
        Property(
            "port", \.port, in: 0...65535,
            "TCP port on which svwebsink listens (0 = any free port)", flags: .mutableReady),
        Property(
            "key", \.key,
            "Key in the address of the page (if not set: random). The key must have at least 16 characters, except "
                + "with address=127.0.0.1",
            flags: .mutableReady),
        Property(
            "hosts", \.hosts,
            "Names separated by commas: additional host names of this server (NAME), and other servers whose pages can "
                + "send requests (NAME:PORT)",
            flags: .mutableReady),
        Property(
            "tls-proxy", \.tlsProxy,
            "Work behind a proxy that serves the page with https. svwebsink then accepts only https pages, and sets "
                + "the attribute Secure in cookies",
            nick: "TLS proxy", flags: .mutableReady),
        Property(
            "control", \.control,
            "Allow the page to control the pipeline, record video and upload files (false = view "
                + "only)",
            flags: .mutableReady),
        Property("files", \.files, "Files and text properties that the page can set", flags: .mutableReady),
        Property(
            "upload-location", \.uploadLocation,
            "Folder for uploads and recordings (if not set: a temporary folder). If the folder is temporary, svwebsink "
                + "deletes the uploads when the pipeline stops",
            nick: "Upload location",
            flags: .mutableReady),
        Property("quality", \.quality, in: 1...100, "JPEG quality for raw video"),
        Property(
            "thumbnails", \.thumbnails,
            "Show thumbnails of the inputs of svswitch and svmixer on the page (auto = only while no svoverlay hides "
                + "anything)",
            flags: .mutableReady),
        Property(
            "metrics", \.metrics,
            "Serve metrics of the pipeline for Prometheus under the path /metrics (bearer token = the page's key)",
            flags: .mutableReady),
        Property(
            "osc-port", \.oscPort, in: 0...65535,
            "UDP port on which svwebsink receives OSC messages that control the pipeline (0 = off)",
            nick: "OSC port", flags: .mutableReady),
        Property(
            "osc-address", \.oscAddress,
            "IP address on which svwebsink receives OSC messages (127.0.0.1 = only from this machine). Addresses that "
                + "other machines can reach need osc-key-file",
            nick: "OSC address", flags: .mutableReady),
        Property(
            "osc-key-file", \.oscKeyFile,
            "File whose first line is a key. The address of each OSC message must start with this key, such as "
                + "/KEY/tint/red",
            nick: "OSC key file", flags: .mutableReady),
        Property(
            "url", \.url, "Address of the page, including the key (none = the page is not available)",
            nick: "Address of the page",
            flags: .readOnly),
    ]
}
