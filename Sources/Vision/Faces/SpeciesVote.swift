// SPDX-License-Identifier: LGPL-2.1-or-later

/// The species of a tracked face, decided by repeated verifications for both species (see `Outcome`). A single
/// verification may be wrong even if its confidence is high, so the species changes only after several consecutive
/// results for the other species. The species is doubtful from the first of these results until several results show no
/// sign of the other species.
struct SpeciesVote {
    /// Number of consecutive results for the other species that change the species.
    private static let needed = 3
    /// Number of results without a sign of the other species after which the species is no longer doubtful.
    private static let calm = 5

    private(set) var species: Species
    /// Number of consecutive results for the other species up to now.
    private var against = 0
    /// Number of further results without a sign of the other species until the species is no longer doubtful.
    private var remaining: Int

    /// True if the face may belong to the other species.
    var isDoubtful: Bool { remaining > 0 }
    /// True if the last result was for the other species, so that the next results decide whether the species changes.
    var isOpen: Bool { against > 0 }

    init(_ species: Species, isDoubtful: Bool) {
        self.species = species
        remaining = isDoubtful ? Self.calm : 0
    }

    /// Result of a verification for both species.
    enum Outcome {
        /// No sign of the other species.
        case clear
        /// Signs of both species; the species does not change.
        case both
        /// Stronger signs of the other species than of the current species.
        case other
    }

    /// Adds the result of a verification. Returns true if the result changes the species.
    @discardableResult
    mutating func note(_ outcome: Outcome) -> Bool {
        against = outcome == .other ? against + 1 : 0
        remaining = outcome == .clear ? max(0, remaining - 1) : Self.calm
        guard against >= Self.needed else { return false }
        (species, against) = (species.other, 0)
        return true
    }
}
