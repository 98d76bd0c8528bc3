// SPDX-License-Identifier: LGPL-2.1-or-later

/// Decides if a track follows a face or another object, such as a hand or a texture.
///
/// A track starts as a certain face if its first detection is strong (`FaceDetector.isCertain`). A track of a cat also
/// starts as a certain face if the cascade detects the cat in mirror images. In both cases, `SecondLook` must confirm
/// the face. Otherwise the track starts as a possible face. The track becomes certain after a strong detection in a
/// search, or after several confirming verifications in different frames. A certain face becomes a possible face again
/// if later verifications do not detect the face.
///
/// The limits for the network come from a test with frames without faces: hands, animals, plants, text and objects. The
/// confidence of false faces was at most 0.78 in a search and at most 0.86 in a verification. For false faces of at
/// least 32 pixels with a confidence of at least 0.55 in the search, the confidence in the verification was at most
/// 0.74. For small real faces, the confidence in the verification is usually at least 0.88.
struct FaceEvidence {
    /// A face becomes certain at this number of confirming verifications in different frames. A strong verification
    /// counts twice. A single strong verification is not enough, because a texture may cause one strong verification by
    /// chance.
    private static let neededAgreements = 3
    /// A certain face becomes a possible face after `maxMisses` consecutive verifications without a detection. The
    /// limit is `maxMissesOfConfirmed` if at least `fewConfirmations` verifications have detected the face, and no
    /// other certain face overlaps this face.
    private static let (maxMisses, maxMissesOfConfirmed, fewConfirmations) = (3, 15, 6)

    /// True if the face of the track is certain; false if it is only a possible face.
    private(set) var isCertain: Bool
    /// Highest confidence with which the network has detected the face in a search, 0…1.
    private var searched: Double
    /// Number of consecutive verifications that confirmed the face. Strong verifications count twice.
    private var agreements = 0
    private var confirmations = 0
    /// Number of consecutive verifications that did not detect the face.
    private var misses = 0
    /// True if the last examination by `SecondLook` did not confirm the face.
    private var isDoubted = false

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

    /// Adds the result of a second look (`SecondLook`) at a face that has just become certain. If the second look does
    /// not confirm the face, the face becomes a possible face again. Then two later second looks must confirm the face.
    /// Each of them takes place after one strong verification or two weak confirming verifications.
    mutating func add(secondLook isConfirmed: Bool) {
        guard !isConfirmed || isDoubted else { return }
        isDoubted = !isConfirmed
        (isCertain, agreements) = (false, 1)
    }

    /// Makes a face that has just become certain a possible face again, because it is too early for another second
    /// look.
    mutating func postpone() { isCertain = false }

    /// Adds a verification that did not detect the face.
    /// - Parameters:
    ///   - isNews: false if the frame is unchanged since the previous verification.
    ///   - isCovered: true if another certain face overlaps the face, and may hide it.
    mutating func miss(isNews: Bool, isCovered: Bool) {
        agreements = 0
        guard isNews else { return }
        misses += 1
        let isNew = confirmations < Self.fewConfirmations
        if misses >= (isNew || isCovered ? Self.maxMisses : Self.maxMissesOfConfirmed) { isCertain = false }
    }
}

extension FaceDetector {
    /// A face below this size, in pixels of the frame, needs stronger detections to become a certain face. Textures
    /// resemble small faces more often than large faces.
    static let smallFace = 32.0

    /// Returns true if a detection is strong enough to make a face certain.
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

    /// Returns true if a detection makes a face certain. Either the detection is strong enough, or the cascade also
    /// detects a cat in mirror images of the face. In both cases, `SecondLook` must confirm the face.
    func isCertain(_ face: FaceVerifier.Verification, in planes: FramePlanes) throws(VisionError) -> Bool {
        if !isCertain(face), try !isMirrored(face, in: planes) { return false }
        return try secondLook.confirms(face, in: planes)
    }

    /// Returns true if the cascade detects a cat in mirror images of the face. In a test, the cascade mistook 115
    /// textures, hands and objects for cats. In mirror images of these objects at three scales, the numbers of
    /// neighbours added up to at most 12. For 19 drawn cats, the sum was at least 14. So the sum separates cats from
    /// other objects.
    private func isMirrored(_ face: FaceVerifier.Verification, in planes: FramePlanes) throws(VisionError) -> Bool {
        guard face.species == .cat, let searcher = verifier.searcher(of: .cat) else { return false }
        let search = settings.search(for: .cat)
        return try verifier.neighbors(of: face, by: searcher, .mirrored, enough: search.strongNeighbors, in: planes)
            >= 7 * search.minNeighbors
    }

    /// Returns true if a weak verification confirms that the track follows a face. For small faces, returns false,
    /// because only strong verifications confirm small faces.
    /// - Parameter searched: the highest confidence of the network in a search. A high confidence in a verification is
    ///   not sufficient, because a verification examines the face at a single scale.
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
    /// The minimum confidences that make a face certain are reduced by this value. The value is above 0 only if the
    /// setting `minConfidence` is below its default.
    var ease: Double { max(0, FaceSettings.balanced.minConfidence - minConfidence) }

    /// Minimum number of neighbours (overlapping single detections) with which a detection of `FaceVerifier` by a
    /// cascade makes a face certain.
    fileprivate func certainNeighbors(of species: Species) -> Int {
        search(for: species).minNeighbors * (species == .human ? 2 : 3)
    }
}
