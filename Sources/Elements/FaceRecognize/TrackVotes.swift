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
    ///   - sample: the face in this frame.
    ///   - name: whose face it is by the joint vote; nil for nobody's who is known.
    ///   - frame: the frame's number; one that was left out ends what was confirmed.
    /// - Returns: how often the name was confirmed since something spoke against it; 0 for faces without a number.
    mutating func confirm(
        _ face: Detection, _ sample: FaceSample, as name: String?, _ answer: CloserLook.Answer, frame: Int
    ) -> Int {
        guard face.id != 0 else { return 0 }
        return entries.use(face.id, default: Entry()) { $0.confirmations.add(answer, name, sample, frame: frame) }
    }
}

/// The frames that have confirmed a name since the last one that spoke against it.
struct Confirmations {
    private var name: String?
    private var count = 0
    private var lastFrame: Int?
    /// The face when its name was last confirmed.
    private var sample: FaceSample?

    /// Difference from the face that was last confirmed, from which on it is taken for another face: somebody else has taken
    /// its place, by a cut or by a dissolve. Of five people of the Database of Faces (AT&T Laboratories Cambridge), scaled alike,
    /// each pair differs by 0.47 or more. The same face beside its place by a fiftieth of its width differs by 0.14.
    static let otherFace = 0.3

    /// - Returns: the number of them.
    mutating func add(
        _ answer: CloserLook.Answer, _ name: String?, _ sample: FaceSample, frame: Int
    ) -> Int {
        let isFollowed = lastFrame.map { frame == $0 &+ 1 } ?? false
        let isOther = self.sample.map { $0.difference(from: sample) > Self.otherFace } ?? false
        if !isFollowed || isOther || name == nil || name != self.name { (count, self.sample) = (0, nil) }
        (self.name, lastFrame) = (name, frame)
        switch answer {
        case .confirmed:
            count = name == nil ? 0 : min(count + 1, Int(Int32.max))
            self.sample = sample
        case .unsure: break
        case .contradicted: count = 0
        }
        return count
    }
}
