// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Glibc

/// Selects the output while no camera frames arrive.
enum LossPolicy: Int32, PropertyEnum {
    case nothing, lastFrame, card

    static let typeName = "GstSvLossPolicy"
    static let members: [(value: Self, blurb: String)] = [
        (.nothing, "Send nothing"),
        (.lastFrame, "Repeat the last camera frame. If no camera frame has arrived yet, send nothing"),
        (.card, "Send a placeholder image that shows the reason for the loss"),
    ]
}

/// State of the source.
enum SourceStatus: Int32, PropertyEnum {
    case stopped, connecting, playing, lost

    static let typeName = "GstSvSourceStatus"
    static let members: [(value: Self, blurb: String)] = [
        (.stopped, "Not started"), (.connecting, "Waiting for the first frame"), (.playing, "Frames arrive"),
        (.lost, "No frames arrive"),
    ]
}

/// RTSP transports, with the names and values of rtspsrc.
struct CameraProtocols: PropertyFlagSet {
    let rawValue: UInt32

    static let udp = CameraProtocols(rawValue: 1)
    static let multicast = CameraProtocols(rawValue: 2)
    static let tcp = CameraProtocols(rawValue: 4)
    static let http = CameraProtocols(rawValue: 16)

    static let typeName = "GstSvRTSPProtocols"
    static let members: [(value: CameraProtocols, nick: String, blurb: String)] = [
        (.udp, "udp", "UDP"), (.multicast, "udp-mcast", "UDP multicast"), (.tcp, "tcp", "TCP"),
        (.http, "http", "HTTP"),
    ]

    /// The value of rtspsrc's property `protocols`.
    var text: String { Self.members.filter { contains($0.value) }.map(\.nick).joined(separator: "+") }
}

/// The text of an address. When programs read the property, the password in the address is hidden.
struct CameraURI: PropertyText, Equatable {
    let text: String
    init?(propertyText: String) { text = propertyText }
    var propertyText: String { StreamAddress(text)?.shown ?? text }
}

/// A write-only text. Reading the property returns an empty text.
struct Secret: PropertyText, Equatable {
    let text: String
    init?(propertyText: String) { text = propertyText }
    var propertyText: String { "" }
}

extension URISource {
    struct Settings: ElementSettings {
        var uri: CameraURI?
        var onLoss = LossPolicy.card
        var timeout = 2 * ClockTime.second
        var reconnectInterval = ClockTime.second / 10
        var maximumReconnectInterval = ClockTime.second / 2
        var latency = ClockTime.second / 5
        var protocols = CameraProtocols.tcp
        var userID: String?
        var userPassword: Secret?
        var passwordFile: String?
        var cameraControls: String?
        var cameraCaps: String?
        var cardText: String? = "No signal"
        var cardName: String?
        var cardWidth = 1280
        var cardHeight = 720
        var cardFramerate = 10
        var status = SourceStatus.stopped
        var stats: String?

        var limits: Supervision.Limits {
            Supervision.Limits(
                timeout: timeout, interval: reconnectInterval,
                maximumInterval: max(reconnectInterval, maximumReconnectInterval))
        }
    }

    static let properties: [Property<Settings>] = [
        Property(
            "uri", \.uri,
            "Address of the stream, such as rtsp://HOST/PATH or v4l2:///dev/video0. Programs can set a password in the "
                + "address, but cannot read the password",
            nick: "URI",
            flags: .mutableReady),
        Property("on-loss", \.onLoss, "Output while no frames arrive from the camera"),
        Property(
            "timeout", \.timeout, in: ClockTime.second / 10 ... .max,
            "Maximum time without frames from the camera, in nanoseconds (2000000000 = 2 s). After this time, svurisrc "
                + "treats the camera as lost",
            flags: .mutableReady),
        Property(
            "reconnect-interval", \.reconnectInterval, in: ClockTime(nanoseconds: 10_000_000) ... .max,
            "Time from a failed connection attempt to the next attempt, in nanoseconds (100000000 = 100 ms). "
                + "svurisrc doubles this time after each failed attempt",
            flags: .mutableReady),
        Property(
            "max-reconnect-interval", \.maximumReconnectInterval, in: .zero ... .max,
            "Limit up to which svurisrc doubles reconnect-interval, in nanoseconds (500000000 = 500 ms)",
            flags: .mutableReady),
        Property(
            "latency", \.latency, in: .zero...60 * ClockTime.second,
            "Maximum time to wait for late RTSP packets, in nanoseconds (200000000 = 200 ms)", flags: .mutableReady),
        Property("protocols", \.protocols, "Allowed transports for RTSP", flags: .mutableReady),
        Property("user-id", \.userID, "User name for the login", nick: "User name", flags: .mutableReady),
        Property(
            "user-pw", \.userPassword, "Password for the login (write-only)", nick: "Password", flags: .mutableReady),
        Property(
            "password-file", \.passwordFile,
            "File whose first line is the password (if not set: environment variable SVURISRC_PASSWORD)",
            flags: .mutableReady),
        Property(
            "camera-controls", \.cameraControls,
            "Controls of a camera of this machine, such as focus_absolute=30,gain=5 (used only with v4l2: addresses)",
            flags: .mutableReady, text: .words),
        Property(
            "camera-caps", \.cameraCaps,
            "Video mode of the camera as caps, such as image/jpeg,width=1280,height=720 (none = the camera chooses; "
                + "used only with v4l2: addresses)",
            flags: .mutableReady, text: .words),
        Property(
            "card-text", \.cardText, "Heading on the placeholder image (used only with on-loss=card)", text: .words),
        Property(
            "card-name", \.cardName, "Camera name on the placeholder image (used only with on-loss=card)",
            text: .words),
        Property(
            "card-width", \.cardWidth, in: 16...32768,
            "Width of the placeholder image if no camera frame has arrived yet, in pixels"),
        Property(
            "card-height", \.cardHeight, in: 16...32768,
            "Height of the placeholder image if no camera frame has arrived yet, in pixels"),
        Property(
            "card-framerate", \.cardFramerate, in: 1...120,
            "Frames per second of placeholder images and repeated frames, while the camera's frame rate is unknown"),
        Property("status", \.status, "Current state of the source", flags: .readOnly),
        Property(
            "stats", \.stats, "Numbers of frames, outages and connection attempts as JSON, updated every second",
            nick: "Statistics",
            flags: .readOnly),
    ]
}

