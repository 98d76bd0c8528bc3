// SPDX-License-Identifier: LGPL-2.1-or-later
/// The label that the classifier gives to a blob.
package struct BlobAnswer: Sendable, Hashable {
    /// Index of the label; 0 if the blob is unidentified.
    package var label: Int
    package var name: String
    /// Distance to the nearest training image, also for unidentified blobs.
    package var distance: Double
    /// Confidence, 0…1. If the blob has a label: b / (a + b). a: distance to this label. b: distance to the
    /// second-nearest label, or `ClassifierSettings.limit` if this limit is smaller. If the blob is unidentified: at
    /// least 0.5.
    package var confidence: Double
}

/// The distances between a blob and the labels. The distance to a label is the distance to the label's nearest training
/// image.
package struct LabelDistances: Sendable, Hashable {
    /// The distances. The key is the index of the label.
    package var values: [Int: Double] = [:]

    package init(values: [Int: Double] = [:]) { self.values = values }

    /// Returns the label with the smallest distance. Returns the label 0 (unidentified) if this distance exceeds the
    /// maximum distance, or if the second-smallest distance is not clearly greater.
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

/// Averages the distances of an object's last five classifications.
package struct BlobVotes: Sendable {
    private var looks: [LabelDistances] = []
    /// Number of classifications so far, including those that are too old for the average.
    package private(set) var count = 0

    package init() {}

    package mutating func add(_ look: LabelDistances) {
        looks.append(look)
        if looks.count > 5 { looks.removeFirst() }
        count &+= 1
    }

    /// Mean distance to each label, over the classifications that contain a distance to this label.
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
