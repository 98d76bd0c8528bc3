// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

/// What is known of each tracked face: the votes of its last frames, and how often its name was confirmed.
struct TrackVotes {
    private struct Entry {
        var votes = PersonVotes()
        var confirmations = Confirmations()
        /// The face in the last frame.
        var sample: FaceSample?
    }

    private var entries = PerTrack<Int32, Entry>()

    /// Adds what a face was taken for in this frame, and returns the joint vote of its last frames. Faces without a
    /// number have only this one. The votes begin again if the face suddenly looks like somebody else.
    mutating func add(
        _ vote: PersonVotes.Vote, to face: Detection, _ sample: FaceSample, _ settings: FaceRecognize.Settings
    ) -> PersonVotes.Vote {
        guard face.id != 0 else { return vote }
        return entries.use(face.id, default: Entry()) { entry in
            let isOther = entry.sample.map { $0.difference(from: sample) > FaceSample.otherFace } ?? false
            if isOther { entry.votes = PersonVotes() }
            entry.sample = sample
            return entry.votes.add(vote, outOf: settings.voteFrames)
        }
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

    /// - Returns: the number of them.
    mutating func add(
        _ answer: CloserLook.Answer, _ name: String?, _ sample: FaceSample, frame: Int
    ) -> Int {
        let isFollowed = lastFrame.map { frame == $0 &+ 1 } ?? false
        let isOther = self.sample.map { $0.difference(from: sample) > FaceSample.otherFace } ?? false
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
