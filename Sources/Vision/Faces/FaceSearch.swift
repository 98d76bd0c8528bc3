// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A request of a tracker to search a frame for faces.
package struct FaceSearch: Sendable {
    /// For each species, the area to search, in pixels of the full frame.
    var areas: [Species: Box] = [:]
    /// Boxes of known faces, which the search ignores.
    var trackedBoxes: [Box] = []
    /// Known faces that the search detects again. Usually, the search checks if a human face is rather a cat's face, and
    /// the reverse. For these faces, the tracker makes this check.
    var followed: [Followed] = []

    struct Followed: Sendable {
        let box: Box
        let species: Species
        /// True if the network must also verify a detection of this face. The verification is evidence that a possible
        /// face is a certain face.
        var isVerified = false
    }
    /// Candidates from earlier searches that are not verified yet.
    var leftOver: [FaceCandidate] = []
    var generation = 0
    /// The number of lost faces that the tracker had counted (`losses`) when it requested the search.
    var losses = 0
    /// Copy of the frame's colours in which the network searches for humans; nil if the detector has no network.
    var colors: ColorSource.Still?

    /// Returns true if `box` shows the same face as a box of `followed`.
    func follows(_ box: Box) -> Bool { followed.contains { $0.box.intersectionOverUnion(box) > [Box].sameFace } }

    /// Returns true if `box` shows a face of `followed` that the network need not verify.
    func isKnown(_ box: Box) -> Bool {
        followed.contains { !$0.isVerified && $0.box.intersectionOverUnion(box) > [Box].sameFace }
    }

    /// Returns true if the search ignores a candidate. The search ignores a candidate that overlaps a known face of
    /// `trackedBoxes`, or that overlaps a face of `followed` with another species.
    func leavesOut(_ candidate: FaceCandidate) -> Bool {
        trackedBoxes.contains { $0.overlapOfSmaller(candidate.box) >= 0.4 }
            || followed.contains { $0.species != candidate.species && $0.box.overlapOfSmaller(candidate.box) >= 0.4 }
    }
}

/// Results of a search that a tracker requested.
package struct FaceFindings: Sendable {
    let generation: Int
    let losses: Int
    /// Verified faces. Used only if the tracker tracks faces.
    var verified: [FaceVerifier.Verification] = []
    /// Candidates that are not verified yet. Used only if the tracker tracks faces.
    var leftOver: [FaceCandidate] = []
    /// The detected faces. Used only if the tracker does not track faces.
    var faces: [Face] = []
}

/// A candidate for a face, from a coarse search.
struct FaceCandidate: Sendable {
    var species: Species
    /// Box of the candidate, in pixels of the full frame.
    var box: Box
    /// Number of overlapping single detections of the cascade that form the candidate.
    var count: Int
}

// The search for faces if the setting `decision` is `confidence`: a coarse search detects candidates, and
// `FaceVerifier` verifies the candidates.
extension FaceDetector {
    /// Runs the search that `FaceTracker.dueSearch` requested. `plane` must be the frame for which the tracker
    /// requested the search. Pass the result to `FaceTracker.add`.
    package func search(_ plane: Image, _ search: FaceSearch) throws(VisionError) -> FaceFindings {
        guard let still = search.colors else { return try self.search(plane, search, colors: nil) }
        return try still.withSource { source throws(VisionError) in try self.search(plane, search, colors: source) }
    }

    private func search(
        _ plane: Image, _ search: FaceSearch, colors: ColorSource?
    ) throws(VisionError) -> FaceFindings {
        let planes = try prepare(plane, colors)
        guard settings.track else {
            return FaceFindings(
                generation: search.generation, losses: search.losses, faces: try faces(in: planes))
        }
        return try findings(of: search, in: planes, atMost: settings.candidatesPerFrame)
    }

    /// Returns all verified faces in a single frame, without tracking.
    func verifiedFaces(in planes: FramePlanes) throws(VisionError) -> [FaceVerifier.Verification] {
        var search = FaceSearch()
        for species in settings.species.all { search.areas[species] = planes.bounds }
        return try findings(of: search, in: planes, atMost: .max).verified
    }

