// SPDX-License-Identifier: LGPL-2.1-or-later

/// Face images. For each image, also the index of its person.
struct LabelledFaces {
    var faces: [FaceSample]
    var labels: [Int]

    /// Returns true if this object has enough faces for the algorithm. Most algorithms need one face. `fisherfaces`
    /// needs at least two people, and at least two faces of one of these people.
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

    func chosen(_ indices: [Int]) -> LabelledFaces {
        LabelledFaces(faces: indices.map { faces[$0] }, labels: indices.map { labels[$0] })
    }
}

/// Cross-validation of a recognition algorithm. Each trial leaves out some known faces, learns the remaining faces, and
/// measures the distances between the left-out faces and the learned faces. `threshold` is computed from these
/// distances.
struct ThresholdTrials {
    /// For each tested face, the distance to the nearest other face of the same person.
    private var samePerson: [Double] = []
    /// Distances of strangers. For each tested face, the distance to the nearest face of another person. For this test,
    /// all faces of the tested person are left out, so that the person counts as a stranger.
    private var strangers: [Double] = []
    private let algorithm: Recognizer.Algorithm

    /// Maximum number of faces for which each trial leaves out a single face.
    private static let singles = 30
    /// If there are more faces than `singles`, the faces are divided into this number of groups, and each trial leaves
    /// out one group. In trials that leave out people, this is the maximum number of groups of people.
    private static let folds = 5
    /// Approximate maximum number of tested faces. The tested faces are evenly spaced. Without this maximum, the time
    /// would grow with the square of the number of faces, because each tested face is compared with all faces.
    private static let measured = 200
    /// Maximum fraction of the strangers that may have a distance below the threshold.
    private static let strangersKnown = 0.02

    /// - Parameters:
    ///   - people: the known faces.
    ///   - algorithm: an algorithm that compares images.
    ///   - space: the face space that was learned from all faces.
    ///   - isObsolete: a closure that is called repeatedly. If `isObsolete` returns true, the initialiser throws an
    ///     error.
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

    /// Measures the distances for `lbph`. The histograms of a face do not depend on the other faces, so the trials do
    /// not learn the faces again.
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

    /// Runs trials. Each trial leaves out one face, or a fifth of the faces if there are many faces.
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

    /// Runs trials. Each trial leaves out one person, or a fifth of the people if there are many people.
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

    /// `threshold` is the maximum distance at which a face counts as known. `usual` is the median distance of a known
    /// face. `threshold` is the mean of K and S, but at most S, and at most the algorithm's `limit`. K is the distance
    /// that 95 % of the known faces do not exceed (90 % for `eigenfaces`). S is the distance that 2 % of the strangers
    /// do not exceed.
    var threshold: (threshold: Double, usual: Double?) {
        let limit = samePerson.share(algorithm == .eigenfaces ? 0.9 : 0.95)
        let unknown = strangers.share(Self.strangersKnown)
        let threshold =
            switch (limit, unknown) {
            case (let limit?, let unknown?): min((limit + unknown) / 2, unknown)
            // The gallery contains only one person. The images may be few and similar, so the threshold is at least
            // `typical`.
            case (let limit?, nil): max(1.1 * limit, algorithm.typical)
            // The gallery contains only one image of each person.
            case (nil, let unknown?): min(0.8 * unknown, algorithm.typical)
            case (nil, nil): algorithm.typical
            }
        return (min(threshold, algorithm.limit), samePerson.share(0.5))
    }
}

extension Recognizer.Algorithm {
    /// A typical threshold. Few pairs of images of the same person have a larger distance, and few pairs of images of
    /// different people have a smaller distance. For `lbph`, about half of the patterns of two images are equal at this
    /// distance. For the other algorithms, the correlation of two images is 0.7 at this distance.
    fileprivate var typical: Double { self == .lbph ? 70 : 4000 }

    /// Maximum threshold. In a test, four people of the Database of Faces (AT&T Laboratories Cambridge) were known by
    /// five images each. The distances of a fifth person, with ten images, exceeded this limit. The test was repeated
    /// with each of the five people as the unknown person. The smallest distances were 98 (`lbph`), 2834 (`eigenfaces`)
    /// and 2384 (`fisherfaces`).
    fileprivate var limit: Double {
        switch self {
        case .lbph: 95
        case .eigenfaces: 2800
        case .fisherfaces, .embedding: 2300
        }
    }
}

extension [Double] {
    /// Returns a quantile of the values, with linear interpolation. Returns nil if the array is empty.
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
