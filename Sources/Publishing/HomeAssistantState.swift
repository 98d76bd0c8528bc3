// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// The state of a camera for Home Assistant: a small JSON object. It contains the number of objects, the counts of the
/// device's zones and labels, and the last event.
package struct HomeAssistantState: Sendable {
    private struct Content: Sendable, Equatable {
        var count = 0
        /// `zones`: the number of objects in each zone of the device. `labels`: the number of objects with each label
        /// of the device.
        var zones: [Int]
        var labels: [Int]
        var event: Event?
    }

    private struct Event: Sendable, Equatable {
        let text: String
        let time: String
    }

    /// Home Assistant ignores states with more than 255 characters.
    private static let maxCharacters = 255

    private let device: HomeAssistantDevice
    private var content: Content

    package init(_ device: HomeAssistantDevice) {
        self.device = device
        content = Content(zones: device.zones.map { _ in 0 }, labels: device.labels.map { _ in 0 })
    }

    /// Replaces the counts by the counts of the next frame. The last of `events` becomes the last event of the state.
    /// If `events` is empty, the last event names a label of the device whose objects have appeared or disappeared.
    /// - Parameters:
    ///   - count: the number of objects in the frame.
    ///   - labels: the number of objects with each label.
    ///   - zones: the number of objects in each zone.
    ///   - events: descriptions of the events in the frame, in order.
    ///   - time: the current time, as text.
    /// - Returns: the new state; nil if the state has not changed.
    package mutating func update(
        count: Int, labels: [String: Int], zones: [String: Int], events: [String], at time: () -> String
    ) -> [UInt8]? {
        let last = content
        content.count = count
        content.zones = device.zones.map { zones[$0] ?? 0 }
        content.labels = device.labels.map { labels[$0] ?? 0 }
        let changes = device.labels.indices.compactMap { index -> String? in
            let (before, after) = (last.labels[index] > 0, content.labels[index] > 0)
            return before == after ? nil : "\(device.labels[index]) \(after ? "appeared" : "disappeared")"
        }
        // An event of a zone is more specific than the appearance of a label in the same frame.
        if let text = events.last ?? changes.last {
            content.event = Event(text: String(text.prefix(Self.maxCharacters)), time: time())
        }
        return content == last ? nil : message
    }

    /// The state as a message.
    package var message: [UInt8] {
        func counts(_ names: [String], _ counts: [Int]) -> JSONValue {
            .table(zip(names, counts).map { (HomeAssistantDevice.identifier($0), .whole(Int64($1))) })
        }
        let event: JSONValue =
            if let event = content.event {
                .table([("text", .text(event.text)), ("time", .text(event.time))])
            } else {
                .table([("text", .null)])
            }
        let state = JSONValue.table([
            ("count", .whole(Int64(content.count))), ("zones", counts(device.zones, content.zones)),
            ("labels", counts(device.labels, content.labels)), ("event", event),
        ])
        return Array(state.line.utf8)
    }
}
