// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A search that a tracker requests.
package struct FaceSearch: Sendable {
    /// Areas to search, in pixels of the full frame.
    var areas: [Species: Box] = [:]
    /// Boxes of known faces, in which none is searched for.
    var known: [Box] = []
    /// Known faces that are searched for again: a find there needs no closer look, and the other species is left to
    /// the comparison of the tracks.
    var followed: [Followed] = []

    struct Followed: Sendable {
        let box: Box
        let species: Species
    }
    /// Candidates of earlier searches that have not been examined yet.
    var leftOver: [FaceCandidate] = []
    var generation = 0
    /// Number of faces that had been lost from sight before.
    var losses = 0
    /// The colours to search for humans, for the network.
    var colors: ColorSource.Still?

    /// Returns whether a face in this place is a known one.
    func follows(_ box: Box) -> Bool { followed.contains { $0.box.intersectionOverUnion(box) > [Box].sameFace } }

    /// Returns whether a candidate is searched for elsewhere, as a face that is known.
    func leavesOut(_ candidate: FaceCandidate) -> Bool {
        known.contains { $0.overlapOfSmaller(candidate.box) >= 0.4 }
            || followed.contains { $0.species != candidate.species && $0.box.overlapOfSmaller(candidate.box) >= 0.4 }
    }
}

/// Results of a search, to be handed to the tracker that requested it.
package struct FaceFindings: Sendable {
    let generation: Int
    let losses: Int
    /// Verified faces, if faces are tracked.
    var verified: [FaceVerifier.Verification] = []
    /// Candidates that were not examined; only if faces are tracked.
    var leftOver: [FaceCandidate] = []
    /// Faces, if they are not tracked.
    var faces: [Face] = []
}

/// A place where a coarse search sees something.
struct FaceCandidate: Sendable {
    var species: Species
    /// Box in pixels of the full frame.
    var box: Box
    /// Number of the cascade's finds that make it up.
    var count: Int
}

// The search by confidence: a coarse search finds candidates, which are then examined closely.
extension FaceDetector {
    /// Carries out a search of `FaceTracker.dueSearch` in the same frame; pass the result to `FaceTracker.add`.
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

    /// Returns all verified faces in a frame that stands alone.
    func verifiedFaces(in planes: FramePlanes) throws(VisionError) -> [FaceVerifier.Verification] {
        var search = FaceSearch()
        for species in settings.species.all { search.areas[species] = planes.bounds }
        return try findings(of: search, in: planes, atMost: .max).verified
    }

    /// Searches, and examines the candidates: first those left over from earlier searches, then the likeliest.
    /// - Parameter count: the maximum number of places examined.
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
            // Areas that are searched again produce new candidates.
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

