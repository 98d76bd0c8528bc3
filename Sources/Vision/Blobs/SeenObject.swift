// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// The distance between two objects, and the differences from which the distance is computed.
package struct ObjectDistance: Sendable, Hashable {
    /// Approximately √(outline² + (pattern + color)² + size²); 1 if the objects were not compared in detail.
    package var total = 1.0
    package var outline = 0.0
    /// `pattern`: difference between the contours within the outlines. `color`: difference between the colours.
    package var pattern = 0.0
    package var color = 0.0
    package var size = 0.0
}

/// An object that the algorithm `contours` compares with the trained objects.
///
/// The comparison uses the outline with its holes (`Outline`), the contours within the outline, and the colours. If one
/// of the images does not show a feature, the comparison ignores this feature.
///
/// - Contours: the magnitude of the gradient, normalized locally. The contours are compared in normal position: an
///   affine map converts the ellipse with the outline's second moments to a circle. So the object's size, position and
///   tilt have no effect.
/// - Rotation: a correlation of the contours along circles estimates the rotation to each training image. The enhanced
///   correlation coefficient (Evangelidis and Psarakis, 2008) refines the four best alignments. If the contours still
///   correlate poorly, the code tries alignments by outlines, and then alignments by keypoints.
/// - `pattern` is (1 − w) (1 − c), and `color` is w h. w: weight of colour. c: correlation of the contours. h:
///   Hellinger distance of the colours relative to the background. For objects without contours, `pattern` is 0, and
///   `color` is the difference between the mean colours.
/// - `total` is √(outline² + (pattern + color)² + size²). `total` is then reduced by up to 15 % if the pattern or the
///   colour also distinguishes the object from the other labels.
struct SeenObject {
    private let settings: ClassifierSettings
    private let picture: BlobPicture
    private let cutOut: CutOut
    private let appearance: QueryAppearance
    private let sizePer10000: Int?

    private var outline: Outline { cutOut.outline }
    /// Plainness, 0…1: 1 if there are no contours within the outline, 0 if there are clear contours.
    private var plainness: Double { appearance.plainness }

    /// - Parameter ignoresNarrowShadow: true to exclude a possible narrow shadow along the outline from the object.
    init(
        _ picture: BlobPicture, outline: [Point], _ settings: ClassifierSettings, ignoresNarrowShadow: Bool = false
    ) throws(VisionError) {
        (self.settings, self.picture) = (settings, picture)
        cutOut = try CutOut(picture, coarse: outline, ignoresNarrowShadow: ignoresNarrowShadow)
        appearance = try QueryAppearance(picture, cutOut.outline)
        sizePer10000 = settings.sizeMatters ? cutOut.outline.sizePer10000(in: picture) : nil
    }

    /// True if the outline may include a narrow shadow, but too few pixels show the shadow for a reliable decision.
    var mayHaveShadow: Bool { outline.silhouette.hasNarrowShadow }

    // MARK: - Comparing

    /// `outlines`: maximum number of trained objects that are compared by exact outline and mean colour. `candidates`:
    /// maximum number of alignments that each call of `compare` refines. `proposals`: maximum number of trained objects
    /// that are also aligned by their outlines.
    private static let outlines = 12
    private static let candidates = 4
    private static let proposals = 3
    /// `alignable`: maximum number of trained objects that are aligned by contours (normalized gradient magnitudes). If
    /// the contours of more objects can be compared, the code first selects the `nearOutlines` objects with the most
    /// similar outlines. Then it adds the objects whose contours correlate best in a quick estimate. The correlation
    /// alone is not enough: for example, two images of beans with random spots correlate poorly.
    private static let alignable = 24
    private static let nearOutlines = 6
    /// If the contours (edges within the outlines) reach the correlation `convincing` in an alignment, `compare` skips
    /// all further alignments whose `Alignment.score` is below `shareOfBest` times the best score. The code then tries
    /// no other types of alignment.
    private static let convincing = 0.6
    private static let shareOfBest = 0.75
    /// Limits for the plainness of two objects (0: clear contours, 1: no contours). If the product of both values is at
    /// least `plainEnough`, only outlines and mean colours are compared. If one value is at least `plain` and the other
    /// is at most `patterned`, the contours are not compared.
    private static let plain = 0.95
    private static let patterned = 0.5
    private static let plainEnough = 0.9
    /// If `KnownObjects.isIdentifiedByOutline` is true for an object, a distance is also computed without its pattern,
    /// from outlines and mean colours. In this distance, √(c² + `doubt`²) replaces the difference c of the mean
    /// colours, because the patterns may differ.
    private static let doubt = 0.2
    /// If not only the outline, but also the pattern or the colour distinguishes a trained object from other labels,
    /// the distance to this object is reduced by up to this fraction.
    private static let leniency = 0.15
    /// The code compares faint parts of objects, such as the teeth of combs, only if the distances to all trained
    /// objects exceed this value.
    private static let near = 0.2
    /// `faintWeight`: factor of a distance that is computed with faint parts, such as the teeth of a comb.
    /// `coverageWeight`: factor of the difference in coverage. Coverage is the fraction of the faint parts' area that
    /// the object covers. With these values, 298 of 300 combs had a distance below 0.4. 390 of 400 other objects had a
    /// larger distance: rakes, brushes, rackets and other combs.
    private static let faintWeight = 1.4
    private static let coverageWeight = 1.6