extension URISource.Settings {
    /// Returns the parsed address of the stream.
    /// - Throws: `ElementError` if `uri` is missing, malformed or not supported by any installed element.
    func address() throws -> StreamAddress {
        guard let uri else {
            throw ElementError(
                .settings, "uri is not set. Set uri to the address of the camera, such as rtsp://HOST/PATH.")
        }
        guard let address = StreamAddress(uri.text) else {
            throw ElementError(.settings, "uri is malformed. Write uri as rtsp://HOST/PATH.")
        }
        guard canRead(scheme: address.scheme) else {
            throw ElementError(
                .missingPlugin,
                "no installed element reads the protocol \(address.scheme). Install a GStreamer plugin for this "
                    + "protocol."
            )
        }
        return address
    }

    /// Returns the URI to open, and the properties of the element that reads the stream.
    /// - Parameter name: the object name of this svurisrc. The name determines the environment variable that contains
    ///   the password.
    func reading(_ address: StreamAddress, by name: String) throws -> (uri: String, properties: [(String, String)]) {
        let isRTSP = address.isRTSP
        guard isRTSP || address.scheme == "http" || address.scheme == "https" else {
            return (uri?.text ?? address.shown, [])
        }
        var properties: [(String, String)] = []
        if let user = userID ?? address.user {
            properties.append(("user-id", user))
            if let password = try password(name) ?? address.password { properties.append(("user-pw", password)) }
        }
        if isRTSP {
            properties.append(("latency", String(latency.nanoseconds / 1_000_000)))
            if !protocols.text.isEmpty { properties.append(("protocols", protocols.text)) }
            // Half of `timeout`, in microseconds. If no UDP packets arrive, rtspsrc then has the other half of
            // `timeout` to try TCP.
            properties.append(("timeout", String(max(1, timeout.nanoseconds / 2000))))
        }
        return (address.anonymous, properties)
    }

    /// Returns the camera of this machine; nil for other addresses.
    /// - Throws: `ElementError` if the caps or the controls are malformed.
    func camera(_ address: StreamAddress) throws -> DecodedStream.Camera? {
        guard address.isLocalCamera else { return nil }
        return try DecodedStream.Camera(device: address.path, controls: cameraControls, caps: cameraCaps)
    }

    private func password(_ name: String) throws -> String? {
        if let userPassword { return userPassword.text }
        guard let passwordFile else {
            let suffix = name.utf8.map { byte -> Character in
                let character = Character(Unicode.Scalar(byte))
                return character.isASCII && (character.isLetter || character.isNumber) ? character : "_"
            }
            return (getenv("SVURISRC_PASSWORD_" + String(suffix)) ?? getenv("SVURISRC_PASSWORD")).map {
                String(cString: $0)
            }
        }
        return try Elements.password(inFile: passwordFile)
    }
}

extension StreamAddress {
    var isRTSP: Bool { scheme.hasPrefix("rtsp") }
    /// True for a camera of this machine, such as `v4l2:///dev/video0`.
    var isLocalCamera: Bool { scheme == "v4l2" }
    /// True if the source waits for a sender at this address, for example at a UDP port.
    var isWaitedAt: Bool { ["udp", "rtp"].contains(scheme) }
    /// The scheme, the host and the port of the address, for messages. The path is left out, because it may contain
    /// secrets.
    var server: String {
        if isLocalCamera { return path }
        return "\(scheme)://\(host ?? "")\(port.map { ":\($0)" } ?? "")"
    }
}
