// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// The track of a face through the frames of a stream. Copies of this value share the image `pattern`, so use only one
/// copy of a track.
struct FaceTrack {
    /// Track ID; 0 until the face is certain for the first time (see `FaceEvidence`).
    var id = 0
    var species: Species { vote.species }
    var vote: SpeciesVote
    var placement: FacePlacement
    /// Velocity in pixels per frame, used to predict the next position.
    var velocity = Point(0, 0)
    /// Image of the face from the last frame in which the detector or the pattern match was confident.
    let pattern = OwnedImage(.gray8)
    /// Correlation between `pattern` and the face in the last frame, −1…1.
    var fit = 1.0
    /// Smoothed number of neighbours (overlapping single detections) of the cascade's detections.
    var neighbors: Double
    /// Smoothed confidence of the network's detections; nil if a cascade detected the face.
    var confidence: Double?
    /// Highest confidence of the network since the last verification at several angles. The value decreases by 1 % at
    /// each verification.
    var surest = 0.0
    /// True if the last verification at several angles measured a rotation of the face.
    var isTurning = false
    /// Number of verifications at a single angle since the last verification at several angles.
    var uprightVerifications = 0
    /// For each species, the smoothed score of the verifications (`FaceVerifier.Verification.score`).
    private(set) var scores = PerSpecies(0.0)
    /// Reliability of the track. Each detection increases the value, and each miss reduces the value. If the value
    /// falls to 0, the track ends.
    var trust: Double
    var hits = 1
    /// Number of frames since the track began.
    var age = 0
    /// The value of `age` when the detector last verified the face.
    var lastExamined = 0
    /// The value of `age` when the tracker last checked if the face belongs to the other species (human or cat).
    var lastCompared = 0
    /// The value of `age` when a second look (`SecondLook`) last examined the face; nil if none has examined the face.
    var lastSecondLook: Int?
    /// True if the tracker reports the face, as a certain face or as a possible face (see `FaceEvidence`).
    var isShown: Bool
    var evidence: FaceEvidence
    /// True if the face has not changed since the last verification.
    var isUnchanged = false
    /// True if a search has detected the face in the current frame.
    var isFound = false
    /// True if the network measured the face's position in this frame. Also true if the network measured the position
    /// in an earlier frame, and the face has not moved since then.
    var isExact = false
    /// Number of searched frames since the last detection of the face.
    var misses = 0
    /// True if a search in another thread detected the face in an earlier frame, and the position in the current frame
    /// was not checked yet.
    var isLate = false
    /// True if the face is not visible: the image `pattern` does not match the frame, and the detector does not detect
    /// the face.
    var isOutOfSight = false
    /// True if the face of another track overlaps this face, and is certain. The other face may then cover this face,
    /// and the pattern match may follow the other face.
    var isCovered = false
    /// True if `isOutOfSight` became true in this frame.
    var isJustLost = false
    var isLost = false
    /// The smoothed landmarks, relative to `placement`.
    var leftEye = TrackedPoint()
    var rightEye = TrackedPoint()
    var nose = TrackedPoint()
    var mouthLeft = TrackedPoint()
    var mouthRight = TrackedPoint()
    var smiles: Bool?
    var closedEyes: ClosedEyes?
    var pose: HeadPose?

    init(_ face: FaceVerifier.Verification, isShown: Bool, evidence: FaceEvidence) {
        vote = SpeciesVote(face.species, isDoubtful: face.isDoubtful)
        placement = face.placement
        neighbors = Double(face.neighbors)
        confidence = face.confidence
        trust = 3 + face.score * 4
        self.isShown = isShown
        self.evidence = evidence
        note(face.score, of: face.species)
    }

    mutating func note(_ score: Double, of species: Species) {
        scores[species] += 0.4 * (score - scores[species])
    }

    /// Returns true if a detection may show the face of this track: the species are equal, and the boxes overlap.
    func isInPlace(of face: FaceVerifier.Verification) -> Bool {
        species == face.species && placement.box.intersectionOverUnion(face.placement.box) > [Box].sameFace
    }

    /// True if the next search must also examine the face of this track. This is the case for a possible face that the
    /// network detected, because such a face becomes certain only with a high confidence in a search. The first search
    /// may have seen only a part of the face.
    var needsSearch: Bool { confidence != nil && !evidence.isCertain && !isOutOfSight }

    mutating func confirm(_ face: FaceVerifier.Verification) {
        hits += 1
        trust = min(60, trust + 2 + 4 * face.score)
        neighbors += 0.3 * (Double(face.neighbors) - neighbors)
        confidence = face.confidence.map { new in confidence.map { $0 + 0.3 * (new - $0) } ?? new }
    }

