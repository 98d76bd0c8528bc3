// SPDX-License-Identifier: LGPL-2.1-or-later
/// Joint result of several looks at the same face: the person that most of the last ones were taken for.
package struct PersonVotes: Sendable {
    package struct Vote: Sendable, Hashable {
        /// Name of the person; nil for nobody who is known.
        package var name: String?
        /// Distance to the nearest face.
        package var distance: Double
        /// Confidence, 0…1.
        package var confidence: Double

        package init(name: String?, distance: Double, confidence: Double) {
            (self.name, self.distance, self.confidence) = (name, distance, confidence)
        }
    }

    private var votes: [Vote] = []
    private var winner: String??

    package init() {}

    /// Adds a look, and returns the result of the last ones: the most frequent name, with the mean distance and
    /// confidence of those that voted for it. If two are equally frequent, the previous result stays, else the latest
    /// wins.
    /// - Parameter count: the number of looks that count, at least 1.
    package mutating func add(_ vote: Vote, outOf count: Int) -> Vote {
        votes.append(vote)
        votes.removeFirst(max(0, votes.count - max(1, count)))
        var numbers: [String?: Int] = [:]
        for vote in votes { numbers[vote.name, default: 0] += 1 }
        let most = numbers.values.max() ?? 0
        let name: String? =
            if let winner, numbers[winner] == most { winner } else { votes.last { numbers[$0.name] == most }?.name }
        winner = .some(name)
        let own = votes.filter { $0.name == name }
        let share = 1 / Double(max(1, own.count))
        return Vote(
            name: name, distance: own.reduce(0) { $0 + share * $1.distance },
            confidence: own.reduce(0) { $0 + share * $1.confidence })
    }
}
