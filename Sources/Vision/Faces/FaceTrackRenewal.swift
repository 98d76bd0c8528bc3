// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

// Tracks in a stream of which every frame is searched.
extension FaceTracker {
    /// Number of frames in a row, searched without finding it, after which a face that moves has gone: if its pattern still
    /// fits, and if neither that nor a closer look shows it.
    private static let (mostMisses, mostMissesOutOfSight) = (15, 3)

    /// Searches all that has changed, known faces, too. Each find is reported where it is, as the continuation of the track
    /// that it overlaps most; tracks without a find are followed.
    func searchAll(_ planes: FramePlanes) throws(VisionError) {
        var isStill: [Bool] = []
        for i in tracks.indices { isStill.append(try move(&tracks[i], in: planes)) }
        var search = FaceSearch(leftOver: leftOver, generation: generation)
        search.followed = tracks.map { .init(box: $0.placement.box, species: $0.species) }
        for species in settings.species.all {
            // No cat is searched for in the place of a human, who moves most; its track looks for one.
            let humans = species == .cat ? tracks.filter { $0.species == .human }.map(\.placement.box) : []
            let changed = scene.changedArea(for: species, beside: humans, by: 4, in: planes)
            search.areas[species] = changed.map(withWholeFaces)
        }
        let findings = try detector.findings(of: search, in: planes, atMost: settings.candidatesPerFrame)
        isSearched = true
        leftOver = findings.leftOver
        let finds = findings.verified.filter(detector.isEnough)
        let owners = search.followed.map(\.box).owners(of: finds.map(\.placement.box))
        for (find, owner) in zip(finds, owners) {
            if let owner {
                try renew(&tracks[owner], by: find, in: planes)
            } else {
                // Cascades see faces in textures, too: what they see weakly has to be seen again.
                var track = FaceTrack(
                    find, isShown: find.seen != nil || detector.isStrong(find),
                    evidence: FaceEvidence(find, isCertain: try detector.isCertain(find, in: planes)))
                (track.isFound, track.isExact) = (true, find.seen != nil)
                try begin(&track, with: find, in: planes)
                try examineWeak(&track, in: planes)
                tracks.append(track)
            }
        }
        for i in isStill.indices where !tracks[i].isFound && !isStill[i] {
            try examineIfDue(&tracks[i], in: planes)
            let isSearched = search.areas[tracks[i].species].map { $0.overlap(tracks[i].placement.box) > 0 } ?? false
            // Where nothing has changed enough to be searched, a face whose pattern fits was not missed.
            guard isSearched || tracks[i].isOutOfSight else { continue }
            tracks[i].misses += 1
            let most = tracks[i].isOutOfSight ? Self.mostMissesOutOfSight : Self.mostMisses
            if tracks[i].misses > most { tracks[i].isLost = true }
        }
        if tracks.contains(where: \.isLost) { scene.forgetSearches() }
        tracks.removeAll(where: \.isLost)
    }

    /// Returns the area with all of the followed faces that it would cut, and their surroundings: the network detects a smaller
    /// face in a part of one.
    private func withWholeFaces(_ area: Box) -> Box {
        var area = area
        var faces = tracks.map { $0.placement.box.grown(by: 0.5 * $0.placement.size) }
        while let index = faces.firstIndex(where: { $0.overlap(area) > 0 }) {
            area = area.union(faces.remove(at: index))
        }
        return area
    }

    /// Takes over what the search of this frame has found of a track.
    private func renew(
        _ track: inout FaceTrack, by find: FaceVerifier.Verification, in planes: FramePlanes
    ) throws(VisionError) {
        let before = track.placement.center
        (track.isFound, track.isShown, track.isOutOfSight, track.misses, track.fit) = (true, true, false, 0, 1)
        track.isExact = find.seen != nil
        track.correct { placement in
            let angle = placement.angle
            placement = find.placement
            // The network tells the angle only by a look from several, which known faces get in turn.
            placement.angle = angle
            if find.seen == nil { turn(&placement, to: find.placement.angle) }
        }
        track.velocity = track.velocity + (track.placement.center - before) * 0.5
        var seen: FaceVerifier.Verification? = find
        var looked: Double?
        if find.species != track.species || isLookDue(track) {
            track.lastExamined = track.age
            let look = try compareSpecies(&track, try look(for: &track, in: planes), in: planes)
            if let look { track.correct { turn(&$0, to: look.placement.angle) } }
            looked = look?.seen?.looked ?? 0
            seen = look ?? (find.species == track.species ? find : nil)
        }
        if let seen {
            track.confirm(seen)
            var both = seen
            both.seen?.searched = find.seen?.searched ?? 0
            both.seen?.looked = looked
            track.evidence.confirm(both, isNews: !track.isUnchanged, by: detector)
            try findLandmarks(&track, seen, in: planes)
        }
        try renewPattern(&track, in: planes)
    }
}
