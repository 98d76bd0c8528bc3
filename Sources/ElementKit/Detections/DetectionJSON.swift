// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
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

extension JSONValue {
    /// Creates the object for a frame: `resolution`, `timestamp`, `objects`, and how many there are of each name.
    /// - Parameters:
    ///   - size: the frame's, in which boxes are counted.
    ///   - element: the name of the element that says so.
    package init(_ detections: [Detection], at time: FrameTime, size: PixelSize, by element: String) {
        var members: [(name: String, value: JSONValue)] = [
            ("resolution", .table([("width", .whole(Int64(size.width))), ("height", .whole(Int64(size.height)))]))
        ]
        if let streamTime = time.streamTime { members.append(("timestamp", .count(streamTime.nanoseconds))) }
        members.append(("element", .text(element)))
        members.append(("objects", .list(detections.map { $0.json(in: size) })))
        members.append(("count", .whole(Int64(detections.count))))
        members.append(("counts", .table(detections.counts.map { ($0.name, .whole(Int64($0.count))) })))
        self = .table(members)
    }

    /// Creates the object for something that has happened, from the fields of its message.
    init(_ event: StructureView, by element: String) {
        var members: [(name: String, value: JSONValue)] = [("element", .text(element))]
        event.forEachField { name, value in
            guard let value = JSONValue(value.pointee) else { return }
            let name = String(cString: name)
            // As in the objects for frames.
            members.append((name == "stream-time" ? "timestamp" : name == "timestamp" ? "pts" : name, value))
        }
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

    fileprivate func json(in size: PixelSize) -> JSONValue {
        var members: [(name: String, value: JSONValue)] = [
            ("x", .whole(Int64(box.x))), ("y", .whole(Int64(box.y))), ("w", .whole(Int64(box.width))),
            ("h", .whole(Int64(box.height))), ("region_id", .whole(Int64(id))),
        ]
        if let parent, parent >= 0 { members.append(("parent_id", .whole(Int64(parent)))) }
        if id != 0 { members.append(("id", .whole(Int64(id)))) }
        members.append(("roi_type", .text(type.rawValue)))
        members.append(("detection", detection(in: size)))
        if let landmarks { members.append(("landmarks", landmarks.json(in: box))) }
        if let outline {
            members.append(
                ("outline", .table([("area", .real(outline.area)), ("mean_color", .text(outline.colorText))])))
        }
        for classification in classifications {
            members.append((classification.attributeName ?? classification.name, classification.json))
        }
        return .table(members)
    }

    private func detection(in size: PixelSize) -> JSONValue {
        func share(_ place: Int, _ all: Int) -> JSONValue { .real(all > 0 ? Double(place) / Double(all) : 0) }
        var members: [(name: String, value: JSONValue)] = [
            (
                "bounding_box",
                .table([
                    ("x_min", share(box.x, size.width)), ("x_max", share(box.x + box.width, size.width)),
                    ("y_min", share(box.y, size.height)), ("y_max", share(box.y + box.height, size.height)),
                ])
            )
        ]
        if let confidence { members.append(("confidence", .real(confidence))) }
        members.append(("label_id", .whole(Int64(labelID))))
        members.append(("label", .text(label)))
        return .table(members)
    }
}

extension FaceLandmarks {
    fileprivate func json(in box: Rectangle) -> JSONValue {
        var members = shares(of: box).flatMap {
            [(name: "\($0.name)_x", value: JSONValue.real($0.x)), (name: "\($0.name)_y", value: JSONValue.real($0.y))]
        }
        members.append(("left_eye_found", .truth(isLeftEyeFound)))
        members.append(("right_eye_found", .truth(isRightEyeFound)))
        return .table(members)
    }
}

extension Classification {
    fileprivate var json: JSONValue {
        var members: [(name: String, value: JSONValue)] = [("label", .text(label))]
        if let modelName { members.append(("model", .table([("name", .text(modelName))]))) }
        if let confidence { members.append(("confidence", .real(confidence))) }
        members.append(("label_id", .whole(Int64(labelID))))
        if let distance { members.append(("distance", .real(distance))) }
        if let confirmations { members.append(("confirmations", .whole(Int64(confirmations)))) }
        return .table(members)
    }
}
