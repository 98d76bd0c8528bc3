// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// What the algorithm `contours` knows of a training picture.
struct KnownObject {
    let label: Int
    let outline: Outline
    /// Nil as well where the outline is round or square, so that the faint parts of a coin are its pattern.
    let faintParts: FaintParts?
    let appearance: TrainedAppearance
    /// Size in ten-thousandths of the frame's height; nil if it is not known.
    let sizePer10000: Int?

    /// - Parameter size: nil to take it from the picture, if that was cut out of a frame.
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
    /// True for an outline that is neither round nor square, as many things are.
    var isOblong: Bool { area < 0.45 * length * length }

    /// Returns the diameter of a disc of the same area in ten-thousandths of the frame's height; nil if the picture was not
    /// cut out of a frame.
    func sizePer10000(in picture: BlobPicture) -> Int? {
        guard let height = picture.frameHeight, height >= 1 else { return nil }
        let size = 10_000 * 2 * (area / .pi).squareRoot() / height
        return size.isFinite ? max(1, min(1_000_000, Int(size.rounded()))) : nil
    }
}

/// All that is known, and which kind of evidence tells it apart.
struct KnownObjects {
    private(set) var objects: [KnownObject] = []
    private(set) var hasFaintParts = false
    /// Differences between each object and the nearest one of another label: by outline, by colour, and by what of both
    /// differs more; infinite where there is no other label.
    private var apart: [(outline: Double, color: Double, either: Double)] = []
    /// Weights of differences in outline and in colour: 1 if that kind of evidence tells the labels apart, and less if it
    /// does not, so that it is not for its sake that a thing is not recognised.
    private(set) var weights = (outline: 1.0, color: 1.0)

    /// The weight of evidence that tells nothing apart.
    private static let leastWeight = 0.5
    /// A difference from which on two objects are certainly different.
    private static let clear = 0.4
    /// The most objects that another one is compared with, so that it is learned as fast as others.
    private static let sample = 100

    mutating func add(_ object: KnownObject) {
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

    /// Keeps some of the objects.
    mutating func keep(_ indices: [Int]) {
        let kept = indices.filter(objects.indices.contains).map { objects[$0] }
        self = KnownObjects()
        for object in kept { add(object) }
    }

    /// Returns whether an object's outline and mean colour tell it from the others that are known, and the outline is oblong.
    func isIdentifiedByOutline(_ index: Int) -> Bool {
        apart[index].either >= Self.clear && objects[index].outline.isOblong
    }

    private static func weight(_ distances: [Double]) -> Double {
        let finite = distances.filter(\.isFinite).sorted()
        guard !finite.isEmpty else { return 1 }
        return leastWeight + (1 - leastWeight) * min(1, finite[finite.count / 2] / clear)
    }
}
