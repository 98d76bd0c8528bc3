// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Synchronization

/// Recognises faces: returns the person in a gallery with the nearest known face. A recogniser does not change after
/// its creation.
package final class Recognizer: Sendable {
    package enum Algorithm: Int32, Sendable, CaseIterable {
        case lbph, eigenfaces, fisherfaces, embedding

        /// The algorithms that compare face images.
        package static let ofSamples = allCases.filter { $0 != .embedding }
    }

    package struct Match: Sendable, Hashable {
        /// Index of the matched person in the gallery.
        package let index: Int
        package let name: String
        /// Distance to the nearest known face of this person. The range is 0…256 for `lbph`, 0…2 for `embedding`, and
        /// 0…∞ for the other algorithms.
        package let distance: Double
        /// The smaller of two distances: the distance to the nearest known face of any other person, and the distance
        /// to the nearest rejected face of this person. Infinite if no such face exists.
        package let nextDistance: Double
        /// Names that the face cannot get, because these people are excluded. A person is excluded if a rejected face
        /// of this person is at least as near as the nearest known face of this person. The caller can exclude further
        /// names.
        package let excluded: Set<String>

        /// True if the matched person is excluded. This happens only if all people are excluded.
        package var isExcluded: Bool { excluded.contains(name) }
    }

    package let algorithm: Algorithm
    package let names: [String]
    package let faceCount: Int
    /// A face counts as known if its distance from the nearest known face is at most this value. The value is a
    /// constant for `embedding`. For the other algorithms, `ThresholdTrials` computes the value.
    package let threshold: Double
    /// Median distance between a known face and the nearest other face of the same person, measured by
    /// `ThresholdTrials`. Nil if the median is unknown.
    private let usual: Double?
    private let space: any FaceSpace
    /// For each known face in `space`, the index of its person.
    private let labels: [Int]
    /// For each rejected face in `space`, the index of its person. In `space`, the rejected faces come after the known
    /// faces.
    private let rejectedLabels: [Int]
    private let gallery: Gallery
    /// The strict check for each name. A check is created when it is first needed.
    private let strictChecks = Mutex<[String: StrictCheck]>([:])

    /// Learns the faces of a gallery. The time grows with the number of faces.
    /// - Parameter isObsolete: a closure that is called repeatedly. If `isObsolete` returns true, the initialiser
    ///   throws an error.
    /// - Throws: `VisionError` if the gallery is empty, too large, or not sufficient for `fisherfaces`, or if the
    ///   algorithm cannot compare the form of the faces.
    package init(
        _ gallery: Gallery, _ algorithm: Algorithm, unless isObsolete: () -> Bool = { false }
    ) throws(VisionError) {
        let faces = gallery.people.flatMap(\.faces)
        let labels = Self.labels(of: gallery)
        guard !faces.isEmpty else { throw VisionError(description: "no face to learn") }
        guard !gallery.isOverfull() else {
            let maximum = algorithm == .embedding ? Gallery.maxEmbeddings : Gallery.maxFaces
            throw VisionError(description: "\(faces.count) faces are more than the maximum of \(maximum)")
        }
        guard Self.suffices(gallery, for: algorithm) else { throw Self.tooFew }
        self.algorithm = algorithm
        self.labels = labels
        self.gallery = gallery
        names = gallery.people.map(\.name)
        faceCount = faces.count
        rejectedLabels = gallery.people.enumerated().flatMap { label, person in person.rejected.map { _ in label } }
        var space: any FaceSpace
        if algorithm == .embedding {
            let embeddings = faces.compactMap(\.embedding)
            guard embeddings.count == faces.count else { throw .otherKind }
            space = try EmbeddingSpace(embeddings)
            (threshold, usual) = (EmbeddingSpace.threshold, nil)
        } else {
            let samples = faces.compactMap(\.sample)
            guard samples.count == faces.count else { throw .otherKind }
            let people = LabelledFaces(faces: samples, labels: labels)
            space = try people.space(algorithm, unless: isObsolete)
            (threshold, usual) = try ThresholdTrials(people, algorithm, space, unless: isObsolete).threshold
        }
        try space.add(gallery.people.flatMap(\.rejected))
        self.space = space
    }

    /// Returns true if a gallery has enough faces for the algorithm. Most algorithms need one face. `fisherfaces` needs
    /// at least two people, and at least two faces of one of these people.
    package static func suffices(_ gallery: Gallery, for algorithm: Algorithm) -> Bool {
        LabelledFaces(faces: [], labels: labels(of: gallery)).suffices(for: algorithm)
    }

    /// Thrown if a gallery is not sufficient for `fisherfaces`.
    package static let tooFew = VisionError(
        description:
            "algorithm=fisherfaces needs at least two people, and at least two faces of one person. Collect more faces, or "
            + "use another algorithm.")

    private static func labels(of gallery: Gallery) -> [Int] {
        gallery.people.enumerated().flatMap { label, person in person.faces.map { _ in label } }
    }

    /// Returns the person with the nearest known face, at any distance. A person is excluded if a rejected face of this
    /// person is at least as near as the nearest known face of this person. If all people are excluded, returns the
    /// nearest person.
    /// - Parameter others: names of further people to exclude.
    package func nearest(to face: KnownFace, excluding others: Set<String> = []) throws(VisionError) -> Match {
        let distances = try space.distances(from: face)
        var (learned, rejected) = (names.map { _ in Double.infinity }, names.map { _ in Double.infinity })
        // `distances` has an element for each known face, and then an element for each rejected face. There is at least
        // one known face.
        for (distance, label) in zip(distances, labels) { learned[label] = min(learned[label], distance) }
        for (distance, label) in zip(distances.dropFirst(labels.count), rejectedLabels) {
            rejected[label] = min(rejected[label], distance)
        }
        let isExcluded = names.indices.map { rejected[$0] <= learned[$0] || others.contains(names[$0]) }
        func nearest(_ labels: some Sequence<Int>) -> Int? { labels.min { learned[$0] < learned[$1] } }
        let best = nearest(names.indices.lazy.filter { !isExcluded[$0] }) ?? nearest(names.indices) ?? 0
        var next = rejected[best]
        for label in names.indices where label != best { next = min(next, learned[label]) }
        return Match(
            index: best, name: names[best], distance: learned[best], nextDistance: next,
            excluded: Set(names.indices.lazy.filter { isExcluded[$0] }.map { self.names[$0] }))
    }

    /// Returns the person with the nearest known face. Use this method only with algorithms that compare images.
    package func nearest(to face: FaceSample) throws(VisionError) -> Match { try nearest(to: .sample(face)) }

    /// Checks with `StrictCheck` if `face` shows the person `name`. Use this method only with algorithms that compare
    /// images.
    package func strictCheck(at face: FaceSample, for name: String) throws(VisionError) -> StrictCheck.Outcome {
        if let check = strictChecks.withLock({ $0[name] }) { return try check.outcome(for: face) }
        let check = try StrictCheck(gallery.faces(of: name).compactMap(\.sample))
        strictChecks.withLock { $0[name] = check }
        return try check.outcome(for: face)
    }

    /// Checks the match of an embedding. The match is confirmed if the face is near the matched person, and much
    /// farther from all other people. Otherwise the result is `unsure`.
    package func confirmation(of match: Match) -> StrictCheck.Outcome {
        let isSure =
            match.distance <= EmbeddingSpace.sureDistance
            && match.nextDistance - match.distance >= EmbeddingSpace.sureMargin
        return isSure ? .confirmed : .unsure
    }

    /// Returns the confidence in a match at this distance, 0…1: 1 / (1 + (distance / threshold)ᵏ). At the threshold,
    /// the confidence is 0.5. The exponent k is chosen so that the confidence at the median distance `usual` is 0.9. k
    /// is limited to 2…20. If `usual` is not known, or not below the threshold, k is 6.
    package func confidence(at distance: Double, threshold: Double) -> Double {
        guard threshold > 0, threshold.isFinite, distance >= 0 else { return 0 }
        var exponent = 6.0
        if let usual, usual > 0, usual < threshold { exponent = min(20, max(2, log(9) / log(threshold / usual))) }
        let confidence = 1 / (1 + pow(distance / threshold, exponent))
        return confidence.isFinite ? confidence : 0
    }

    /// Returns the confidence that a face beyond the threshold shows an unknown person, 0.5…1: distance / (2 ·
    /// threshold). The confidence is 0.5 at the threshold, and 0.6 at 1.2 times the threshold. From twice the threshold
    /// on, the confidence is 1.
    package func unknownConfidence(at distance: Double, threshold: Double) -> Double {
        guard threshold > 0, threshold.isFinite, !distance.isNaN else { return 1 }
        return min(1, max(0.5, distance / (2 * threshold)))
    }
}
