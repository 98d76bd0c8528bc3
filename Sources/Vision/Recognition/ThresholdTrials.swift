// SPDX-License-Identifier: LGPL-2.1-or-later

/// Face images, and the index of the person for each.
struct LabelledFaces {
    var faces: [FaceSample]
    var labels: [Int]

    /// Returns true if there are enough faces to learn: at least one face. For `fisherfaces`, at least two people, and
    /// at least two faces of one of these people.
    func suffices(for algorithm: Recognizer.Algorithm) -> Bool {
        guard algorithm == .fisherfaces else { return !labels.isEmpty }
        let people = Set(labels).count
        return people >= 2 && labels.count > people
    }

    func space(
        _ algorithm: Recognizer.Algorithm, unless isObsolete: () -> Bool
    ) throws(VisionError) -> any FaceSpace {
        algorithm == .lbph
            ? try PatternSpace(faces, unless: isObsolete)
            : try Subspace(faces, labels: labels, separates: algorithm == .fisherfaces, unless: isObsolete)
    }

    /// Returns the faces at the given indices.
    func chosen(_ indices: [Int]) -> LabelledFaces {
        LabelledFaces(faces: indices.map { faces[$0] }, labels: indices.map { labels[$0] })
    }
}

/// Cross-validation of a recognition algorithm: known faces are left out, the remaining faces are learned, and the
/// distances of the left-out faces are measured. `threshold` is computed from these distances.
struct ThresholdTrials {
    /// Distance of each tested face to the nearest other face of the same person.
    private var samePerson: [Double] = []
    /// Distance of each tested face to the nearest face of another person, if all faces of its person are left out.
    /// These are the distances of strangers.
    private var strangers: [Double] = []
    private let algorithm: Recognizer.Algorithm

    /// Maximum number of faces for which each face is left out separately.
    private static let singles = 30
    /// Number of groups of faces or people. Each group is left out together.
    private static let folds = 5
    /// Approximate number of tested faces, evenly spaced. Each tested face is compared with all faces, so a test of all
    /// faces would take time that grows with the square of their number.
    private static let measured = 200
    /// The threshold is chosen so that this fraction of strangers has a distance below the threshold.
    private static let strangersKnown = 0.02

    /// - Parameters:
    ///   - people: the known faces.
    ///   - algorithm: an algorithm that compares images.
    ///   - space: the space that was learned from all faces.
    ///   - isObsolete: called repeatedly; true ends the work with an error.
    init(
        _ people: LabelledFaces, _ algorithm: Recognizer.Algorithm, _ space: any FaceSpace,
        unless isObsolete: () -> Bool
    ) throws(VisionError) {
        self.algorithm = algorithm
        if algorithm == .lbph {
            try measure(people, space, unless: isObsolete)
        } else {
            try leaveOutFaces(of: people, unless: isObsolete)
            try leaveOutPeople(of: people, unless: isObsolete)
        }
    }

    /// Measures the distances for `lbph`. Its patterns do not depend on the other faces, so nothing has to be learned
    /// again.
    private mutating func measure(
        _ people: LabelledFaces, _ space: any FaceSpace, unless isObsolete: () -> Bool
    ) throws(VisionError) {
        let count = people.faces.count
        for index in stride(from: 0, to: count, by: max(1, count / Self.measured)) {
            guard !isObsolete() else { throw .givenUp }
            let distances = try space.distances(from: .sample(people.faces[index]))
            let isSamePerson = people.labels.map { $0 == people.labels[index] }
            let samePerson = distances.indices.filter { isSamePerson[$0] && $0 != index }.map { distances[$0] }.min()
            let other = distances.indices.filter { !isSamePerson[$0] }.map { distances[$0] }.min()
            if let samePerson { self.samePerson.append(samePerson) }
            if let other { strangers.append(other) }
        }
    }

