/// What several looks at the same face say together: the person that most of the last ones were taken for.
package struct PersonVotes: Sendable {
    package struct Vote: Sendable, Hashable {
        /// Nil for nobody who is known.
        package var name: String?
        /// To the nearest face.
        package var distance: Double
        /// 0…1.
        package var confidence: Double

        package init(name: String?, distance: Double, confidence: Double) {
            self.name = name
            self.distance = distance
            self.confidence = confidence
        }
    }

    private var votes: [Vote] = []
    private var winner: String??

    package init() {}

    /// Adds a look, and tells what the last ones say: the most frequent name, with the mean distance and confidence of
    /// those that voted for it. Where two are as frequent, the name that was told before stays, else the latest counts.
    /// - Parameter count: how many looks count, at least 1.
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
