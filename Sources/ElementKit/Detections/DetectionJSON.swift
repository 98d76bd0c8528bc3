// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Files
import Imaging

// Messages as JSON, with the names of DL Streamer's gvametaconvert (jsonconverter.cpp), so that its readers can be used.
// What these do not have, such as landmarks, comes under the names of our metadata.

extension Frame {
    /// The size of the visible part, in which boxes are counted.
    package var visibleSize: PixelSize { pixels.size }
}

extension InputFrame {
    /// The size of the visible part, in which boxes are counted.
    package var visibleSize: PixelSize { FrameExtent(buffer, size: format.size).visible.size }
}

/// What is written of a detection beside the members that all have.
package struct DetectionDetail: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The corners of the outline.
    package static let corners = DetectionDetail(rawValue: 1)
    /// A model for each answer: readers of DL Streamer leave out what has none.
    package static let models = DetectionDetail(rawValue: 2)
}

extension JSONWriter {
    /// The version of the messages about frames and events, which a schema describes (docs/message-lines.schema.json,
    /// docs/svpublish.schema.json). New members do not change it.
    package static let messageVersion = 1

    /// Writes the object for a frame: `resolution`, `timestamp`, `element`, `objects`, and how many there are of each name.
    /// - Parameters:
    ///   - size: the frame's, in which boxes are counted.
    ///   - element: the name of the element that says so.
    package mutating func write(_ detections: [Detection], at time: FrameTime, size: PixelSize, by element: String) {
        table {
            $0.writeFrame(at: time, size: size)
            $0.name("element")
            $0.write(element)
            $0.writeObjects(detections, in: size, [])
        }
    }

    /// Writes the members `resolution` and, if it is known, `timestamp`.
    package mutating func writeFrame(at time: FrameTime, size: PixelSize) {
        name("resolution")
        table {
            $0.name("width")
            $0.write(size.width)
            $0.name("height")
            $0.write(size.height)
        }
        if let streamTime = time.streamTime {
            name("timestamp")
            write(streamTime.nanoseconds)
        }
    }

    /// Writes the last members of a message: `objects`, `count`, `counts` and `version`.
    package mutating func writeObjects(_ detections: [Detection], in size: PixelSize, _ detail: DetectionDetail) {
        name("objects")
        list { for detection in detections { $0.write(detection, in: size, detail) } }
        name("count")
        write(detections.count)
        name("counts")
        table { writer in
            for (name, count) in detections.counts {
                writer.name(any: name)
                writer.write(count)
            }
        }
        name("version")
        write(Self.messageVersion)
    }
}

extension JSONValue {
    /// Creates the object for something that has happened, from the fields of its message.
    init(_ event: StructureView, by element: String) {
        var members: [(name: String, value: JSONValue)] = [("element", .text(element))]
        event.forEachField { name, value in
            guard let value = JSONValue(value.pointee) else { return }
            let name = String(cString: name)
            // As in the objects for frames.
            members.append((name == "stream-time" ? "timestamp" : name == "timestamp" ? "pts" : name, value))
        }
        members.append(("version", .whole(Int64(JSONWriter.messageVersion))))
        self = .table(members)
    }

    /// Returns nil for types that messages do not have.
    private init?(_ value: GValue) {
        switch value.g_type {
        case String.valueType: self = .text(String.read(value) ?? "")
        case Bool.valueType: self = .truth(Bool.read(value) ?? false)
        case Int32.valueType: self = .whole(Int64(Int32.read(value) ?? 0))
        case UInt32.valueType: self = .whole(Int64(UInt32.read(value) ?? 0))
        case Int64.valueType: self = .whole(Int64.read(value) ?? 0)
        case UInt64.valueType: self = .count(UInt64.read(value) ?? 0)
        case Double.valueType: self = .real(Double.read(value) ?? 0)
        default: return nil
        }
    }
}