    /// Returns the highest correlation between this object's contours and the contours of any known object, −1…1.
    func likeness(to objects: some Sequence<KnownObject>) throws(VisionError) -> Double {
        var best = -1.0
        for object in objects {
            let match = try outline.compared(to: object.outline, outline.aligned(to: object.outline))
            let alignments = [
                appearance.aligned(byContoursTo: object.appearance),
                appearance.aligned(by: match.images, to: object.appearance, score: 1),
            ]
            for alignment in alignments {
                let found = try appearance.compared(to: object.appearance, alignment, bins: Int(settings.bins))
                best = max(best, found.contours)
            }
        }
        return best
    }

    /// Returns the distance to each known object, in the order of the known objects.
    func distances(to known: KnownObjects) throws(VisionError) -> [ObjectDistance] {
        var comparison = Comparison(known)
        let matches = known.objects.map { outline.aligned(to: $0.outline) }
        comparison.matches = matches
        let order = matches.indices.sorted { matches[$0].distance < matches[$1].distance }
        var patterned: [Int] = []
        var examined = 0
        for index in order {
            let other = known.objects[index].appearance.plainness
            let isPlain = plainness * other >= Self.plainEnough
            if isPlain || known.isIdentifiedByOutline(index), examined < Self.outlines {
                let color = comparison.color(outline, index)
                if color < 1 {
                    examined += 1
                    let inner = isPlain ? color : (color * color + Self.doubt * Self.doubt).squareRoot()
                    try add(index, inner: inner, color: color, plainness: 1, &comparison)
                }
            }
            if !isPlain, max(plainness, other) < Self.plain || min(plainness, other) > Self.patterned {
                patterned.append(index)
            }
        }
        if !patterned.isEmpty { try comparePatterns(patterned, &comparison) }
        let nearest = comparison.distances.map(\.total).min() ?? 1
        if known.hasFaintParts, nearest > Self.near { try compareFaintParts(&comparison) }
        return comparison.distances
    }

    /// Compares this object with each known object that has faint parts. The comparison uses the outlines with and
    /// without faint parts, and the coverage: the fraction of the faint parts' area that the object covers. If the new
    /// distance to a known object is smaller than the previous distance, the new distance replaces it.
    private func compareFaintParts(_ comparison: inout Comparison) throws(VisionError) {
        guard let parts = try cutOut.faintParts() else { return }
        for (index, other) in comparison.known.objects.enumerated() {
            guard let known = other.faintParts else { continue }
            // In thin parts, pixels show a mixture of object and background. So the weight of colour is only half of
            // the usual weight.
            let color = 0.5 * comparison.known.weights.color * parts.solid.colorDistance(to: known.solid)
            for (outline, knownOutline) in [(parts.whole, known.whole), (parts.solid, known.solid)] {
                let match = try outline.compared(to: knownOutline, outline.aligned(to: knownOutline))
                let distance = comparison.known.weights.outline * outline.distance(to: knownOutline, match)
                guard distance < comparison.distances[index].total else { continue }
                let faint = Self.coverageWeight * (try parts.difference(to: known, match.images))
                let size = sizeDistance(other)
                let sum = distance * distance + color * color + faint * faint + size * size
                comparison.note(
                    index,
                    ObjectDistance(
                        total: Self.faintWeight * sum.squareRoot(), outline: distance, pattern: faint, color: color,
                        size: size))
            }
        }
    }

