// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport

/// Checks discovery messages with the rules in Home Assistant's public documentation (home-assistant.io: "MQTT",
/// section "MQTT Discovery", "MQTT Sensor" and "MQTT Binary Sensor").
enum HomeAssistantFormat {
    private static let common: [String: Any.Type] = [
        "availability_template": String.self, "availability_topic": String.self, "device": [String: Any].self,
        "device_class": String.self, "enabled_by_default": Bool.self, "entity_category": String.self,
        "expire_after": Int.self, "force_update": Bool.self, "icon": String.self,
        "json_attributes_template": String.self, "json_attributes_topic": String.self, "name": String.self,
        "object_id": String.self, "origin": [String: Any].self, "payload_available": String.self,
        "payload_not_available": String.self, "qos": Int.self, "state_topic": String.self, "unique_id": String.self,
        "value_template": String.self,
    ]
    private static let special: [String: [String: Any.Type]] = [
        "sensor": ["state_class": String.self, "unit_of_measurement": String.self],
        "binary_sensor": ["off_delay": Int.self, "payload_off": String.self, "payload_on": String.self],
    ]
    private static let device: Set = [
        "configuration_url", "connections", "hw_version", "identifiers", "manufacturer", "model", "name",
        "suggested_area", "sw_version", "via_device",
    ]

    /// Returns the first violation of the rules; nil if the message is valid.
    static func error(topic: String, payload: String, prefix: String = "homeassistant") -> String? {
        // <discovery_prefix>/<component>/[<node_id>/]<object_id>/config
        let parts = topic.dropFirst(prefix.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        guard topic.hasPrefix(prefix + "/"), (3...4).contains(parts.count), parts.last == "config" else {
            return "\(topic): not a discovery topic"
        }
        for id in parts.dropFirst().dropLast()
        where id.range(of: "^[a-zA-Z0-9_-]+$", options: .regularExpression) == nil {
            return "\(topic): \(id) has forbidden characters"
        }
        guard let special = special[String(parts[0])] else { return "\(parts[0]): unknown component" }
        guard let table = (try? JSONSerialization.jsonObject(with: Data(payload.utf8))) as? [String: Any] else {
            return "\(payload): not a JSON dictionary"
        }
        for (name, value) in table {
            guard let type = common[name] ?? special[name] else { return "\(name): unknown variable" }
            let isRight =
                switch type {
                case is String.Type: value is String
                case is Bool.Type: value is Bool
                case is Int.Type: value is Int
                default: value is [String: Any]
                }
            if !isRight { return "\(name): wrong type" }
        }
        for topic in table where topic.key.hasSuffix("_topic") {
            guard let text = topic.value as? String, !text.isEmpty, !text.contains("+"), !text.contains("#") else {
                return "\(topic.key): not a topic"
            }
        }
        guard table["state_topic"] != nil else { return "state_topic is missing" }
        return deviceError(table)
    }

    /// A device needs a unique ID, and identifiers or connections. The origin needs a name.
    private static func deviceError(_ table: [String: Any]) -> String? {
        guard let device = table["device"] as? [String: Any] else { return nil }
        guard table["unique_id"] != nil else { return "a device needs unique_id" }
        if let name = device.keys.first(where: { !Self.device.contains($0) }) { return "device: unknown \(name)" }
        let identifiers = device["identifiers"] as? [String] ?? []
        guard !identifiers.isEmpty || device["connections"] != nil else { return "the device has no identifiers" }
        if let origin = table["origin"] as? [String: Any], !(origin["name"] is String) {
            return "the origin has no name"
        }
        return nil
    }

    /// Evaluates a template with the JSON text `json`, as Jinja does. Knows only these forms, with `PATH` for
    /// `value_json` and its members: `{{ PATH }}`, `{{ 'A' if PATH > 0 else 'B' }}` and
    /// `{{ 'A' if PATH == 'TEXT' else 'B' }}`.
    static func evaluate(_ template: String, _ json: String) throws -> String {
        let value = try JSONSerialization.jsonObject(with: Data(json.utf8))
        let path = #"(value_json(?:\.\w+|\['[\w-]+'\])+)"#
        if let parts = match(#"^\{\{ "# + path + #" \}\}$"#, template) {
            switch try member(parts[0], of: value) {
            case is NSNull: return "None"
            case let text as String: return text
            case let other: return "\(other)"
            }
        }
        if let parts = match(#"^\{\{ '(\w+)' if "# + path + #" > 0 else '(\w+)' \}\}$"#, template) {
            let number = try required(try member(parts[1], of: value) as? Int, "\(parts[1]) is not a number")
            return number > 0 ? parts[0] : parts[2]
        }
        if let parts = match(#"^\{\{ '(\w+)' if "# + path + #" == '(\w+)' else '(\w+)' \}\}$"#, template) {
            return try member(parts[1], of: value) as? String == parts[2] ? parts[0] : parts[3]
        }
        throw TestFailure("unknown template \(template)")
    }

    private static func match(_ pattern: String, _ text: String) -> [String]? {
        guard let expression = try? NSRegularExpression(pattern: pattern),
            let match = expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text))
        else { return nil }
        return (1..<match.numberOfRanges).compactMap { Range(match.range(at: $0), in: text).map { String(text[$0]) } }
    }

    private static func member(_ path: String, of value: Any) throws -> Any {
        try path.dropFirst("value_json".count).split { ".[]'".contains($0) }.reduce(value) { value, name in
            try required((value as? [String: Any])?[String(name)], "\(path) does not exist")
        }
    }
}
