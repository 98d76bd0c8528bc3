// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Publishing

/// Where messages go.
enum PublishMethod: Int32, PropertyEnum {
    case file, mqtt, kafka

    static let typeName = "GstSvPublishMethod"
    static let members: [(value: Self, blurb: String)] = [
        (.file, "A file, a named pipe or the standard output"), (.mqtt, "An MQTT broker, by libmosquitto"),
        (.kafka, "Kafka, by librdkafka"),
    ]
}

/// What a file of messages looks like.
enum PublishFormat: Int32, PropertyEnum {
    case json, jsonLines

    static let typeName = "GstSvPublishFormat"
    static let members: [(value: Self, blurb: String)] = [
        (.json, "One list of all messages"), (.jsonLines, "A message a line"),
    ]
}

/// What a message looks like.
enum PublishSchema: Int32, PropertyEnum {
    case dlstreamer, deepstream

    static let typeName = "GstSvPublishSchema"
    static let members: [(value: Self, blurb: String)] = [
        (.dlstreamer, "As DL Streamer's gvametaconvert writes it, with landmarks and outlines"),
        (.deepstream, "The minimal form of DeepStream's nvmsgconv"),
    ]
}

/// Which frames there are messages about.
enum PublishWhen: Int32, PropertyEnum {
    case objects, onChange, interval, everyFrame

    static let typeName = "GstSvPublishWhen"
    static let members: [(value: Self, blurb: String)] = [
        (.objects, "Frames with objects, and the first one without"),
        (.onChange, "When something appears, vanishes or is renamed"),
        (.interval, "A frame every interval"), (.everyFrame, "Every frame"),
    ]
}

/// What happens to messages for which there is no room.
enum PublishOverflow: Int32, PropertyEnum {
    case dropOldest, dropNewest, block

    static let typeName = "GstSvPublishOverflow"
    static let members: [(value: Self, blurb: String)] = [
        (.dropOldest, "The oldest that wait are dropped"), (.dropNewest, "The new one is dropped"),
        (.block, "The stream waits for room"),
    ]

    var overflow: Overflow {
        switch self {
        case .dropOldest: .dropOldest
        case .dropNewest: .dropNewest
        case .block: .block
        }
    }
}

struct PublishSettings: ElementSettings {
    var method = PublishMethod.file
    var fileFormat = PublishFormat.jsonLines
    var filePath: String? = "/dev/stdout"
    var address: String?
    var topic: String? = "swiftvision"
    var clientID: String?
    var username: String?
    var passwordFile: String?
    var authorityFile: String?
    var certificateFile: String?
    var keyFile: String?
    var quality = 1
    var retain = false
    var schema = PublishSchema.dlstreamer
    var source: String?
    var tags: String?
    var when = PublishWhen.objects
    var interval = ClockTime.second
    var queueSize = 10_000
    var queueBytes: UInt64 = 64_000_000
    var queueFile: String?
    var overflow = PublishOverflow.dropOldest
    var reconnectInterval = ClockTime.second
    var maximumReconnectInterval = ClockTime(nanoseconds: 30_000_000_000)
    var flushTimeout = ClockTime(nanoseconds: 5_000_000_000)
    var statsInterval = ClockTime.zero
    var statsFile: String?
    var watchdog = false
    var stats: String?
}

extension Publish {
    static let properties: [Property<PublishSettings>] = [
        Property("method", \.method, "Where messages go", flags: .mutableReady),
        Property("file-format", \.fileFormat, "What a file of messages looks like", flags: .mutableReady),
        Property(
            "file-path", \.filePath,
            "The file or named pipe, which is appended to; %t stands for the time of the start, as 20261121T224500Z",
            flags: .mutableReady),
        Property(
            "address", \.address,
            "Broker: tcp://HOST:PORT, or ssl://HOST:PORT for TLS; Kafka: HOST:PORT or ssl://HOST:PORT,HOST:PORT",
            flags: .mutableReady),
        Property(
            "topic", \.topic, "The topic; notes about the stream's state go to one beside it", flags: .mutableReady),
        Property(
            "client-id", \.clientID, "The name by which the broker knows this element; none: one of its own",
            nick: "Client's name", flags: .mutableReady),
        Property("username", \.username, "The name to log in with", flags: .mutableReady),
        Property(
            "password-file", \.passwordFile,
            "The file whose first line is the password; none: the environment variable SVPUBLISH_PASSWORD",
            flags: .mutableReady),
        Property(
            "tls-ca-file", \.authorityFile,
            "Certificate authorities (PEM); if no file is set, ssl:// uses those of the system",
            nick: "TLS CA file", flags: .mutableReady),
        Property(
            "tls-cert-file", \.certificateFile, "A certificate of this client's own (PEM)",
            nick: "TLS certificate file", flags: .mutableReady),
        Property(
            "tls-key-file", \.keyFile, "The private key to that (PEM)", nick: "TLS key file", flags: .mutableReady),
        Property(
            "mqtt-qos", \.quality, in: 0...2, "0: at most once, 1: at least once, 2: exactly once",
            nick: "MQTT quality of service", flags: .mutableReady),
        Property(
            "retain", \.retain, "Whether the MQTT broker keeps the last message for those who come later",
            flags: .mutableReady),
        Property("schema", \.schema, "What a message looks like", flags: .mutableReady),
        Property(
            "source", \.source, "The name of the stream in messages, and Kafka's key", flags: .mutableReady,
            text: .words),
        Property(
            "tags", \.tags, "More about the stream, as a table of JSON that each message repeats", flags: .mutableReady,
            text: .words),
        Property("when", \.when, "Which frames there are messages about"),
        Property(
            "interval", \.interval, in: ClockTime(nanoseconds: 1) ... .max,
            "Interval between messages with when=interval, in nanoseconds"),
        Property(
            "queue-size", \.queueSize, in: 1...10_000_000, "The most messages that wait", flags: .mutableReady),
        Property(
            "queue-bytes", \.queueBytes, in: 1...1_000_000_000_000, "The most bytes that wait", flags: .mutableReady),
        Property(
            "queue-file", \.queueFile, "A file that keeps what waits beyond the end of the program",
            flags: .mutableReady),
        Property(
            "overflow", \.overflow, "What happens to messages for which there is no room", flags: .mutableReady),
        Property(
            "reconnect-interval", \.reconnectInterval, in: .zero ... .max,
            "The time to the first new attempt to connect, in ns; doubles with each", flags: .mutableReady),
        Property(
            "max-reconnect-interval", \.maximumReconnectInterval, in: .zero ... .max,
            "The longest time between two attempts, in ns", flags: .mutableReady),
        Property(
            "flush-timeout", \.flushTimeout, in: .zero ... .max,
            "The longest time that the end of the stream waits for messages that are not sent, in ns"),
        Property(
            "stats-interval", \.statsInterval, in: .zero ... .max,
            "The time between two notes about the stream's state, in ns; 0: none", flags: .mutableReady),
        Property(
            "stats-file", \.statsFile, "A file that is replaced with each note", flags: .mutableReady),
        Property(
            "watchdog", \.watchdog, "Whether systemd is told that frames come (NOTIFY_SOCKET)", flags: .mutableReady),
        Property(
            "stats", \.stats, "What became of messages so far, as JSON; new once a second", nick: "Statistics",
            flags: .readOnly),
    ]
}
