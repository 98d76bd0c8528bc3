// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Examines a face that a cascade has detected, before the face becomes certain. Many objects resemble a face for one
/// cascade: the cascade detects the object in each frame and at several sizes. So further evidence must come from
/// elsewhere: from cascades that were trained separately, and from the image upside down.
///
/// Each sum below is the number of neighbours (overlapping single detections) at three sizes, as in
/// `FaceVerifier.neighbors`. The limits were measured in drawings and photos of faces and objects. In objects that
/// resemble a human face, the LBP cascade's sum is at most 35, and the eye cascade detects no eye. In frontal faces, the
/// sum is at least 60. In turned faces, the sum is 21 to 37, and the eye has at least 4 neighbours.
final class SecondLook {
    /// The cascades that were trained separately. Nil for a species that needs no second look.
    private let cascades: PerSpecies<FaceVerifier.Searcher?>
    private let eye: Cascade?
    private let verifier: FaceVerifier
    private let settings: FaceSettings

    /// Loads the cascades for the species that a default cascade detects. If another cascade detects a species, or if a
    /// file is missing, the evidence of the first cascade is sufficient.
    init(_ verifier: FaceVerifier, settings: FaceSettings, library: CascadeLibrary) {
        func load(_ name: String, _ purpose: Cascade.Purpose) -> Cascade? {
            (try? library.path(of: name)).flatMap { try? Cascade(path: $0, purpose: purpose) }
        }
        var cascades = PerSpecies<FaceVerifier.Searcher?>(nil)
        for species in settings.species.all where verifier.searcher(of: species) != nil {
            guard settings.track, let name = settings.secondCascade(of: species) else { continue }
            // The window of the LBP cascade has 24 pixels. Its boxes are smaller than the boxes of the first cascade.
            // Without `relativeSize`, many single detections would be below the minimum size of the search.
            cascades[species] = load(name, .face).map {
                let isHuman = species == .human
                return FaceVerifier.Searcher(
                    cascade: $0, enlargement: isHuman ? 1.3 : 1, relativeSize: isHuman ? 0.85 : 1)
            }
        }
        eye = cascades[.human] == nil ? nil : load(settings.cascades.openEye, .eye)
        (self.cascades, self.verifier, self.settings) = (cascades, verifier, settings)
    }

    /// Returns true if a face looks like a face also to the second cascade, and if the face does not look like a face
    /// upside down. A human face that the second cascade detects only weakly must have an open eye.
    func confirms(_ face: FaceVerifier.Verification, in planes: FramePlanes) throws(VisionError) -> Bool {
        guard face.networkResult == nil, let second = cascades[face.species],
            let first = verifier.searcher(of: face.species)
        else { return true }
        // A setting below the default also reduces the evidence that a face needs.
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
    /// The cascade that examines new faces of a species; nil if the settings select another cascade than the default
    /// cascade.
    fileprivate func secondCascade(of species: Species) -> String? {
        guard decision == .confidence, features == .haar else { return nil }
        switch species {
        case .human: return cascades.human == nil ? "lbpcascade_frontalface" : nil
        case .cat: return cascades.cat == nil ? "haarcascade_frontalcatface" : nil
        }
    }
}