    /// Returns the places where a coarse search of `part` sees something.
    private func candidates(
        of species: Species, by cascade: Cascade, in part: SearchPlane, minSize: Int
    ) throws(VisionError) -> [FaceCandidate] {
        let search = Cascade.Search(
            scaleFactor: settings.search(for: species).scaleFactor, minNeighbors: nil, minSize: minSize,
            usesThreads: settings.threads != 1)
        var groups: [FaceCandidate] = []
        // Threads deliver in any order, and the grouping depends on it.
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

    /// Returns the candidates that are faces, and the humans that the network sees; only the better one of two in the same
    /// place.
    private func verified(
        _ candidates: ArraySlice<FaceCandidate>, and humans: [FaceVerifier.Verification], in planes: FramePlanes,
        for search: FaceSearch
    ) throws(VisionError) -> [FaceVerifier.Verification] {
        var faces: [FaceVerifier.Verification] = []
        for human in humans {
            // Tracks are compared with the other species by themselves.
            guard !search.follows(human.placement.box) else {
                faces.append(human)
                continue
            }
            // Cats look a little human to the network, and many cats are seen by a close look alone.
            let cat = try verify(.cat, at: human.placement, turned: [0, -12, 12], in: planes)
            faces.append(chosen(human, cat.flatMap { isEnough($0) ? $0 : nil }))
        }
        for candidate in candidates {
            let species = candidate.species
            // The close look may find a smaller face than the search did, but not one much smaller than requested.
            let shorter = Double(min(planes.full.width, planes.full.height))
            let smallest = 0.8 * settings.search(for: species).minSize * shorter
            let place = FacePlacement(center: candidate.box.center, size: candidate.box.width)
            // A single find is hardly a tilted face.
            let angles: [Double] = candidate.count > 1 ? [0, -12, 12] : [0]
            guard let own = try verify(species, at: place, turned: angles, in: planes), own.placement.size >= smallest
            else { continue }
            let other =
                search.follows(own.placement.box)
                ? nil : try verify(species.other, at: own.placement, turned: [0, -12, 12], in: planes)
            faces.append(chosen(own, other))
        }
        var kept: [FaceVerifier.Verification] = []
        for face in faces.sorted(by: { isBetter($0, than: $1) })
        where search.known.allSatisfy({ $0.overlapOfSmaller(face.placement.box) < 0.4 })
            && kept.allSatisfy({ !$0.isInPlace(of: face) })
        {
            kept.append(face)
        }
        return kept
    }

    /// Returns the better of two finds in the same place, in doubt if the other is seen clearly, too.
    private func chosen(
        _ face: FaceVerifier.Verification, _ rival: FaceVerifier.Verification?
    ) -> FaceVerifier.Verification {
        guard let rival else { return face }
        var (best, other) = (face, rival)
        if isBetter(rival, than: face) { swap(&best, &other) }
        best.isDoubtful = isStrong(other)
        return best
    }

    /// Returns whether a face is better: a strong find beats a weak one of the other species, whatever their scores, and one
    /// of which the network is sure all others.
    private func isBetter(_ face: FaceVerifier.Verification, than other: FaceVerifier.Verification) -> Bool {
        guard isStrong(face) == isStrong(other) else { return isStrong(face) }
        let (sure, otherIsSure) = (isSure(face, beside: other), isSure(other, beside: face))
        guard sure == otherIsSure else { return sure }
        return evidence(face, beside: other) > evidence(other, beside: face)
    }

    /// Returns whether the network is sure enough of a human that nothing else seen in the same place counts: cats, drawn ones
    /// most of all, look a little human to it, so it takes more beside a cat that its cascade sees clearly.
    func isSure(_ face: FaceVerifier.Verification, beside rival: FaceVerifier.Verification?) -> Bool {
        guard let seen = face.seen else { return false }
        let isClear = rival.map { $0.seen == nil && isStrong($0) } ?? false
        return seen.confidence >= (isClear ? settings.sureConfidence : settings.strongConfidence)
    }

    /// Returns how much speaks for a find and against one of the other species: its score, but less for a human of whom the
    /// network is not sure, as are cats.
    func evidence(_ face: FaceVerifier.Verification, beside rival: FaceVerifier.Verification?) -> Double {
        face.seen != nil && !isSure(face, beside: rival) ? 0.4 * face.score : face.score
    }

    /// Returns whether a find is reported at once, at least as a possible face.
    func isStrong(_ face: FaceVerifier.Verification) -> Bool {
        if let seen = face.seen { return seen.confidence >= settings.strongConfidence }
        return face.neighbors >= settings.search(for: face.species).strongNeighbors
    }

    /// Returns whether a find counts as a face, or at least as a possible one.
    func isEnough(_ face: FaceVerifier.Verification) -> Bool {
        if let seen = face.seen { return seen.confidence >= settings.possibleConfidence }
        return face.neighbors >= settings.search(for: face.species).minNeighbors
    }

    private func verify(
        _ species: Species, at place: FacePlacement, turned angles: [Double], in planes: FramePlanes
    ) throws(VisionError) -> FaceVerifier.Verification? {
        let strong = settings.search(for: species).strongNeighbors
        return try verifier.verify(species, at: place, reach: .wide, turned: angles, enough: strong, in: planes)
    }
}

extension FaceVerifier.Verification {
    /// Returns whether two finds of a search are one face. The network tells faces apart that cover each other in part.
    fileprivate func isInPlace(of other: Self) -> Bool {
        let (box, otherBox) = (placement.box, other.placement.box)
        return seen != nil && other.seen != nil
            ? box.intersectionOverUnion(otherBox) > 0.5 : box.overlapOfSmaller(otherBox) >= 0.4
    }
}
