// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

// Methods of the tracker for the mode in which it searches every frame.
extension FaceTracker {
    /// The track of a moving face ends after more than `maxMisses` consecutive searched frames without a detection. The
    /// limit is `maxMissesOutOfSight` if the face is not visible: the image `pattern` does not match the frame, and no
    /// verification detects the face.
    private static let (maxMisses, maxMissesOutOfSight) = (15, 3)

    /// Searches the changed area of the frame, including the known faces. Each detection updates the track with the
    /// largest overlap. If the search misses a tracked face, a pattern match determines the face's position.
    func searchAll(_ planes: FramePlanes) throws(VisionError) {
        var isStill: [Bool] = []
        for i in tracks.indices { isStill.append(try move(&tracks[i], in: planes)) }
        var search = FaceSearch(leftOver: leftOver, generation: generation)
        search.followed = tracks.map { .init(box: $0.placement.box, species: $0.species) }
        for species in settings.species.all {
            // Exclude human faces from the search for cats. Most changes in a frame are movements of human faces, and
            // `compareSpecies` already checks if these faces are cats.
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
                // Cascades also detect faces in textures. So report a weak detection only after further verifications
                // confirm the face.
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
            // A miss counts only if the searched area included the face, or if the face is not visible. Outside the
            // searched area, nothing has changed.
            guard isSearched || tracks[i].isOutOfSight else { continue }
            tracks[i].misses += 1
            let maxMisses = tracks[i].isOutOfSight ? Self.maxMissesOutOfSight : Self.maxMisses
            if tracks[i].misses > maxMisses { tracks[i].isLost = true }
        }
        if tracks.contains(where: \.isLost) { scene.forgetSearches() }
        tracks.removeAll(where: \.isLost)
    }

    /// Extends `area` so that it contains each overlapping tracked face completely, with some background around it. If
    /// the area contained only a part of a face, the network would report a face that is too small.
    private func withWholeFaces(_ area: Box) -> Box {
        var area = area
        var faces = tracks.map { $0.placement.box.grown(by: 0.5 * $0.placement.size) }
        while let index = faces.firstIndex(where: { $0.overlap(area) > 0 }) {
            area = area.union(faces.remove(at: index))
        }
        return area
    }

    /// Updates a track with the detection of its face in this frame.
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
            // A search does not measure the angle of a face, so keep the angle of the track. Only verifications at
            // several angles (`NetworkFinder.turned`) measure the angle.
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
            // A search by the network does not measure the angle of a face.
            if find.networkResult != nil { both.placement.angle = track.placement.angle }
            try addEvidence(both, to: &track, isNews: !track.isUnchanged, in: planes)
            try findLandmarks(&track, confirmed, in: planes)
        }
        try renewPattern(&track, in: planes)
    }
}