    /// Intermediate results of the comparison with the known objects.
    private struct Comparison {
        let known: KnownObjects
        var matches: [OutlineMatch] = []
        /// Difference between this object's outline and the outline of each known object; nil if the difference is not
        /// computed yet.
        var outlines: [Double?]
        var distances: [ObjectDistance]
        /// The highest correlation of the contours (edges within the outlines) in all alignments so far.
        var likeness = 0.0

        init(_ known: KnownObjects) {
            self.known = known
            outlines = [Double?](repeating: nil, count: known.objects.count)
            distances = [ObjectDistance](repeating: ObjectDistance(), count: known.objects.count)
        }

        /// Stores the distance to the known object at `index`, if it is smaller than the stored distance.
        mutating func note(_ index: Int, _ distance: ObjectDistance) {
            if distance.total < distances[index].total { distances[index] = distance }
        }

        func color(_ outline: Outline, _ index: Int) -> Double {
            known.weights.color * outline.colorDistance(to: known.objects[index].outline)
        }

        /// Returns the weighted difference between `outline` and the outline of the known object at `index`. The first
        /// call for an index computes the difference, and later calls return the stored value.
        mutating func distance(_ outline: Outline, _ index: Int) throws(VisionError) -> Double {
            if let known = outlines[index] { return known }
            let other = known.objects[index].outline
            matches[index] = try outline.compared(to: other, matches[index])
            let distance = known.weights.outline * outline.distance(to: other, matches[index])
            outlines[index] = distance
            return distance
        }
    }

    /// Computes the distance to the known object at `index`, and stores it if it is smaller than the stored distance.
    /// - Parameters:
    ///   - inner: the sum of `ObjectDistance.pattern` and `ObjectDistance.color`.
    ///   - plainness: the product of the plainness values of both objects, 0 (clear contours) to 1 (no contours, or
    ///     contours not compared).
    private func add(
        _ index: Int, inner: Double, color: Double, plainness: Double, _ comparison: inout Comparison
    ) throws(VisionError) {
        // An outline may include a shadow. So if the objects have patterns that can be compared, the outline has less
        // weight.
        let outline = (0.3 + 0.7 * plainness) * (try comparison.distance(self.outline, index))
        let size = sizeDistance(comparison.known.objects[index])
        let sum = inner * inner + outline * outline + size * size
        let second = max(1 - plainness, comparison.known.colorEvidence(index))
        comparison.note(
            index,
            ObjectDistance(
                total: (1 - Self.leniency * second) * sum.squareRoot(), outline: outline, pattern: inner - color,
                color: color, size: size))
    }

    /// Compares the contours and colours of this object with those of some known objects.
    /// - Parameter indices: the indices of these known objects, sorted by the distance of their outlines.
    private func comparePatterns(_ indices: [Int], _ comparison: inout Comparison) throws(VisionError) {
        let known = comparison.known.objects
        var near = indices
        if indices.count > Self.alignable {
            let scores = indices.dropFirst(Self.nearOutlines).map { index in
                (index: index, score: appearance.estimatedScore(known[index].appearance))
            }
            let likely = scores.sorted { $0.score > $1.score }.prefix(Self.alignable - Self.nearOutlines).map(\.index)
            near = indices.prefix(Self.nearOutlines) + likely
        }
        try compare(
            near.map { (index: $0, alignment: appearance.aligned(byContoursTo: known[$0].appearance)) }, &comparison)
        guard comparison.likeness < Self.convincing, plainness < Self.plain else { return }
        var alignments: [(index: Int, alignment: Alignment)] = []
        for index in indices.prefix(Self.proposals) where try comparison.distance(outline, index) < 0.5 {
            let between = comparison.matches[index].images
            alignments.append((index, appearance.aligned(by: between, to: known[index].appearance, score: 1)))
        }
        try compare(alignments, &comparison)
        guard comparison.likeness < Self.convincing, settings.features != .none else { return }
        let keypoints = try Keypoints(picture, settings.features)
        try compare(
            near.compactMap { index in
                appearance.aligned(byKeypoints: keypoints, to: known[index].appearance).map { (index, $0) }
            }, &comparison)
    }

