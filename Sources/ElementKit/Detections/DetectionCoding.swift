// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

// A detection as structures, with the names and fields of DL Streamer's: `detection`, `object_id`, `landmarks`, and one
// per classification.

extension Detection {
    /// Gives each of the detection's structures to `body`.
    /// - Parameters:
    ///   - extent: the frame's.
    ///   - region: what landmarks and outline are relative to.
    func forEachParameter(of extent: FrameExtent, in region: Rectangle, _ body: (consuming Structure) -> Void) {
        body(detectionParameter(of: extent))
        var object = Structure("object_id")
        object.set("id", id)
        body(object)
        if let landmarks { body(landmarks.parameter(of: region)) }
        if let outline { body(outline.parameter(of: region)) }
        for classification in classifications { body(classification.parameter) }
    }

    private func detectionParameter(of extent: FrameExtent) -> Structure {
        func share(_ place: Int, _ all: Int) -> Double { all > 0 ? Double(place) / Double(all) : 0 }
        // Like the region, it is relative to the whole frame.
        let (frame, box) = (extent.whole, self.box.moved(x: extent.visible.x, y: extent.visible.y))
        var structure = Structure("detection")
        structure.set("label", label)
        structure.set("label_id", labelID)
        if let alternative { structure.set("alternative", alternative.rawValue) }
        if let confidence { structure.set("confidence", confidence) }
        if let isExact { structure.set("exact", isExact) }
        structure.set("x_min", share(box.x, frame.width))
        structure.set("x_max", share(box.x + box.width, frame.width))
        structure.set("y_min", share(box.y, frame.height))
        structure.set("y_max", share(box.y + box.height, frame.height))
        return structure
    }

    /// Takes over what a structure holds; unknown ones are ignored.
    mutating func merge(_ parameter: StructureView) {
        switch parameter.name {
        case "detection":
            label = parameter.text("label") ?? label
            labelID = parameter.int("label_id") ?? labelID
            alternative = parameter.text("alternative").map { Kind(rawValue: $0) } ?? alternative
            confidence = parameter.double("confidence") ?? confidence
            isExact = parameter.bool("exact") ?? isExact
        case "object_id": break  // The region itself has the number.
        case "landmarks": landmarks = FaceLandmarks(parameter, in: box) ?? landmarks
        case "outline": outline = Outline(parameter, in: box) ?? outline
        default:
            if let classification = Classification(parameter) {
                classifications.removeAll { $0.name == classification.name }
                classifications.append(classification)
            }
        }
    }
}

extension FaceLandmarks {
    /// Returns the points as fractions of the box.
    func shares(of box: Rectangle) -> [(fields: FieldPair, x: Double, y: Double)] {
        let (width, height) = (Double(max(1, box.width)), Double(max(1, box.height)))
        return Self.paths.map { fields, path in
            let point = self[keyPath: path]
            return (fields, (point.x - Double(box.x)) / width, (point.y - Double(box.y)) / height)
        }
    }

    func parameter(of box: Rectangle) -> Structure {
        var structure = Structure("landmarks")
        structure.set("format", "landmark_points")
        structure.set("data_buffer", bytesOf: shares(of: box).flatMap { [Float($0.x), Float($0.y)] })
        setFields(of: &structure, box)
        return structure
    }

    /// Sets only the named fields: those that can be written as a text and read again.
    func setFields(of structure: inout Structure, _ box: Rectangle) {
        for (fields, x, y) in shares(of: box) {
            structure.set("\(fields.x)", x)
            structure.set("\(fields.y)", y)
        }
        for (name, value) in flags { structure.set("\(name)", value) }
        for (name, value) in angles { structure.set("\(name)", value) }
    }

    /// What is known of the parts of the face.
    var flags: [(name: StaticString, value: Bool)] {
        var flags: [(name: StaticString, value: Bool)] = [
            ("left_eye_found", isLeftEyeFound), ("right_eye_found", isRightEyeFound), ("mouth_found", isMouthFound),
        ]
        if let closedEyes {
            flags += [("left_eye_closed", closedEyes.left), ("right_eye_closed", closedEyes.right)]
        }
        return flags
    }

