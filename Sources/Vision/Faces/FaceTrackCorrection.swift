// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

// Methods that correct a track by a verification of its face.
extension FaceTracker {
    /// After `uprightVerifications` verifications at a single angle, the next verification examines several angles. A
    /// verification at several angles ignores rotations of the face by less than `minTurn` degrees.
    private static let (uprightVerifications, minTurn) = (3, 18.0)
    /// Minimum number of frames between two second looks. Successive frames show nearly the same image, so second looks
    /// at successive frames would not be independent evidence.
    private static let secondLookInterval = 4

    /// Verifies the face of a track. Returns nil if the face is not detected.
    func verifyFace(for track: inout FaceTrack, in planes: FramePlanes) throws(VisionError) -> FaceVerifier
        .Verification?
    {
        let placement = track.placement
        guard let network = detector.network, track.confidence != nil else {
            // If the face has tilted since the last verification, a search for an upright face finds fewer neighbours
            // (overlapping single detections). So the verifier also searches at other angles.
            return try detector.verifier.verify(
                track.species, at: placement, reach: .close, turned: [0, -10, 10],
                enough: max(2, Int(track.neighbors * 0.6)), in: planes)
        }
        // If a face tilts, the network's confidence decreases only slightly. So even a slight decrease is a reason to
        // verify the face at several angles.
        var isDue = track.isTurning || track.uprightVerifications >= Self.uprightVerifications
        var face: FaceVerifier.Verification?
        if !isDue {
            face = try network.verify(at: placement, in: planes)
            isDue = (face?.confidence ?? 0) < 0.94 * track.surest
            track.uprightVerifications += 1
        }
        if isDue {
            face = try network.turned(placement, minimum: Self.minTurn, in: planes) ?? face
            track.isTurning = face.map { $0.placement.angle != placement.angle } ?? false
            track.uprightVerifications = 0
            // The next verifications compare the confidence with `surest`. So store the best confidence of all angles.
            track.surest = face?.confidence ?? 0.9 * track.surest
        }
        track.surest = max(0.99 * track.surest, face?.confidence ?? 0)
        return face
    }

    /// Adds a verification to the evidence of a track. If the track would become certain, a second look must confirm
    /// the face (`SecondLook`). Otherwise the track stays a possible face.
    /// - Parameter isNews: false if the frame is unchanged since the previous verification.
    func addEvidence(
        _ face: FaceVerifier.Verification, to track: inout FaceTrack, isNews: Bool, in planes: FramePlanes
    ) throws(VisionError) {
        let wasCertain = track.evidence.isCertain
        track.evidence.confirm(face, isNews: isNews, by: detector)
        guard !wasCertain, track.evidence.isCertain, detector.secondLook.isNeeded(for: face) else { return }
        if let last = track.lastSecondLook, track.age &- last < Self.secondLookInterval {
            return track.evidence.postpone()
        }
        track.lastSecondLook = track.age
        track.evidence.add(secondLook: try detector.secondLook.confirms(face, in: planes))
    }

    /// Sets `isCovered` of each track that another certain face overlaps.
    func noteCoveredFaces() {
        /// If the overlap of two boxes is at least this fraction of the smaller box, one face may cover the other face.
        let minOverlap = 0.2
        for i in tracks.indices {
            tracks[i].isCovered = tracks.indices.contains { other in
                other != i && tracks[other].evidence.isCertain && !tracks[other].isOutOfSight
                    && tracks[other].placement.box.overlapOfSmaller(tracks[i].placement.box) >= minOverlap
            }
        }
    }

    /// If two tracks overlap, removes the less reliable track. Keeps every track whose face a search has detected in
    /// this frame. A possible face does not remove a visible certain face. The possible face may be a false detection
    /// and end soon, and then both faces would be lost.
    func removeDoubles() {
        guard tracks.count > 1 else { return }
        func rank(_ track: FaceTrack) -> (Int, Int, Double) {
            (
                track.isFound ? 2 : track.isShown && !track.isOutOfSight ? 1 : 0, track.evidence.isCertain ? 1 : 0,
                track.trust
            )
        }
        func removes(_ better: FaceTrack, _ track: FaceTrack) -> Bool {
            let isKnown = track.evidence.isCertain && !track.isOutOfSight && !better.evidence.isCertain
            return !isKnown && better.placement.box.overlapOfSmaller(track.placement.box) >= 0.5
        }
        var kept: [FaceTrack] = []
        for track in tracks.sorted(by: { rank($0) > rank($1) })
        where track.isFound || kept.allSatisfy({ !removes($0, track) }) { kept.append(track) }
        tracks = kept
    }

