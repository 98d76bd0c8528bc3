/// What a blob was taken for.
package struct BlobAnswer: Sendable, Hashable {
    /// The label's number; 0 is unidentified.
    package var label: Int
    package var name: String
    /// To the nearest training picture, whether or not it is near enough.
    package var distance: Double
    /// 0…1: how far the next best answer lies from the one given; 0.5 where both are equally near.
    package var confidence: Double
}

/// How far a blob is from each label: from the nearest of its training pictures.
package struct LabelDistances: Sendable, Hashable {
    /// By the label's number.
    package var values: [Int: Double] = [:]

    /// What the distances say.
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

/// What several looks at the same thing say together: the mean of the last ones.
package struct BlobVotes: Sendable {
    private var looks: [LabelDistances] = []
    /// How many looks there were.
    package private(set) var count = 0

    package init() {}

    package mutating func add(_ look: LabelDistances) {
        looks.append(look)
        if looks.count > 5 { looks.removeFirst() }
        count &+= 1
    }

    /// The means. A label that was not there at one of the looks counts for the others.
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