    /// The angles in degrees, if they are known.
    var angles: [(name: StaticString, value: Double)] {
        guard let pose else { return [] }
        return [("roll", pose.roll), ("yaw", pose.yaw), ("pitch", pose.pitch)]
    }

    /// Returns nil if a coordinate is missing, or outside any possible frame.
    init?(_ structure: StructureView, in box: Rectangle) {
        let origin = Point(Double(box.x), Double(box.y))
        self.init(
            leftEye: origin, rightEye: origin, nose: origin, mouthLeft: origin, mouthRight: origin,
            isLeftEyeFound: structure.bool("left_eye_found") ?? true,
            isRightEyeFound: structure.bool("right_eye_found") ?? true,
            isMouthFound: structure.bool("mouth_found") ?? true)
        if let left = structure.bool("left_eye_closed"), let right = structure.bool("right_eye_closed") {
            closedEyes = ClosedEyes(left: left, right: right)
        }
        if let roll = structure.double("roll"), let yaw = structure.double("yaw"),
            let pitch = structure.double("pitch"), [roll, yaw, pitch].allSatisfy({ $0.magnitude <= 360 })
        {
            pose = HeadPose(roll: roll, yaw: yaw, pitch: pitch)
        }
        for (fields, path) in Self.paths {
            guard let x = structure.double(fields.x), let y = structure.double(fields.y) else { return nil }
            let point = Point(origin.x + x * Double(box.width), origin.y + y * Double(box.height))
            guard point.x.magnitude < 1e9, point.y.magnitude < 1e9 else { return nil }
            self[keyPath: path] = point
        }
    }
}

extension Outline {
    func parameter(of box: Rectangle) -> Structure {
        let (width, height) = (Double(max(1, box.width)), Double(max(1, box.height)))
        var structure = Structure("outline")
        structure.set("format", "contour_points")
        structure.set(
            "data_buffer",
            bytesOf: corners.prefix(Self.limit).flatMap {
                [Float(($0.x - Double(box.x)) / width), Float(($0.y - Double(box.y)) / height)]
            })
        structure.set("area", area / (width * height))
        structure.set("mean_color", colorText)
        return structure
    }

    /// The colour as `#rrggbb`.
    var colorText: String {
        let digits = String(color.argb & 0xFF_FFFF, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// Returns nil if there are not three corners, or one is outside any possible frame.
    init?(_ structure: StructureView, in box: Rectangle) {
        guard let numbers = structure.numbers("data_buffer"), numbers.count.isMultiple(of: 2),
            (3...Self.limit).contains(numbers.count / 2), numbers.allSatisfy({ $0.magnitude < 1e6 })
        else { return nil }
        let (width, height) = (Double(box.width), Double(box.height))
        let text = structure.text("mean_color")?.dropFirst()
        self.init(
            corners: stride(from: 0, to: numbers.count, by: 2).map {
                Point(Double(box.x) + Double(numbers[$0]) * width, Double(box.y) + Double(numbers[$0 + 1]) * height)
            },
            area: max(0, min(1, structure.double("area") ?? 0)) * width * height,
            color: Color(argb: (text.flatMap { UInt32($0, radix: 16) } ?? 0) | 0xFF00_0000))
    }
}

extension Classification {
    var parameter: Structure {
        var structure = Structure(name)
        structure.set("label", label)
        structure.set("label_id", labelID)
        structure.set("attribute_name", attributeName ?? name)
        if let confidence { structure.set("confidence", confidence) }
        if let modelName { structure.set("model_name", modelName) }
        if let distance { structure.set("distance", distance) }
        if let confirmations { structure.set("confirmations", confirmations) }
        return structure
    }

    /// Returns nil if there is no label.
    init?(_ structure: StructureView) {
        guard let label = structure.text("label") else { return nil }
        self.init(
            name: structure.name, attributeName: structure.text("attribute_name"), label: label,
            labelID: structure.int("label_id") ?? 0, confidence: structure.double("confidence"),
            modelName: structure.text("model_name"), distance: structure.double("distance"),
            confirmations: structure.int("confirmations"))
    }
}
