// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Imaging

// The fields of a detection. These lists define how messages on the bus, metadata and JSON are written, and how
// metadata is read. The order of a list is the order of writing. Tests compare the lists with docs/metadata.md and with
// the JSON schemas in docs.

extension Detection {
    private static let box = (x: Field("x", at: \Detection.box.x), y: Field("y", at: \Detection.box.y))
    private static let parent = Field("parent_id") { (detection: Detection) in
        detection.parent.flatMap { $0 < 0 ? nil : .whole(Int64($0)) }
    }
    private static let confidence = Field("confidence", at: \Detection.confidence)
    private static let label = Field("label", at: \Detection.label)

    /// The first fields of an object's structure in a message on the bus. The fields of `FaceLandmarks` and `Outline`
    /// follow.
    static let messageFields: [Field<Detection>] = [
        Field("id", at: \.id), parent, label, confidence, box.x, box.y, Field("width", at: \.box.width),
        Field("height", at: \.box.height),
    ]

    /// The first members of an object in JSON. The members `detection`, `landmarks`, `outline` and the classifications
    /// follow.
    static let objectFields: [Field<Detection>] = [
        box.x, box.y, Field("w", at: \.box.width), Field("h", at: \.box.height), Field("region_id", at: \.id), parent,
        Field("id") { $0.id == 0 ? nil : .whole(Int64($0.id)) }, Field("roi_type", at: \.type),
    ]

    /// The structure `detection` in the metadata and the member `detection` in JSON, with the fields of `FrameBox`.
    static let detectionFields: [Field<Detection>] = [
        confidence, Field("label_id", at: \.labelID), label, Field("alternative", at: \.alternative),
        Field("exact", at: \.isExact),
    ]
}

/// A box and its frame. The fields give the position of the box as fractions of the frame.
struct FrameBox {
    let box: Rectangle
    let frame: PixelSize

    static let fields: [Field<FrameBox>] = [
        Field("x_min") { fraction($0.box.x, of: $0.frame.width) },
        Field("x_max") { fraction($0.box.x + $0.box.width, of: $0.frame.width) },
        Field("y_min") { fraction($0.box.y, of: $0.frame.height) },
        Field("y_max") { fraction($0.box.y + $0.box.height, of: $0.frame.height) },
    ]

    private static func fraction(_ position: Int, of length: Int) -> JSONValue {
        .real(length > 0 ? Double(position) / Double(length) : 0)
    }
}

extension FaceLandmarks {
    /// The landmarks of a face, with points as fractions of its box.
    static let fields: [Field<FaceLandmarks>] = [
        Field("left_eye_x", "left_eye_y", at: \.leftEye, isRequired: true),
        Field("right_eye_x", "right_eye_y", at: \.rightEye, isRequired: true),
        Field("nose_x", "nose_y", at: \.nose, isRequired: true),
        Field("mouth_left_x", "mouth_left_y", at: \.mouthLeft, isRequired: true),
        Field("mouth_right_x", "mouth_right_y", at: \.mouthRight, isRequired: true),
        Field("left_eye_found", at: \.isLeftEyeFound), Field("right_eye_found", at: \.isRightEyeFound),
        Field("mouth_found", at: \.isMouthFound), Field("left_eye_closed", "right_eye_closed", at: \.closedEyes),
        Field("roll", "yaw", "pitch", at: \.pose),
    ]
}

extension Outline {
    /// The outline of an object. The area is in pixels. In the metadata, the area is a fraction of the region's area.
    static let fields: [Field<Outline>] = [Field("area", at: \.area), Field("mean_color", at: \.color)]
}

extension Classification {
    static let fields: [Field<Classification>] = [
        Field("label", at: \.label, isRequired: true),
        Field("model", in: .json) { $0.modelName.map { .table([("name", .text($0))]) } },
        Field("confidence", at: \.confidence), Field("label_id", at: \.labelID), Field("distance", at: \.distance),
        Field("confirmations", at: \.confirmations), Field("attribute_name", at: \.memberName, in: .metadata),
        Field("model_name", at: \.modelName, in: .metadata),
    ]

    /// The name of the classification's member in JSON, and the value of `attribute_name` in the metadata.
    var memberName: String {
        get { attributeName ?? name }
        set { attributeName = newValue == name ? nil : newValue }
    }
}
