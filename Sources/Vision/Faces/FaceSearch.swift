import Pixels

/// A search that a tracker requests.
package struct FaceSearch: Sendable {
    /// Areas to search, in pixels of the full frame.
    var areas: [Species: Box] = [:]
    /// Boxes of known faces, in which none is searched for.
    var known: [Box] = []
    /// Proposals of earlier searches that have not been examined yet.
    var leftOver: [FaceProposal] = []
    var generation = 0
}

/// Results of a search, to be handed to the tracker that requested it.
package struct FaceFindings: Sendable {
    let generation: Int
    /// Verdicts, if faces are tracked.
    var verdicts: [FaceJudge.Verdict] = []
    /// Proposals that were not examined; only if faces are tracked.
    var leftOver: [FaceProposal] = []
    /// Faces, if they are not tracked.
    var faces: [Face] = []
}

/// A place where a coarse search sees something.
struct FaceProposal: Sendable {
    var species: Species
    /// Box in pixels of the full frame.
    var box: Box
    /// Number of candidates that make it up.
    var count: Int

    var likelihood: Double { FaceJudge.score(species, count) }
}

// The search by confidence: a coarse search proposes places, which are then examined closely.
extension FaceDetector {
    /// Carries out a search of `FaceTracker.dueSearch` in the same frame; pass the result to `FaceTracker.add`.
    package func search(_ plane: Image, _ search: FaceSearch) throws(VisionError) -> FaceFindings {
        guard settings.track else {
            return FaceFindings(generation: search.generation, faces: try faces(in: plane))
        }
        return try findings(of: search, in: try prepare(plane), atMost: settings.looksPerFrame)
    }

    /// Returns all verdicts in a frame that stands alone.
    func verdicts(in planes: FramePlanes) throws(VisionError) -> [FaceJudge.Verdict] {
        var search = FaceSearch()
        if human != nil { search.areas[.human] = planes.bounds }
        if cat != nil { search.areas[.cat] = planes.bounds }
        return try findings(of: search, in: planes, atMost: .max).verdicts
    }

    /// Searches, and examines what that proposes: first the proposals left over from earlier searches, then the
    /// likeliest.
    /// - Parameter count: the maximum number of places examined.
    func findings(
        of search: FaceSearch, in planes: FramePlanes, atMost count: Int
    ) throws(VisionError) -> FaceFindings {
        var old = search.leftOver
        var new: [FaceProposal] = []
        for species in Species.allCases {
            guard let area = search.areas[species], let cascade = species == .human ? human : cat else { continue }
            let minSize = max(24, smallest(species, in: planes.search))
            let part = planes.search.cropped(to: area, margin: 2 * minSize)
            new += try proposals(of: species, by: cascade, in: part, minSize: minSize)
            // Areas that are searched again produce new proposals.
            let searched = part.box(part.image.bounds)
            old.removeAll { $0.species == species && searched.contains($0.box) }
        }
        new.sort { $0.likelihood > $1.likelihood }
        let proposals = (old + new).filter { proposal in
            search.known.allSatisfy { $0.coverage(proposal.box) < 0.4 }
        }
        return FaceFindings(
            generation: search.generation,
            verdicts: try verdicts(on: proposals.prefix(count), in: planes, beside: search.known),
            leftOver: Array(proposals.dropFirst(count)))
    }

    /// Returns the places where a coarse search of `part` sees something.
    private func proposals(
        of species: Species, by cascade: Cascade, in part: SearchPlane, minSize: Int
    ) throws(VisionError) -> [FaceProposal] {
        let numbers = Cascade.Search(
            scaleFactor: search(for: species).scaleFactor, minNeighbors: 0, minSize: minSize,
            usesThreads: settings.threads != 1)
        var groups: [FaceProposal] = []
        // Threads deliver in any order, and the grouping depends on it.
        let candidates = try cascade.candidates(in: part.image, numbers).sorted {
            let (a, b) = ($0.rectangle, $1.rectangle)
            return (a.width, a.y, a.x) < (b.width, b.y, b.x)
        }
        for candidate in candidates {
            let box = part.box(candidate.rectangle)
            if let i = groups.firstIndex(where: { $0.box.similarity(box) > 0.4 }) {
                groups[i].count += 1
                groups[i].box = groups[i].box.moved(towards: box, by: 1 / Double(groups[i].count))
            } else {
                groups.append(FaceProposal(species: species, box: box, count: 1))
            }
        }
        return groups
    }

    /// Returns the verdicts on `proposals`; only the better one of two in the same place.
    private func verdicts(
        on proposals: ArraySlice<FaceProposal>, in planes: FramePlanes, beside known: [Box]
    ) throws(VisionError) -> [FaceJudge.Verdict] {
        var verdicts: [FaceJudge.Verdict] = []
        for proposal in proposals {
            let kind = proposal.species
            // The close look may find a smaller face than the search did, but not one much smaller than requested.
            let smallest = 0.8 * search(for: kind).minSize * Double(min(planes.full.width, planes.full.height))
            let place = Placement(center: proposal.box.center, size: proposal.box.width)
            // A single candidate is hardly a tilted face.
            let angles: [Double] = proposal.count > 1 ? [0, -12, 12] : [0]
            guard let own = try judged(kind, at: place, turned: angles, in: planes), own.placement.size >= smallest
            else { continue }
            let other = try judged(
                kind == .human ? .cat : .human, at: own.placement, turned: [0, -12, 12], in: planes)
            verdicts.append(other.map { isBetter($0, than: own) ? $0 : own } ?? own)
        }
        var kept: [FaceJudge.Verdict] = []
        for verdict in verdicts.sorted(by: { isBetter($0, than: $1) })
        where (known + kept.map(\.placement.box)).allSatisfy({ $0.coverage(verdict.placement.box) < 0.4 }) {
            kept.append(verdict)
        }
        return kept
    }

    /// Returns whether a verdict is better: a strong find beats a weak one of the other species, whatever their scores.
    private func isBetter(_ verdict: FaceJudge.Verdict, than other: FaceJudge.Verdict) -> Bool {
        let (isStrong, isOtherStrong) = (isStrong(verdict), isStrong(other))
        return isStrong == isOtherStrong ? verdict.score > other.score : isStrong
    }

    /// Returns whether a find is shown at once.
    func isStrong(_ verdict: FaceJudge.Verdict) -> Bool {
        verdict.neighbors >= search(for: verdict.species).strongNeighbors
    }

    private func judged(
        _ species: Species, at place: Placement, turned angles: [Double], in planes: FramePlanes
    ) throws(VisionError) -> FaceJudge.Verdict? {
        let strong = search(for: species).strongNeighbors
        return try judge.verdict(species, at: place, reach: .wide, turned: angles, enough: strong, in: planes)
    }
}
