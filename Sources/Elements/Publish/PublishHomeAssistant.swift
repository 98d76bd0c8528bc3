// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Publishing

extension PublishSettings {
    /// Returns the device to announce to Home Assistant or to remove; nil with `ha-discovery=false`.
    /// - Parameter version: the version of the plugin.
    /// - Throws: an error for an invalid setting.
    func homeAssistant(version: String) throws -> HomeAssistant? {
        guard discovery != .false else { return nil }
        guard method == .mqtt else {
            throw ElementError(
                .settings,
                "ha-discovery=\(discovery.nick) needs an MQTT broker. Set method=mqtt and address, or "
                    + "ha-discovery=false.")
        }
        let topic = topic ?? "swiftvision"
        let device = try HomeAssistantDevice(
            prefix: discoveryPrefix ?? "homeassistant", topic: topic, name: source ?? topic,
            zones: Self.names(in: discoveryZones), labels: Self.names(in: discoveryLabels), version: version)
        return HomeAssistant(device, discovery == .true ? .announce : .remove)
    }

    /// Returns the names in a comma-separated list, without repeated names.
    private static func names(in list: String?) -> [String] {
        var known: Set<String> = []
        return (list ?? "").split(separator: ",").map { name in
            String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }.filter { !$0.isEmpty && known.insert($0).inserted }
    }
}

/// Computes the state of the device in Home Assistant from the detections.
struct DeviceTracker {
    private var state: HomeAssistantState
    private let labels: Set<String>
    /// True if names of persons are allowed.
    private let showsNames: Bool
    /// The events of the last frame that had events.
    private var lastEvents: Set<FrameEvent> = []
    /// A label in `ha-labels` that a detection has, but that is hidden because names are not allowed.
    private(set) var hiddenLabel: String?

    /// Returns nil if no device is announced.
    init?(_ homeAssistant: HomeAssistant?, showsNames: Bool) {
        guard let homeAssistant, homeAssistant.action == .announce else { return nil }
        (state, self.showsNames) = (HomeAssistantState(homeAssistant.device), showsNames)
        labels = Set(homeAssistant.device.labels)
    }

    /// The current state, as a message.
    var message: [UInt8] { state.message }

    /// Returns the new state; nil if the state has not changed.
    /// - Parameter time: the current time, as text.
    mutating func update(
        _ detections: [Detection], _ zones: FrameZones, at time: () -> String = { timestamp(.rfc3339) }
    ) -> [UInt8]? {
        var counts: [String: Int] = [:]
        for detection in detections {
            // A named face counts as a face and as the person.
            let open: Set = [detection.publicLabel, detection.type.rawValue]
            let hidden = Set([detection.name, detection.label]).subtracting(open)
            for label in showsNames ? open.union(hidden) : open { counts[label, default: 0] += 1 }
            if !showsNames, hiddenLabel == nil { hiddenLabel = hidden.intersection(labels).first }
        }
        // An element upstream, such as videorate, may repeat a frame with its events. Count these events only once.
        let events = zones.events.filter { $0.number == 0 || !lastEvents.contains($0) }
        if !zones.events.isEmpty { lastEvents = Set(zones.events) }
        return state.update(
            count: detections.count, labels: counts,
            zones: Dictionary(zones.counts.map { ($0.name, Int($0.count)) }) { $1 },
            events: events.compactMap(text), at: time)
    }

    /// Returns a text for an event, such as `enter door`. The name and the label of the object are omitted if names of
    /// persons are not allowed. Returns nil for changes of a count, because the sensors of the zones show counts.
    private func text(of event: FrameEvent) -> String? {
        guard event.event != "occupancy" else { return nil }
        let object = showsNames ? event.name ?? event.label : nil
        return [event.event, event.zone, event.direction, object].compactMap { $0 }.filter { !$0.isEmpty }
            .joined(separator: " ")
    }
}
