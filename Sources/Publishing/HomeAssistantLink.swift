// SPDX-License-Identifier: LGPL-2.1-or-later
import CBrokers

// Announces the camera to Home Assistant as a device, over an MQTT connection.

/// The messages for Home Assistant that the broker has not acknowledged. After a lost connection, libmosquitto sends
/// these messages again.
struct PendingAnnouncements: Sendable {
    /// libmosquitto's message IDs of the announcements.
    var ids: Set<Int32> = []
    /// libmosquitto's message ID of the device state.
    var state: Int32?
    /// The reason of the last refusal since the announcement began; nil if the broker has refused no message.
    var refusal: String?
    /// True if the link has subscribed to Home Assistant's start messages over the current connection.
    var isSubscribed = false
    /// True if the link must announce the device again after the broker has acknowledged the pending messages.
    var isOutdated = false

    var isEmpty: Bool { ids.isEmpty && state == nil }

    mutating func beginConnection() { isSubscribed = false }
}

extension MQTTLink {
    /// The device to announce or to remove; nil if there is no device, or after `stopAnnouncing`.
    private var homeAssistant: HomeAssistant? { isAnnouncing ? settings.homeAssistant : nil }

    var isAnnouncementPending: Bool { !announcements.isEmpty }

    func stopAnnouncing() { isAnnouncing = false }

    /// Sends the messages that announce or remove the device, and subscribes to the message that Home Assistant sends
    /// when it starts.
    func announce() throws(LinkFailure) {
        guard let client, isConnected, let homeAssistant else { return }
        guard storesRetained else {
            announcements.refusal = "the broker does not store retained messages"
            return finishAnnouncement()
        }
        // Subscribe before sending the announcements. If the broker closes the connection because of the subscription,
        // the announcements are then still pending. So `PublisherThread` recognizes that the messages for Home
        // Assistant have caused the closure.
        if homeAssistant.action == .announce, !announcements.isSubscribed {
            announcements.isSubscribed = true
            for topic in homeAssistant.device.birthTopics { _ = library.subscribe(client, nil, topic, 1) }
        }
        // After a lost connection, libmosquitto sends the pending announcements again. But the broker may have
        // restarted and lost the acknowledged announcements. So announce the device again when no announcement is
        // pending.
        guard announcements.ids.isEmpty else { return announcements.isOutdated = true }
        (announcements.refusal, announcements.isOutdated) = (nil, false)
        for message in homeAssistant.messages {
            if let id = try store(message, client) { announcements.ids.insert(id) }
        }
        if announcements.isEmpty { finishAnnouncement() }
    }

    func send(deviceState: [UInt8]) throws(LinkFailure) -> Bool {
        guard let homeAssistant, storesRetained else { return true }
        // Send a state only after the broker has acknowledged the last state, so that a slow broker receives fewer
        // states.
        guard let client, isConnected, announcements.state == nil else { return false }
        let message = RetainedMessage(topic: homeAssistant.device.stateTopic, payload: deviceState)
        announcements.state = try store(message, client)
        if announcements.isEmpty { finishAnnouncement() }
        return true
    }

    /// Publishes a retained message.
    /// - Returns: libmosquitto's message ID; nil if libmosquitto has refused the message.
    private func store(_ message: RetainedMessage, _ client: OpaquePointer) throws(LinkFailure) -> Int32? {
        var id: Int32 = 0
        // Use QoS 1, because the broker reports refusals only with QoS 1 or 2.
        let result = library.publish(
            client, &id, message.topic, Int32(clamping: message.payload.count), message.payload, 1, true)
        if result == 0 { return id }
        guard Self.lossCodes.contains(result) else {
            announcements.refusal = text(result)
            return nil
        }
        // Although `publish` failed, libmosquitto keeps the message and sends it over the next connection.
        announcements.ids.insert(id)
        let failure = LinkFailure("\(broker): \(text(result))")
        abort()
        throw failure
    }

    /// Records that the broker has answered a message. Ignores messages that are neither an announcement nor a device
    /// state.
    /// - Parameter refusal: the broker's reason for a refusal; nil if the broker has accepted the message.
    func announcementAnswered(_ id: Int32, refusal: String?) {
        if id == announcements.state {
            announcements.state = nil
        } else if announcements.ids.remove(id) == nil {
            return
        }
        if let refusal { announcements.refusal = refusal }
        if announcements.isEmpty { finishAnnouncement() }
    }

    private func finishAnnouncement() {
        guard !announcements.isOutdated else { return events.append(.announcementWanted) }
        events.append(.announced(refusal: announcements.refusal.map { LinkFailure("\(broker): \($0)") }))
    }

    /// Handles a message from the broker. If Home Assistant has started, requests a new announcement.
    func received(_ message: SVMosquittoMessage) {
        // Ignore a retained message, because Home Assistant may have sent it long ago. A new announcement is not
        // necessary then, because the link announces the device after each connection.
        guard let homeAssistant, !message.retain, let topic = message.topic,
            homeAssistant.device.birthTopics.contains(String(cString: topic)),
            UnsafeRawBufferPointer(start: message.payload, count: Int(max(0, message.count))).elementsEqual(
                "online".utf8)
        else { return }
        events.append(.announcementWanted)
    }
}
