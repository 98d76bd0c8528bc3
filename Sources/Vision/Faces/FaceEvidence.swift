// SPDX-License-Identifier: LGPL-2.1-or-later

/// Evidence that a track follows a face, and not a hand or a texture.
///
/// A track starts as a certain face if the search and the closer look at its first frame are strong
/// (`FaceDetector.isCertain`), or if mirror images confirm a cat; otherwise as a possible face. It becomes certain with a strong search, or with several looks
/// that agree in different frames. It becomes a possible face again if looks do not confirm it.
///
/// The limits come from frames of hands, animals, plants, text and things. There, the network's confidence was at most 0.78 in
/// a search and at most 0.86 in a closer look, and after a search with at least 0.55 at most 0.74 in a closer look.
struct FaceEvidence {
    /// Sum of the agreeing looks, in different frames, that make a face certain. A strong look counts twice: of many looks
    /// at a texture, one may be strong by chance.
    private static let neededLooks = 3
    /// Number of looks in a row without a face after which a new face is no longer certain, and the same for a face that
    /// at least `fewLooks` looks have confirmed.
    private static let (mostMisses, mostMissesOfKnown, fewLooks) = (3, 15, 6)

    /// True if the face counts as one; false for a possible face.
    private(set) var isCertain: Bool
    /// Highest confidence of the network in a search.
    private var searched: Double
    /// Sum of the agreeing looks in a row.
    private var agreements = 0
    private var confirmations = 0
    /// Number of looks in a row that did not see the face.
    private var misses = 0

    init(_ face: FaceVerifier.Verification, isCertain: Bool) {
        self.isCertain = isCertain
        searched = face.seen?.searched ?? 0
    }

    /// Adds a look that has seen the face.
    /// - Parameter isNews: false if the frame shows what the previous look has seen.
    mutating func confirm(_ face: FaceVerifier.Verification, isNews: Bool, by detector: FaceDetector) {
        misses = 0
        searched = max(searched, face.seen?.searched ?? 0)
        guard isNews else { return }
        confirmations += 1
        let isStrong = detector.isCertain(face)
        if isStrong {
            agreements += 2
        } else if face.seen == nil || face.seen?.looked != nil {
            agreements = detector.agrees(face, afterSearch: searched) ? agreements + 1 : 0
        }
        let isSearched = (face.seen?.searched ?? 0) > 0
        if agreements >= Self.neededLooks || isStrong && isSearched { isCertain = true }
    }

    /// Adds a look that has not seen the face.
    mutating func miss(isNews: Bool) {
        agreements = 0
        guard isNews else { return }
        misses += 1
        guard misses >= (confirmations < Self.fewLooks ? Self.mostMisses : Self.mostMissesOfKnown) else { return }
        isCertain = false
    }
}

extension FaceDetector {
    /// Returns whether a find is strong enough to start a face.
    func isCertain(_ face: FaceVerifier.Verification) -> Bool {
        guard let seen = face.seen else { return face.neighbors >= settings.certainNeighbors(of: face.species) }
        guard seen.confidence >= settings.minConfidence else { return false }
        let ease = settings.ease
        let (searched, looked) = (seen.searched + ease, (seen.looked ?? 0) + ease)
        return searched >= 0.85 || looked >= 0.875 || searched >= 0.75 && looked >= 0.5
            || searched >= 0.55 && looked >= 0.78
    }

    /// Returns whether a find is strong enough to start a face, or mirror images make a cat so: of 115 textures, hands and things
    /// in which the cascade sees a cat, none has more than 12 neighbours in them; 19 drawn cats have at least 14.
    func isCertain(_ face: FaceVerifier.Verification, in planes: FramePlanes) throws(VisionError) -> Bool {
        guard !isCertain(face) else { return true }
        guard face.species == .cat else { return false }
        let search = settings.search(for: .cat)
        return try verifier.mirroredNeighbors(of: face, enough: search.strongNeighbors, in: planes)
            >= 7 * search.minNeighbors
    }

    /// Returns whether a look agrees with the others that a face is there.
    /// - Parameter searched: the highest confidence of the network in a search: a look alone, at its own scale, does not
    ///   count.
    func agrees(_ face: FaceVerifier.Verification, afterSearch searched: Double) -> Bool {
        guard let seen = face.seen else { return face.neighbors >= settings.certainNeighbors(of: face.species) - 1 }
        let (ease, looked) = (settings.ease, seen.looked ?? 0)
        return looked >= settings.minConfidence && looked + ease >= 0.6 && searched + ease >= 0.55
    }
}

extension FaceSettings {
    /// Confidence by which the limits for faces are lower, if a confidence below the default is asked for.
    fileprivate var ease: Double { max(0, FaceSettings.balanced.minConfidence - minConfidence) }

    /// Number of neighbours of the cascade, counted by `FaceVerifier`, that makes a face certain.
    fileprivate func certainNeighbors(of species: Species) -> Int {
        search(for: species).minNeighbors * (species == .human ? 2 : 3)
    }
}
