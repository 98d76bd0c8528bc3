// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Synchronization

/// An object that was found in a frame. Between elements it travels as metadata of the buffer, in the layout that
/// docs/metadata.md describes.
package struct Detection: Sendable, Hashable {
    package var type: Kind
    /// The type that it may have in place of that one, if its detector is in doubt.
    package var alternative: Kind?
    /// The number from `newID()`; stays the same as long as the object is followed from frame to frame.
    package var id: Int32
    /// The detection that this one is a part of.
    package var parent: Int32?
    /// The box in pixels, inside the frame.
    package var box: Rectangle
    /// True if the detector has measured the box in this very frame, false if the object was followed to it; nil if the
    /// detector does not say so.
    package var isExact: Bool?
    /// The object's name; the type, if nothing better is known.
    package var label: String
    package var labelID: Int32
    /// The confidence, 0…1, if known.
    package var confidence: Double?
    package var landmarks: FaceLandmarks?
    package var outline: Outline?
    /// Answers to questions about the object, such as who it is.
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

    /// Returns a number that no other detection of the process has, as long as there are fewer than 2³¹: 1, 2, 3, …
    package static func newID() -> Int32 {
        // After 2³¹ - 1 numbers start again instead of turning negative.
        Int32(truncatingIfNeeded: count.add(1, ordering: .relaxed).newValue & 0x7FFF_FFFF)
    }

    private static let count = Atomic<UInt32>(0)
}

extension Detection {
    /// A kind of objects, by the name that it has in the metadata.
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

        /// True for objects of which the detector is not certain: they may be something else. Elements ignore them, but hide
        /// them where they hide the certain ones.
        package var isPossible: Bool { rawValue.hasPrefix(Self.possiblePrefix) }
        /// The kind of the same objects if the detector is not certain.
        package var possible: Kind { Kind(rawValue: Self.possiblePrefix + rawValue) }
        /// The kind of the objects, whether the detector is certain or not.
        package var certain: Kind {
            isPossible ? Kind(rawValue: String(rawValue.dropFirst(Self.possiblePrefix.count))) : self
        }

        /// True for objects that are known to be there, for tests: elements leave them alone unless asked.
        package var isTruth: Bool { rawValue.hasPrefix(Self.truthPrefix) }
        /// The kind of the same objects if they are known to be there.
        package var truth: Kind { Kind(rawValue: Self.truthPrefix + rawValue) }
        /// The kind of the objects, whether known or found.
        package var found: Kind { isTruth ? Kind(rawValue: String(rawValue.dropFirst(Self.truthPrefix.count))) : self }
    }
}

extension [Detection] {
    /// The same, sorted by the area of the box.
    package var largestFirst: [Detection] { sorted { $0.box.area > $1.box.area } }
}

/// The part of a box that belongs to the object, in pixels of the frame.
package struct Outline: Sendable, Hashable {
    /// The corners in order, at most `limit`.
    package var corners: [Point]
    /// The number of the object's own pixels.
    package var area: Double
    /// The mean of the object's own pixels, opaque.
    package var color: Color

    package static let limit = 4096

    package init(corners: [Point], area: Double, color: Color) {
        self.corners = corners
        self.area = area
        self.color = color
    }
}

/// The answer to a question about a detection.
package struct Classification: Sendable, Hashable {
    /// The question: `person`, `blob-class`, `smile`.
    package var name: String
    /// The name that other vendors' elements use for the attribute, if it differs; else nil.
    package var attributeName: String?
    package var label: String
    package var labelID: Int32
    /// The confidence, 0…1, if known.
    package var confidence: Double?
    /// The name of the model that gave the answer.
    package var modelName: String?
    /// The distance between the object and what it was taken for, if measured.
    package var distance: Double?
    /// The number of frames since the last one that spoke against the answer in which a strict look at this very object has
    /// confirmed it; 0 if this frame speaks against it. Nil if nobody looks so strictly.
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