    /// Searches a frame, and verifies the candidates: first the candidates of earlier searches, then the new
    /// candidates, the highest score first.
    /// - Parameter count: the maximum number of verified candidates.
    func findings(
        of search: FaceSearch, in planes: FramePlanes, atMost count: Int
    ) throws(VisionError) -> FaceFindings {
        var old = search.leftOver
        var new: [FaceCandidate] = []
        for species in Species.allCases {
            guard let area = search.areas[species], let cascade = cascades[species] else { continue }
            let minSize = max(24, smallest(species, in: planes.search))
            let part = planes.search.cropped(to: area, margin: 2 * minSize)
            new += try candidates(of: species, by: cascade, in: part, minSize: minSize)
            // The search detects all candidates in its area, including candidates of earlier searches. So remove the
            // earlier candidates in this area.
            let searched = part.box(part.image.bounds)
            old.removeAll { $0.species == species && searched.contains($0.box) }
        }
        var humans: [FaceVerifier.Verification] = []
        if let network, let area = search.areas[.human] {
            humans = try network.finds(in: area, of: planes, for: search)
        }
        new.sort { $0.species.score($0.count) > $1.species.score($1.count) }
        let candidates = (old + new).filter { !search.leavesOut($0) }
        return FaceFindings(
            generation: search.generation, losses: search.losses,
            verified: try verified(candidates.prefix(count), and: humans, in: planes, for: search),
            leftOver: Array(candidates.dropFirst(count)))
    }

    /// Returns the candidates of a coarse search in `part`.
    private func candidates(
        of species: Species, by cascade: Cascade, in part: SearchPlane, minSize: Int
    ) throws(VisionError) -> [FaceCandidate] {
        let search = Cascade.Search(
            scaleFactor: settings.search(for: species).scaleFactor, minNeighbors: nil, minSize: minSize,
            usesThreads: settings.threads != 1)
        var groups: [FaceCandidate] = []
        // OpenCV's threads return detections in a random order, and the grouping depends on this order. So sort the
        // detections.
        let finds = try cascade.detect(in: part.image, search).sorted {
            let (a, b) = ($0.rectangle, $1.rectangle)
            return (a.width, a.y, a.x) < (b.width, b.y, b.x)
        }
        for find in finds {
            let box = part.box(find.rectangle)
            if let i = groups.firstIndex(where: { $0.box.intersectionOverUnion(box) > 0.4 }) {
                groups[i].count += 1
                groups[i].box = groups[i].box.moved(towards: box, by: 1 / Double(groups[i].count))
            } else {
                groups.append(FaceCandidate(species: species, box: box, count: 1))
            }
        }
        return groups
    }

    /// Returns the candidates that the verification has confirmed, and the humans that the network detected. If two
    /// faces are at the same position, returns only the better face.
    private func verified(
        _ candidates: ArraySlice<FaceCandidate>, and humans: [FaceVerifier.Verification], in planes: FramePlanes,
        for search: FaceSearch
    ) throws(VisionError) -> [FaceVerifier.Verification] {
        var faces: [FaceVerifier.Verification] = []
        for human in humans {
            // `FaceTracker` checks if followed faces belong to the other species, so skip this check here.
            guard !search.follows(human.placement.box) else {
                faces.append(human)
                continue
            }
            // The network may mistake a cat for a human, and the coarse search misses many cats. Therefore the cascade
            // for cats examines the position of each human.
            let cat = try verify(.cat, at: human.placement, turned: [0, -12, 12], in: planes)
            faces.append(chosen(human, cat.flatMap { isEnough($0) ? $0 : nil }))
        }
        for candidate in candidates {
            let species = candidate.species
            // The verified face may be smaller than the candidate. Reject faces that are much smaller than the
            // requested minimum.
            let shorter = Double(min(planes.full.width, planes.full.height))
            let smallest = 0.8 * settings.search(for: species).minSize * shorter
            let placement = FacePlacement(center: candidate.box.center, size: candidate.box.width)
            // A tilted face usually causes several detections. So search other angles only if the candidate has several
            // detections.
            let angles: [Double] = candidate.count > 1 ? [0, -12, 12] : [0]
            guard let verified = try verify(species, at: placement, turned: angles, in: planes),
                verified.placement.size >= smallest
            else { continue }
            let rival =
                search.follows(verified.placement.box)
                ? nil : try verify(species.other, at: verified.placement, turned: [0, -12, 12], in: planes)
            faces.append(chosen(verified, rival))
        }
        var kept: [FaceVerifier.Verification] = []
        for face in faces.sorted(by: { isBetter($0, than: $1) })
        where search.trackedBoxes.allSatisfy({ $0.overlapOfSmaller(face.placement.box) < 0.4 })
            && kept.allSatisfy({ !$0.isInPlace(of: face) })
        {
            kept.append(face)
        }
        return kept
    }

