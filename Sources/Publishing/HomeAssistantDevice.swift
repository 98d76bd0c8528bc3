// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// A message that the broker stores for later subscribers. An empty payload deletes the stored message of the topic.
package struct RetainedMessage: Sendable, Hashable {
    package let topic: String
    package let payload: [UInt8]

    package init(topic: String, payload: [UInt8]) { (self.topic, self.payload) = (topic, payload) }
}

/// A camera as a device of Home Assistant (home-assistant.io, "MQTT Discovery"). Each entity of the device has its own
/// discovery topic, because all versions of Home Assistant read this format. Only version 2024.11 and later read a
/// single message about a whole device.
package struct HomeAssistantDevice: Sendable {
    /// The first part of all discovery topics.
    let prefix: String
    /// The topic of the publisher. The topic is unique on the broker, so the IDs of the device and its entities contain
    /// this topic.
    let topic: String
    let name: String
    let zones: [String]
    package let labels: [String]
    private let version: String

    /// The maximum number of zones, and the maximum number of labels.
    package static let limit = 64

    /// - Parameters:
    ///   - topic: the topic of messages.
    ///   - name: the name of the device for users.
    ///   - version: the version of this plugin.
    /// - Throws: an error in the prefix, the zones or the labels.
    package init(
        prefix: String, topic: String, name: String, zones: [String], labels: [String], version: String
    ) throws(LinkFailure) {
        guard !prefix.isEmpty, prefix.utf8.count <= 200, !prefix.hasPrefix("/"), !prefix.hasSuffix("/"),
            !prefix.utf8.contains(where: { [0, UInt8(ascii: "+"), UInt8(ascii: "#")].contains($0) })
        else {
            throw LinkFailure(
                "ha-prefix=\(prefix): not the beginning of a topic. Use at most 200 bytes, without + and #, and "
                    + "without / at the ends.")
        }
        for (property, names) in [("ha-zones", zones), ("ha-labels", labels)] where names.count > Self.limit {
            throw LinkFailure("\(property) contains \(names.count) names. Use at most \(Self.limit) names.")
        }
        (self.prefix, self.topic, self.name, self.version) = (prefix, topic, name, version)
        (self.zones, self.labels) = (zones, labels)
    }

    /// The topic of the device state (see `HomeAssistantState`).
    var stateTopic: String { topic + "/ha" }

    /// The topics to which Home Assistant sends a message when it starts. By default, Home Assistant uses
    /// `homeassistant/status`, even if the discovery prefix differs. Users who change the prefix may also have changed
    /// this topic to `PREFIX/status`.
    var birthTopics: [String] { Set(["homeassistant/status", prefix + "/status"]).sorted() }

    // MARK: - Messages

    /// The messages that announce the device.
    package var announcement: [RetainedMessage] {
        entities.map { entity in
            let members = common(entity) + entity.members
            return RetainedMessage(topic: topic(of: entity), payload: Array(JSONValue.table(members).line.utf8))
        }
    }

    /// The messages that remove the device and its last state: one empty message for each topic.
    package var removal: [RetainedMessage] {
        (entities.map(topic) + [stateTopic]).map { RetainedMessage(topic: $0, payload: []) }
    }

    private struct Entity {
        /// The type of the entity in Home Assistant.
        let component: String
        /// The part of the entity's ID that is unique in the device.
        let key: String
        let name: String
        /// The JSON members of the discovery message that differ between entities (see `common`).
        let members: [(name: String, value: JSONValue)]
    }

    private var entities: [Entity] {
        let count = Entity(
            component: "sensor", key: "count", name: "Objects",
            members: [
                ("value_template", .text("{{ value_json.count }}")), ("state_class", .text("measurement")),
                ("icon", .text("mdi:counter")),
            ])
        // The attributes of this sensor contain the time of the event. So Home Assistant also notices an event whose
        // text is equal to the text of the previous event.
        let event = Entity(
            component: "sensor", key: "last_event", name: "Last event",
            members: [
                ("value_template", .text("{{ value_json.event.text }}")),
                ("json_attributes_topic", .text(stateTopic)),
                ("json_attributes_template", .text("{{ value_json.event | tojson }}")),
                ("icon", .text("mdi:history")),
            ])
        return [count, event] + presence(of: "zone", zones) + presence(of: "label", labels)
    }

    /// Returns a binary sensor for each zone or label in `names`. The sensor is on while the zone contains objects, or
    /// while objects with the label are present.
    private func presence(of kind: String, _ names: [String]) -> [Entity] {
        names.map { name in
            // Identifiers contain no quotes or backslashes, so the value template below needs no escapes.
            let value = "value_json.\(kind)s['\(Self.identifier(name))']"
            return Entity(
                component: "binary_sensor", key: "\(kind)_\(Self.identifier(name))", name: name,
                members: [
                    ("value_template", .text("{{ 'ON' if \(value) > 0 else 'OFF' }}")), ("payload_on", .text("ON")),
                    ("payload_off", .text("OFF")), ("device_class", .text("occupancy")),
                ])
        }
    }

    private var id: String { "swiftvision_" + Self.identifier(topic) }

    private func topic(of entity: Entity) -> String { "\(prefix)/\(entity.component)/\(id)/\(entity.key)/config" }

    /// Returns the JSON members that the discovery messages of all entities contain.
    private func common(_ entity: Entity) -> [(name: String, value: JSONValue)] {
        let software: (name: String, value: JSONValue) = ("sw_version", .text(version))
        return [
            ("name", .text(entity.name)), ("unique_id", .text("\(id)_\(entity.key)")),
            ("state_topic", .text(stateTopic)), ("availability_topic", .text(topic + "/stats")),
            ("availability_template", .text("{{ 'online' if value_json.state == 'playing' else 'offline' }}")),
            ("payload_available", .text("online")), ("payload_not_available", .text("offline")),
            (
                "device",
                .table([
                    ("identifiers", .list([.text(id)])), ("name", .text(name)), ("manufacturer", .text("swiftvision")),
                    ("model", .text("svpublish")), software,
                ])
            ),
            ("origin", .table([("name", .text("swiftvision")), software])),
        ]
    }

    // MARK: - Identifiers

    /// Returns an identifier of letters, digits, `_` and `-`, which are the only characters that Home Assistant allows
    /// in IDs. If the identifier differs from the text, the identifier ends with a hash of the text. Different texts
    /// therefore have different identifiers.
    static func identifier(_ text: String) -> String {
        let cleaned = text.utf8.prefix(60).map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                byte
            default: UInt8(ascii: "_")
            }
        }
        let identifier = String(decoding: cleaned, as: UTF8.self)
        guard identifier != text || text.isEmpty else { return identifier }
        // 64-bit FNV-1a (draft-eastlake-fnv).
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return "\(identifier)_\(String(hash, radix: 16))"
    }
}

/// A device in Home Assistant, and whether the publisher announces or removes this device.
package struct HomeAssistant: Sendable {
    package enum Action: Sendable { case announce, remove }

    package let device: HomeAssistantDevice
    package let action: Action

    package init(_ device: HomeAssistantDevice, _ action: Action) { (self.device, self.action) = (device, action) }

    var messages: [RetainedMessage] { action == .announce ? device.announcement : device.removal }
}
