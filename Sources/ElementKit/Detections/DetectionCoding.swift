// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

// Converts detections to structures, and back. The structures have the names and fields of DL Streamer: `detection`,
// `object_id`, `landmarks`, and one structure per classification. Schema.swift lists the fields.

extension Detection {
    /// Calls `body` with each of the detection's structures.
    /// - Parameters:
    ///   - extent: the size of the whole frame, and its visible part.
    ///   - region: the box to which the coordinates of landmarks and outline are relative.
    func forEachParameter(of extent: FrameExtent, in region: Rectangle, _ body: (consuming Structure) -> Void) {
        var parameter = Structure("detection")
        parameter.set(Self.detectionFields, of: self)
        // The box is stored as fractions of the whole frame, not of the visible part, because regions of interest also
        // refer to the whole frame.
        let position = FrameBox(box: box.moved(x: extent.visible.x, y: extent.visible.y), frame: extent.full)
        parameter.set(FrameBox.fields, of: position)
        body(parameter)
        var object = Structure("object_id")
        object.set("id", id)
        body(object)
        if let landmarks { body(landmarks.parameter(of: region)) }
        if let outline { body(outline.parameter(of: region)) }
        for classification in classifications {
            var parameter = Structure(classification.name)
            parameter.set(Classification.fields, of: classification)
            body(parameter)
        }
    }

    /// Adds the data of a structure to the detection. A structure with an unknown name counts as a classification. A
    /// classification without a label is ignored.
    mutating func merge(_ parameter: StructureView) {
        switch parameter.name {
        case "detection": _ = parameter.read(Self.detectionFields, into: &self)
        case "object_id": break  // Ignored, because the region of interest itself contains the ID.
        case "landmarks": landmarks = FaceLandmarks(parameter, in: box) ?? landmarks
        case "outline": outline = Outline(parameter, in: box) ?? outline
        case let name:
            var classification = Classification(name: name, label: "")
            guard parameter.read(Classification.fields, into: &classification) else { return }
            classifications.removeAll { $0.name == name }
            classifications.append(classification)
        }
    }
}

extension Rectangle {
    /// Returns a point as fractions of the box, relative to the top left corner.
    func fractions(of point: Point) -> Point {
        Point((point.x - Double(x)) / Double(max(1, width)), (point.y - Double(y)) / Double(max(1, height)))
    }

    /// Converts fractions of the box to a point in pixels.
    fileprivate func point(at fractions: Point) -> Point {
        Point(Double(x) + fractions.x * Double(width), Double(y) + fractions.y * Double(height))
    }
}

extension Structure {
    fileprivate mutating func set(points: [Point], format: String) {
        set("format", format)
        set("data_buffer", bytesOf: points.flatMap { [Float($0.x), Float($0.y)] })
    }
}

extension FaceLandmarks {
    fileprivate func parameter(of box: Rectangle) -> Structure {
        let relative = moved(box.fractions)
        var structure = Structure("landmarks")
        structure.set(points: Self.points.map { relative[keyPath: $0] }, format: "landmark_points")
        structure.set(Self.fields, of: relative)
        return structure
    }

    /// Returns nil if a coordinate is missing or too large for any frame.
    init?(_ structure: StructureView, in box: Rectangle) {
        var relative = FaceLandmarks(at: Point(0, 0))
        guard structure.read(Self.fields, into: &relative) else { return nil }
        self = relative.moved(box.point)
        for path in Self.points {
            let point = self[keyPath: path]
            guard point.x.magnitude < 1e9, point.y.magnitude < 1e9 else { return nil }
        }
    }
}

extension Outline {
    fileprivate func parameter(of box: Rectangle) -> Structure {
        var relative = self
        relative.area /= Double(max(1, box.width)) * Double(max(1, box.height))
        var structure = Structure("outline")
        structure.set(points: corners.prefix(Self.limit).map(box.fractions), format: "contour_points")
        structure.set(Self.fields, of: relative)
        return structure
    }

    /// Returns nil if there are fewer than three corners, or a coordinate is too large for any frame.
    init?(_ structure: StructureView, in box: Rectangle) {
        guard let coordinates = structure.floats("data_buffer"), coordinates.count.isMultiple(of: 2),
            (3...Self.limit).contains(coordinates.count / 2), coordinates.allSatisfy({ $0.magnitude < 1e6 })
        else { return nil }
        let corners = stride(from: 0, to: coordinates.count, by: 2).map {
            box.point(at: Point(Double(coordinates[$0]), Double(coordinates[$0 + 1])))
        }
        self.init(corners: corners, area: 0, color: Color(argb: 0xFF00_0000))
        _ = structure.read(Self.fields, into: &self)
        area = max(0, min(1, area)) * Double(box.width) * Double(box.height)
    }
}