    /// Returns the better of two detections at the same position. If the other detection is strong, marks the species
    /// of the result as doubtful.
    private func chosen(
        _ face: FaceVerifier.Verification, _ rival: FaceVerifier.Verification?
    ) -> FaceVerifier.Verification {
        guard let rival else { return face }
        var (best, other) = (face, rival)
        if isBetter(rival, than: face) { swap(&best, &other) }
        best.isDoubtful = isStrong(other)
        return best
    }

    /// Returns true if `face` is the better of two detections at the same position. A strong detection is better than a
    /// weak detection. If both are strong or both are weak, a human of which the network is very confident is better.
    /// Otherwise the detection with the higher score is better.
    private func isBetter(_ face: FaceVerifier.Verification, than other: FaceVerifier.Verification) -> Bool {
        guard isStrong(face) == isStrong(other) else { return isStrong(face) }
        let (sure, otherIsSure) = (isSure(face, beside: other), isSure(other, beside: face))
        guard sure == otherIsSure else { return sure }
        return evidence(face, beside: other) > evidence(other, beside: face)
    }

    /// Returns true if the network is very confident of a human. The human then takes precedence over a detection of
    /// the other species at the same position. The network sometimes mistakes a cat for a human, above all a drawn cat.
    /// Therefore the minimum confidence is higher if the cascade clearly detects a cat.
    func isSure(_ face: FaceVerifier.Verification, beside rival: FaceVerifier.Verification?) -> Bool {
        guard let result = face.networkResult else { return false }
        let isClear = rival.map { $0.networkResult == nil && isStrong($0) } ?? false
        return result.confidence >= (isClear ? settings.sureConfidence : settings.strongConfidence)
    }

    /// Returns the score of a detection, for a comparison with the other species. The network may mistake a cat for a
    /// human. So if the network is not very confident of a human, the score is reduced to 40 %.
    func evidence(_ face: FaceVerifier.Verification, beside rival: FaceVerifier.Verification?) -> Double {
        face.networkResult != nil && !isSure(face, beside: rival) ? 0.4 * face.score : face.score
    }

    /// Returns true if a detection is strong enough to be reported without further verifications, at least as a
    /// possible face.
    func isStrong(_ face: FaceVerifier.Verification) -> Bool {
        if let result = face.networkResult { return result.confidence >= settings.strongConfidence }
        return face.neighbors >= settings.search(for: face.species).strongNeighbors
    }

    /// Returns true if a detection is strong enough for a possible face. Weaker detections are ignored.
    func isEnough(_ face: FaceVerifier.Verification) -> Bool {
        if let result = face.networkResult { return result.confidence >= settings.possibleConfidence }
        return face.neighbors >= settings.search(for: face.species).minNeighbors
    }

    private func verify(
        _ species: Species, at placement: FacePlacement, turned angles: [Double], in planes: FramePlanes
    ) throws(VisionError) -> FaceVerifier.Verification? {
        let strong = settings.search(for: species).strongNeighbors
        return try verifier.verify(species, at: placement, reach: .wide, turned: angles, enough: strong, in: planes)
    }
}

extension FaceVerifier.Verification {
    /// Returns true if two detections of a search show the same face. The network can separate two faces if one of them
    /// partly covers the other. So the method allows more overlap between two detections of the network than between
    /// two detections of a cascade.
    fileprivate func isInPlace(of other: Self) -> Bool {
        let (box, otherBox) = (placement.box, other.placement.box)
        return networkResult != nil && other.networkResult != nil
            ? box.intersectionOverUnion(otherBox) > 0.5 : box.overlapOfSmaller(otherBox) >= 0.4
    }
}
