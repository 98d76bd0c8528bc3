// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Glibc
import Imaging

/// An object of a frame that is compared with what is known, by the algorithm `contours`.
///
/// Three kinds of evidence count, each as far as both pictures have it: the outline with its holes (`ObjectShape`), the
/// contours within it, and colours. The contours are compared in normal position: the ellipse with the outline's second
/// moments as a circle, so that size, place and tilt do not matter. The turn relative to each training picture follows from
/// correlating contours (the magnitude of the gradient, evened out) along circles; the best four are aligned exactly by
/// the enhanced correlation coefficient (Evangelidis and Psarakis, 2008), and what the outlines propose. If none of them is
/// convincing, keypoints propose alignments, too. Within the outline the difference is (1 − w) (1 − correlation of the
/// contours) + w × Hellinger's distance of the colours, which are taken relative to the surroundings; where there are no
/// contours, it is that of the mean colours. The distance is the root of the sum of the squares of what differs.
struct SeenObject {
    private let settings: ClassifierSettings
    private let shape: ObjectShape
    private let texture: QueryAppearance
    /// Lack of contours within the outline, 0…1.
    private let plainness: Double
    private let sizePer10000: Int?

    /// - Parameter isLit: whether what may be a narrow shadow along the outline counts as ground.
    init(
        _ picture: BlobPicture, outline: [Point], _ settings: ClassifierSettings, isLit: Bool = false
    ) throws(VisionError) {
        self.settings = settings
        shape = try ObjectShape(picture, outline: outline, isLit: isLit)
        texture = try QueryAppearance(picture, shape, settings.features)
        plainness = texture.plainness
        sizePer10000 = settings.sizeMatters ? shape.sizePer10000(in: picture) : nil
    }

    /// Whether what is along the outline may be a shadow, too little of which is seen to be sure.
    var mayHaveShadow: Bool { shape.facts.hasNarrowShadow != 0 }

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
    /// Distance up to which a thing is known, whatever its faint parts are like.
    private static let near = 0.2
    /// Weight of what is compared with and without faint parts, where little of a thing counts, and of a difference in
    /// coverage. Of 300 combs 298 were nearer than 0.4 by these, and of 400 rakes, brushes, rackets and other combs 390
    /// were farther.
    private static let faintWeight = 1.4
    private static let coverageWeight = 1.6

