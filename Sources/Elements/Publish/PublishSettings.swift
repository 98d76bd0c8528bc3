// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Publishing

/// Destination of messages.
enum PublishMethod: Int32, PropertyEnum {
    case file, mqtt, kafka

    static let typeName = "GstSvPublishMethod"
    static let members: [(value: Self, blurb: String)] = [
        (.file, "File, named pipe or standard output"), (.mqtt, "MQTT broker (needs libmosquitto)"),
        (.kafka, "Kafka (needs librdkafka)"),
    ]
}

/// Format of a message file.
enum PublishFormat: Int32, PropertyEnum {
    case json, jsonLines

    static let typeName = "GstSvPublishFormat"
    static let members: [(value: Self, blurb: String)] = [
        (.json, "One JSON list of all messages"), (.jsonLines, "One JSON message per line"),
    ]
}

/// JSON format of messages.
enum PublishSchema: Int32, PropertyEnum {
    case dlstreamer, deepstream

    static let typeName = "GstSvPublishSchema"
    static let members: [(value: Self, blurb: String)] = [
        (.dlstreamer, "Format of DL Streamer's gvametaconvert, with landmarks and outlines"),
        (.deepstream, "Minimal format of DeepStream's nvmsgconv"),
    ]
}

/// Selects the frames for which svpublish sends a message.
enum PublishWhen: Int32, PropertyEnum {
    case objects, onChange, interval, everyFrame

    static let typeName = "GstSvPublishWhen"
    static let members: [(value: Self, blurb: String)] = [
        (.objects, "Frames with detections, and the first frame after the detections disappear"),
        (.onChange, "Frames with a new, lost or renamed detection, and frames in which an eye opens or closes"),
        (.interval, "One frame in each period set by the property interval"), (.everyFrame, "Every frame"),
    ]
}

/// Action when the queue is full.
enum PublishOverflow: Int32, PropertyEnum {
    case dropOldest, dropNewest, block

    static let typeName = "GstSvPublishOverflow"
    static let members: [(value: Self, blurb: String)] = [
        (.dropOldest, "Drop the oldest messages"), (.dropNewest, "Drop the new message"),
        (.block, "Block the video until the queue has space"),
    ]

    var overflow: Overflow {
        switch self {
        case .dropOldest: .dropOldest
        case .dropNewest: .dropNewest
        case .block: .block
        }
    }
}

/// What svpublish does with the camera's device in Home Assistant.
enum PublishDiscovery: Int32, PropertyEnum {
    case `false`, `true`, remove

    static let typeName = "GstSvPublishDiscovery"
    static let members: [(value: Self, blurb: String)] = [
        (.false, "Do nothing"), (.true, "Announce the device"),
        (.remove, "Remove the device that ha-discovery=true has announced"),
    ]
}

/// Format of the statistics file.
enum PublishStatsFormat: Int32, PropertyEnum {
    case json, prometheus

    static let typeName = "GstSvPublishStatsFormat"
    static let members: [(value: Self, blurb: String)] = [
        (.json, "Stream state as JSON"), (.prometheus, "Metrics of the pipeline in the text format of Prometheus"),
    ]
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
    var statsFormat = PublishStatsFormat.json
    var watchdog = false
    var discovery = PublishDiscovery.false
    var discoveryPrefix: String? = "homeassistant"
    var discoveryZones: String?
    var discoveryLabels: String?
    var discoversNames = false
    var stats: String?
}