    /// The face as reported in the output.
    var face: Face {
        var face = Face(
            species: species, placement: placement,
            confidence: (confidence ?? species.confidence(Int(neighbors.rounded()))) * min(1, max(0.3, fit)))
        face.id = evidence.isCertain ? id : 0
        face.isPossible = !evidence.isCertain
        face.isSpeciesDoubtful = vote.isDoubtful
        face.isExact = isExact
        var landmarks = FoundLandmarks(smiles: smiles, closedEyes: closedEyes, pose: pose)
        landmarks.leftEye = leftEye.point(in: placement)
        landmarks.rightEye = rightEye.point(in: placement)
        landmarks.nose = nose.point(in: placement)
        landmarks.isLeftEyeDetected = leftEye.isDetected
        landmarks.isRightEyeDetected = rightEye.isDetected
        if let left = mouthLeft.point(in: placement), let right = mouthRight.point(in: placement) {
            landmarks.mouth = (left, right)
        }
        face.merge(landmarks)
        return face
    }

    /// Changes `placement`. The landmarks keep their positions in the frame, because the detector measured them
    /// independently of the face's box.
    mutating func correct(_ change: (inout FacePlacement) -> Void) {
        let old = placement
        change(&placement)
        for path in [\FaceTrack.leftEye, \.rightEye, \.nose, \.mouthLeft, \.mouthRight] {
            self[keyPath: path].move(from: old, to: placement)
        }
    }

    /// The head pose computed from the smoothed landmarks; nil if a landmark is missing.
    private var measuredPose: HeadPose? {
        guard let leftEye = leftEye.point(in: placement), let rightEye = rightEye.point(in: placement),
            let nose = nose.point(in: placement), let mouthLeft = mouthLeft.point(in: placement),
            let mouthRight = mouthRight.point(in: placement)
        else { return nil }
        return HeadPose(
            FaceLandmarks(
                leftEye: leftEye, rightEye: rightEye, nose: nose, mouthLeft: mouthLeft, mouthRight: mouthRight))
    }

    /// Discards the smoothed landmarks. Otherwise, if one person replaces another person, the landmarks would be a
    /// mixture of both faces.
    mutating func forgetLandmarks() {
        (leftEye, rightEye, nose) = (TrackedPoint(), TrackedPoint(), TrackedPoint())
        (mouthLeft, mouthRight) = (TrackedPoint(), TrackedPoint())
    }

    mutating func merge(_ landmarks: FoundLandmarks) {
        leftEye.merge(landmarks.leftEye, in: placement, isDetected: landmarks.isLeftEyeDetected)
        rightEye.merge(landmarks.rightEye, in: placement, isDetected: landmarks.isRightEyeDetected)
        nose.merge(landmarks.nose, in: placement)
        mouthLeft.merge(landmarks.mouth?.left, in: placement)
        mouthRight.merge(landmarks.mouth?.right, in: placement)
        smiles = landmarks.smiles
        closedEyes = landmarks.closedEyes
        pose = landmarks.pose == nil ? nil : measuredPose
    }
}

/// A smoothed landmark, relative to the placement of the face.
struct TrackedPoint {
    private var relative: Point?
    private var misses = 0
    /// True if the detector has detected the landmark. False if the landmark is only assumed at its default position,
    /// or was removed.
    private(set) var isDetected = false

    /// True if the last update contained a position of the landmark, and the landmark has been detected.
    var isFresh: Bool { relative != nil && isDetected && misses == 0 }

    /// Updates the landmark with a new detection; nil for a miss. After four consecutive misses, removes the landmark.
    mutating func merge(_ point: Point?, in placement: FacePlacement, isDetected: Bool = true) {
        guard let point else {
            misses += 1
            if misses >= 4 {
                relative = nil
                self.isDetected = false
            }
            return
        }
        misses = 0
        self.isDetected = self.isDetected || isDetected
        let new = placement.fractions(of: point)
        relative = relative?.moved(towards: new, by: 0.4) ?? new
    }

    /// Keeps the landmark's position in the frame when the placement of the face changes from `old` to `new`.
    mutating func move(from old: FacePlacement, to new: FacePlacement) {
        if let point = point(in: old) { relative = new.fractions(of: point) }
    }

    /// Returns the position of the landmark in the frame. Returns nil if the landmark was never detected.
    func detectedPoint(in placement: FacePlacement) -> Point? { isDetected ? point(in: placement) : nil }

    func point(in placement: FacePlacement) -> Point? {
        relative.map { placement.point($0.x, $0.y) }
    }
}
