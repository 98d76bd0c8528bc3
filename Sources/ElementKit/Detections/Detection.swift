import Pixels
import Synchronization

/// Something that was found in a frame. Between elements it travels as metadata of the buffer, in the layout that
/// docs/metadata.md describes.
package struct Detection: Sendable, Hashable {
    /// What it is: `face`, `cat-face`, `blob`, `logo`; those that begin with `truth/` are for tests, and elements leave
    /// them alone unless asked.
    package var type: String
    /// From `newID()`; the same as long as the thing is followed from frame to frame.
    package var id: Int32
    /// The detection that this one is a part of.
    package var parent: Int32?
    /// In pixels, inside the frame.
    package var box: Rectangle
    /// What it is called; the type, where nothing better is known.
    package var label: String
    package var labelID: Int32
    /// 0…1, where it is known.
    package var confidence: Double?
    package var landmarks: FaceLandmarks?
    package var outline: Outline?
    /// Answers to questions about it, as who it is.
    package var classifications: [Classification]

    package init(
        type: String, id: Int32, box: Rectangle, label: String? = nil, labelID: Int32 = 0, confidence: Double? = nil,
        landmarks: FaceLandmarks? = nil, outline: Outline? = nil, classifications: [Classification] = []
    ) {
        self.type = type
        self.id = id
        self.box = box
        self.label = label ?? type
        self.labelID = labelID
        self.confidence = confidence
        self.landmarks = landmarks
        self.outline = outline
        self.classifications = classifications
    }

    package var isTruth: Bool { type.hasPrefix(Self.truthPrefix) }
    package static let truthPrefix = "truth/"

    /// A number that no other detection of the process has: 1, 2, 3, …
    package static func newID() -> Int32 {
        // Beyond 2³¹ they begin anew rather than turn negative.
        Int32(truncatingIfNeeded: count.add(1, ordering: .relaxed).newValue & 0x7FFF_FFFF)
    }

    private static let count = Atomic<UInt32>(0)
}

extension FaceLandmarks {
    /// The points in the order of the metadata.
    static let paths: [(name: String, path: any WritableKeyPath<FaceLandmarks, Point> & Sendable)] = [
        ("left_eye", \.leftEye), ("right_eye", \.rightEye), ("nose", \.nose), ("mouth_left", \.mouthLeft),
        ("mouth_right", \.mouthRight),
    ]
}

/// What of a box belongs to the thing, in pixels of the frame.
package struct Outline: Sendable, Hashable {
    /// Its corners in order, at most `limit`.
    package var corners: [Point]
    /// Of the thing's own pixels.
    package var area: Double
    /// The mean of the thing's own pixels, 0xFFRRGGBB.
    package var color: UInt32

    package static let limit = 4096

    package init(corners: [Point], area: Double, color: UInt32) {
        self.corners = corners
        self.area = area
        self.color = color
    }
}

/// The answer to a question about a detection.
package struct Classification: Sendable, Hashable {
    /// What was asked: `person`, `blob-class`, `smile`.
    package var name: String
    /// The same where an element of others has another word for it; else nil.
    package var attributeName: String?
    package var label: String
    package var labelID: Int32
    /// 0…1, where it is known.
    package var confidence: Double?
    /// What gave the answer.
    package var modelName: String?
    /// How far the thing is from what it was taken for, where that is measured.
    package var distance: Double?

    package init(
        name: String, attributeName: String? = nil, label: String, labelID: Int32 = 0, confidence: Double? = nil,
        modelName: String? = nil,
        distance: Double? = nil
    ) {
        self.name = name
        self.attributeName = attributeName == name ? nil : attributeName
        self.label = label
        self.labelID = labelID
        self.confidence = confidence
        self.modelName = modelName
        self.distance = distance
    }
}
