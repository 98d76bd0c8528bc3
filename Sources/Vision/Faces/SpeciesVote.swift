// SPDX-License-Identifier: LGPL-2.1-or-later

/// The species of a tracked face. Repeated verifications for both species (see `Outcome`) decide the species. A single
/// verification may be wrong even if its confidence is high. So the species changes only after several consecutive
/// results for the other species. The first of these results makes the species doubtful. The species stays doubtful
/// until several results show no sign of the other species.
struct SpeciesVote {
    /// After this number of consecutive results for the other species, the species changes.
    private static let needed = 3
    /// After this number of results without a sign of the other species, the species is no longer doubtful.
    private static let calm = 5

    private(set) var species: Species
    private var against = 0
    /// The species stays doubtful until this number of further results show no sign of the other species.
    private var remaining: Int

    /// True if the species is doubtful: the human may be a cat, or the cat may be a human.
    var isDoubtful: Bool { remaining > 0 }
    /// True if the last result was for the other species, so that the next results decide if the species changes.
    var isOpen: Bool { against > 0 }

    init(_ species: Species, isDoubtful: Bool) {
        self.species = species
        remaining = isDoubtful ? Self.calm : 0
    }

    enum Outcome {
        /// The verifications show no sign of the other species.
        case clear
        /// The verifications show signs of both species. The species does not change.
        case both
        /// The signs of the other species are stronger than the signs of the current species.
        case other
    }

    /// Adds the result of a verification. Returns true if the species changes.
    @discardableResult
    mutating func note(_ outcome: Outcome) -> Bool {
        against = outcome == .other ? against + 1 : 0
        remaining = outcome == .clear ? max(0, remaining - 1) : Self.calm
        guard against >= Self.needed else { return false }
        (species, against) = (species.other, 0)
        return true
    }
}
