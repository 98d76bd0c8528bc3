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

    /// `most`: maximum number of known faces, chosen at equal steps. `measured`: number of these faces from which
    /// `limit` is computed. `nearest`: number of known faces with which a face is aligned, the most similar first.
    private static let (maxFaces, measured, nearest) = (40, 12, 3)
    /// Range of `limit`. The upper bound is below the distances of strangers: at least 0.12 among five people of the
    /// Database of Faces (AT&T Laboratories Cambridge), with five known images each. The lower bound allows for known
    /// faces that are copies of one image, which would give 0.
    private static let limits = 0.002...0.08
    /// A face is contradicted if its distance is more than this multiple of `limit`.
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
        // Only the known faces that are most similar before the alignment are aligned, because they have the same
        // facial expression.
        let candidates = known.map { (face: $0, difference: $0.difference(from: face)) }
            .sorted { $0.difference < $1.difference }.prefix(nearest)
        var best = -1.0
        for candidate in candidates where 1 - best > enough {
            best = max(best, try correlation(face, candidate.face, enough: 1 - enough))
        }
        return 1 - best
    }

    // MARK: - Correlation

    /// An alignment is rejected if it moves the middle of the image by more than `maxMovement` (in sides of the
    /// image), or if it enlarges or reduces lengths by a factor of more than `maxStretch`.
    private static let (maxMovement, maxStretch) = (0.15, 1.3)
    /// `steps`: the alignment has up to two stages, with these numbers of steps. The second stage is skipped if the
    /// distance after the first stage is small enough, or hopelessly large. `hopeless`: the distance is hopelessly
    /// large if it is more than this multiple of the sufficient distance.
    private static let (steps, hopeless) = ([6, 24], 6.0)

    /// Returns the enhanced correlation coefficient of two faces after the best affine alignment; −1 if no plausible
    /// alignment is found. Brightness and contrast do not affect the coefficient.
    /// - Parameter enough: a sufficient coefficient, at which the alignment may stop; above 1 to search for the best
    ///   alignment.
    private static func correlation(
        _ face: FaceSample, _ known: FaceSample, enough: Double
    ) throws(VisionError) -> Double {
        let alignment = CorrelationAlignment(try known.smoothed(), try face.smoothed())
        var (map, best) = (AffineMap(), -1.0)
        for steps in steps {
            // The faces have nothing in common, or all pixels of a face have the same level.
            guard let improved = alignment.improved(map, steps: steps, precision: enough > 1 ? 1e-5 : 1e-4) else {
                return -1
            }
            (map, best) = (improved.map, improved.coefficient)
            let isHopeless = enough <= 1 && 1 - best > hopeless * (1 - enough)
            if isHopeless || best >= enough && isPlausible(map) { break }
        }
        return isPlausible(map) ? best : -1
    }

    /// Returns true if an affine map can be an alignment of two images of the same face.
    private static func isPlausible(_ map: AffineMap) -> Bool {
        let middle = Point(Double(FaceSample.side - 1) / 2, Double(FaceSample.side - 1) / 2), stretch = map.stretch
        return (map(middle) - middle).length <= maxMovement * Double(FaceSample.side) && stretch.most <= maxStretch
            && stretch.least >= 1 / maxStretch
    }
}

extension FaceSample {
    /// Returns the pixels of the face, smoothed by a Gaussian kernel of 3 × 3 pixels.
    fileprivate func smoothed() throws(VisionError) -> Matrix<Float> {
        try pixels.withImage(width: Self.side, height: Self.side, format: .gray8) { Matrix($0) }.floats.blurred(side: 3)
    }
}
