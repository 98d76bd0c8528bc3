// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// The distance between two objects, and its parts.
package struct ObjectDistance: Sendable, Hashable {
    /// The root of the sum of the squares of outline, pattern with colour, and size; 1 if the objects were not compared in
    /// detail.
    package var total = 1.0
    package var outline = 0.0
    /// Difference of the patterns and of the colours within the outlines.
    package var pattern = 0.0
    package var color = 0.0
    package var size = 0.0
}

/// An object that the algorithm `contours` compares with the trained objects.
///
/// The comparison uses up to three features: the outline with its holes (`Outline`), the contours within the outline,
/// and colours. A feature is ignored if one of the images does not show it.
///
/// - Contours are the magnitude of the gradient, normalized locally. They are compared in normal position: an affine
///   map converts the ellipse with the outline's second moments to a circle, so size, position and tilt have no effect.
/// - The rotation relative to each training image follows from a correlation of the contours along circles. The best
///   four alignments are refined by the enhanced correlation coefficient (Evangelidis and Psarakis, 2008). If no
///   alignment is convincing, the alignments of the outlines are tried, and then those of keypoints.
/// - The difference within the outline is (1 − w) (1 − correlation of the contours) + w × Hellinger distance of the
///   colours relative to the background. For plain objects, it is the difference of the mean colours.
/// - The distance is the square root of the sum of the squared differences in outline, within the outline, and in size.
struct SeenObject {
    private let settings: ClassifierSettings
    private let picture: BlobPicture
    private let cutOut: CutOut
    private let appearance: QueryAppearance
    private let sizePer10000: Int?

    private var outline: Outline { cutOut.outline }
    /// Lack of contours within the outline, 0…1.
    private var plainness: Double { appearance.plainness }

    /// - Parameter ignoresNarrowShadow: true if a possible narrow shadow along the outline counts as background.
    init(
        _ picture: BlobPicture, outline: [Point], _ settings: ClassifierSettings, ignoresNarrowShadow: Bool = false
    ) throws(VisionError) {
        (self.settings, self.picture) = (settings, picture)
        cutOut = try CutOut(picture, coarse: outline, ignoresNarrowShadow: ignoresNarrowShadow)
        appearance = try QueryAppearance(picture, cutOut.outline)
        sizePer10000 = settings.sizeMatters ? cutOut.outline.sizePer10000(in: picture) : nil
    }

    /// True if the outline may include a narrow shadow. Too little of the shadow is visible to decide.
    var mayHaveShadow: Bool { outline.silhouette.hasNarrowShadow }

    // MARK: - Comparing

    /// Maximum numbers of plain objects whose outlines are compared exactly (`outlines`), of alignments that are
    /// refined in each step (`candidates`), and of alignments by outlines (`proposals`).
    private static let outlines = 12
    private static let candidates = 4
    private static let proposals = 3
    /// Maximum number of objects whose contours are aligned in all views, and how many of them are chosen by the
    /// distance of their outlines. The others are chosen by the score in a single view. With some objects, such as
    /// patterned beans, this score is low even for the same object.
    private static let alignable = 24
    private static let nearOutlines = 6
    /// Correlation of contours above which no further alignments are tried, and fraction of the best alignment's score
    /// below which alignments are then skipped.
    private static let convincing = 0.6
    private static let shareOfBest = 0.75
    /// Limits for the lack of contours. An object with at least `plain` has no contours; an object with at most
    /// `patterned` certainly has contours. If the product of both objects' lack is at least `plainEnough`, only
    /// outlines and mean colours are compared.
    private static let plain = 0.95
    private static let patterned = 0.5
    private static let plainEnough = 0.9
    /// Difference that is added if outline and mean colour are compared, although one of the objects has a pattern.
    private static let doubt = 0.2
    /// If a second feature besides the outline distinguishes the labels (a pattern, or colours), the distance is reduced
    /// by this fraction. Two images of the same object may then differ more in each feature, because other objects rarely
    /// agree in both.
    private static let leniency = 0.15
    /// Maximum distance at which an object is recognized without a comparison of faint parts.
    private static let near = 0.2
    /// Weight of the distance that is computed with and without faint parts, and weight of a difference in coverage.
    /// With these weights, 298 of 300 combs had a distance below 0.4, and 390 of 400 other objects (rakes, brushes,
    /// rackets and other combs) had a larger distance.
    private static let faintWeight = 1.4
    private static let coverageWeight = 1.6

    /// Returns the best correlation between the contours of this object and those of known objects, −1…1.
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

    /// Returns the distance to each known object. The distance is 1 if the object was not compared in detail.
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

