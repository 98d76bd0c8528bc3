// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// Selects the faces on which the network runs in a frame, and keeps the results. An observation is one run of the
/// network on a face. A new track has three observations as soon as possible. Later observations follow after 4 to 30
/// frames, or sooner if the face changes. Between two observations, the face is compared with the image of the last
/// observation.
struct TrackObservations {
    struct Observation {
        let vector: FaceEmbedding?
        /// The nearest known person; nil if there is no recogniser.
        let match: Recognizer.Match?
    }

    private struct Entry {
        /// The last observations of the face, the newest last. There are at most `first` observations.
        var observations: [Observation] = []
        /// Number of observations in which the whole face was visible, at most `first`.
        var wholeCount = 0
        /// `frame`: the index of the frame of the last observation. `sample`: the face image of the last observation.
        var frame: Int
        var sample: FaceSample
        /// The image and the box of the face in the last frame.
        var last: (sample: FaceSample, box: Rectangle)
        /// Number of frames until the next observation.
        var interval = TrackObservations.interval
        var confirmations = Confirmations()
    }

    private var entries = PerTrack<Int32, Entry>()
    /// The observation of a face without a track id.
    private var single: Observation?
    /// The index of the last frame in which `needsObservation` has requested an observation that was due, but not
    /// urgent. Each frame has at most one such observation.
    private var lastFrame: Int?

    /// Number of observations that a new face gets as soon as possible. Also the maximum number of observations that
    /// decide the name by majority.
    private static let first = 3
    /// The number of frames between two observations is `interval` by default. It is `unsureInterval` if the name is
    /// not confirmed, and `doubtInterval` if observations contradict each other or the face has changed.
    private static let (interval, unsureInterval, doubtInterval) = (30, 10, 4)
    /// If the distance of a face image from the image of the last observation is at most this value, both images show
    /// the same person. `StrictCheck` defines the distance.
    private static let sameFace = 0.08
    /// If the images of two consecutive frames differ by more than this value (0…2), the track may show another person.
    private static let jump = 0.2

    /// Returns true if the network should run on a face in this frame. The network runs on all faces without a track
    /// id, on all new faces, and on all faces that have changed or moved suddenly. It also runs on one further face per
    /// frame whose next observation is due.
    /// - Parameters:
    ///   - isForced: true if the face needs an observation in any case.
    ///   - isWhole: false if a part of the face is not visible. A face that becomes visible as a whole gets `first`
    ///     further observations.
    mutating func needsObservation(
        _ face: Detection, _ sample: FaceSample, frame: Int, isForced: Bool = false, isWhole: Bool = true
    ) -> Bool {
        single = nil
        guard face.id != 0, let entry = entries[face.id] else { return true }
        entries[face.id]?.last = (sample, face.box)
        guard entry.sample.difference(from: sample) <= FaceSample.otherFace else {
            entries[face.id]?.observations = []
            entries[face.id]?.wholeCount = 0
            return true
        }
        if isForced || entry.last.sample.difference(from: sample) > Self.jump
            || !entry.last.box.isFollowed(by: face.box)
        {
            return true
        }
        let isDue =
            entry.observations.count < Self.first || isWhole && entry.wholeCount < Self.first
            || frame &- entry.frame >= entry.interval
        guard isDue, lastFrame != frame else { return false }
        lastFrame = frame
        return true
    }

    /// Adds an observation of a face. If the observation shows another person than the previous observations, discards
    /// the previous observations.
    /// - Parameter isWhole: false if a part of the face is not visible.
    mutating func add(
        _ observation: Observation, to face: Detection, _ sample: FaceSample, frame: Int, isWhole: Bool = true
    ) {
        guard face.id != 0 else { return single = observation }
        let new = Entry(frame: frame, sample: sample, last: (sample, face.box))
        entries.use(face.id, default: new) { entry in
            let distances = entry.observations.compactMap { old in
                observation.vector.flatMap { old.vector?.distance(from: $0) }
            }
            if let nearest = distances.min(), nearest > FaceEmbedding.otherPerson {
                (entry.observations, entry.confirmations, entry.wholeCount) = ([], Confirmations(), 0)
            }
            if isWhole { entry.wholeCount = min(entry.wholeCount + 1, Self.first) }
            entry.observations.append(observation)
            entry.observations.removeFirst(max(0, entry.observations.count - Self.first))
            (entry.frame, entry.sample) = (frame, sample)
        }
    }

    /// Returns the vectors of the last observations of a face.
    func vectors(of face: Detection) -> [FaceEmbedding] {
        face.id == 0 ? [] : entries[face.id]?.observations.compactMap(\.vector) ?? []
    }

    /// Returns the majority vote of the last observations of a face, and the number of frames that have confirmed the
    /// name (see `Confirmations`). Nil if there is no observation yet, or the last observation has no match.
    mutating func vote(
        about face: Detection, _ sample: FaceSample, _ recognizer: Recognizer, _ settings: FaceRecognize.Settings,
        frame: Int
    ) throws -> (vote: PersonVotes.Vote, confirmations: Int)? {
        guard face.id != 0 else {
            return single?.match.map { (recognizer.vote($0, threshold: settings.threshold), 0) }
        }
        guard var entry = entries[face.id], let last = entry.observations.last?.match else { return nil }
        let observations = entry.observations.compactMap(\.match).map {
            recognizer.vote($0, threshold: settings.threshold)
        }
        guard var joint = observations.first else { return nil }
        var votes = PersonVotes()
        for observation in observations { joint = votes.add(observation, outOf: settings.voteFrames) }
        let isSure = recognizer.confirmation(of: last) == .confirmed
        let isSame = try !isSure || entry.frame == frame || Self.isSame(sample, entry.sample)
        let agree = observations.allSatisfy { $0.name == joint.name }
        let needsConfirmation = joint.name != nil && !isSure
        entry.interval = agree && isSame ? needsConfirmation ? Self.unsureInterval : Self.interval : Self.doubtInterval
        let outcome: StrictCheck.Outcome =
            joint.name == nil || observations.last?.name != joint.name
            ? .contradicted : isSure && isSame ? .confirmed : .unsure
        let confirmations = entry.confirmations.add(outcome, joint.name, sample, frame: frame)
        entries.use(face.id, default: entry) { $0 = entry }
        return (joint, confirmations)
    }

    mutating func endConfirmations(of track: Int32) { entries[track]?.confirmations = Confirmations() }

    private static func isSame(_ sample: FaceSample, _ other: FaceSample) throws -> Bool {
        try StrictCheck([other]).distance(of: sample) <= sameFace
    }
}

extension Rectangle {
    /// Returns true if a face with this box can have the box `other` in the next frame. The boxes must overlap by at
    /// least half of the smaller area. The larger area must be at most twice the smaller area.
    fileprivate func isFollowed(by other: Rectangle) -> Bool {
        let common = intersection(other).area
        let (smaller, larger) = (min(area, other.area), max(area, other.area))
        return 2 * common >= smaller && larger <= 2 * smaller
    }
}
