// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Imaging

/// Selects when a detector posts messages.
package enum ReportPolicy: Int32, PropertyEnum {
    case none
    case onChange
    case everyFrame

    package static let typeName = "GstSvReportPolicy"

    package static let members: [(value: Self, blurb: String)] = [
        (.none, "Never"),
        (.onChange, "When a detection appears or disappears, or when the label of a detection changes"),
        (.everyFrame, "For every frame, including frames without detections"),
    ]
}

/// Posts a detector's messages. The fields are `timestamp`, `stream-time`, `running-time` and `objects`, an array of
/// structures. The name of each structure is the type of the object. If the host's file `lines` is open, the reporter
/// also writes a line of JSON to this file.
package struct DetectionReporter: Sendable {
    private var history = ObjectHistory()

    package init() {}

    /// - Parameters:
    ///   - areTracked: true if an object has the same ID in every frame. If false, the IDs are ignored, and the
    ///     numbers of objects with the same type, labels and closed eyes are compared with the last frame.
    ///   - size: the size of the frame's visible part, for the lines of JSON.
    package mutating func report<Settings>(
        _ detections: [Detection], areTracked: Bool = true, _ policy: ReportPolicy, at time: FrameTime,
        size: PixelSize = .zero, _ host: Host<Settings>
    ) {
        guard policy != .none else { return }
        let isNew = history.change(to: detections, areTracked: areTracked)
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

/// The objects of the last frame, with the properties whose changes cause a message.
package struct ObjectHistory: Sendable {
    /// The properties that distinguish objects.
    private struct Identity: Hashable {
        var id: Int32?
        var type: Detection.Kind
        var label: String
        var classLabels: [String]
        var closedEyes: ClosedEyes?
    }

    private var last: [Identity: Int] = [:]

    package init() {}

    /// Replaces the objects by the objects of the next frame. Returns true if an object has appeared, disappeared or
    /// changed its name.
    /// - Parameter areTracked: true if an object has the same ID in every frame. If false, the IDs are ignored, and the
    ///   numbers of objects with the same properties are compared with the last frame.
    package mutating func change(to detections: [Detection], areTracked: Bool = true) -> Bool {
        let current = detections.reduce(into: [Identity: Int]()) { counts, detection in
            let identity = Identity(
                id: areTracked ? detection.id : nil, type: detection.type, label: detection.label,
                classLabels: detection.classifications.map(\.label), closedEyes: detection.landmarks?.closedEyes)
            counts[identity, default: 0] += 1
        }
        defer { last = current }
        return current != last
    }
}

extension Detection {
    /// The object's structure in a message. GStreamer can serialize and parse all of its fields.
    fileprivate var entry: Structure {
        var entry = Structure(type.rawValue)
        entry.set(Self.messageFields, of: self)
        if let landmarks { entry.set(FaceLandmarks.fields, of: landmarks.moved(box.fractions)) }
        if let outline { entry.set(Outline.fields, of: outline) }
        for classification in classifications {
            entry.set(classification.name, classification.label)
            if let confidence = classification.confidence { entry.set("\(classification.name)_confidence", confidence) }
        }
        return entry
    }
}
