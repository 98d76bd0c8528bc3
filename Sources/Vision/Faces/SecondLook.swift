// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Examines a face with further methods before the face becomes certain (see `FaceEvidence`).
///
/// If a cascade mistakes an object for a face, it often does so in every frame and at several sizes. So further
/// evidence comes from a second cascade, which was trained separately, and from the image upside down. If the network
/// has detected a face with a low confidence in the search, further evidence comes from other sizes, and from mirror
/// images (`NetworkFinder.meanConfidence`).
///
/// Each sum below is the number of neighbours (overlapping single detections) at three sizes, as in
/// `FaceVerifier.neighbors`. The limits were measured in drawings and photos of faces and objects. In objects that
/// resemble a human face, the LBP cascade's sum is at most 35, and the eye cascade detects no eye. In frontal faces,
/// the sum is at least 60. In turned faces, the sum is 21 to 37, and the eye has at least 4 neighbours.
final class SecondLook {
    /// If the network's confidence in the search is at least this value, the face needs no second look.
    private static let sufficientSearch = 0.85
    /// Minimum mean confidence of the network. In a test, the highest mean of a large object was 0.80, in a photo of a
    /// bird at night. In 154 images of real faces, some of them rotated, noisy, small, or dark, the mean was at least
    /// 0.85. Of 49 real faces that were partly covered and that the network detected, 45 had a mean of at least 0.82.
    private static let minMean = 0.82
    /// Minimum mean of the network's confidences in the images of the second look, for a face of less than `smallFace`
    /// pixels. Such a face is enlarged for the network, so these images have little detail. In a test with the network
    /// `yunet-n`, the mean of 44 faces of 20 and 30 pixels was at least 0.88. Of small objects that are no faces, a wheel
    /// had the highest mean, 0.87.
    private static let minMeanOfSmall = 0.875
    /// A face below this size, in pixels of the frame, needs `minMeanOfSmall` instead of `minMean`.
    private static let smallFace = NetworkFinder.patchFace
    /// For each species, the second cascade. Nil for a species that needs no second look.
    private let cascades: PerSpecies<FaceVerifier.Searcher?>
    private let eye: Cascade?
    private let network: NetworkFinder?
    private let verifier: FaceVerifier
    private let settings: FaceSettings

    /// Loads the second cascades. A species has no second cascade if the settings select another cascade than the
    /// default, or if the file is missing. Its faces then need no second look.
    init(_ verifier: FaceVerifier, network: NetworkFinder?, settings: FaceSettings, library: CascadeLibrary) {
        func load(_ name: String, _ purpose: Cascade.Purpose) -> Cascade? {
            (try? library.path(of: name)).flatMap { try? Cascade(path: $0, purpose: purpose) }
        }
        var cascades = PerSpecies<FaceVerifier.Searcher?>(nil)
        for species in settings.species.all where verifier.searcher(of: species) != nil {
            guard settings.track, let name = settings.secondCascade(of: species) else { continue }
            // The second cascade for humans has a window of 24 pixels. Its boxes are smaller than the boxes of the
            // default cascade. Without `relativeSize`, many single detections would be below the minimum size of the
            // search.
            cascades[species] = load(name, .face).map {
                let isHuman = species == .human
                return FaceVerifier.Searcher(
                    cascade: $0, enlargement: isHuman ? 1.3 : 1, relativeSize: isHuman ? 0.85 : 1)
            }
        }
        eye = cascades[.human] == nil ? nil : load(settings.cascades.openEye, .eye)
        (self.cascades, self.network, self.verifier, self.settings) = (cascades, network, verifier, settings)
    }

    /// Returns true if the detection alone is not sufficient evidence to make the face certain.
    func isNeeded(for face: FaceVerifier.Verification) -> Bool {
        guard let result = face.networkResult else { return cascades[face.species] != nil }
        return result.searched + settings.ease < Self.sufficientSearch
    }

    /// Returns true if the second look also detects the face, or if the face needs no second look.
    func confirms(_ face: FaceVerifier.Verification, in planes: FramePlanes) throws(VisionError) -> Bool {
        guard isNeeded(for: face) else { return true }
        guard face.networkResult != nil, let network else { return try confirmsByCascades(face, in: planes) }
        let limit = face.placement.size < Self.smallFace ? Self.minMeanOfSmall : Self.minMean
        return try network.meanConfidence(at: face.placement, in: planes) + settings.ease >= limit
    }

    /// Returns true if the second cascade also detects the face, and the first cascade does not detect it as strongly
    /// in the image upside down. If the second cascade detects a human face only weakly, the face must also have an
    /// open eye.
    private func confirmsByCascades(
        _ face: FaceVerifier.Verification, in planes: FramePlanes
    ) throws(VisionError) -> Bool {
        guard let second = cascades[face.species], let first = verifier.searcher(of: face.species) else { return true }
        // If the setting `minNeighbors` is below the default, the limits for the second cascade are also lower.
        let usual = FaceSettings.balanced.search(for: face.species).minNeighbors
        let count = min(usual, settings.search(for: face.species).minNeighbors)
        let (weak, strong) = face.species == .human ? (5 * count, 15 * count) : (3 * count, 3 * count)
        let sum = try verifier.neighbors(of: face, by: second, limit: strong, in: planes)
        guard sum >= weak else { return false }
        if sum < strong {
            guard let eye, try verifier.eyeNeighbors(of: face.placement, by: eye, in: planes) >= 4 else { return false }
        }
        let symmetric = max(4 * usual, face.neighbors)
        return try verifier.neighbors(of: face, by: first, .upsideDown, limit: symmetric, in: planes) < symmetric
    }
}

extension FaceSettings {
    /// The name of the second cascade for a species; nil if the settings do not select the default cascade for this
    /// species.
    fileprivate func secondCascade(of species: Species) -> String? {
        guard decision == .confidence, features == .haar else { return nil }
        switch species {
        case .human: return cascades.human == nil ? "lbpcascade_frontalface" : nil
        case .cat: return cascades.cat == nil ? "haarcascade_frontalcatface" : nil
        }
    }
}
