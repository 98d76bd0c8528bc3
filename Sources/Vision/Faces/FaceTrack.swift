// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A face that is followed from frame to frame. Copies share the pattern, so there must only ever be one of each track.
struct FaceTrack {
    /// Number of the track; 0 until it is a certain face.
    var id = 0
    var species: Species { vote.species }
    var vote: SpeciesVote
    var placement: FacePlacement
    /// Velocity in pixels per frame, to predict the next place.
    var velocity = Point(0, 0)
    /// Appearance when the detector or the pattern was last sure of it.
    let pattern = OwnedImage(.gray8)
    /// Correlation of the pattern with the last frame, −1…1.
    var fit = 1.0
    /// Number of neighbours of the cascade's recent finds, smoothed.
    var neighbors: Double
    /// Confidence of the network's recent finds, smoothed; nil if the cascade found the face.
    var confidence: Double?
    /// Highest confidence of the network's finds since the face was last looked at from several angles, fading.
    var surest = 0.0
    /// True if the last look from several angles has found the face turned.
    var isTurning = false
    /// Number of looks from one angle since the last one from several.
    var straightLooks = 0
    /// Evidence for each species: scores of `FaceVerifier`, smoothed.
    private(set) var scores = PerSpecies(0.0)
    /// Trust, which grows with each find and shrinks with each miss; at 0 the track ends.
    var trust: Double
    /// Number of finds of the detector.
    var hits = 1
    /// Number of frames since the track began.
    var age = 0
    /// Age at which the detector last searched for it.
    var lastExamined = 0
    /// Age at which it was last compared with the other species.
    var lastCompared = 0
    /// True if it is reported, as a face or a possible face.
    var isShown: Bool
    /// Evidence that this is a face.
    var evidence: FaceEvidence
    /// True if the face looks as it did when it was last examined.
    var isUnchanged = false
    /// True if the search of this frame has found it.
    var isFound = false
    /// True if the network has measured its place in this frame, or in an earlier one after which it has stood still.
    var isExact = false
    /// Number of frames since then that were searched without finding it.
    var misses = 0
    /// True if it was found in an earlier frame, and not yet seen in a later one.
    var isLate = false
    /// True if it is out of sight: neither does its pattern fit, nor does the detector see it.
    var isOutOfSight = false
    /// True if it went out of sight in this frame.
    var isJustLost = false
    var isLost = false
    /// Landmarks as fractions of the placement, and the number of looks since they were found.
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

    /// Returns whether a find may be this face.
    func isInPlace(of face: FaceVerifier.Verification) -> Bool {
        species == face.species && placement.box.intersectionOverUnion(face.placement.box) > [Box].sameFace
    }

    /// Takes note of a find of the detector.
    mutating func confirm(_ face: FaceVerifier.Verification) {
        hits += 1
        trust = min(60, trust + 2 + 4 * face.score)
        neighbors += 0.3 * (Double(face.neighbors) - neighbors)
        confidence = face.confidence.map { new in confidence.map { $0 + 0.3 * (new - $0) } ?? new }
    }

    /// The face as shown.
    var face: Face {
        var face = Face(
            species: species, placement: placement,
            confidence: (confidence ?? species.confidence(Int(neighbors.rounded()))) * min(1, max(0.3, fit)))
        face.id = evidence.isCertain ? id : 0
        face.isPossible = !evidence.isCertain
        face.isSpeciesDoubtful = vote.isDoubtful
        face.isExact = isExact
        var found = FoundLandmarks(smiles: smiles, closedEyes: closedEyes, pose: pose)
        found.leftEye = leftEye.point(in: placement)
        found.rightEye = rightEye.point(in: placement)
        found.nose = nose.point(in: placement)
        found.isLeftEyeSeen = leftEye.isSeen
        found.isRightEyeSeen = rightEye.isSeen
        if let left = mouthLeft.point(in: placement), let right = mouthRight.point(in: placement) {
            found.mouth = (left, right)
        }
        face.merge(found)
        return face
    }

    /// Corrects the place of the face. Its landmarks stay where they were seen: an error of the box says nothing about
    /// them.
    mutating func correct(_ change: (inout FacePlacement) -> Void) {
        let old = placement
        change(&placement)
        for path in [\FaceTrack.leftEye, \.rightEye, \.nose, \.mouthLeft, \.mouthRight] {
            self[keyPath: path].move(from: old, to: placement)
        }
    }

    /// The direction of the face, by its points as they are shown.
    private var measuredPose: HeadPose? {
        guard let leftEye = leftEye.point(in: placement), let rightEye = rightEye.point(in: placement),
            let nose = nose.point(in: placement), let mouthLeft = mouthLeft.point(in: placement),
            let mouthRight = mouthRight.point(in: placement)
        else { return nil }
        return HeadPose(
            FaceLandmarks(
                leftEye: leftEye, rightEye: rightEye, nose: nose, mouthLeft: mouthLeft, mouthRight: mouthRight))
    }

    /// Updates the landmarks with those found in the face, smoothed.
    mutating func merge(_ found: FoundLandmarks) {
        leftEye.merge(found.leftEye, in: placement, isSeen: found.isLeftEyeSeen)
        rightEye.merge(found.rightEye, in: placement, isSeen: found.isRightEyeSeen)
        nose.merge(found.nose, in: placement)
        mouthLeft.merge(found.mouth?.left, in: placement)
        mouthRight.merge(found.mouth?.right, in: placement)
        smiles = found.smiles
        closedEyes = found.closedEyes
        pose = found.pose == nil ? nil : measuredPose
    }
}

/// A landmark that moves with its face.
struct TrackedPoint {
    private var place: Point?
    private var misses = 0
    /// True if it was recognised as such since it was last given up.
    private(set) var isSeen = false

    /// True if it was found in the last search.
    var isFresh: Bool { place != nil && isSeen && misses == 0 }

    /// Updates the point; a landmark that was missed four times in a row is given up.
    mutating func merge(_ point: Point?, in placement: FacePlacement, isSeen: Bool = true) {
        guard let point else {
            misses += 1
            if misses >= 4 {
                place = nil
                self.isSeen = false
            }
            return
        }
        misses = 0
        self.isSeen = self.isSeen || isSeen
        let new = placement.fractions(of: point)
        place = place?.moved(towards: new, by: 0.4) ?? new
    }

    /// Keeps its position in the frame.
    mutating func move(from old: FacePlacement, to new: FacePlacement) {
        if let point = point(in: old) { place = new.fractions(of: point) }
    }

    /// Returns its position if it was seen.
    func seen(in placement: FacePlacement) -> Point? { isSeen ? point(in: placement) : nil }

    func point(in placement: FacePlacement) -> Point? {
        place.map { placement.point($0.x, $0.y) }
    }
}
