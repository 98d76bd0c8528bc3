// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Files

/// The results of an element that watches zones, from the custom metadata `svdetections` of a frame.
package struct FrameZones: Sendable {
    /// The number of objects in each zone: the field `zones`, a list of structures with `name` and `count`.
    package private(set) var counts: [String: Int] = [:]
    /// The events in the frame: the field `events`, a list of structures.
    package private(set) var events: [Event] = []

    package struct Event: Sendable, Hashable {
        /// The text fields.
        package fileprivate(set) var texts: [String: String] = [:]
        /// The number of the event. An element that repeats a frame also repeats the numbers of its events.
        package fileprivate(set) var number: UInt64?
    }

    init() {}

    init(_ metadata: StructureView) {
        for zone in metadata.structures("zones") {
            if let name = zone.text("name"), let count = zone.int("count") { counts[name] = Int(max(0, count)) }
        }
        events = metadata.structures("events").map { structure in
            var event = Event()
            structure.forEachField { name, value in
                let (name, value) = (String(cString: name), JSONValue(value.pointee))
                if case .text(let text) = value { event.texts[name] = text }
                if name == "number" { event.number = value?.count }
            }
            return event
        }
    }
}

extension InputFrame {
    /// The results of the zones upstream. Without an element that watches zones, the result is empty.
    package var zoneResults: FrameZones {
        SearchMark.on(buffer).map { FrameZones(StructureView($0.structure)) } ?? FrameZones()
    }
}

extension SharedFrame {
    /// The detections of elements upstream, without uncertain detections.
    package var detections: [Detection] { DetectionMeta(buffer: buffer, size: size).detections(truth: false) }
}
