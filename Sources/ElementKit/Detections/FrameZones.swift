// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Files

/// The results of an element that watches zones, from the custom metadata `svdetections` of a frame.
package struct FrameZones: Sendable {
    /// The number of objects in each zone: the field `zones`, a list of structures with `name` and `count`.
    package private(set) var counts: [String: Int] = [:]
    /// The events in the frame: the field `events`, a list of structures. Only texts are read.
    package private(set) var events: [[String: String]] = []

    init() {}

    init(_ metadata: StructureView) {
        for zone in metadata.structures("zones") {
            if let name = zone.text("name"), let count = zone.int("count") { counts[name] = Int(max(0, count)) }
        }
        events = metadata.structures("events").map { event in
            var texts: [String: String] = [:]
            event.forEachField { name, value in
                if case .text(let text) = JSONValue(value.pointee) { texts[String(cString: name)] = text }
            }
            return texts
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
