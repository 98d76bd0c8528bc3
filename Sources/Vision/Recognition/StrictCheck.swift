// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Strict check whether a face belongs to a person, for decisions in which a stranger must not be accepted. The check
/// aligns the face with the nearest of the person's known faces by an affine transformation, and compares the pixels.
/// The distance is 1 − the enhanced correlation coefficient (Evangelidis and Psarakis, 2008). Immutable.
///
/// In a test with 100 frames of six drawn people, three of them known by 16 images each, the median distance of a known
/// person was 0.0003 to 0.0004, and the smallest distance of a stranger was 0.018.
package struct StrictCheck: Sendable {
    package enum Outcome: Sendable {
        /// The distance is at most `limit`.
        case confirmed
        /// The distance allows no decision, or there is only one known face.
        case unsure
        /// The distance is more than three times `limit`.
        case contradicted
    }

    private let faces: [FaceSample]
    /// Maximum distance of a confirmed face: the median distance of the known faces from each other, limited to
    /// `limits`. Nil if there is only one known face; no face is confirmed then.
    package let limit: Double?

    /// Maximum number of known faces, evenly chosen; number of these faces that are measured for `limit`; and number of
    /// nearest faces with which a face is aligned.
    private static let (maxFaces, measured, nearest) = (40, 12, 3)
    /// Range of `limit`. The upper bound is below the distances of strangers: at least 0.12 among five people of the
    /// Database of Faces (AT&T Laboratories Cambridge), with five known images each. The lower bound allows for known
    /// faces that are copies of one image, which would give 0.
    private static let limits = 0.002...0.08
    /// Multiple of `limit` above which a face is contradicted.
    private static let contradiction = 3.0

    package init(_ faces: [FaceSample]) throws(VisionError) {
        self.faces = faces.evenly(Self.maxFaces)
        var distances: [Double] = []
        for index in (0..<self.faces.count).map({ $0 }).evenly(Self.measured) {
            var others = self.faces
            let face = others.remove(at: index)
            if !others.isEmpty { distances.append(try Self.distance(face, from: others)) }
        }
        distances.sort()
        limit =
            distances.isEmpty
            ? nil : min(Self.limits.upperBound, max(Self.limits.lowerBound, distances[(distances.count - 1) / 2]))
    }

    package func outcome(for face: FaceSample) throws(VisionError) -> Outcome {
        guard let limit else { return .unsure }
        let distance = try Self.distance(face, from: faces, enough: limit)
        return distance <= limit ? .confirmed : distance <= Self.contradiction * limit ? .unsure : .contradicted
    }

    /// Returns the distance to the nearest known face, 0…2.
    package func distance(of face: FaceSample) throws(VisionError) -> Double {
        try Self.distance(face, from: faces)
    }

    /// Returns the smallest distance of a face from the known faces, 0…2.
    /// - Parameter enough: a distance at which the search for a smaller distance ends.
    private static func distance(
        _ face: FaceSample, from known: [FaceSample], enough: Double = -1
    ) throws(VisionError) -> Double {
        // Faces that are most similar before the alignment have the same expression.
        let candidates = known.map { (face: $0, difference: $0.difference(from: face)) }
            .sorted { $0.difference < $1.difference }.prefix(nearest)
        var best = -1.0
        for candidate in candidates where 1 - best > enough {
            best = max(best, try correlation(face, candidate.face, enough: 1 - enough))
        }
        return 1 - best
    }

    // MARK: - Correlation

    /// Maximum distance by which an alignment may move the middle, in sides of the face, and the maximum factor by
    /// which it may change lengths. More is no view of the same face.
    private static let (maxMovement, maxStretch) = (0.15, 1.3)
    /// Steps of the alignment after which it may end: often the first are enough, or show that more will not do; and a
    /// multiple of the distance that is enough, from which on more will not do.
    private static let (steps, hopeless) = ([6, 24], 6.0)

    /// Returns the enhanced correlation coefficient of two faces after the best affine alignment, which brightness and
    /// contrast do not change; −1 if there is no plausible one.
    /// - Parameter enough: coefficient at which the search may stop; above 1 for the best one.
    private static func correlation(
        _ face: FaceSample, _ known: FaceSample, enough: Double
    ) throws(VisionError) -> Double {
        let alignment = CorrelationAlignment(try known.smoothed(), try face.smoothed())
        var (map, best) = (AffineMap(), -1.0)
        for steps in steps {
            // They have nothing in common, or one of them is of a single level.
            guard let improved = alignment.improved(map, steps: steps, precision: enough > 1 ? 1e-5 : 1e-4) else {
                return -1
            }
            (map, best) = (improved.map, improved.coefficient)
            let isHopeless = enough <= 1 && 1 - best > hopeless * (1 - enough)
            if isHopeless || best >= enough && isPlausible(map) { break }
        }
        return isPlausible(map) ? best : -1
    }

    /// Returns whether an affine map can be between two images of a face.
    private static func isPlausible(_ map: AffineMap) -> Bool {
        let middle = Point(Double(FaceSample.side - 1) / 2, Double(FaceSample.side - 1) / 2), stretch = map.stretch
        return (map(middle) - middle).length <= maxMovement * Double(FaceSample.side) && stretch.most <= maxStretch
            && stretch.least >= 1 / maxStretch
    }
}

extension FaceSample {
    /// Returns the face smoothed by a Gaussian of 3x3 pixels.
    fileprivate func smoothed() throws(VisionError) -> Matrix<Float> {
        try pixels.withImage(width: Self.side, height: Self.side, format: .gray8) { Matrix($0) }.floats.blurred(side: 3)
    }
}
