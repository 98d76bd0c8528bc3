// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Synchronization

/// Identifies a face: as that of the nearest one in a gallery, if it is near enough. Immutable.
package final class Recognizer: Sendable {
    package enum Algorithm: Int32, Sendable, CaseIterable {
        case lbph, eigenfaces, fisherfaces
    }

    package struct Match: Sendable, Hashable {
        /// Index into the gallery's people.
        package let index: Int
        package let name: String
        /// Distance to the nearest of this person's faces: 0…256 for `lbph`, else in levels, from 0 up.
        package let distance: Double
    }

    package let algorithm: Algorithm
    package let names: [String]
    package let faceCount: Int
    /// Maximum distance of a known face, computed from the gallery: each face is measured with the algorithm trained
    /// without it (or, if there are more than 30, without a fifth of them). 95 of 100 have a face of the same person
    /// nearer than this; 90 of 100 for `eigenfaces`, to which strangers come nearest. If 95 of 100 have faces of others
    /// farther away than that, it is the middle between both.
    package let threshold: Double
    /// Usual distance of a known face, found along with the threshold.
    private let usual: Double?
    private let space: any FaceSpace
    /// Labels of the faces in the space.
    private let labels: [Int]
    private let gallery: Gallery
    /// Made for each person when they are first asked for.
    private let closerLooks = Mutex<[String: CloserLook]>([:])

    /// Learns a gallery. The time grows with the number of faces.
    /// - Parameter isObsolete: called repeatedly; true ends the work with an error.
    /// - Throws: `VisionError` if the gallery is empty, or too large, or does not suffice for `fisherfaces`.
    package init(
        _ gallery: Gallery, _ algorithm: Algorithm, unless isObsolete: () -> Bool = { false }
    ) throws(VisionError) {
        let faces = gallery.people.flatMap(\.faces)
        let labels = Self.labels(of: gallery)
        guard !faces.isEmpty else { throw VisionError(description: "no face to learn") }
        guard faces.count <= Gallery.mostFaces else {
            throw VisionError(
                description: "\(faces.count) faces are more than the maximum of \(Gallery.mostFaces)")
        }
        guard Self.suffices(gallery, for: algorithm) else { throw Self.tooFew }
        self.algorithm = algorithm
        self.labels = labels
        self.gallery = gallery
        names = gallery.people.map(\.name)
        faceCount = faces.count
        space = try Self.space(faces, labels, algorithm, unless: isObsolete)
        let trials = try Self.trials(faces, labels, algorithm, space, unless: isObsolete)
        (threshold, usual) = Self.threshold(trials, algorithm)
    }

    /// Returns whether there are enough people: for `fisherfaces` two, one of them with two faces.
    package static func suffices(_ gallery: Gallery, for algorithm: Algorithm) -> Bool {
        algorithm == .fisherfaces ? canSeparate(labels(of: gallery)) : !gallery.isEmpty
    }

    /// Error for a gallery that does not suffice.
    package static let tooFew = VisionError(
        description:
            "algorithm=fisherfaces needs at least two people, one of them with two faces. Collect more faces, or "
            + "use another algorithm.")

    private static func labels(of gallery: Gallery) -> [Int] {
        gallery.people.enumerated().flatMap { label, person in person.faces.map { _ in label } }
    }

    private static func canSeparate(_ labels: [Int]) -> Bool {
        let people = Set(labels).count
        return people >= 2 && labels.count > people
    }

    private static func space(
        _ faces: [FaceSample], _ labels: [Int], _ algorithm: Algorithm, unless isObsolete: () -> Bool
    ) throws(VisionError) -> any FaceSpace {
        switch algorithm {
        case .lbph: try PatternSpace(faces, unless: isObsolete)
        case .eigenfaces: try Subspace(faces, labels: labels, separates: false, unless: isObsolete)
        case .fisherfaces: try Subspace(faces, labels: labels, separates: true, unless: isObsolete)
        }
    }

    /// Returns the person with the nearest face, near enough or not.
    package func nearest(to face: FaceSample) throws(VisionError) -> Match {
        let distances = try space.distances(from: face)
        let best = distances.indices.min { distances[$0] < distances[$1] } ?? 0
        // There are as many distances as labels, and at least one.
        return Match(index: labels[best], name: names[labels[best]], distance: distances[best])
    }

    /// Returns whether a strict look confirms that a face is this person's.
    package func look(at face: FaceSample, for name: String) throws(VisionError) -> CloserLook.Answer {
        if let known = closerLooks.withLock({ $0[name] }) { return try known.answer(about: face) }
        let look = try CloserLook(gallery.faces(of: name))
        closerLooks.withLock { $0[name] = look }
        return try look.answer(about: face)
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

// MARK: - The threshold

extension Recognizer {
    /// Distances of faces that were left out of the space.
    private struct Trials {
        /// Distances to the nearest face of the same person.
        var own: [Double] = []
        /// Distances to the nearest face of anyone else.
        var others: [Double] = []

        mutating func add(_ distances: [Double], _ labels: [Int], of label: Int) {
            let own = zip(distances, labels).filter { $1 == label }.map(\.0).min()
            let other = zip(distances, labels).filter { $1 != label }.map(\.0).min()
            if let own { self.own.append(own) }
            if let other { others.append(other) }
        }
    }

    /// Maximum number of faces that are left out one by one.
    private static let singles = 30
    private static let folds = 5
    /// Approximate number of faces measured, evenly chosen, each against all: the time would grow with their square.
    private static let measured = 200

    private static func trials(
        _ faces: [FaceSample], _ labels: [Int], _ algorithm: Algorithm, _ space: any FaceSpace,
        unless isObsolete: () -> Bool
    ) throws(VisionError) -> Trials {
        var trials = Trials()
        let areSingle = faces.count <= singles || algorithm == .lbph
        let folds = areSingle ? faces.count : folds
        let step = max(1, faces.count / measured)
        for fold in stride(from: 0, to: folds, by: areSingle ? step : 1) {
            let rest = faces.indices.filter { $0 % folds != fold }
            let restLabels = rest.map { labels[$0] }
            guard !rest.isEmpty, algorithm != .fisherfaces || canSeparate(restLabels) else { continue }
            // Patterns do not depend on the other faces.
            let trained =
                algorithm == .lbph
                ? nil : try Self.space(rest.map { faces[$0] }, restLabels, algorithm, unless: isObsolete)
            for index in stride(from: fold, to: faces.count, by: areSingle ? folds : step * folds) {
                guard !isObsolete() else { throw .givenUp }
                var distances = try (trained ?? space).distances(from: faces[index])
                if trained == nil { distances.remove(at: index) }
                trials.add(distances, restLabels, of: labels[index])
            }
        }
        return trials
    }

    private static func threshold(_ trials: Trials, _ algorithm: Algorithm) -> (threshold: Double, usual: Double?) {
        let own = trials.own.share(algorithm == .eigenfaces ? 0.9 : 0.95)
        let others = trials.others.share(0.05)
        let usual = trials.own.share(0.5)
        switch (own, others) {
        case (let own?, let others?): return (others > own ? (own + others) / 2 : own, usual)
        // A single person, whose pictures may be few and similar.
        case (let own?, nil): return (max(1.1 * own, algorithm.typical), usual)
        // A single picture of each person.
        case (nil, let others?): return (min(0.8 * others, algorithm.typical), nil)
        case (nil, nil): return (algorithm.typical, nil)
        }
    }
}

extension Recognizer.Algorithm {
    /// Distance that few faces of one person have, and few of different people: that of pictures whose patterns have
    /// about as much in common as not, or whose correlation is 0.7.
    fileprivate var typical: Double { self == .lbph ? 70 : 4000 }
}

extension [Double] {
    /// Returns the value below which a share of all lies, interpolated between two of them; nil if there are none.
    fileprivate func share(_ share: Double) -> Double? {
        guard !isEmpty else { return nil }
        let sorted = sorted()
        let place = share * Double(count - 1)
        let below = Swift.min(count - 1, Int(place))
        let above = Swift.min(count - 1, below + 1)
        return sorted[below] + (place - Double(below)) * (sorted[above] - sorted[below])
    }
}
