// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

/// The votes of the last frames, and the number of confirmations, for each tracked face.
struct TrackVotes {
    private struct Entry {
        var votes = PersonVotes()
        var confirmations = Confirmations()
        /// The face image in the last frame.
        var sample: FaceSample?
    }

    private var entries = PerTrack<Int32, Entry>()

    /// Adds the vote of this frame, and returns the majority vote of the last frames. For a face without an id, returns
    /// the vote of this frame. If the face suddenly looks like another person, the previous votes are discarded.
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

    /// Adds the result of a strict comparison (`StrictCheck`) in this frame.
    /// - Parameters:
    ///   - sample: the face image in this frame.
    ///   - name: the name according to the majority vote; nil if the face has no name.
    ///   - frame: the frame index. After a skipped frame, the count starts at 0 again.
    /// - Returns: the number of confirmations since the last contradiction; 0 for faces without an id.
    mutating func confirm(
        _ face: Detection, _ sample: FaceSample, as name: String?, _ outcome: StrictCheck.Outcome, frame: Int
    ) -> Int {
        guard face.id != 0 else { return 0 }
        return entries.use(face.id, default: Entry()) { $0.confirmations.add(outcome, name, sample, frame: frame) }
    }
}

/// Counts the frames that have confirmed a name, since the last frame that contradicted the name.
struct Confirmations {
    private var name: String?
    private var count = 0
    private var lastFrame: Int?
    /// The face image of the last confirmation.
    private var sample: FaceSample?

    /// Adds the result of a frame.
    /// - Returns: the number of frames, including this frame, that have confirmed the name.
    mutating func add(
        _ outcome: StrictCheck.Outcome, _ name: String?, _ sample: FaceSample, frame: Int
    ) -> Int {
        let isFollowed = lastFrame.map { frame == $0 &+ 1 } ?? false
        let isOther = self.sample.map { $0.difference(from: sample) > FaceSample.otherFace } ?? false
        if !isFollowed || isOther || name == nil || name != self.name { (count, self.sample) = (0, nil) }
        (self.name, lastFrame) = (name, frame)
        switch outcome {
        case .confirmed:
            count = name == nil ? 0 : min(count + 1, Int(Int32.max))
            self.sample = sample
        case .unsure: break
        case .contradicted: count = 0
        }
        return count
    }
}
