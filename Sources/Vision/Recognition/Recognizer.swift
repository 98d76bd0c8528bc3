// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Synchronization

/// Identifies a face: as that of the nearest one in a gallery, if it is near enough. Immutable.
package final class Recognizer: Sendable {
    package enum Algorithm: Int32, Sendable, CaseIterable {
        case lbph, eigenfaces, fisherfaces, embedding

        /// Algorithms that compare faces as images.
        package static let ofSamples = allCases.filter { $0 != .embedding }
    }

    package struct Match: Sendable, Hashable {
        /// Index into the gallery's people.
        package let index: Int
        package let name: String
        /// Distance to the nearest of this person's faces: 0…256 for `lbph`, 0…2 for `embedding`, else in levels, from 0 up.
        package let distance: Double
        /// Distance to the nearest face of another person, or rejected as this person's; infinite if there is none.
        package let nextDistance: Double
        /// People out of the question: a face that was rejected as theirs is as near as their own, or they were ruled out.
        package let excluded: Set<String>

        /// True if the match itself is out of the question, as everybody is.
        package var isExcluded: Bool { excluded.contains(name) }
    }

    package let algorithm: Algorithm
    package let names: [String]
    package let faceCount: Int
    /// Maximum distance of a known face. For `embedding` it is fixed; else see `ThresholdTrials`.
    package let threshold: Double
    /// Usual distance of a known face, found along with the threshold.
    private let usual: Double?
    private let space: any FaceSpace
    /// Labels of the faces in the space.
    private let labels: [Int]
    /// Labels of the rejected faces, which are in the space after those.
    private let rejectedLabels: [Int]
    private let gallery: Gallery
    /// Made for each person when they are first asked for.
    private let closerLooks = Mutex<[String: CloserLook]>([:])

    /// Learns a gallery. The time grows with the number of faces.
    /// - Parameter isObsolete: called repeatedly; true ends the work with an error.
    /// - Throws: `VisionError` if the gallery is empty, or too large, or does not suffice for `fisherfaces`, or has faces in a
    ///   form that the algorithm does not compare.
    package init(
        _ gallery: Gallery, _ algorithm: Algorithm, unless isObsolete: () -> Bool = { false }
    ) throws(VisionError) {
        let faces = gallery.people.flatMap(\.faces)
        let labels = Self.labels(of: gallery)
        guard !faces.isEmpty else { throw VisionError(description: "no face to learn") }
        guard !gallery.isOverfull() else {
            let most = algorithm == .embedding ? Gallery.mostEmbeddings : Gallery.mostFaces
            throw VisionError(description: "\(faces.count) faces are more than the maximum of \(most)")
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

    /// Returns whether there are enough people: for `fisherfaces` two, one of them with two faces.
    package static func suffices(_ gallery: Gallery, for algorithm: Algorithm) -> Bool {
        LabelledFaces(faces: [], labels: labels(of: gallery)).suffices(for: algorithm)
    }

    /// Error for a gallery that does not suffice.
    package static let tooFew = VisionError(
        description:
            "algorithm=fisherfaces needs at least two people, and at least two faces of one person. Collect more faces, or "
            + "use another algorithm.")

    private static func labels(of gallery: Gallery) -> [Int] {
        gallery.people.enumerated().flatMap { label, person in person.faces.map { _ in label } }
    }

    /// Returns the person with the nearest face, near enough or not. A person whose rejected face is as near as the nearest known
    /// one is out of the question.
    /// - Parameter others: people who are out of the question, too.
    package func nearest(to face: KnownFace, excluding others: Set<String> = []) throws(VisionError) -> Match {
        let distances = try space.distances(from: face)
        var (known, rejected) = (names.map { _ in Double.infinity }, names.map { _ in Double.infinity })
        // There are as many distances as labels, and at least one.
        for (distance, label) in zip(distances, labels) { known[label] = min(known[label], distance) }
        for (distance, label) in zip(distances.dropFirst(labels.count), rejectedLabels) {
            rejected[label] = min(rejected[label], distance)
        }
        let isExcluded = names.indices.map { rejected[$0] <= known[$0] || others.contains(names[$0]) }
        func nearest(_ labels: some Sequence<Int>) -> Int? { labels.min { known[$0] < known[$1] } }
        let best = nearest(names.indices.lazy.filter { !isExcluded[$0] }) ?? nearest(names.indices) ?? 0
        var next = rejected[best]
        for label in names.indices where label != best { next = min(next, known[label]) }
        return Match(
            index: best, name: names[best], distance: known[best], nextDistance: next,
            excluded: Set(names.indices.lazy.filter { isExcluded[$0] }.map { self.names[$0] }))
    }

    /// Returns the person with the nearest face, of faces that are compared as images.
    package func nearest(to face: FaceSample) throws(VisionError) -> Match { try nearest(to: .sample(face)) }

    /// Returns whether a strict look confirms that a face is this person's, for algorithms that compare images.
    package func look(at face: FaceSample, for name: String) throws(VisionError) -> CloserLook.Answer {
        if let known = closerLooks.withLock({ $0[name] }) { return try known.answer(about: face) }
        let look = try CloserLook(gallery.faces(of: name).compactMap(\.sample))
        closerLooks.withLock { $0[name] = look }
        return try look.answer(about: face)
    }

    /// Returns whether a match of an embedding confirms its name: if the face is near that person, and much farther from everybody
    /// else.
    package func confirmation(of match: Match) -> CloserLook.Answer {
        let isSure =
            match.distance <= EmbeddingSpace.sureDistance
            && match.nextDistance - match.distance >= EmbeddingSpace.sureMargin
        return isSure ? .confirmed : .unsure
    }

    /// Returns the confidence in the identity of a face at a distance, 0…1: 0.5 at the threshold, 0.9 at the distance
    /// that is usual for the gallery's own faces, by 1 / (1 + (distance / threshold)ᵏ).
    package func confidence(at distance: Double, threshold: Double) -> Double {
        guard threshold > 0, threshold.isFinite, distance >= 0 else { return 0 }
        var exponent = 6.0
        if let usual, usual > 0, usual < threshold { exponent = min(20, max(2, log(9) / log(threshold / usual))) }
        let confidence = 1 / (1 + pow(distance / threshold, exponent))
        return confidence.isFinite ? confidence : 0
    }

    /// Returns the confidence that a face at a distance beyond the threshold is nobody's who is known, 0.5…1: half of
    /// the distance relative to the threshold. 0.5 is at the threshold, 0.6 a fifth beyond it, 1 from twice the threshold
    /// on.
    package func unknownConfidence(at distance: Double, threshold: Double) -> Double {
        guard threshold > 0, threshold.isFinite, !distance.isNaN else { return 1 }
        return min(1, max(0.5, distance / (2 * threshold)))
    }
}
