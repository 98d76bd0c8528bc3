// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// An object of a frame that is compared with what is known, by the algorithm `contours`.
///
/// Three kinds of evidence count, each as far as both pictures have it: the outline with its holes (`Outline`), the
/// contours within it, and colours. The contours are compared in normal position: the ellipse with the outline's second
/// moments as a circle, so that size, place and tilt do not matter. The turn relative to each training picture follows from
/// correlating contours (the magnitude of the gradient, evened out) along circles; the best four are aligned exactly by
/// the enhanced correlation coefficient (Evangelidis and Psarakis, 2008), and what the outlines propose. If none of them is
/// convincing, keypoints propose alignments, too. Within the outline the difference is (1 − w) (1 − correlation of the
/// contours) + w × Hellinger's distance of the colours, which are taken relative to the surroundings; where there are no
/// contours, it is that of the mean colours. The distance is the root of the sum of the squares of what differs.
struct SeenObject {
    private let settings: ClassifierSettings
    private let picture: BlobPicture
    private let cutOut: CutOut
    private let appearance: QueryAppearance
    private let sizePer10000: Int?

    private var outline: Outline { cutOut.outline }
    /// Lack of contours within the outline, 0…1.
    private var plainness: Double { appearance.plainness }

    /// - Parameter ignoresNarrowShadow: whether a possible narrow shadow along the outline counts as ground.
    init(
        _ picture: BlobPicture, outline: [Point], _ settings: ClassifierSettings, ignoresNarrowShadow: Bool = false
    ) throws(VisionError) {
        (self.settings, self.picture) = (settings, picture)
        cutOut = try CutOut(picture, coarse: outline, ignoresNarrowShadow: ignoresNarrowShadow)
        appearance = try QueryAppearance(picture, cutOut.outline)
        sizePer10000 = settings.sizeMatters ? cutOut.outline.sizePer10000(in: picture) : nil
    }

    /// True if the edge may be a shadow, too little of which is visible to be sure.
    var mayHaveShadow: Bool { outline.silhouette.hasNarrowShadow }

    // MARK: - Comparing

    /// Number of outlines of plain objects that are compared exactly, and of alignments by contours, and by outlines, that
    /// are examined closely.
    private static let outlines = 12
    private static let candidates = 4
    private static let proposals = 3
    /// Number of objects whose contours are aligned in all positions, and of those among them that have the nearest outlines:
    /// a bean's pattern is hardly like its own in the one position by which the others are chosen.
    private static let alignable = 24
    private static let nearOutlines = 6
    /// Correlation of contours above which keypoints are not needed, and share of the best alignment's score below
    /// which alignments need not be examined closely.
    private static let convincing = 0.6
    private static let shareOfBest = 0.75
    /// Lack of contours from which on there are none, and below which there are certainly some; and the product of both
    /// pictures' from which on outlines and mean colours are compared.
    private static let plain = 0.95
    private static let patterned = 0.5
    private static let plainEnough = 0.9
    /// Difference that is added where a telling outline and the mean colour stand for a pattern that one picture shows.
    private static let doubt = 0.2
    /// Distance up to which an object is recognised, whatever its faint parts are like.
    private static let near = 0.2
    /// Weight of what is compared with and without faint parts, where little of a thing counts, and of a difference in
    /// coverage. Of 300 combs 298 were nearer than 0.4 by these, and of 400 rakes, brushes, rackets and other combs 390
    /// were farther.
    private static let faintWeight = 1.4
    private static let coverageWeight = 1.6

