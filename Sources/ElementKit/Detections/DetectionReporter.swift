// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Imaging

/// Policy for a detector's messages about what it sees.
package enum ReportPolicy: Int32, PropertyEnum {
    case none
    case onChange
    case everyFrame

    package static let typeName = "GstSvReportPolicy"

    package static let members: [(value: Self, blurb: String)] = [
        (.none, "Never"), (.onChange, "When a detection appears, disappears or changes its label"),
        (.everyFrame, "For every frame, even if it has no detections"),
    ]
}

/// Posts a detector's messages: `timestamp stream-time running-time` and `objects`, an array of structures named for
/// the objects' types; and writes the same as a line of JSON where the host's `lines` go somewhere.
package struct DetectionReporter: Sendable {
    private var seen = SeenObjects()

    package init() {}

    /// - Parameters:
    ///   - areTracked: true if an object has the same id in every frame; else only the number of objects is compared.
    ///   - size: the size of the frame's visible part, for lines.
    package mutating func report<Settings>(
        _ detections: [Detection], areTracked: Bool = true, _ policy: ReportPolicy, at time: FrameTime,
        size: PixelSize = .zero, _ host: Host<Settings>
    ) {
        guard policy != .none else { return }
        let isNew = seen.change(to: detections, areTracked: areTracked)
        guard policy == .everyFrame || isNew else { return }
        var message = Structure(host.name, at: time)
        message.set("objects", each: detections) { $0.entry }
        host.post(message)
        guard host.lines.isOpen else { return }
        var line = JSONWriter()
        line.write(detections, at: time, size: size, by: host.objectName)
        host.lines.write(line.text, host)
    }
}

/// The objects of the last frame, as far as a change of them is worth a message.
package struct SeenObjects: Sendable {
    /// The properties that tell one object from another.
    private struct Identity: Hashable {
        var id: Int32?
        var type: Detection.Kind
        var label: String
        var answers: [String]
        var closedEyes: ClosedEyes?
    }

    private var last: [Identity: Int] = [:]

    package init() {}

    /// Takes over the objects of the next frame. Returns true if one has appeared, vanished or been renamed.
    /// - Parameter areTracked: true if an object has the same id in every frame; else only the number of objects is
    ///   compared.
    package mutating func change(to detections: [Detection], areTracked: Bool = true) -> Bool {
        let seen = detections.reduce(into: [Identity: Int]()) { counts, detection in
            let identity = Identity(
                id: areTracked ? detection.id : nil, type: detection.type, label: detection.label,
                answers: detection.classifications.map(\.label), closedEyes: detection.landmarks?.closedEyes)
            counts[identity, default: 0] += 1
        }
        defer { last = seen }
        return seen != last
    }
}

extension Detection {
    /// The object as described in messages: everything that can be written as a text and read again.
    fileprivate var entry: Structure {
        var entry = Structure(type.rawValue)
        entry.set("id", id)
        if let parent { entry.set("parent_id", parent) }
        entry.set("label", label)
        if let confidence { entry.set("confidence", confidence) }
        entry.set("x", box.x)
        entry.set("y", box.y)
        entry.set(box.size)
        landmarks?.setFields(of: &entry, box)
        if let outline {
            entry.set("area", outline.area)
            entry.set("mean_color", outline.colorText)
        }
        for classification in classifications {
            entry.set(classification.name, classification.label)
            if let confidence = classification.confidence { entry.set("\(classification.name)_confidence", confidence) }
        }
        return entry
    }
}
