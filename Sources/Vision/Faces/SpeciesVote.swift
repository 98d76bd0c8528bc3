// SPDX-License-Identifier: LGPL-2.1-or-later

/// The species of a face that is followed. A look may be wrong, however sure it is, so it takes several that agree, one after
/// another, to change it; until then, and for some looks after each that has spoken for the other species, it is in doubt.
struct SpeciesVote {
    /// Number of looks that have to agree.
    private static let needed = 3
    /// Number of looks without a sign of the other species after which there is no doubt.
    private static let calm = 5

    private(set) var species: Species
    /// Number of looks, one after another, that have spoken for the other species.
    private var against = 0
    /// Number of looks to come that must not show the other species.
    private var rest: Int

    /// True if the face may as well be the other species.
    var isDoubtful: Bool { rest > 0 }
    /// True if the next look may change the species, or keep it.
    var isOpen: Bool { against > 0 }

    init(_ species: Species, isDoubtful: Bool) {
        self.species = species
        rest = isDoubtful ? Self.calm : 0
    }

    /// What a look tells.
    enum Look {
        /// Nothing of the other species.
        case clear
        /// Both, so that it stays what it was.
        case both
        /// The other species rather than this one.
        case other
    }

    /// Takes note of a look; returns whether it has changed the species.
    @discardableResult
    mutating func note(_ look: Look) -> Bool {
        against = look == .other ? against + 1 : 0
        rest = look == .clear ? max(0, rest - 1) : Self.calm
        guard against >= Self.needed else { return false }
        (species, against) = (species.other, 0)
        return true
    }
}