    /// Compares faint parts: the outlines with faint parts, the outlines without them, and the coverage of the faint
    /// parts. A smaller distance replaces the previous distance.
    private func compareFaintParts(_ comparison: inout Comparison) throws(VisionError) {
        guard let parts = try cutOut.faintParts() else { return }
        for (index, other) in comparison.known.objects.enumerated() {
            guard let known = other.faintParts else { continue }
            // The colour has only half of its weight, because thin parts are mixed with the background's colour.
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
        /// Differences between the outlines; nil if not computed yet.
        var outlines: [Double?]
        var distances: [ObjectDistance]
        /// The highest correlation of contours so far.
        var likeness = 0.0

        init(_ known: KnownObjects) {
            self.known = known
            outlines = [Double?](repeating: nil, count: known.objects.count)
            distances = [ObjectDistance](repeating: ObjectDistance(), count: known.objects.count)
        }

        /// Keeps a distance from an object if it is the smallest so far.
        mutating func note(_ index: Int, _ distance: ObjectDistance) {
            if distance.total < distances[index].total { distances[index] = distance }
        }

        func color(_ outline: Outline, _ index: Int) -> Double {
            known.weights.color * outline.colorDistance(to: known.objects[index].outline)
        }

        /// Returns the difference between the outlines. It is computed only once.
        mutating func distance(_ outline: Outline, _ index: Int) throws(VisionError) -> Double {
            if let known = outlines[index] { return known }
            let other = known.objects[index].outline
            matches[index] = try outline.compared(to: other, matches[index])
            let distance = known.weights.outline * outline.distance(to: other, matches[index])
            outlines[index] = distance
            return distance
        }
    }

    /// Reduces the distance to a known object if a new comparison gives a smaller distance.
    /// - Parameters:
    ///   - inner: the difference within the outline.
    ///   - plainness: the lack of contours in both objects, 0…1.
    private func add(
        _ index: Int, inner: Double, color: Double, plainness: Double, _ comparison: inout Comparison
    ) throws(VisionError) {
        // If the objects have a pattern, the outline has less weight, because outlines may include shadows.
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

    /// Compares the contours and colours of objects.
    /// - Parameter indices: the indices of the objects, sorted by the distance of their outlines.
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
            // With fewer contours, the colour has more weight.
            let tone = found.plainness * comparison.color(outline, index)
            let fraction = settings.colorWeight + (1 - settings.colorWeight) * found.plainness
            let weight = found.color == nil ? found.plainness : fraction
            let color = tone + (found.color.map { (1 - found.plainness) * $0 } ?? 0)
            let inner = (1 - weight) * (1 - found.contours) + weight * color
            try add(index, inner: inner, color: weight * color, plainness: found.plainness, &comparison)
            comparison.likeness = max(comparison.likeness, found.contours)
        }
    }

    /// Returns the difference in size: 0.4 if one object is 9 % larger; 0 if sizes are unknown or ignored.
    private func sizeDistance(_ other: KnownObject) -> Double {
        guard let seen = sizePer10000, let known = other.sizePer10000, seen > 0, known > 0 else { return 0 }
        return min(1, 0.4 * abs(log(Double(seen) / Double(known))) / log(1.09))
    }
}

// MARK: - Outlines

extension Outline {
    /// Returns the difference between outlines and holes for a match, 0…1. 0.4 is the maximum between two images of the
    /// same object. The tolerance is greater for objects with shadows. For objects without shadows, the tolerance
    /// decreases with the thickness, because the outlines of thin objects are similar.
    func distance(to other: Outline, _ match: OutlineMatch) -> Double {
        let isExact = silhouette.isExact && other.silhouette.isExact
        let thickness = max(0, min(thickness, other.thickness))
        let thin = min(1, (thickness / OutlineTuning.thick).squareRoot())
        let outline = scale(other, isExact ? OutlineTuning.exactTolerance * thin : 1) * match.distance
        let holes = scale(other, 1) * OutlineTuning.holeWeight * match.holes
        return min(1, (outline * outline + holes * holes).squareRoot())
    }

    /// Returns an approximation of `distance(to:_:)` with the tolerance for shadows, without the exact comparison.
    func roughDistance(to other: Outline) -> Double {
        min(1, scale(other, 1) * OutlineTuning.roughWeight * aligned(to: other).distance)
    }

    /// Returns the factor that converts a distance in units of the size to a difference, where 0.4 is the maximum
    /// between two images of the same object.
    private func scale(_ other: Outline, _ tolerance: Double) -> Double {
        let length = max(OutlineTuning.leastLength, min(length, other.length))
        return OutlineTuning.same / (OutlineTuning.tolerance * tolerance + OutlineTuning.pixelTolerance / length)
    }

    /// Returns the difference between the mean colours relative to the background, 0…1. A difference in light has half
    /// of the weight.
    func colorDistance(to other: Outline) -> Double { colorDistance(to: other.silhouette.tone) }

    /// Difference between the mean colour and the background's colour, 0…1.
    var colorDistanceToBackground: Double { colorDistance(to: SIMD3(repeating: 1)) }

    private func colorDistance(to tone: SIMD3<Double>) -> Double {
        let difference = silhouette.tone - tone
        let light = difference.sum() / 3
        let color = difference - light
        let square = OutlineTuning.lightWeight * light * light + (color * color).sum()
        return min(1, square.squareRoot() / OutlineTuning.mostColor)
    }
}
