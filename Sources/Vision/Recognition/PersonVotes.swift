// SPDX-License-Identifier: LGPL-2.1-or-later
/// Combines recognition results of the same face in several frames. The result is the most frequent person of the last
/// results.
package struct PersonVotes: Sendable {
    package struct Vote: Sendable, Hashable {
        /// The person's name. Nil for an unknown person.
        package var name: String?
        /// Distance to the nearest known face.
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

    /// Adds a result, and returns the combined result of the last `count` results. The combined result contains the
    /// most frequent name. Its distance and its confidence are the means of the results with this name. If several
    /// names are equally frequent, the previous combined name wins, or else the name of the latest result.
    /// - Parameter count: the number of results to combine, at least 1.
    package mutating func add(_ vote: Vote, outOf count: Int) -> Vote {
        votes.append(vote)
        votes.removeFirst(max(0, votes.count - max(1, count)))
        var counts: [String?: Int] = [:]
        for vote in votes { counts[vote.name, default: 0] += 1 }
        let maximum = counts.values.max() ?? 0
        let name: String? =
            if let winner, counts[winner] == maximum { winner } else { votes.last { counts[$0.name] == maximum }?.name }
        winner = .some(name)
        let winnersVotes = votes.filter { $0.name == name }
        let share = 1 / Double(max(1, winnersVotes.count))
        return Vote(
            name: name, distance: winnersVotes.reduce(0) { $0 + share * $1.distance },
            confidence: winnersVotes.reduce(0) { $0 + share * $1.confidence })
    }
}