    /// Moves a placement towards a detection. If the difference is small, the placement moves only by a fraction of the
    /// difference, because the boxes of cascades jitter. If the difference is large, the placement gets the position
    /// and size of the detection.
    func correct(_ placement: inout FacePlacement, by verified: FacePlacement) {
        let distance = placement.fractions(of: verified.center).length
        placement.center = placement.center.moved(
            towards: verified.center, by: min(1, 0.25 + 4 * max(0, distance - 0.05)))
        let growth = (verified.size / placement.size - 1).magnitude
        placement.size += min(1, 0.2 + 3 * max(0, growth - 0.1)) * (verified.size - placement.size)
        turn(&placement, to: verified.angle)
    }

    /// Rotates a placement towards a detected angle. The rotation is half of the difference between the angles, or 90 %
    /// of the difference if it exceeds 12 degrees.
    func turn(_ placement: inout FacePlacement, to angle: Double) {
        let turn = Vision.turn(from: placement.angle, to: angle)
        placement.angle += (turn.magnitude > 12 ? 0.9 : 0.5) * turn
    }

    /// Checks if the face of a track belongs to the other species. The check runs in every verification while the track
    /// is new or its species is doubtful. Later it runs at intervals of at least 15 frames.
    /// - Parameter face: the detection of the track's current species; nil if the species is not detected.
    /// - Returns: the detection of the track's species after the comparison. The comparison may have changed the
    ///   species.
    func compareSpecies(
        _ track: inout FaceTrack, _ face: FaceVerifier.Verification?, in planes: FramePlanes
    ) throws(VisionError) -> FaceVerifier.Verification? {
        func note(_ face: FaceVerifier.Verification?, beside rival: FaceVerifier.Verification?, of species: Species) {
            track.note(face.map { detector.evidence($0, beside: rival) } ?? 0, of: species)
        }
        let isDue = track.age < 12 || track.age &- track.lastCompared >= 15 || track.vote.isDoubtful
        guard settings.species == [.human, .cat], isDue else {
            note(face, beside: nil, of: track.species)
            return face
        }
        track.lastCompared = track.age
        let other = track.species.other
        let rival = try detector.verifier.verify(other, at: track.placement, reach: .wide, in: planes)
        note(face, beside: rival, of: track.species)
        note(rival, beside: face, of: other)
        // If the network is very confident of a human, the face cannot be a cat.
        let isSure = face.map { detector.isSure($0, beside: rival) } ?? false
        let isRivalSure = rival.map { detector.isSure($0, beside: face) } ?? false
        let isBetter = track.scores[other] > 1.3 * track.scores[track.species] + 0.1
        guard isRivalSure || isBetter && !isSure else {
            track.vote.note(rival.map(detector.isStrong) == true ? .both : .clear)
            return face
        }
        guard track.vote.note(.other) else { return face }
        (track.neighbors, track.confidence) = (Double(rival?.neighbors ?? 0), rival?.confidence)
        return rival
    }

    func findLandmarks(
        _ track: inout FaceTrack, _ face: FaceVerifier.Verification, in planes: FramePlanes
    ) throws(VisionError) {
        if let result = face.networkResult {
            let landmarks = try detector.landmarks(of: result, at: track.placement, in: planes)
            follow(landmarks, &track)
            return track.merge(landmarks)
        }
        // If the last verification located both eyes, the cascades search for eyes only in every fourth verification.
        let areFollowed = track.leftEye.isFresh && track.rightEye.isFresh
        let areSearched = !areFollowed || track.hits % 4 == 0 || settings.eyesClosed
        var landmarks = try detector.landmarks(
            of: track.species, at: track.placement, in: planes,
            tracked: (
                track.leftEye.detectedPoint(in: track.placement), track.rightEye.detectedPoint(in: track.placement)
            ),
            areEyesSearched: areSearched)
        if !areSearched { landmarks.closedEyes = track.closedEyes }
        follow(landmarks, &track)
        track.merge(landmarks)
    }

    /// Rotates the placement of a track towards the angle of the line between the eyes.
    func follow(_ landmarks: FoundLandmarks, _ track: inout FaceTrack) {
        guard let left = landmarks.leftEye, let right = landmarks.rightEye else { return }
        let tilt = Vision.turn(from: track.placement.angle, to: slope(from: left, to: right))
        if tilt.magnitude < 20 { track.correct { $0.angle += 0.3 * tilt } }
    }
}