extension Publish {
    static let properties: [Property<PublishSettings>] = [
        Property("method", \.method, "Destination of messages", flags: .mutableReady),
        Property("file-format", \.fileFormat, "Format of the message file", flags: .mutableReady),
        Property(
            "file-path", \.filePath,
            "File or named pipe to which svpublish appends messages (%t = start time, such as 20261121T224500Z)",
            flags: .mutableReady),
        Property(
            "address", \.address,
            "Address of the broker. For MQTT, use tcp://HOST:PORT, or ssl://HOST:PORT for TLS. For Kafka, use "
                + "HOST:PORT, or ssl://HOST:PORT for TLS. Separate several Kafka addresses with commas",
            flags: .mutableReady),
        Property(
            "topic", \.topic,
            "Topic of messages. Stream states have the topic TOPIC/stats (MQTT) or TOPIC-stats (Kafka)",
            flags: .mutableReady),
        Property(
            "client-id", \.clientID, "Client name that svpublish sends to the broker (if not set: random)",
            nick: "Client's name", flags: .mutableReady),
        Property("username", \.username, "User name for the broker", flags: .mutableReady),
        Property(
            "password-file", \.passwordFile,
            "File whose first line is the password (if not set: environment variable SVPUBLISH_PASSWORD)",
            flags: .mutableReady),
        Property(
            "tls-ca-file", \.authorityFile,
            "File with certificate authorities, in PEM format (if not set: the system's authorities)",
            nick: "TLS CA file", flags: .mutableReady),
        Property(
            "tls-cert-file", \.certificateFile, "File with the client certificate, in PEM format",
            nick: "TLS certificate file", flags: .mutableReady),
        Property(
            "tls-key-file", \.keyFile, "File with the private key of the client certificate, in PEM format",
            nick: "TLS key file", flags: .mutableReady),
        Property(
            "mqtt-qos", \.quality, in: 0...2,
            "MQTT quality of service (0 = at most once, 1 = at least once, 2 = exactly once)",
            nick: "MQTT quality of service", flags: .mutableReady),
        Property(
            "retain", \.retain, "Ask the MQTT broker to send the last message to new subscribers",
            flags: .mutableReady),
        Property("schema", \.schema, "JSON format of messages", flags: .mutableReady),
        Property(
            "source", \.source, "Name of the stream in messages, and key of Kafka messages", flags: .mutableReady,
            text: .words),
        Property(
            "tags", \.tags, "JSON object to add to each message, for example with the place of the camera",
            flags: .mutableReady,
            text: .words),
        Property("when", \.when, "Frames for which svpublish sends a message"),
        Property(
            "interval", \.interval, in: ClockTime(nanoseconds: 1) ... .max,
            "Interval between messages, in nanoseconds (1000000000 = 1 s). Used only with when=interval"),
        Property(
            "queue-size", \.queueSize, in: 1...10_000_000, "Maximum number of messages in the queue",
            flags: .mutableReady),
        Property(
            "queue-bytes", \.queueBytes, in: 1...1_000_000_000_000, "Maximum size of the queue, in bytes",
            flags: .mutableReady),
        Property(
            "queue-file", \.queueFile, "File that stores unsent messages for the next start of the program",
            flags: .mutableReady),
        Property(
            "overflow", \.overflow, "Action when the queue is full", flags: .mutableReady),
        Property(
            "reconnect-interval", \.reconnectInterval, in: .zero ... .max,
            "Time before the first attempt to reconnect, in nanoseconds (1000000000 = 1 s). After each failed "
                + "attempt, svpublish doubles the time to the next attempt",
            flags: .mutableReady),
        Property(
            "max-reconnect-interval", \.maximumReconnectInterval, in: .zero ... .max,
            "Maximum time between two attempts to reconnect, in nanoseconds (30000000000 = 30 s)",
            flags: .mutableReady),
        Property(
            "flush-timeout", \.flushTimeout, in: .zero ... .max,
            "Maximum time to send the queued messages at the end of the stream, in nanoseconds (5000000000 = 5 s)"),
        Property(
            "stats-interval", \.statsInterval, in: .zero ... .max,
            "Interval between two stream states, in nanoseconds (0 = off, 10000000000 = 10 s)", flags: .mutableReady),
        Property(
            "stats-file", \.statsFile, "File to which svpublish writes the latest stream state", flags: .mutableReady),
        Property("stats-format", \.statsFormat, "Format of the stream state in stats-file", flags: .mutableReady),
        Property(
            "watchdog", \.watchdog,
            "Notify the watchdog of systemd while frames arrive (needs the environment variable NOTIFY_SOCKET)",
            flags: .mutableReady),
        Property(
            "ha-discovery", \.discovery,
            "Announce the camera to Home Assistant (true), or remove the camera from Home Assistant (remove). Both "
                + "values need method=mqtt",
            nick: "Home Assistant discovery", flags: .mutableReady),
        Property(
            "ha-prefix", \.discoveryPrefix, "Discovery prefix of Home Assistant", nick: "Home Assistant prefix",
            flags: .mutableReady),
        Property(
            "ha-zones", \.discoveryZones,
            "Names of zones, separated by commas. Home Assistant gets a binary sensor for each zone, which is on while "
                + "an object is in the zone",
            nick: "Home Assistant zones", flags: .mutableReady, text: .words),
        Property(
            "ha-labels", \.discoveryLabels,
            "Labels of detections, separated by commas. Home Assistant gets a binary sensor for each label, which is "
                + "on while a detection has the label",
            nick: "Home Assistant labels", flags: .mutableReady, text: .words),
        Property(
            "ha-names", \.discoversNames, "Allow names of persons in Home Assistant", nick: "Home Assistant names",
            flags: .mutableReady),
        Property(
            "stats", \.stats, "Delivery statistics as JSON, updated every second", nick: "Statistics",
            flags: .readOnly),
    ]
}
