// SPDX-License-Identifier: LGPL-2.1-or-later
import Testing
@testable import Vision

@Suite("Faces: human or cat")
struct FacesSpeciesTests {
    @Test("Two looks change nothing but leave a doubt, three that agree change the species")
    func change() {
        var vote = SpeciesVote(.cat, isDoubtful: false)
        #expect(!vote.isDoubtful && !vote.isOpen)
        for outcome in [SpeciesVote.Outcome.other, .other, .clear, .other, .other, .both] {
            vote.note(outcome)
            #expect(vote.species == .cat && vote.isDoubtful)
        }
        #expect(!vote.isOpen)
        let changes = (0..<3).map { _ in vote.note(.other) }
        #expect(changes == [false, false, true])
        #expect(vote.species == .human && vote.isDoubtful && !vote.isOpen)
    }

    @Test("A doubt ends after five looks that show nothing of the other species")
    func doubt() {
        var vote = SpeciesVote(.human, isDoubtful: true)
        for outcome in [SpeciesVote.Outcome.clear, .clear, .both, .clear, .clear, .clear, .clear] {
            vote.note(outcome)
            #expect(vote.isDoubtful)
        }
        vote.note(.clear)
        #expect(!vote.isDoubtful && vote.species == .human)
    }
}
