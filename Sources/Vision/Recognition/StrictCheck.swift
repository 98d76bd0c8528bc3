// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Checks strictly if a face shows a known person. Use this check if a stranger must not be accepted. The check aligns
/// the face with the person's most similar known faces by an affine transformation, and compares the pixels. The
/// distance is 1 − the enhanced correlation coefficient (Evangelidis and Psarakis, 2008). A check does not change after
/// its creation.
///
/// In a test with 100 frames of six drawn people, three people were known by 16 images each. The median distance of a
/// known person was 0.0003 to 0.0004, and the smallest distance of a stranger was 0.018.
package struct StrictCheck: Sendable {
    package enum Outcome: Sendable {
        /// The distance is at most `limit`, so the face shows the person.
        case confirmed
        /// The distance is between `limit` and three times `limit`, or the person has only one known face.
        case unsure
        /// The distance is more than three times `limit`, so the face does not show the person.
        case contradicted
    }

    private let faces: [FaceSample]
    /// Maximum distance of a confirmed face: the median distance of a known face from the other known faces, limited to
    /// `limits`. Nil if the person has only one known face. In this case, no face is confirmed.
    package let limit: Double?

    /// The check uses at most `maxFaces` known faces, evenly spaced. `limit` is computed from the distances of at most
    /// `measured` of these faces. The check aligns a face with the `nearest` most similar known faces.
    private static let (maxFaces, measured, nearest) = (40, 12, 3)
    /// Range of `limit`. The upper bound is below the distances of strangers. In a test with five people of the
    /// Database of Faces (AT&T Laboratories Cambridge), with five known images of each person, the distances of
    /// strangers were at least 0.12. Without the lower bound, `limit` would be 0 if the known faces are copies of one
    /// image.
    private static let limits = 0.002...0.08
    /// If the distance exceeds this multiple of `limit`, the outcome of the check is `contradicted`.
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

    /// Returns the distance between `face` and the nearest known face, 0…2.
    package func distance(of face: FaceSample) throws(VisionError) -> Double {
        try Self.distance(face, from: faces)
    }

    /// Returns the smallest distance between a face and the known faces, 0…2.
    /// - Parameter enough: the search stops when it finds a distance of at most this value.
    private static func distance(
        _ face: FaceSample, from known: [FaceSample], enough: Double = -1
    ) throws(VisionError) -> Double {
        // Align the face only with the known faces that are most similar without an alignment. These known faces
        // probably show a similar facial expression.
        let candidates = known.map { (face: $0, difference: $0.difference(from: face)) }
            .sorted { $0.difference < $1.difference }.prefix(nearest)
        var best = -1.0
        for candidate in candidates where 1 - best > enough {
            best = max(best, try correlation(face, candidate.face, enough: 1 - enough))
        }
        return 1 - best
    }

    // MARK: - Correlation

    /// An alignment is rejected if it moves the middle of the image by more than `maxMovement` times the image's side.
    /// An alignment is also rejected if it enlarges or reduces lengths by a factor of more than `maxStretch`.
    private static let (maxMovement, maxStretch) = (0.15, 1.3)
    /// The alignment has up to two stages. `steps` contains the maximum number of steps of each stage. The second stage
    /// is skipped if the distance after the first stage is sufficient, or if it is more than `hopeless` times the
    /// sufficient distance (1 − the parameter `enough` of `correlation`).
    private static let (steps, hopeless) = ([6, 24], 6.0)

    /// Returns the enhanced correlation coefficient of two faces after the best affine alignment. Returns −1 if no
    /// plausible alignment is found. Brightness and contrast do not affect the coefficient.
    /// - Parameter enough: a coefficient that is sufficient for the caller, so that the alignment may stop. With a
    ///   value above 1, the function searches for the best alignment.
    private static func correlation(
        _ face: FaceSample, _ known: FaceSample, enough: Double
    ) throws(VisionError) -> Double {
        let alignment = CorrelationAlignment(try known.smoothed(), try face.smoothed())
        var (map, best) = (AffineMap(), -1.0)
        for steps in steps {
            // The alignment fails for faces that are too different, or if all pixels of a face are equal.
            guard let improved = alignment.improved(map, steps: steps, precision: enough > 1 ? 1e-5 : 1e-4) else {
                return -1
            }
            (map, best) = (improved.map, improved.coefficient)
            let isHopeless = enough <= 1 && 1 - best > hopeless * (1 - enough)
            if isHopeless || best >= enough && isPlausible(map) { break }
        }
        return isPlausible(map) ? best : -1
    }

    /// Returns true if `map` is a plausible alignment of two images of one face.
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
