// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

// Update of the tracks if every frame is searched.
extension FaceTracker {
    /// The track of a moving face ends if there are more consecutive searched frames without a detection than this
    /// limit. `maxMisses` applies if the pattern matches or a verification detects the face; otherwise,
    /// `maxMissesOutOfSight` applies.
    private static let (maxMisses, maxMissesOutOfSight) = (15, 3)

    /// Searches the changed area of the frame, including the known faces. Each detection updates the position of the
    /// track with the largest overlap. Tracks without a detection are followed by their patterns.
    func searchAll(_ planes: FramePlanes) throws(VisionError) {
        var isStill: [Bool] = []
        for i in tracks.indices { isStill.append(try move(&tracks[i], in: planes)) }
        var search = FaceSearch(leftOver: leftOver, generation: generation)
        search.followed = tracks.map { .init(box: $0.placement.box, species: $0.species) }
        for species in settings.species.all {
            // The cascade for cats does not search the faces of humans, which move most. The track of each human face
            // compares the species itself (`compareSpecies`).
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
                // Cascades detect faces in textures, too, so further verifications must confirm a weak detection.
                var track = FaceTrack(
                    find, isShown: find.networkResult != nil || detector.isStrong(find),
                    evidence: FaceEvidence(find, isCertain: try detector.isCertain(find, in: planes)))
                (track.isFound, track.isExact) = (true, find.networkResult != nil)
                try begin(&track, with: find, in: planes)
                try examineWeak(&track, in: planes)
                tracks.append(track)
            }
        }
        for i in isStill.indices where !tracks[i].isFound && !isStill[i] {
            try examineIfDue(&tracks[i], in: planes)
            let isSearched = search.areas[tracks[i].species].map { $0.overlap(tracks[i].placement.box) > 0 } ?? false
            // If the search did not cover the face because the face has not changed, and its pattern still fits, the
            // missing detection does not count.
            guard isSearched || tracks[i].isOutOfSight else { continue }
            tracks[i].misses += 1
            let maxMisses = tracks[i].isOutOfSight ? Self.maxMissesOutOfSight : Self.maxMisses
            if tracks[i].misses > maxMisses { tracks[i].isLost = true }
        }
        if tracks.contains(where: \.isLost) { scene.forgetSearches() }
        tracks.removeAll(where: \.isLost)
    }

    /// Returns the smallest area that contains `area` and does not cut any tracked face or its surroundings. In a part
    /// of a face, the network would detect a smaller face.
    private func withWholeFaces(_ area: Box) -> Box {
        var area = area
        var faces = tracks.map { $0.placement.box.grown(by: 0.5 * $0.placement.size) }
        while let index = faces.firstIndex(where: { $0.overlap(area) > 0 }) {
            area = area.union(faces.remove(at: index))
        }
        return area
    }

    /// Updates a track with the detection that belongs to the track.
    private func renew(
        _ track: inout FaceTrack, by find: FaceVerifier.Verification, in planes: FramePlanes
    ) throws(VisionError) {
        let before = track.placement.center
        if track.fit < Self.goodFit { track.forgetLandmarks() }
        (track.isFound, track.isShown, track.isOutOfSight, track.misses, track.fit) = (true, true, false, 0, 1)
        track.isExact = find.networkResult != nil
        track.correct { placement in
            let angle = placement.angle
            placement = find.placement
            // The search does not measure the angle, so the track keeps its angle here. The angle is measured by
            // verifications at several angles (`NetworkFinder.turned`), one known face after another.
            placement.angle = angle
            if find.networkResult == nil { turn(&placement, to: find.placement.angle) }
        }
        track.velocity = track.velocity + (track.placement.center - before) * 0.5
        var confirmed: FaceVerifier.Verification? = find
        var verified: Double?
        if find.species != track.species || isVerificationDue(track) {
            track.lastExamined = track.age
            let checked = try compareSpecies(&track, try verifyFace(for: &track, in: planes), in: planes)
            if let checked { track.correct { turn(&$0, to: checked.placement.angle) } }
            verified = checked?.networkResult?.verified ?? 0
            confirmed = checked ?? (find.species == track.species ? find : nil)
        }
        if let confirmed {
            track.confirm(confirmed)
            var both = confirmed
            both.networkResult?.searched = find.networkResult?.searched ?? 0
            both.networkResult?.verified = verified
            track.evidence.confirm(both, isNews: !track.isUnchanged, by: detector)
            try findLandmarks(&track, confirmed, in: planes)
        }
        try renewPattern(&track, in: planes)
    }
}
