// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// The features of a training image for the algorithm `contours`.
struct KnownObject {
    let label: Int
    let outline: Outline
    /// The faint parts of the object, such as the teeth of a comb; nil if there are none, or if the outline is not
    /// oblong. In round or square objects, such as coins, faint areas count as a pattern of the object.
    let faintParts: FaintParts?
    let appearance: TrainedAppearance
    /// Size of the object in 1/10000 of the frame's height (see `TrainingList.Entry`); nil if the size is unknown.
    let sizePer10000: Int?

    /// - Parameter size: the size in 1/10000 of the frame's height. If `size` is nil, and the image was cut out of a
    ///   frame, the size is computed from the image.
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
    /// True if the outline fills less than 45 % of a square with the side `length` (the longer side of the outline's
    /// bounding box). Round and square outlines fill more.
    var isOblong: Bool { area < 0.45 * length * length }

    /// True if the outline fills more than 65 % of a square with the side `length` (the longer side of the outline's
    /// bounding box). Discs, squares and hexagons fill more than 65 %.
    var isRound: Bool { area > 0.65 * length * length }

    var hasHole: Bool { !silhouette.holes.isEmpty }

    /// Returns the diameter of a disc with the same area as the outline, in 1/10000 of the frame's height; nil if the
    /// size in the frame is unknown.
    func sizePer10000(in picture: BlobPicture) -> Int? {
        guard picture.isSizeKnown, let height = picture.frameHeight, height >= 1 else { return nil }
        let size = 10_000 * 2 * (area / .pi).squareRoot() / height
        return size.isFinite ? max(1, min(1_000_000, Int(size.rounded()))) : nil
    }
}

/// All trained objects, and the weights of outline and colour in comparisons.
struct KnownObjects {
    private(set) var objects: [KnownObject] = []
    private(set) var hasFaintParts = false
    /// For each label with several images, the highest correlation between the contours (edges within the outlines) of
    /// two of its images.
    private var agreements: [Int: Double] = [:]
    /// For each object, three minimum distances to the objects with other labels. `outline`: minimum distance between
    /// the outlines. `color`: minimum distance between the mean colours. `either`: minimum of the greater of these two
    /// distances. Infinite if all objects have the same label.
    private var apart: [(outline: Double, color: Double, either: Double)] = []
    /// Weights of two features in comparisons, the outlines and the colours: `leastWeight`…1. A weight is 1 if its
    /// feature clearly distinguishes most objects from the objects with other labels.
    private(set) var weights = (outline: 1.0, color: 1.0)

    /// Weight of the outlines if all objects have the same outline. Weight of the colours if all objects have the same
    /// colour.
    private static let leastWeight = 0.5
    /// Objects count as clearly different if their distance in outline or colour is at least this value.
    private static let clear = 0.4
    /// Approximate maximum number of objects with which `add` compares a new object.
    private static let sample = 100
    /// If the highest correlation between the contours (edges within the outlines) of two images of a label is below
    /// this value, the objects with this label have different patterns. In rendered photos, the correlation is 0.85 for
    /// two images of a coin, and 0.2 for two beans with random spots.
    private static let reliable = 0.75

    /// - Parameter agreement: the highest correlation between the contours (edges within the outlines) of the object
    ///   and of an earlier image of its label; nil if there is no earlier image.
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

    /// Removes all objects except the objects at these indices.
    mutating func keep(_ indices: [Int]) {
        let (kept, agreements) = (indices.filter(objects.indices.contains).map { objects[$0] }, agreements)
        self = KnownObjects()
        for object in kept { add(object, agreement: agreements[object.label]) }
    }

    func objects(of label: Int) -> [KnownObject] { objects.filter { $0.label == label } }

    /// Returns true if an object can be identified without a comparison of its pattern (the contours within the
    /// outline). All of these conditions must be met:
    /// - The mean colour differs clearly from the background.
    /// - Outline or mean colour differs clearly from each object with another label.
    /// - The objects with the label have different patterns, such as spotted beans, or the label has only one image.
    /// - The outline is not round, or it has a hole.
    func isIdentifiedByOutline(_ index: Int) -> Bool {
        let object = objects[index]
        guard apart[index].either >= Self.clear, object.outline.colorDistanceToBackground >= Self.clear else {
            return false
        }
        let agreement = agreements[object.label] ?? -1
        return agreement < Self.reliable && (!object.outline.isRound || object.outline.hasHole)
    }

    /// Returns a score, 0…1. 1 means that the mean colour clearly distinguishes the object from the background and from
    /// objects with other labels. If there are no other labels, the score is 0.
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
