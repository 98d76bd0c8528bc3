// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Synchronization

/// Recognises faces: returns the person in a gallery with the nearest known face. Immutable.
package final class Recognizer: Sendable {
    package enum Algorithm: Int32, Sendable, CaseIterable {
        case lbph, eigenfaces, fisherfaces, embedding

        /// The algorithms that compare faces as images.
        package static let ofSamples = allCases.filter { $0 != .embedding }
    }

    package struct Match: Sendable, Hashable {
        /// Index of the person in the gallery.
        package let index: Int
        package let name: String
        /// Distance to the nearest known face of this person: 0…256 for `lbph`, 0…2 for `embedding`, and levels from 0
        /// up for the other algorithms.
        package let distance: Double
        /// Distance to the nearest known face of any other person, or distance to the nearest rejected face of this
        /// person, whichever is smaller. Infinite if there are no such faces.
        package let nextDistance: Double
        /// Names that cannot be assigned to the face: names of people whose nearest rejected face is at least as near
        /// as their nearest known face, and names that the caller excluded.
        package let excluded: Set<String>

        /// True if the matched person is excluded, too, which happens only if all people are excluded.
        package var isExcluded: Bool { excluded.contains(name) }
    }

    package let algorithm: Algorithm
    package let names: [String]
    package let faceCount: Int
    /// Maximum distance of a known face: a constant for `embedding`, else the result of `ThresholdTrials`.
    package let threshold: Double
    /// Median distance of a known face from `ThresholdTrials`; nil if unknown.
    private let usual: Double?
    private let space: any FaceSpace
    /// Label of each known face in `space`: the index of the person.
    private let labels: [Int]
    /// Label of each rejected face. In `space`, the rejected faces follow the known faces.
    private let rejectedLabels: [Int]
    private let gallery: Gallery
    /// Strict checks for each name, created at their first use.
    private let strictChecks = Mutex<[String: StrictCheck]>([:])

    /// Learns the faces of a gallery. The time grows with the number of faces.
    /// - Parameter isObsolete: called repeatedly; true ends the work with an error.
    /// - Throws: `VisionError` if the gallery is empty, too large, or not sufficient for `fisherfaces`, or if the faces
    ///   are in a form that the algorithm does not compare.
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

    /// Returns true if a gallery has enough faces: at least one face. For `fisherfaces`, at least two people, and at
    /// least two faces of one of these people.
    package static func suffices(_ gallery: Gallery, for algorithm: Algorithm) -> Bool {
        LabelledFaces(faces: [], labels: labels(of: gallery)).suffices(for: algorithm)
    }

    /// The error for a gallery that is not sufficient for `fisherfaces`.
    package static let tooFew = VisionError(
        description:
            "algorithm=fisherfaces needs at least two people, and at least two faces of one person. Collect more faces, or "
            + "use another algorithm.")

    private static func labels(of gallery: Gallery) -> [Int] {
        gallery.people.enumerated().flatMap { label, person in person.faces.map { _ in label } }
    }

    /// Returns the person with the nearest known face, at any distance. A person is excluded if one of the person's
    /// rejected faces is at least as near as the nearest known face of this person. If all people are excluded, the
    /// nearest person is returned.
    /// - Parameter others: names of further excluded people.
    package func nearest(to face: KnownFace, excluding others: Set<String> = []) throws(VisionError) -> Match {
        let distances = try space.distances(from: face)
        var (learned, rejected) = (names.map { _ in Double.infinity }, names.map { _ in Double.infinity })
        // `distances` has one element for each label, and there is at least one label.
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

    /// Returns the person with the nearest known face, for algorithms that compare images.
    package func nearest(to face: FaceSample) throws(VisionError) -> Match { try nearest(to: .sample(face)) }

    /// Returns the result of a strict check whether a face belongs to a person, for algorithms that compare images.
    package func strictCheck(at face: FaceSample, for name: String) throws(VisionError) -> StrictCheck.Outcome {
        if let check = strictChecks.withLock({ $0[name] }) { return try check.outcome(for: face) }
        let check = try StrictCheck(gallery.faces(of: name).compactMap(\.sample))
        strictChecks.withLock { $0[name] = check }
        return try check.outcome(for: face)
    }

    /// Checks the match of an embedding. The match is confirmed if the face is near the matched person, and much
    /// farther from all other people.
    package func confirmation(of match: Match) -> StrictCheck.Outcome {
        let isSure =
            match.distance <= EmbeddingSpace.sureDistance
            && match.nextDistance - match.distance >= EmbeddingSpace.sureMargin
        return isSure ? .confirmed : .unsure
    }

    /// Returns the confidence in the identity of a face at a distance, 0…1: 1 / (1 + (distance / threshold)ᵏ). The
    /// result is 0.5 at the threshold. The exponent k is chosen so that the result is 0.9 at the gallery's median
    /// distance (`usual`), within 2…20; k is 6 if this distance is unknown.
    package func confidence(at distance: Double, threshold: Double) -> Double {
        guard threshold > 0, threshold.isFinite, distance >= 0 else { return 0 }
        var exponent = 6.0
        if let usual, usual > 0, usual < threshold { exponent = min(20, max(2, log(9) / log(threshold / usual))) }
        let confidence = 1 / (1 + pow(distance / threshold, exponent))
        return confidence.isFinite ? confidence : 0
    }

    /// Returns the confidence that a face beyond the threshold belongs to an unknown person, 0.5…1: the distance
    /// divided by twice the threshold. The result is 0.5 at the threshold, 0.6 at 1.2 times the threshold, and 1 from
    /// twice the threshold on.
    package func unknownConfidence(at distance: Double, threshold: Double) -> Double {
        guard threshold > 0, threshold.isFinite, !distance.isNaN else { return 1 }
        return min(1, max(0.5, distance / (2 * threshold)))
    }
}
