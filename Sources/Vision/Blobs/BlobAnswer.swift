// SPDX-License-Identifier: LGPL-2.1-or-later
/// The label that a blob was given.
package struct BlobAnswer: Sendable, Hashable {
    /// Number of the label; 0 is unidentified.
    package var label: Int
    package var name: String
    /// Distance to the nearest training picture, whether or not it is near enough.
    package var distance: Double
    /// Confidence, 0…1: how much farther the next best answer is than this one; 0.5 if both are equally near.
    package var confidence: Double
}

/// How well a picture that was just learned can be known again.
package struct LessonReview: Sendable, Hashable {
    package var isRecognised: Bool
    /// Name of another label that it may be taken for.
    package var takenFor: String?
    /// Whether both have different sizes, which do not count yet.
    package var isTellableBySize = false

    package init(isRecognised: Bool, takenFor: String? = nil, isTellableBySize: Bool = false) {
        (self.isRecognised, self.takenFor, self.isTellableBySize) = (isRecognised, takenFor, isTellableBySize)
    }
}

/// Distances of a blob from each label, that is, from the nearest of the label's training pictures.
package struct LabelDistances: Sendable, Hashable {
    /// Distances by the label's number.
    package var values: [Int: Double] = [:]

    package init(values: [Int: Double] = [:]) { self.values = values }

    /// Returns the answer that the distances give.
    package func answer(_ settings: ClassifierSettings, labels: [String]) -> BlobAnswer {
        func answer(_ label: Int, _ distance: Double, against other: Double) -> BlobAnswer {
            let own = label == 0 ? max(0, settings.limit) : distance
            let sum = own + other
            return BlobAnswer(
                label: label, name: labels.indices.contains(label) ? labels[label] : "", distance: distance,
                confidence: other.isInfinite ? 1 : sum > 0 && sum.isFinite ? other / sum : 0.5)
        }
        let sorted = values.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        guard let best = sorted.first else { return answer(0, .infinity, against: .infinity) }
        let next = sorted.dropFirst().first?.value ?? .infinity
        guard best.value <= settings.limit else { return answer(0, best.value, against: best.value) }
        guard next - best.value >= settings.minMargin else {
            return BlobAnswer(label: 0, name: labels.first ?? "", distance: best.value, confidence: 0.5)
        }
        return answer(best.key, best.value, against: min(next, settings.limit))
    }
}

/// The joint result of several looks at the same thing: the mean of the last ones.
package struct BlobVotes: Sendable {
    private var looks: [LabelDistances] = []
    /// Number of looks.
    package private(set) var count = 0

    package init() {}

    package mutating func add(_ look: LabelDistances) {
        looks.append(look)
        if looks.count > 5 { looks.removeFirst() }
        count &+= 1
    }

    /// Means of the distances. A label that was missing in one of the looks is averaged over the others.
    package var distances: LabelDistances {
        var sums: [Int: (sum: Double, count: Int)] = [:]
        for look in looks {
            for (label, distance) in look.values {
                let before = sums[label] ?? (0, 0)
                sums[label] = (before.sum + distance, before.count + 1)
            }
        }
        return LabelDistances(values: sums.mapValues { $0.sum / Double($0.count) })
    }
}