extension [Detection] {
    /// How many there are of each name, by the names' order.
    package var counts: [(name: String, count: Int)] {
        let counts = reduce(into: [String: Int]()) { $0[$1.name, default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

extension Classification {
    /// The name of its member in an object.
    fileprivate var memberName: String { attributeName ?? name }
}

extension Detection {
    /// The questions whose answer is the object's name: it replaces the detector's label.
    private static let names: Set = ["person", "blob-class", "logo"]

    /// The answer that is the object's name, if there is one.
    package var naming: Classification? {
        classifications.first { Self.names.contains($0.name) && !$0.label.isEmpty }
    }

    /// The answers to other questions.
    package var attributes: [Classification] { classifications.filter { !Self.names.contains($0.name) } }

    /// What the object is called: its name where there is one, else the detector's label.
    package var name: String { naming?.label ?? (label.isEmpty ? type.rawValue : label) }
}

extension JSONWriter {
    private mutating func write(_ detection: Detection, in size: PixelSize, _ detail: DetectionDetail) {
        table {
            $0.write(detection.box)
            $0.name("region_id")
            $0.write(detection.id)
            if let parent = detection.parent, parent >= 0 {
                $0.name("parent_id")
                $0.write(parent)
            }
            if detection.id != 0 {
                $0.name("id")
                $0.write(detection.id)
            }
            $0.name("roi_type")
            $0.write(detection.type.rawValue)
            $0.name("detection")
            $0.writeAnswer(of: detection, in: size)
            if let landmarks = detection.landmarks {
                $0.name("landmarks")
                $0.write(landmarks, in: detection.box)
            }
            if let outline = detection.outline {
                $0.name("outline")
                $0.write(outline, in: detection.box, detail)
            }
            for (index, classification) in detection.classifications.enumerated() {
                let name = classification.memberName
                // Of two members of the same name, readers may take either.
                guard !Self.ownNames.contains(name),
                    !detection.classifications[..<index].contains(where: { $0.memberName == name })
                else { continue }
                $0.name(any: name)
                $0.write(classification, detail)
            }
        }
    }

    /// The members that say something about the object itself.
    private static let ownNames: Set = [
        "x", "y", "w", "h", "region_id", "parent_id", "id", "roi_type", "detection", "landmarks", "outline",
    ]

    private mutating func write(_ box: Rectangle) {
        name("x")
        write(box.x)
        name("y")
        write(box.y)
        name("w")
        write(box.width)
        name("h")
        write(box.height)
    }

    private mutating func writeAnswer(of detection: Detection, in size: PixelSize) {
        func share(_ place: Int, _ all: Int) -> Double { all > 0 ? Double(place) / Double(all) : 0 }
        let box = detection.box
        table {
            $0.name("bounding_box")
            $0.table {
                $0.name("x_min")
                $0.write(share(box.x, size.width))
                $0.name("x_max")
                $0.write(share(box.x + box.width, size.width))
                $0.name("y_min")
                $0.write(share(box.y, size.height))
                $0.name("y_max")
                $0.write(share(box.y + box.height, size.height))
            }
            if let confidence = detection.confidence {
                $0.name("confidence")
                $0.write(confidence)
            }
            $0.name("label_id")
            $0.write(detection.labelID)
            $0.name("label")
            $0.write(detection.label)
            if let alternative = detection.alternative {
                $0.name("alternative")
                $0.write(alternative.rawValue)
            }
            if let isExact = detection.isExact {
                $0.name("exact")
                $0.write(isExact)
            }
        }
    }

    private mutating func write(_ landmarks: FaceLandmarks, in box: Rectangle) {
        table { writer in
            for (fields, x, y) in landmarks.shares(of: box) {
                writer.name(fields.x)
                writer.write(x)
                writer.name(fields.y)
                writer.write(y)
            }
            for (name, value) in landmarks.flags {
                writer.name(name)
                writer.write(value)
            }
            for (name, value) in landmarks.angles {
                writer.name(name)
                writer.write(value)
            }
        }
    }

    private mutating func write(_ outline: Outline, in box: Rectangle, _ detail: DetectionDetail) {
        table {
            $0.name("area")
            $0.write(outline.area)
            $0.name("mean_color")
            $0.write(outline.colorText)
            guard detail.contains(.corners) else { return }
            let (width, height) = (Double(max(1, box.width)), Double(max(1, box.height)))
            $0.name("corners")
            $0.list { writer in
                for corner in outline.corners.prefix(Outline.limit) {
                    writer.list {
                        $0.write((corner.x - Double(box.x)) / width)
                        $0.write((corner.y - Double(box.y)) / height)
                    }
                }
            }
        }
    }

    private mutating func write(_ classification: Classification, _ detail: DetectionDetail) {
        table {
            $0.name("label")
            $0.write(classification.label)
            if let model = classification.modelName ?? (detail.contains(.models) ? classification.name : nil) {
                $0.name("model")
                $0.table {
                    $0.name("name")
                    $0.write(model)
                }
            }
            if let confidence = classification.confidence {
                $0.name("confidence")
                $0.write(confidence)
            }
            $0.name("label_id")
            $0.write(classification.labelID)
            if let distance = classification.distance {
                $0.name("distance")
                $0.write(distance)
            }
            if let confirmations = classification.confirmations {
                $0.name("confirmations")
                $0.write(confirmations)
            }
        }
    }
}
