// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Glibc
import Publishing

extension PublishSettings {
    /// The name of the stream in messages about the stream state.
    var sourceName: String { source ?? topic ?? "" }

    /// The interval between two stream states. Home Assistant needs stream states for the availability of the camera.
    private var stateInterval: ClockTime {
        discovery == .true && statsInterval == .zero ? 60 * .second : statsInterval
    }

    /// The settings of the publisher: queue, reconnection and statistics.
    var publisher: PublisherSettings {
        let limits = QueueLimits(
            messages: queueSize, bytes: Int(clamping: queueBytes), overflow: overflow.overflow)
        var settings = PublisherSettings(limits: limits)
        settings.spoolPath = queueFile
        settings.reconnectInterval = reconnectInterval.milliseconds
        settings.maximumReconnectInterval = maximumReconnectInterval.milliseconds
        settings.statusInterval = stateInterval.milliseconds
        settings.isStatusForHomeAssistant = discovery == .true && statsInterval == .zero
        settings.statusPath = statsFile
        settings.feedsWatchdog = watchdog
        settings.source = sourceName
        return settings
    }

    /// Returns the destination of the messages, with its settings.
    /// - Throws: an error for a missing or invalid setting.
    /// - Parameter homeAssistant: the device in Home Assistant; nil if there is no device.
    func destination(_ homeAssistant: HomeAssistant? = nil) throws -> Destination {
        let usesTLS = authorityFile != nil || certificateFile != nil || keyFile != nil
        switch method {
        case .file:
            let path = (filePath ?? "/dev/stdout").replacing(each: "%t", with: timestamp(.compact))
            return .file(path: path, format: fileFormat == .json ? .json : .jsonLines)
        case .mqtt:
            let client = clientID ?? Self.randomID()
            var settings = MQTTSettings(
                address: try BrokerAddress(try requiredAddress("tcp://HOST:1883"), usesTLS: usesTLS),
                topic: topic ?? "swiftvision", statusTopic: (topic ?? "swiftvision") + "/stats", clientID: client)
            settings.quality = Int32(clamping: quality)
            settings.retains = retain
            settings.credentials = try credentials()
            if stateInterval > .zero { settings.will = StateNote.lost(sourceName) }
            settings.homeAssistant = homeAssistant
            return .mqtt(settings)
        case .kafka:
            let topic = topic ?? "swiftvision"
            return .kafka(
                KafkaSettings(
                    address: try KafkaAddress(try requiredAddress("HOST:9092"), usesTLS: usesTLS), topic: topic,
                    statusTopic: topic + "-stats", key: source ?? topic, clientID: clientID ?? Self.randomID(),
                    credentials: try credentials(),
                    reconnectInterval: Int(clamping: reconnectInterval.milliseconds),
                    maximumReconnectInterval: Int(clamping: maximumReconnectInterval.milliseconds)))
        }
    }

    private func requiredAddress(_ example: String) throws -> String {
        guard let address else {
            throw ElementError(
                .settings, "address is not set. Set address to the address of the broker, such as address=\(example).")
        }
        return address
    }

    private func credentials() throws -> Credentials {
        Credentials(
            username: username, password: try password(), authorityFile: authorityFile,
            certificateFile: certificateFile, keyFile: keyFile)
    }

    private func password() throws -> String? {
        guard let passwordFile else { return getenv("SVPUBLISH_PASSWORD").map { String(cString: $0) } }
        return try Elements.password(inFile: passwordFile)
    }

    /// Returns the parsed value of `tags`; nil if `tags` is not set.
    func tagValue() throws -> JSONValue? {
        guard let tags else { return nil }
        let limits = ParsingLimits(depth: 16, values: 1000, text: 65_536)
        guard let value = try? JSONValue(reading: Array(tags.utf8), limits: limits) else {
            throw ElementError(
                .settings, "tags=\(tags): not a JSON object. An example of an object is {\"site\":\"lab\"}.")
        }
        return value
    }

    private static func randomID() -> String {
        "swiftvision-" + String(UInt64.random(in: .min ... .max), radix: 36)
    }
}

extension ClockTime {
    fileprivate var milliseconds: UInt64 { nanoseconds == 0 ? 0 : Swift.max(1, nanoseconds / 1_000_000) }
}

extension LinkFailure: ElementErrorConvertible {
    package var elementError: ElementError { ElementError(.unsuitable, description) }
}
