// SPDX-License-Identifier: LGPL-2.1-or-later
/// The result of the classification of a blob.
package struct BlobAnswer: Sendable, Hashable {
    /// Index of the label. The label 0 means that the blob is unidentified.
    package var label: Int
    package var name: String
    /// Distance to the nearest training image. Unidentified blobs have a distance, too.
    package var distance: Double
    /// Confidence, 0…1: the distance of the second best answer, divided by the sum of both distances. 0.5 if both are
    /// equal.
    package var confidence: Double
}

/// Distances between a blob and the labels. The distance to a label is the distance to its nearest training image.
package struct LabelDistances: Sendable, Hashable {
    /// Distances, with the index of the label as the key.
    package var values: [Int: Double] = [:]

    package init(values: [Int: Double] = [:]) { self.values = values }

    /// Returns the nearest label, or unidentified if the nearest label is too far away or not clearly nearer than the
    /// next label.
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

/// The joint result of several classifications of the same object: the mean of the last five.
package struct BlobVotes: Sendable {
    private var looks: [LabelDistances] = []
    /// Number of all classifications so far.
    package private(set) var count = 0

    package init() {}

    package mutating func add(_ look: LabelDistances) {
        looks.append(look)
        if looks.count > 5 { looks.removeFirst() }
        count &+= 1
    }

    /// Mean distance to each label. If some of the classifications have no distance to a label, the mean of the other
    /// classifications is used.
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
