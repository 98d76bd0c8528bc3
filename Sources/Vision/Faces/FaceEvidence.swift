// SPDX-License-Identifier: LGPL-2.1-or-later

/// Evidence that a track follows a face, and not a hand or a texture.
///
/// A track starts as a certain face if its first detection is strong (`FaceDetector.isCertain`), or if mirror images
/// confirm a cat; otherwise it starts as a possible face. A track becomes certain after a strong search, or after
/// several verifications in different frames that confirm a face. A certain face becomes a possible face again if later
/// verifications do not confirm it.
///
/// The limits were measured in frames of hands, animals, plants, text and objects. In these frames, the network's
/// confidence was at most 0.78 in a search and at most 0.86 in a verification. If the confidence in the search was at
/// least 0.55, the confidence in the verification was at most 0.74 for faces of at least 32 pixels, and at most 0.86
/// for smaller faces. The confidence in the verification of small real faces is usually at least 0.88.
struct FaceEvidence {
    /// Number of confirming verifications in different frames that make a face certain. A strong verification counts
    /// twice. A single strong verification is not enough, because one of many verifications of a texture may be strong
    /// by chance.
    private static let neededAgreements = 3
    /// A face is no longer certain after this number of consecutive verifications without a detection: `maxMisses` for
    /// a new face and for a covered face, `maxMissesOfConfirmed` for a face with at least `fewConfirmations`
    /// confirmations.
    private static let (maxMisses, maxMissesOfConfirmed, fewConfirmations) = (3, 15, 6)

    /// True for a certain face; false for a possible face.
    private(set) var isCertain: Bool
    /// Highest confidence of the network in a search, 0…1.
    private var searched: Double
    /// Number of consecutive confirming verifications; strong verifications count twice.
    private var agreements = 0
    private var confirmations = 0
    /// Number of consecutive verifications that did not detect the face.
    private var misses = 0

    init(_ face: FaceVerifier.Verification, isCertain: Bool) {
        self.isCertain = isCertain
        searched = face.networkResult?.searched ?? 0
    }

    /// Adds a verification that detected the face.
    /// - Parameter isNews: false if the frame is unchanged since the previous verification.
    mutating func confirm(_ face: FaceVerifier.Verification, isNews: Bool, by detector: FaceDetector) {
        misses = 0
        searched = max(searched, face.networkResult?.searched ?? 0)
        guard isNews else { return }
        confirmations += 1
        let isStrong = detector.isCertain(face)
        if isStrong {
            agreements += 2
        } else if face.networkResult == nil || face.networkResult?.verified != nil {
            agreements = detector.agrees(face, afterSearch: searched) ? agreements + 1 : 0
        }
        let isSearched = (face.networkResult?.searched ?? 0) > 0
        if agreements >= Self.neededAgreements || isStrong && isSearched { isCertain = true }
    }

    /// Adds a verification that did not detect the face.
    /// - Parameters:
    ///   - isNews: false if the frame is unchanged since the previous verification.
    ///   - isCovered: true if another face may cover the face.
    mutating func miss(isNews: Bool, isCovered: Bool) {
        agreements = 0
        guard isNews else { return }
        misses += 1
        let isNew = confirmations < Self.fewConfirmations
        if misses >= (isNew || isCovered ? Self.maxMisses : Self.maxMissesOfConfirmed) { isCertain = false }
    }
}

extension FaceDetector {
    /// Faces below this size, in pixels of the frame, need more evidence, because textures resemble small faces more
    /// often than large faces.
    private static let smallFace = 32.0

    /// Returns true if a detection is strong enough for a certain face.
    func isCertain(_ face: FaceVerifier.Verification) -> Bool {
        guard let result = face.networkResult else {
            return face.neighbors >= settings.certainNeighbors(of: face.species)
        }
        guard result.confidence >= settings.minConfidence else { return false }
        let ease = settings.ease
        let (searched, verified) = (result.searched + ease, (result.verified ?? 0) + ease)
        return searched >= 0.85 || verified >= 0.875 || searched >= 0.75 && verified >= 0.5
            || !isSmall(face) && searched >= 0.55 && verified >= 0.78
    }

    /// Returns true if a detection is strong enough for a certain face, or mirror images confirm a cat. In mirror
    /// images of 115 textures, hands and objects in which the cascade detects a cat, the sum of the neighbours is at
    /// most 12. In mirror images of 19 drawn cats, the sum is at least 14.
    func isCertain(_ face: FaceVerifier.Verification, in planes: FramePlanes) throws(VisionError) -> Bool {
        guard !isCertain(face) else { return true }
        guard face.species == .cat else { return false }
        let search = settings.search(for: .cat)
        return try verifier.mirroredNeighbors(of: face, enough: search.strongNeighbors, in: planes)
            >= 7 * search.minNeighbors
    }

    /// Returns true if a weak verification confirms that the track follows a face. Small faces need strong
    /// verifications.
    /// - Parameter searched: the highest confidence of the network in a search. A verification without a search is not
    ///   sufficient, because a verification shows the face at a single scale.
    func agrees(_ face: FaceVerifier.Verification, afterSearch searched: Double) -> Bool {
        guard !isSmall(face) else { return false }
        guard let result = face.networkResult else {
            return face.neighbors >= settings.certainNeighbors(of: face.species) - 1
        }
        let (ease, verified) = (settings.ease, result.verified ?? 0)
        return verified >= settings.minConfidence && verified + ease >= 0.6 && searched + ease >= 0.55
    }

    private func isSmall(_ face: FaceVerifier.Verification) -> Bool { face.placement.size < Self.smallFace }
}

extension FaceSettings {
    /// Reduction of the limits for a certain face, if the minimum confidence is set below the default.
    fileprivate var ease: Double { max(0, FaceSettings.balanced.minConfidence - minConfidence) }

    /// Minimum number of the cascade's neighbours, counted by `FaceVerifier`, that makes a face certain.
    fileprivate func certainNeighbors(of species: Species) -> Int {
        search(for: species).minNeighbors * (species == .human ? 2 : 3)
    }
}
