// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// The features of a training image for the algorithm `contours`.
struct KnownObject {
    let label: Int
    let outline: Outline
    /// The faint parts of the object. Nil if the object has no faint parts, or if its outline is round or square. In
    /// round or square objects, such as coins, faint parts count as a pattern.
    let faintParts: FaintParts?
    let appearance: TrainedAppearance
    /// Size in 1/10000 of the frame's height; nil if the size is unknown.
    let sizePer10000: Int?

    /// - Parameter size: the size in 1/10000 of the frame's height. If it is nil, it is computed from the image,
    ///   provided that the image was cut out of a frame.
    init(
        _ picture: BlobPicture, outline: [Point], label: Int, sizePer10000 size: Int?,
        _ features: ClassifierSettings.Features
    ) throws(VisionError) {
        self.label = label
        let cutOut = try CutOut(picture, coarse: outline)
        self.outline = cutOut.outline
        let parts = try cutOut.faintParts()
        faintParts = parts?.whole.isOblong == true ? parts : nil
        appearance = try TrainedAppearance(picture, cutOut.outline, features)
        sizePer10000 = size ?? cutOut.outline.sizePer10000(in: picture)
    }
}

extension Outline {
    /// True if the area of the outline is less than 45 % of the square of its longer side. Round and square outlines
    /// have a larger area. They are not characteristic, because many different objects have such outlines.
    var isOblong: Bool { area < 0.45 * length * length }

    /// True if the area of the outline is more than 65 % of the square of its longer side, which is the case for round,
    /// square and hexagonal outlines.
    var isRound: Bool { area > 0.65 * length * length }

    var hasHole: Bool { !silhouette.holes.isEmpty }

    /// Returns the diameter of a disc with the same area, in 1/10000 of the frame's height; nil if the size is unknown.
    func sizePer10000(in picture: BlobPicture) -> Int? {
        guard picture.isSizeKnown, let height = picture.frameHeight, height >= 1 else { return nil }
        let size = 10_000 * 2 * (area / .pi).squareRoot() / height
        return size.isFinite ? max(1, min(1_000_000, Int(size.rounded()))) : nil
    }
}

/// All trained objects, and the weights of outline and colour in their comparison.
struct KnownObjects {
    private(set) var objects: [KnownObject] = []
    private(set) var hasFaintParts = false
    /// For each label with several images, the best correlation between the contours of any two of its images.
    private var agreements: [Int: Double] = [:]
    /// For each object, the smallest distances to objects with other labels. `outline`: distance between outlines.
    /// `color`: distance between colours. `either`: the greater of both distances. All are infinite if all objects have
    /// the same label.
    private var apart: [(outline: Double, color: Double, either: Double)] = []
    /// Weights of the differences in outline and in colour. A weight is 1 if the feature (outline or colour)
    /// distinguishes the labels. Otherwise the weight is smaller, so that a difference without meaning does not prevent
    /// recognition.
    private(set) var weights = (outline: 1.0, color: 1.0)

    /// Weight of a feature that does not distinguish the labels at all.
    private static let leastWeight = 0.5
    /// Objects with at least this distance (by outline or colour) are certainly different.
    private static let clear = 0.4
    /// A new object is compared with at most about this number of objects, to limit the time for learning.
    private static let sample = 100
    /// If the best correlation between the contours of any two images of a label is below this value, the pattern of
    /// the label varies. In the rendered photos, two images of a coin have a correlation of 0.85, and images of two
    /// beans with random spots have a correlation of 0.2.
    private static let reliable = 0.75

    /// - Parameter agreement: the best correlation between the object's contours and the contours of an earlier image
    ///   of its label; nil if there is no earlier image.
    mutating func add(_ object: KnownObject, agreement: Double? = nil) {
        if let agreement { agreements[object.label] = max(agreement, agreements[object.label] ?? -1) }
        var nearestOthers = (outline: Double.infinity, color: Double.infinity, either: Double.infinity)
        let step = max(1, objects.count / Self.sample)
        for index in stride(from: 0, to: objects.count, by: step) where objects[index].label != object.label {
            let other = objects[index].outline
            let outline = object.outline.roughDistance(to: other), color = object.outline.colorDistance(to: other)
            func nearest(_ before: (outline: Double, color: Double, either: Double)) -> (Double, Double, Double) {
                (min(before.outline, outline), min(before.color, color), min(before.either, max(outline, color)))
            }
            nearestOthers = nearest(nearestOthers)
            apart[index] = nearest(apart[index])
        }
        objects.append(object)
        hasFaintParts = hasFaintParts || object.faintParts != nil
        apart.append(nearestOthers)
        weights = (Self.weight(apart.map(\.outline)), Self.weight(apart.map(\.color)))
    }

    /// Removes all objects except those with these indices.
    mutating func keep(_ indices: [Int]) {
        let (kept, agreements) = (indices.filter(objects.indices.contains).map { objects[$0] }, agreements)
        self = KnownObjects()
        for object in kept { add(object, agreement: agreements[object.label]) }
    }

    /// Returns the objects of a label.
    func objects(of label: Int) -> [KnownObject] { objects.filter { $0.label == label } }

    /// Returns true if the classifier may identify an object without its pattern. The object must differ from the
    /// background in colour, and its outline or mean colour must distinguish it from all objects with other labels. The
    /// pattern of the label must vary, as the spots of beans do, or the label must have only one image, so that it is
    /// unknown whether the pattern varies. The outline must not be round, unless it has a hole.
    func isIdentifiedByOutline(_ index: Int) -> Bool {
        let object = objects[index]
        guard apart[index].either >= Self.clear, object.outline.colorDistanceToBackground >= Self.clear else {
            return false
        }
        let agreement = agreements[object.label] ?? -1
        return agreement < Self.reliable && (!object.outline.isRound || object.outline.hasHole)
    }

    /// Returns how clearly the mean colour distinguishes an object from the background and from all objects with other
    /// labels, 0…1. The result is 0 if there are no other labels.
    func colorEvidence(_ index: Int) -> Double {
        let distance = apart[index].color
        guard distance.isFinite else { return 0 }
        return min(1, min(distance, objects[index].outline.colorDistanceToBackground) / Self.clear)
    }

    private static func weight(_ distances: [Double]) -> Double {
        let finite = distances.filter(\.isFinite).sorted()
        guard !finite.isEmpty else { return 1 }
        return leastWeight + (1 - leastWeight) * min(1, finite[finite.count / 2] / clear)
    }
}
