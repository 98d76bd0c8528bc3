// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Synchronization

/// A detected object in a frame. Elements exchange detections as metadata of the buffer. docs/metadata.md describes the
/// metadata.
package struct Detection: Sendable, Hashable {
    package var type: Kind
    /// A second possible type, if the detector is uncertain; otherwise nil.
    package var alternative: Kind?
    /// The ID from `newID()`. The ID stays the same while an element tracks the object from frame to frame.
    package var id: Int32
    /// The ID of the detection that contains this detection as a part.
    package var parent: Int32?
    /// The box in pixels, inside the frame.
    package var box: Rectangle
    /// True if the detector has measured the box in this frame; false if the box comes from tracking; nil if unknown.
    package var isExact: Bool?
    /// The object's name, or the type if no name is known.
    package var label: String
    package var labelID: Int32
    /// The confidence, in the range 0…1; nil if unknown.
    package var confidence: Double?
    package var landmarks: FaceLandmarks?
    package var outline: Outline?
    /// Results of classifiers for the object, such as the person's name.
    package var classifications: [Classification]

    package init(
        type: Kind, alternative: Kind? = nil, id: Int32, box: Rectangle, label: String? = nil, labelID: Int32 = 0,
        confidence: Double? = nil, landmarks: FaceLandmarks? = nil, outline: Outline? = nil,
        classifications: [Classification] = []
    ) {
        self.type = type
        self.alternative = alternative
        self.id = id
        self.box = box
        self.label = label ?? type.rawValue
        self.labelID = labelID
        self.confidence = confidence
        self.landmarks = landmarks
        self.outline = outline
        self.classifications = classifications
    }

    /// Returns a new ID: 1, 2, 3, … IDs are unique in the process for the first 2³¹ - 1 detections.
    package static func newID() -> Int32 {
        // After 2³¹ - 1, the IDs start again at 0, so that IDs are never negative.
        Int32(truncatingIfNeeded: count.add(1, ordering: .relaxed).newValue & 0x7FFF_FFFF)
    }

    private static let count = Atomic<UInt32>(0)
}

extension Detection {
    /// The type of an object. The raw value is the name of the type in the metadata.
    package struct Kind: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        package let rawValue: String

        package static let face: Kind = "face"
        package static let catFace: Kind = "cat-face"
        package static let hybridFace: Kind = "hybrid-face"
        package static let blob: Kind = "blob"
        package static let logo: Kind = "logo"

        package init(rawValue: String) { self.rawValue = rawValue }
        package init(stringLiteral value: String) { rawValue = value }

        private static let truthPrefix = "truth/"

        private static let possiblePrefix = "possible-"

        /// True if the detector is uncertain about the type. Most elements ignore such objects, but elements that hide
        /// objects for privacy also hide uncertain objects.
        package var isPossible: Bool { rawValue.hasPrefix(Self.possiblePrefix) }
        /// This type, marked as uncertain.
        package var possible: Kind { Kind(rawValue: Self.possiblePrefix + rawValue) }
        /// This type, without the mark for uncertain objects.
        package var certain: Kind {
            isPossible ? Kind(rawValue: String(rawValue.dropFirst(Self.possiblePrefix.count))) : self
        }

        /// True for ground truth (the known objects of a test video). Elements ignore such objects unless the user
        /// requests them.
        package var isTruth: Bool { rawValue.hasPrefix(Self.truthPrefix) }
        /// This type, marked as ground truth.
        package var truth: Kind { Kind(rawValue: Self.truthPrefix + rawValue) }
        /// This type, without the mark for ground truth.
        package var found: Kind { isTruth ? Kind(rawValue: String(rawValue.dropFirst(Self.truthPrefix.count))) : self }
    }
}

extension [Detection] {
    /// The detections sorted by box area, largest first.
    package var largestFirst: [Detection] { sorted { $0.box.area > $1.box.area } }
}

/// The outline of an object within its box, in pixels of the frame.
package struct Outline: Sendable, Hashable {
    /// The corners in order, at most `limit`.
    package var corners: [Point]
    /// The number of pixels that belong to the object.
    package var area: Double
    /// The mean colour of the object's pixels, opaque.
    package var color: Color

    package static let limit = 4096

    package init(corners: [Point], area: Double, color: Color) {
        self.corners = corners
        self.area = area
        self.color = color
    }
}

/// The result of a classifier for a detection.
package struct Classification: Sendable, Hashable {
    /// The name of the classification, such as `person`, `blob-class` or `smile`.
    package var name: String
    /// The attribute name for elements of other vendors, such as DL Streamer; nil if it equals `name`.
    package var attributeName: String?
    package var label: String
    package var labelID: Int32
    /// The confidence, in the range 0…1; nil if unknown.
    package var confidence: Double?
    /// The name of the model that produced the result.
    package var modelName: String?
    /// The distance between the object and the training data of `label`; nil if the classifier measures no distance.
    package var distance: Double?
    /// The number of frames that have confirmed `label` since the last frame that contradicted `label`. 0 if the
    /// current frame contradicts `label`. Nil if the classifier does not count confirmations.
    package var confirmations: Int32?

    package init(
        name: String, attributeName: String? = nil, label: String, labelID: Int32 = 0, confidence: Double? = nil,
        modelName: String? = nil, distance: Double? = nil, confirmations: Int32? = nil
    ) {
        self.name = name
        self.attributeName = attributeName == name ? nil : attributeName
        self.label = label
        self.labelID = labelID
        self.confidence = confidence
        self.modelName = modelName
        self.distance = distance
        self.confirmations = confirmations
    }
}