    /// Returns the distance from each of these; 1 from anything that is not examined closely.
    func distances(to known: KnownObjects) throws(VisionError) -> [Double] {
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
                    try add(index, inner: inner, plainness: 1, &comparison)
                }
            }
            if !isPlain, max(plainness, other) < Self.plain || min(plainness, other) > Self.patterned {
                patterned.append(index)
            }
        }
        if !patterned.isEmpty { try comparePatterns(patterned, &comparison) }
        if known.hasFaintParts, (comparison.distances.min() ?? 1) > Self.near { try compareFaintParts(&comparison) }
        return comparison.distances
    }

    /// Compares with things that have faint parts by the outlines with these and without them, and by how much of them is
    /// covered.
    private func compareFaintParts(_ comparison: inout Comparison) throws(VisionError) {
        guard let parts = try cutOut.faintParts() else { return }
        for (index, other) in comparison.known.objects.enumerated() {
            guard let known = other.faintParts else { continue }
            // Thin parts take something of the ground's colour.
            let color = 0.5 * comparison.known.weights.color * parts.solid.colorDistance(to: known.solid)
            for (outline, knownOutline) in [(parts.whole, known.whole), (parts.solid, known.solid)] {
                let match = try outline.compared(to: knownOutline, outline.aligned(to: knownOutline))
                let distance = comparison.known.weights.outline * outline.distance(to: knownOutline, match)
                guard distance < comparison.distances[index] else { continue }
                let faint = Self.coverageWeight * (try parts.difference(to: known, match.images))
                let size = sizeDistance(other)
                let sum = distance * distance + color * color + faint * faint + size * size
                comparison.distances[index] = min(comparison.distances[index], Self.faintWeight * sum.squareRoot())
            }
        }
    }

    /// What has been found out about the known objects.
    private struct Comparison {
        let known: KnownObjects
        var matches: [OutlineMatch] = []
        /// Differences of outlines, as far as they are known.
        var outlines: [Double?]
        var distances: [Double]
        /// The best correlation of contours.
        var likeness = 0.0

        init(_ known: KnownObjects) {
            self.known = known
            outlines = [Double?](repeating: nil, count: known.objects.count)
            distances = [Double](repeating: 1, count: known.objects.count)
        }

        func color(_ outline: Outline, _ index: Int) -> Double {
            known.weights.color * outline.colorDistance(to: known.objects[index].outline)
        }

        /// Returns the difference of the outlines, which is computed once.
        mutating func distance(_ outline: Outline, _ index: Int) throws(VisionError) -> Double {
            if let known = outlines[index] { return known }
            let other = known.objects[index].outline
            matches[index] = try outline.compared(to: other, matches[index])
            let distance = known.weights.outline * outline.distance(to: other, matches[index])
            outlines[index] = distance
            return distance
        }
    }

    /// Takes note of a difference within the outline.
    private func add(
        _ index: Int, inner: Double, plainness: Double, _ comparison: inout Comparison
    ) throws(VisionError) {
        // A pattern that is the same says more than outlines, which may have shadows in them.
        let outline = (0.3 + 0.7 * plainness) * (try comparison.distance(self.outline, index))
        let size = sizeDistance(comparison.known.objects[index])
        let sum = inner * inner + outline * outline + size * size
        comparison.distances[index] = min(comparison.distances[index], sum.squareRoot())
    }

    /// - Parameter indices: in the order of their outlines' distances.
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
            // Where contours say little, colours say more.
            let tone = found.plainness * comparison.color(outline, index)
            let fraction = settings.colorWeight + (1 - settings.colorWeight) * found.plainness
            let weight = found.color == nil ? found.plainness : fraction
            let color = tone + (found.color.map { (1 - found.plainness) * $0 } ?? 0)
            let inner = (1 - weight) * (1 - found.contours) + weight * color
            try add(index, inner: inner, plainness: found.plainness, &comparison)
            comparison.likeness = max(comparison.likeness, found.contours)
        }
    }

    /// Returns the difference in size: 0.4 for objects that are 9 % larger or smaller; 0 if sizes do not count or are not
    /// known.
    private func sizeDistance(_ other: KnownObject) -> Double {
        guard let seen = sizePer10000, let known = other.sizePer10000, seen > 0, known > 0 else { return 0 }
        return min(1, 0.4 * abs(log(Double(seen) / Double(known))) / log(1.09))
    }
}

// MARK: - Outlines

extension Outline {
    /// Returns how much the outlines and holes differ in a match, 0…1, where 0.4 is as much as two images of the same object
    /// differ at most: more where there are shadows; else less, the less the thinner they are, as thin objects are much alike.
    func distance(to other: Outline, _ match: OutlineMatch) -> Double {
        let isExact = silhouette.isExact && other.silhouette.isExact
        let thickness = max(0, min(thickness, other.thickness))
        let thin = min(1, (thickness / OutlineTuning.thick).squareRoot())
        let outline = scale(other, isExact ? OutlineTuning.exactTolerance * thin : 1) * match.distance
        let holes = scale(other, 1) * OutlineTuning.holeWeight * match.holes
        return min(1, (outline * outline + holes * holes).squareRoot())
    }

    /// Returns about that for objects with shadows, without the exact comparison.
    func roughDistance(to other: Outline) -> Double {
        min(1, scale(other, 1) * OutlineTuning.roughWeight * aligned(to: other).distance)
    }

    /// Returns the factor from distances in units of the size.
    private func scale(_ other: Outline, _ tolerance: Double) -> Double {
        let length = max(OutlineTuning.leastLength, min(length, other.length))
        return OutlineTuning.same / (OutlineTuning.tolerance * tolerance + OutlineTuning.pixelTolerance / length)
    }

    /// Returns the difference of the mean colours relative to the ground, 0…1; that of light counts half.
    func colorDistance(to other: Outline) -> Double {
        let difference = silhouette.tone - other.silhouette.tone
        let light = difference.sum() / 3
        let color = difference - light
        let square = OutlineTuning.lightWeight * light * light + (color * color).sum()
        return min(1, square.squareRoot() / OutlineTuning.mostColor)
    }
}
