// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

/// Which faces a network looks at in a frame, and what its looks have given: new tracks three times, then each now and then,
/// and sooner if there is a doubt. In the frames between, a face is compared with its image at the last look.
struct TrackLooks {
    private struct Entry {
        /// Results of the last looks, the newest last.
        var matches: [Recognizer.Match] = []
        /// The frame of the last look, and the face in it.
        var frame: Int
        var sample: FaceSample
        /// Number of frames until the next look.
        var interval = TrackLooks.interval
        var confirmations = Confirmations()
    }

    private var entries = PerTrack<Int32, Entry>()
    /// The result of the look at a face without a number.
    private var single: Recognizer.Match?
    /// The frame of the last look at a face that could have waited.
    private var lastFrame: Int?

    /// Number of looks at a new face, whose majority decides its name.
    private static let first = 3
    /// Numbers of frames between looks: usually, if the name is not sure, and if the looks disagree or the face has changed.
    private static let (interval, unsureInterval, doubtInterval) = (30, 10, 4)
    /// Maximum distance, by `CloserLook`, from the image at the last look of a face that is sure to be the same.
    private static let sameFace = 0.08

    /// Returns whether a face is looked at in this frame. Faces without a number always are, and others if they are new, or look
    /// like somebody else; of the rest one in a frame.
    mutating func needsLook(_ face: Detection, _ sample: FaceSample, frame: Int) -> Bool {
        single = nil
        guard face.id != 0, let entry = entries[face.id] else { return true }
        guard entry.sample.difference(from: sample) <= Confirmations.otherFace else {
            entries[face.id]?.matches = []
            return true
        }
        let isDue = entry.matches.count < Self.first || frame &- entry.frame >= entry.interval
        guard isDue, lastFrame != frame else { return false }
        lastFrame = frame
        return true
    }

    /// Adds the result of a look.
    mutating func add(_ match: Recognizer.Match, to face: Detection, _ sample: FaceSample, frame: Int) {
        guard face.id != 0 else { return single = match }
        entries.use(face.id, default: Entry(frame: frame, sample: sample)) { entry in
            entry.matches.append(match)
            entry.matches.removeFirst(max(0, entry.matches.count - Self.first))
            (entry.frame, entry.sample) = (frame, sample)
        }
    }

    /// Returns the joint vote of the last looks at a face, and the number of frames that have confirmed its name, as
    /// `Confirmations` counts them; nil if it was never looked at.
    mutating func answer(
        about face: Detection, _ sample: FaceSample, _ recognizer: Recognizer, _ settings: FaceRecognize.Settings,
        frame: Int
    ) throws -> (vote: PersonVotes.Vote, confirmations: Int)? {
        guard face.id != 0 else { return single.map { (recognizer.vote($0, threshold: settings.threshold), 0) } }
        guard var entry = entries[face.id], let last = entry.matches.last else { return nil }
        let looks = entry.matches.map { recognizer.vote($0, threshold: settings.threshold) }
        var (votes, joint) = (PersonVotes(), looks[0])
        for look in looks { joint = votes.add(look, outOf: settings.voteFrames) }
        let isSure = recognizer.confirmation(of: last) == .confirmed
        let isSame = try !isSure || entry.frame == frame || Self.isSame(sample, entry.sample)
        let agree = looks.allSatisfy { $0.name == joint.name }
        let needsConfirmation = joint.name != nil && !isSure
        entry.interval = agree && isSame ? needsConfirmation ? Self.unsureInterval : Self.interval : Self.doubtInterval
        let answer: CloserLook.Answer =
            joint.name == nil || looks.last?.name != joint.name
            ? .contradicted : isSure && isSame ? .confirmed : .unsure
        let confirmations = entry.confirmations.add(answer, joint.name, sample, frame: frame)
        entries.use(face.id, default: entry) { $0 = entry }
        return (joint, confirmations)
    }

    private static func isSame(_ sample: FaceSample, _ other: FaceSample) throws -> Bool {
        try CloserLook([other]).distance(of: sample) <= sameFace
    }
}