    /// Leaves out each face in turn, or a fifth of the faces at a time if there are many.
    private mutating func leaveOutFaces(of people: LabelledFaces, unless isObsolete: () -> Bool) throws(VisionError) {
        let count = people.faces.count
        let folds = count <= Self.singles ? count : Self.folds
        for fold in 0..<folds {
            let training = people.chosen((0..<count).filter { $0 % folds != fold })
            guard training.suffices(for: algorithm) else { continue }
            let space = try training.space(algorithm, unless: isObsolete)
            for index in stride(from: fold, to: count, by: folds).map({ $0 }).evenly(max(1, Self.measured / folds)) {
                guard !isObsolete() else { throw .givenUp }
                let distances = try space.distances(from: .sample(people.faces[index]))
                let samePerson = zip(distances, training.labels).filter { $1 == people.labels[index] }.map(\.0).min()
                if let samePerson { self.samePerson.append(samePerson) }
            }
        }
    }

    /// Leaves out each person in turn, or a fifth of the people at a time if there are many.
    private mutating func leaveOutPeople(of people: LabelledFaces, unless isObsolete: () -> Bool) throws(VisionError) {
        let folds = min(Self.folds, Set(people.labels).count)
        for fold in 0..<folds where folds > 1 {
            let training = people.chosen(people.labels.indices.filter { people.labels[$0] % folds != fold })
            guard training.suffices(for: algorithm) else { continue }
            let space = try training.space(algorithm, unless: isObsolete)
            let left = people.labels.indices.filter { people.labels[$0] % folds == fold }
            for index in left.evenly(Self.measured / folds) {
                guard !isObsolete() else { throw .givenUp }
                if let nearest = try space.distances(from: .sample(people.faces[index])).min() {
                    strangers.append(nearest)
                }
            }
        }
    }

    /// The maximum distance of a known face (`threshold`), and the median distance (`usual`). 95 % of the known faces
    /// (90 % for `eigenfaces`) have at most the distance K, and 2 % of the strangers have at most the distance S. The
    /// threshold is the mean of K and S, but at most S, and never more than the algorithm's `limit`.
    var threshold: (threshold: Double, usual: Double?) {
        let limit = samePerson.share(algorithm == .eigenfaces ? 0.9 : 0.95)
        let unknown = strangers.share(Self.strangersKnown)
        let threshold =
            switch (limit, unknown) {
            case (let limit?, let unknown?): min((limit + unknown) / 2, unknown)
            // There is only a single person. The images may be few and similar, so the threshold is at least `typical`.
            case (let limit?, nil): max(1.1 * limit, algorithm.typical)
            // There is only a single image of each person.
            case (nil, let unknown?): min(0.8 * unknown, algorithm.typical)
            case (nil, nil): algorithm.typical
            }
        return (min(threshold, algorithm.limit), samePerson.share(0.5))
    }
}

extension Recognizer.Algorithm {
    /// A typical threshold: few pairs of images of the same person have a larger distance, and few pairs of different
    /// people have a smaller distance. At this distance, about half of the patterns of two images are equal (`lbph`),
    /// or the correlation of the images is 0.7 (other algorithms).
    fileprivate var typical: Double { self == .lbph ? 70 : 4000 }

    /// Maximum threshold. With five images each of four people of the Database of Faces (AT&T Laboratories Cambridge)
    /// as known faces, all ten images of a fifth person are farther away than this limit. The smallest distances, over
    /// all five choices of the fifth person, are 98 (`lbph`), 2834 (`eigenfaces`) and 2384 (`fisherfaces`).
    fileprivate var limit: Double {
        switch self {
        case .lbph: 95
        case .eigenfaces: 2800
        case .fisherfaces, .embedding: 2300
        }
    }
}

extension [Double] {
    /// Returns a quantile of the values, linearly interpolated; nil if there are no values.
    /// - Parameter share: the fraction of the values below the quantile, 0…1.
    fileprivate func share(_ share: Double) -> Double? {
        guard !isEmpty else { return nil }
        let sorted = sorted()
        let position = share * Double(count - 1)
        let below = Swift.min(count - 1, Int(position))
        let above = Swift.min(count - 1, below + 1)
        return sorted[below] + (position - Double(below)) * (sorted[above] - sorted[below])
    }
}