    private func compare(
        _ alignments: [(index: Int, alignment: Alignment)], _ comparison: inout Comparison
    ) throws(VisionError) {
        let best = alignments.sorted { $0.alignment.score > $1.alignment.score }.prefix(Self.candidates)
        let enough = Self.shareOfBest * (best.first?.alignment.score ?? 0)
        for (index, alignment) in best where comparison.likeness < Self.convincing || alignment.score >= enough {
            let known = comparison.known.objects[index]
            let found = try appearance.compared(to: known.appearance, alignment, bins: Int(settings.bins))
            // The fewer contours the objects have, the more weight the mean colour has.
            let tone = found.plainness * comparison.color(outline, index)
            let fraction = settings.colorWeight + (1 - settings.colorWeight) * found.plainness
            let weight = found.color == nil ? found.plainness : fraction
            let color = tone + (found.color.map { (1 - found.plainness) * $0 } ?? 0)
            let inner = (1 - weight) * (1 - found.contours) + weight * color
            try add(index, inner: inner, color: weight * color, plainness: found.plainness, &comparison)
            comparison.likeness = max(comparison.likeness, found.contours)
        }
    }

    /// Returns the difference in size, 0…1. If one diameter is 9 % larger than the other, the difference is 0.4. If a
    /// size is unknown or the setting `sizeMatters` is false, the difference is 0.
    private func sizeDistance(_ other: KnownObject) -> Double {
        guard let seen = sizePer10000, let known = other.sizePer10000, seen > 0, known > 0 else { return 0 }
        return min(1, 0.4 * abs(log(Double(seen) / Double(known))) / log(1.09))
    }
}

// MARK: - Outlines

extension Outline {
    /// Returns the difference between two aligned outlines, including their holes, 0…1. For two images of the same
    /// object, the difference is at most 0.4. Outlines without shadows are more precise. So for such outlines, an equal
    /// deviation gives a larger difference, especially in thin objects.
    func distance(to other: Outline, _ match: OutlineMatch) -> Double {
        let isExact = silhouette.isExact && other.silhouette.isExact
        let thickness = max(0, min(thickness, other.thickness))
        let thin = min(1, (thickness / OutlineTuning.thick).squareRoot())
        let outline = scale(other, isExact ? OutlineTuning.exactTolerance * thin : 1) * match.distance
        let holes = scale(other, 1) * OutlineTuning.holeWeight * match.holes
        return min(1, (outline * outline + holes * holes).squareRoot())
    }

    /// Returns an approximation of `distance(to:_:)`, without the refined alignment and without holes.
    func roughDistance(to other: Outline) -> Double {
        min(1, scale(other, 1) * OutlineTuning.roughWeight * aligned(to: other).distance)
    }

    /// Returns the factor that converts a root mean square distance between two outlines to the difference that
    /// `distance(to:_:)` returns.
    /// - Parameter tolerance: the factor that multiplies `OutlineTuning.tolerance`.
    private func scale(_ other: Outline, _ tolerance: Double) -> Double {
        let length = max(OutlineTuning.leastLength, min(length, other.length))
        return OutlineTuning.same / (OutlineTuning.tolerance * tolerance + OutlineTuning.pixelTolerance / length)
    }

    /// Returns the difference between the mean colours, each divided by its background's colour. The difference is 0…1.
    /// A difference in brightness has half the weight of a difference in colour.
    func colorDistance(to other: Outline) -> Double { colorDistance(to: other.silhouette.tone) }

    /// Difference between the object's mean colour and the background's colour, 0…1.
    var colorDistanceToBackground: Double { colorDistance(to: SIMD3(repeating: 1)) }

    private func colorDistance(to tone: SIMD3<Double>) -> Double {
        let difference = silhouette.tone - tone
        let light = difference.sum() / 3
        let color = difference - light
        let square = OutlineTuning.lightWeight * light * light + (color * color).sum()
        return min(1, square.squareRoot() / OutlineTuning.mostColor)
    }
}
