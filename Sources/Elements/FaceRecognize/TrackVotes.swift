// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

/// What is known of each tracked face: the votes of its last frames, and how often its name was confirmed.
struct TrackVotes {
    private struct Entry {
        var votes = PersonVotes()
        var confirmations = Confirmations()
    }

    private var entries = PerTrack<Int32, Entry>()

    /// Adds what a face was taken for in this frame, and returns the joint vote of its last frames. Faces without a
    /// number have only this one.
    mutating func add(
        _ vote: PersonVotes.Vote, to face: Detection, _ settings: FaceRecognize.Settings
    ) -> PersonVotes.Vote {
        guard face.id != 0 else { return vote }
        return entries.use(face.id, default: Entry()) { $0.votes.add(vote, outOf: settings.voteFrames) }
    }

    /// Adds what a strict look at a face in this frame has given.
    /// - Parameters:
    ///   - name: whose face it is by the joint vote; nil for nobody's who is known.
    ///   - frame: the frame's number; one that was left out ends what was confirmed.
    /// - Returns: how often the name was confirmed since something spoke against it; 0 for faces without a number.
    mutating func confirm(_ face: Detection, as name: String?, _ answer: CloserLook.Answer, frame: Int) -> Int {
        guard face.id != 0 else { return 0 }
        return entries.use(face.id, default: Entry()) { $0.confirmations.add(answer, name, frame: frame) }
    }
}

/// The frames that have confirmed a name since the last one that spoke against it.
struct Confirmations {
    private var name: String?
    private var count = 0
    private var lastFrame: Int?

    /// - Returns: the number of them.
    mutating func add(_ answer: CloserLook.Answer, _ name: String?, frame: Int) -> Int {
        let isFollowed = lastFrame.map { frame == $0 &+ 1 } ?? false
        if !isFollowed || name == nil || name != self.name { count = 0 }
        (self.name, lastFrame) = (name, frame)
        switch answer {
        case .confirmed: count = name == nil ? 0 : min(count + 1, Int(Int32.max))
        case .unsure: break
        case .contradicted: count = 0
        }
        return count
    }
}
