// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Files
import Imaging

// Writes messages as JSON with the member names of DL Streamer's gvametaconvert (jsonconverter.cpp), so that programs
// for DL Streamer can read the messages. Other members, such as landmarks, have the names of the fields in this
// plugin's metadata.

extension Frame {
    /// The size of the visible part of the frame. Boxes are relative to this part.
    package var visibleSize: PixelSize { pixels.size }
}

extension InputFrame {
    /// The size of the visible part of the frame. Boxes are relative to this part.
    package var visibleSize: PixelSize { FrameExtent(buffer, size: format.size).visible.size }
}

/// Optional members of a detection in JSON.
package struct DetectionDetail: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The corners of outlines.
    package static let corners = DetectionDetail(rawValue: 1)
    /// The member `model` of each classification. Programs for DL Streamer ignore classifications without a model.
    package static let models = DetectionDetail(rawValue: 2)
}

extension JSONWriter {
    /// The version of the messages about frames and events, in docs/message-lines.schema.json and
    /// docs/svpublish.schema.json. New members do not change the version.
    package static let messageVersion = 1

    /// Writes the object for a frame: `resolution`, `timestamp`, `element`, `objects`, `count`, `counts` and `version`.
    /// - Parameters:
    ///   - size: the size of the visible part of the frame, in pixels.
    ///   - element: the name of the element that reports the detections.
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
    /// Creates the JSON object for an event from the fields of the event's message.
    init(_ event: StructureView, by element: String) {
        var members: [(name: String, value: JSONValue)] = [("element", .text(element))]
        event.forEachField { name, value in
            guard let value = JSONValue(value.pointee) else { return }
            let name = String(cString: name)
            // The JSON objects for frames contain the stream time as `timestamp`, and the timestamp as `pts`. Use the
            // same names for events.
            members.append((name == "stream-time" ? "timestamp" : name == "timestamp" ? "pts" : name, value))
        }
        members.append(("version", .whole(Int64(JSONWriter.messageVersion))))
        self = .table(members)
    }
}

extension [Detection] {
    /// The number of detections for each name, sorted by name.
    package var counts: [(name: String, count: Int)] {
        let counts = reduce(into: [String: Int]()) { $0[$1.name, default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

extension Detection {
    /// The names of the classifications whose label is the name of the object. This name replaces the detector's label.
    static let nameStructures: Set = ["person", "blob-class", "logo"]

    /// The classification that names the object, if there is one.
    package var naming: Classification? {
        classifications.first { Self.nameStructures.contains($0.name) && !$0.label.isEmpty }
    }

    /// The classifications that do not name the object.
    package var attributes: [Classification] { classifications.filter { !Self.nameStructures.contains($0.name) } }

    /// The name of the object, or the detector's label if the object has no name.
    package var name: String { naming?.label ?? (label.isEmpty ? type.rawValue : label) }
}

extension JSONWriter {
    private mutating func write(_ detection: Detection, in size: PixelSize, _ detail: DetectionDetail) {
        table {
            $0.write(Detection.objectFields, of: detection)
            $0.name("detection")
            $0.table {
                $0.name("bounding_box")
                $0.table { $0.write(FrameBox.fields, of: FrameBox(box: detection.box, frame: size)) }
                $0.write(Detection.detectionFields, of: detection)
            }
            if let landmarks = detection.landmarks {
                $0.name("landmarks")
                $0.table { $0.write(FaceLandmarks.fields, of: landmarks.moved(detection.box.fractions)) }
            }
            if let outline = detection.outline {
                $0.name("outline")
                $0.write(outline, in: detection.box, detail)
            }
            // Skips a classification whose name is already used, because a JSON reader may use any of several members
            // with the same name.
            var names = Self.objectNames
            for var classification in detection.classifications
            where names.insert(classification.memberName).inserted {
                if detail.contains(.models), classification.modelName == nil {
                    classification.modelName = classification.name
                }
                $0.name(any: classification.memberName)
                $0.table { $0.write(Classification.fields, of: classification) }
            }
        }
    }

    /// The names of the members of an object that are not classifications.
    private static let objectNames = Set(
        Detection.objectFields.flatMap(\.names).map { "\($0)" } + ["detection", "landmarks", "outline"])

    private mutating func write(_ outline: Outline, in box: Rectangle, _ detail: DetectionDetail) {
        table {
            $0.write(Outline.fields, of: outline)
            guard detail.contains(.corners) else { return }
            $0.name("corners")
            $0.list { writer in
                for corner in outline.corners.prefix(Outline.limit).map(box.fractions) {
                    writer.list {
                        $0.write(corner.x)
                        $0.write(corner.y)
                    }
                }
            }
        }
    }
}
