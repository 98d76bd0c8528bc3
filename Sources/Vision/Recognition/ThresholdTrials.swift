// SPDX-License-Identifier: LGPL-2.1-or-later

/// Faces as images, and the number of the person on each.
struct LabelledFaces {
    var faces: [FaceSample]
    var labels: [Int]

    /// Returns whether there are enough people: for `fisherfaces` two, one of them with two faces.
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

    /// Returns the faces at these indices.
    func chosen(_ indices: [Int]) -> LabelledFaces {
        LabelledFaces(faces: indices.map { faces[$0] }, labels: indices.map { labels[$0] })
    }
}

/// Distances of known faces that were left out when the others were learned, by cross-validation.
struct ThresholdTrials {
    /// Distances of a face to the nearest other face of the same person.
    private var own: [Double] = []
    /// Distances of a face to the nearest known face, where everything of its person was left out: those of strangers.
    private var strangers: [Double] = []
    private let algorithm: Recognizer.Algorithm

    /// Maximum number of faces that are left out one by one.
    private static let singles = 30
    /// Number of groups of faces, or of people, that are left out at once.
    private static let folds = 5
    /// Approximate number of faces measured, evenly chosen, each against all: the time would grow with their square.
    private static let measured = 200
    /// Fraction of the strangers that the threshold lets in.
    private static let strangersKnown = 0.02

    /// - Parameter space: the space of all faces.
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

    /// Measures patterns, which do not depend on the other faces.
    private mutating func measure(
        _ people: LabelledFaces, _ space: any FaceSpace, unless isObsolete: () -> Bool
    ) throws(VisionError) {
        let count = people.faces.count
        for index in stride(from: 0, to: count, by: max(1, count / Self.measured)) {
            guard !isObsolete() else { throw .givenUp }
            let distances = try space.distances(from: .sample(people.faces[index]))
            let isOwn = people.labels.map { $0 == people.labels[index] }
            let own = distances.indices.filter { isOwn[$0] && $0 != index }.map { distances[$0] }.min()
            let other = distances.indices.filter { !isOwn[$0] }.map { distances[$0] }.min()
            if let own { self.own.append(own) }
            if let other { strangers.append(other) }
        }
    }

    /// Leaves out each face or, if they are many, a fifth of them at a time.
    private mutating func leaveOutFaces(of people: LabelledFaces, unless isObsolete: () -> Bool) throws(VisionError) {
        let count = people.faces.count
        let folds = count <= Self.singles ? count : Self.folds
        for fold in 0..<folds {
            let rest = people.chosen((0..<count).filter { $0 % folds != fold })
            guard rest.suffices(for: algorithm) else { continue }
            let space = try rest.space(algorithm, unless: isObsolete)
            for index in stride(from: fold, to: count, by: folds).map({ $0 }).evenly(max(1, Self.measured / folds)) {
                guard !isObsolete() else { throw .givenUp }
                let distances = try space.distances(from: .sample(people.faces[index]))
                let own = zip(distances, rest.labels).filter { $1 == people.labels[index] }.map(\.0).min()
                if let own { self.own.append(own) }
            }
        }
    }

    /// Leaves out each person or, if they are many, a fifth of them at a time.
    private mutating func leaveOutPeople(of people: LabelledFaces, unless isObsolete: () -> Bool) throws(VisionError) {
        let folds = min(Self.folds, Set(people.labels).count)
        for fold in 0..<folds where folds > 1 {
            let rest = people.chosen(people.labels.indices.filter { people.labels[$0] % folds != fold })
            guard rest.suffices(for: algorithm) else { continue }
            let space = try rest.space(algorithm, unless: isObsolete)
            let left = people.labels.indices.filter { people.labels[$0] % folds == fold }
            for index in left.evenly(Self.measured / folds) {
                guard !isObsolete() else { throw .givenUp }
                if let nearest = try space.distances(from: .sample(people.faces[index])).min() {
                    strangers.append(nearest)
                }
            }
        }
    }

    /// Maximum distance of a known face, and the usual one: 95 of 100 known faces (90 of `eigenfaces`) are within the
    /// threshold, unless more than 2 of 100 strangers would be, too. If those are farther away, it is the middle between both.
    /// It never exceeds the algorithm's limit.
    var threshold: (threshold: Double, usual: Double?) {
        let known = own.share(algorithm == .eigenfaces ? 0.9 : 0.95)
        let unknown = strangers.share(Self.strangersKnown)
        let threshold =
            switch (known, unknown) {
            case (let known?, let unknown?): min((known + unknown) / 2, unknown)
            // A single person, whose images may be few and similar.
            case (let known?, nil): max(1.1 * known, algorithm.typical)
            // A single image of each person.
            case (nil, let unknown?): min(0.8 * unknown, algorithm.typical)
            case (nil, nil): algorithm.typical
            }
        return (min(threshold, algorithm.limit), own.share(0.5))
    }
}

extension Recognizer.Algorithm {
    /// Distance that few faces of one person have, and few of different people: that of images whose patterns have
    /// about as much in common as not, or whose correlation is 0.7.
    fileprivate var typical: Double { self == .lbph ? 70 : 4000 }

    /// Maximum threshold. Of five people of the Database of Faces (AT&T Laboratories Cambridge), learned from five images of the
    /// other four, all ten images of each are farther away than this: 98, 2834 and 2384 levels.
    fileprivate var limit: Double {
        switch self {
        case .lbph: 95
        case .eigenfaces: 2800
        case .fisherfaces, .embedding: 2300
        }
    }
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
