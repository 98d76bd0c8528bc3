// SPDX-License-Identifier: LGPL-2.1-or-later
import CBrokers

// The announcement of the device to Home Assistant, over an MQTT connection.

/// The announcements that the broker has not acknowledged.
struct PendingAnnouncements: Sendable {
    /// libmosquitto's message IDs.
    var ids: Set<Int32> = []
    /// The reason of the last refusal since the announcement began; nil if the broker has refused no message.
    var refusal: String?
}

extension MQTTLink {
    /// Sends the messages that announce or remove the device, and subscribes to the message that Home Assistant sends
    /// when it starts.
    func announce() {
        guard let client, isConnected, let homeAssistant = settings.homeAssistant else { return }
        announcements.refusal = nil
        guard storesRetained else {
            announcements.refusal = "the broker does not store retained messages"
            return finishAnnouncement()
        }
        for message in homeAssistant.messages {
            var id: Int32 = 0
            // QoS 1, because the broker reports refusals only with QoS 1 or 2.
            let result = library.publish(
                client, &id, message.topic, Int32(clamping: message.payload.count), message.payload, 1, true)
            if result == 0 {
                announcements.ids.insert(id)
            } else {
                announcements.refusal = text(result)
            }
        }
        if homeAssistant.action == .announce {
            for topic in homeAssistant.device.birthTopics { _ = library.subscribe(client, nil, topic, 1) }
        }
        if announcements.ids.isEmpty { finishAnnouncement() }
    }

    /// Sends the state of the device. If the connection breaks, the state may be lost. The publisher then sends the
    /// state again over the next connection.
    func send(deviceState: [UInt8]) {
        guard let client, isConnected, storesRetained, let homeAssistant = settings.homeAssistant else { return }
        _ = library.publish(
            client, nil, homeAssistant.device.stateTopic, Int32(clamping: deviceState.count), deviceState, 0, true)
    }

    /// Notes that the broker has answered a message that may be an announcement.
    /// - Parameter refusal: the broker's reason for a refusal; nil if the broker has accepted the message.
    func announcementAnswered(_ id: Int32, refusal: String?) {
        guard announcements.ids.remove(id) != nil else { return }
        if let refusal { announcements.refusal = refusal }
        if announcements.ids.isEmpty { finishAnnouncement() }
    }

    private func finishAnnouncement() {
        events.append(.announced(refusal: announcements.refusal.map { LinkFailure("\(broker): \($0)") }))
    }

    /// Handles a message of a topic to which the link has subscribed.
    func received(_ message: SVMosquittoMessage) {
        // Home Assistant may have sent a stored message long ago. The link announces the device after connecting
        // anyway.
        guard let homeAssistant = settings.homeAssistant, !message.retain, let topic = message.topic,
            homeAssistant.device.birthTopics.contains(String(cString: topic)),
            UnsafeRawBufferPointer(start: message.payload, count: Int(max(0, message.count))).elementsEqual(
                "online".utf8)
        else { return }
        events.append(.announcementWanted)
    }
}
