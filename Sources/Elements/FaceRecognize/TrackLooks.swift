// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// Which faces a network looks at in a frame, and what its looks have given: new tracks three times, then each now and then,
/// and sooner if there is a doubt. In the frames between, a face is compared with its image at the last look.
struct TrackLooks {
    /// A result of the network.
    struct Look {
        let vector: FaceEmbedding?
        /// Nil if nobody is known.
        let match: Recognizer.Match?
    }

    private struct Entry {
        /// The last looks, the newest last.
        var looks: [Look] = []
        /// The frame of the last look, and the face in it.
        var frame: Int
        var sample: FaceSample
        /// The face in the last frame.
        var last: (sample: FaceSample, box: Rectangle)
        /// Number of frames until the next look.
        var interval = TrackLooks.interval
        var confirmations = Confirmations()
    }

    private var entries = PerTrack<Int32, Entry>()
    /// The result of the look at a face without a number.
    private var single: Look?
    /// The frame of the last look at a face that could have waited.
    private var lastFrame: Int?

    /// Number of looks at a new face, whose majority decides its name.
    private static let first = 3
    /// Numbers of frames between looks: usually, if the name is not sure, and if the looks disagree or the face has changed.
    private static let (interval, unsureInterval, doubtInterval) = (30, 10, 4)
    /// Maximum distance, by `CloserLook`, from the image at the last look of a face that is sure to be the same.
    private static let sameFace = 0.08
    /// Difference from the frame before from which on somebody else may be in the place.
    private static let jump = 0.2

    /// Returns whether a face is looked at in this frame. Faces without a number always are, and others if they are new, or look
    /// like somebody else; of the rest one in a frame.
    /// - Parameter isForced: true if the face is looked at in any case.
    mutating func needsLook(_ face: Detection, _ sample: FaceSample, frame: Int, isForced: Bool = false) -> Bool {
        single = nil
        guard face.id != 0, let entry = entries[face.id] else { return true }
        entries[face.id]?.last = (sample, face.box)
        guard entry.sample.difference(from: sample) <= FaceSample.otherFace else {
            entries[face.id]?.looks = []
            return true
        }
        if isForced || entry.last.sample.difference(from: sample) > Self.jump
            || !entry.last.box.isFollowed(by: face.box)
        {
            return true
        }
        let isDue = entry.looks.count < Self.first || frame &- entry.frame >= entry.interval
        guard isDue, lastFrame != frame else { return false }
        lastFrame = frame
        return true
    }

    /// Adds the result of a look. If it shows somebody else than the looks before, those no longer count.
    mutating func add(_ look: Look, to face: Detection, _ sample: FaceSample, frame: Int) {
        guard face.id != 0 else { return single = look }
        let new = Entry(frame: frame, sample: sample, last: (sample, face.box))
        entries.use(face.id, default: new) { entry in
            let distances = entry.looks.compactMap { old in
                look.vector.flatMap { old.vector?.distance(from: $0) }
            }
            if let nearest = distances.min(), nearest > FaceEmbedding.otherPerson {
                (entry.looks, entry.confirmations) = ([], Confirmations())
            }
            entry.looks.append(look)
            entry.looks.removeFirst(max(0, entry.looks.count - Self.first))
            (entry.frame, entry.sample) = (frame, sample)
        }
    }

    /// Returns the vectors of the last looks at a face.
    func vectors(of face: Detection) -> [FaceEmbedding] {
        face.id == 0 ? [] : entries[face.id]?.looks.compactMap(\.vector) ?? []
    }

    /// Returns the joint vote of the last looks at a face, and the number of frames that have confirmed its name, as
    /// `Confirmations` counts them; nil if it was never looked at.
    mutating func answer(
        about face: Detection, _ sample: FaceSample, _ recognizer: Recognizer, _ settings: FaceRecognize.Settings,
        frame: Int
    ) throws -> (vote: PersonVotes.Vote, confirmations: Int)? {
        guard face.id != 0 else {
            return single?.match.map { (recognizer.vote($0, threshold: settings.threshold), 0) }
        }
        guard var entry = entries[face.id], let last = entry.looks.last?.match else { return nil }
        let looks = entry.looks.compactMap(\.match).map { recognizer.vote($0, threshold: settings.threshold) }
        guard var joint = looks.first else { return nil }
        var votes = PersonVotes()
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

    /// Ends what was confirmed of a track.
    mutating func endConfirmations(of track: Int32) { entries[track]?.confirmations = Confirmations() }

    private static func isSame(_ sample: FaceSample, _ other: FaceSample) throws -> Bool {
        try CloserLook([other]).distance(of: sample) <= sameFace
    }
}

extension Rectangle {
    /// Returns whether a face here can be there in the next frame: about as large, and in about the same place.
    fileprivate func isFollowed(by other: Rectangle) -> Bool {
        let common = intersection(other).area
        let (smaller, larger) = (min(area, other.area), max(area, other.area))
        return 2 * common >= smaller && larger <= 2 * smaller
    }
}