    /// Returns the distance from each of these; 1 from anything that is not examined closely.
    func distances(to known: KnownObjects) throws(VisionError) -> [Double] {
        var comparison = Comparison(known)
        for own in known.objects {
            comparison.matches.append(try shape.aligned(to: own.shape))
        }
        let matches = comparison.matches
        let order = matches.indices.sorted { matches[$0].distance < matches[$1].distance }
        var patterned: [Int] = []
        var examined = 0
        for index in order {
            let other = known.objects[index].plainness
            let isPlain = plainness * other >= Self.plainEnough
            if isPlain || known.isToldByOutline(index), examined < Self.outlines {
                let color = comparison.color(shape, index)
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
        guard let own = try FaintParts(of: shape) else { return }
        for (index, other) in comparison.known.objects.enumerated() {
            guard let parts = other.faintParts else { continue }
            // Thin parts take something of the ground's colour.
            let color = 0.5 * comparison.known.weights.color * own.solid.colorDistance(to: parts.solid)
            for (mine, theirs) in [(own.whole, parts.whole), (own.solid, parts.solid)] {
                let match = try mine.compared(to: theirs, try mine.aligned(to: theirs))
                let outline = comparison.known.weights.outline * mine.distance(to: theirs, match)
                guard outline < comparison.distances[index] else { continue }
                let faint = Self.coverageWeight * (try shape.faintDifference(to: other.shape, match.pictures))
                let size = sizeDistance(other)
                let sum = outline * outline + color * color + faint * faint + size * size
                comparison.distances[index] = min(comparison.distances[index], Self.faintWeight * sum.squareRoot())
            }
        }
    }

    /// What has been found out about the known objects.
    private struct Comparison {
        let known: KnownObjects
        var matches: [SVCVShapeMatch] = []
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

        func color(_ shape: ObjectShape, _ index: Int) -> Double {
            known.weights.color * shape.colorDistance(to: known.objects[index].shape)
        }

        /// Returns the difference of the outlines, which is computed once.
        mutating func outline(_ shape: ObjectShape, _ index: Int) throws(VisionError) -> Double {
            if let known = outlines[index] { return known }
            let other = known.objects[index].shape
            matches[index] = try shape.compared(to: other, matches[index])
            let distance = known.weights.outline * shape.distance(to: other, matches[index])
            outlines[index] = distance
            return distance
        }
    }

    /// Takes note of a difference within the outline.
    private func add(
        _ index: Int, inner: Double, plainness: Double, _ comparison: inout Comparison
    ) throws(VisionError) {
        // A pattern that is the same says more than outlines, which may have shadows in them.
        let outline = (0.3 + 0.7 * plainness) * (try comparison.outline(shape, index))
        let size = sizeDistance(comparison.known.objects[index])
        let sum = inner * inner + outline * outline + size * size
        comparison.distances[index] = min(comparison.distances[index], sum.squareRoot())
    }

    /// - Parameter indices: in the order of their outlines' distances.
    private func comparePatterns(_ indices: [Int], _ comparison: inout Comparison) throws(VisionError) {
        let known = comparison.known.objects
        var near = indices
        if indices.count > Self.alignable {
            var scores: [(index: Int, score: Double)] = []
            for index in indices.dropFirst(Self.nearOutlines) {
                scores.append((index, try texture.estimatedScore(known[index].texture)))
            }
            let likely = scores.sorted { $0.score > $1.score }.prefix(Self.alignable - Self.nearOutlines).map(\.index)
            near = indices.prefix(Self.nearOutlines) + likely
        }
        var alignments: [(index: Int, alignment: Alignment)] = []
        for index in near { alignments.append((index, try texture.aligned(byContoursTo: known[index].texture))) }
        try compare(alignments, &comparison)
        guard comparison.likeness < Self.convincing, plainness < Self.plain else { return }
        alignments.removeAll()
        for index in indices.prefix(Self.proposals) where try comparison.outline(shape, index) < 0.5 {
            let similarity = comparison.matches[index].pictures
            alignments.append((index, try texture.aligned(by: similarity, to: known[index].texture, score: 1)))
        }
        try compare(alignments, &comparison)
        guard comparison.likeness < Self.convincing, settings.features != .none else { return }
        alignments.removeAll()
        for index in near {
            if let alignment = try texture.aligned(byKeypointsTo: known[index].texture) {
                alignments.append((index, alignment))
            }
        }
        try compare(alignments, &comparison)
    }

    private func compare(
        _ alignments: [(index: Int, alignment: Alignment)], _ comparison: inout Comparison
    ) throws(VisionError) {
        let best = alignments.sorted { $0.alignment.score > $1.alignment.score }.prefix(Self.candidates)
        let enough = Self.shareOfBest * (best.first?.alignment.score ?? 0)
        for (index, alignment) in best where comparison.likeness < Self.convincing || alignment.score >= enough {
            let known = comparison.known.objects[index]
            let found = try texture.compared(to: known.texture, alignment, bins: settings.bins)
            // Where contours say little, colours say more.
            let tone = found.plainness * comparison.color(shape, index)
            let share = settings.colorWeight + (1 - settings.colorWeight) * found.plainness
            let weight = found.color < 0 ? found.plainness : share
            let color = found.color < 0 ? tone : (1 - found.plainness) * found.color + tone
            let inner = (1 - weight) * (1 - found.contours) + weight * color
            try add(index, inner: inner, plainness: found.plainness, &comparison)
            comparison.likeness = max(comparison.likeness, found.contours)
        }
    }

    /// Returns the difference in size: 0.4 for things that are 9 % larger or smaller; 0 if sizes do not count or are not
    /// known.
    private func sizeDistance(_ other: KnownObject) -> Double {
        guard let own = sizePer10000, let size = other.sizePer10000, own > 0, size > 0 else { return 0 }
        return min(1, 0.4 * abs(log(Double(own) / Double(size))) / log(1.09))
    }
}

// MARK: - Outlines

extension ObjectShape {
    /// Returns how much the outlines and holes differ in a match, 0…1, where 0.4 is as much as two pictures of the same
    /// thing differ at most: more where there are shadows; else less, the less the thinner they are, as thin things are much
    /// alike.
    func distance(to other: ObjectShape, _ match: SVCVShapeMatch) -> Double {
        let isExact = facts.isExact != 0 && other.facts.isExact != 0
        let thickness = max(0, min(facts.thickness, other.facts.thickness))
        let tolerance = isExact ? 0.75 * min(1, (thickness / 0.8).squareRoot()) : 1
        let outline = scale(other, tolerance) * match.distance, holes = scale(other, 1) * 0.4 * match.holes
        return min(1, (outline * outline + holes * holes).squareRoot())
    }

    /// Returns about that for things with shadows, without the exact comparison.
    func roughDistance(to other: ObjectShape) -> Double {
        min(1, scale(other, 1) * 0.7 * ((try? aligned(to: other))?.distance ?? 1))
    }

    /// Returns the factor from distances in units of the size: of small things little is seen.
    private func scale(_ other: ObjectShape, _ tolerance: Double) -> Double {
        0.4 / (0.042 * tolerance + 1.1 / max(4, min(facts.length, other.facts.length)))
    }

    /// Returns the difference of the mean colours relative to the ground, 0…1; that of light counts half.
    func colorDistance(to other: ObjectShape) -> Double {
        let (a, b) = (facts.tone, other.facts.tone)
        let difference = SIMD3(a.0 - b.0, a.1 - b.1, a.2 - b.2)
        let light = difference.sum() / 3
        let color = difference - light
        return min(1, (0.25 * light * light + (color * color).sum()).squareRoot() / 0.35)
    }
}
