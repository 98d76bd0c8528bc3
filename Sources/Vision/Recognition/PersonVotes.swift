// SPDX-License-Identifier: LGPL-2.1-or-later
/// Combines recognition results of the same face in several frames, by a majority vote.
package struct PersonVotes: Sendable {
    package struct Vote: Sendable, Hashable {
        /// Name of the recognized person. Nil for an unknown person.
        package var name: String?
        /// Distance between the face and the nearest known face.
        package var distance: Double
        /// Confidence in the result, 0…1.
        package var confidence: Double

        package init(name: String?, distance: Double, confidence: Double) {
            (self.name, self.distance, self.confidence) = (name, distance, confidence)
        }
    }

    private var votes: [Vote] = []
    private var winner: String??

    package init() {}

    /// Adds the result of a frame, and returns the combined result of the last `count` results. The combined result
    /// contains the most frequent name. The combined distance and confidence are the means over the results with this
    /// name. If several names are equally frequent, the name of the previous combined result takes precedence, and
    /// otherwise the name with the latest result.
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
