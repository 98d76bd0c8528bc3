// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing

@testable import Vision

@Suite("Faces: evidence")
struct FacesEvidenceTests {
    private let detector: FaceDetector

    init() throws { detector = try FaceDetector(settings: .balanced, library: CascadeLibrary()) }

    /// Returns a detection by the network.
    private func detected(
        search: Double = 0, verified: Double? = nil, size: Double = 40
    ) -> FaceVerifier.Verification {
        let sight = NetworkFinder.FaceResult(
            confidence: max(search, verified ?? 0), searched: search, verified: verified,
            landmarks: FaceLandmarks(at: Point(50, 50)))
        return FaceVerifier.Verification(
            species: .human, neighbors: 0, placement: FacePlacement(center: Point(50, 50), size: size),
            networkResult: sight)
    }

    /// Returns a detection by a cascade.
    private func counted(_ neighbors: Int, _ species: Species = .human) -> FaceVerifier.Verification {
        FaceVerifier.Verification(
            species: species, neighbors: neighbors, placement: FacePlacement(center: Point(50, 50), size: 40))
    }

    /// Returns true if a face is certain after a first detection and later verifications. A nil in `checks` is a
    /// verification without a detection.
    private func isFace(
        _ first: FaceVerifier.Verification, _ checks: [FaceVerifier.Verification?] = [], isNews: Bool = true,
        isCovered: Bool = false
    ) -> Bool {
        var evidence = FaceEvidence(first, isCertain: detector.isCertain(first))
        for check in checks {
            if let check {
                evidence.confirm(check, isNews: isNews, by: detector)
            } else {
                evidence.miss(isNews: isNews, isCovered: isCovered)
            }
        }
        return evidence.isCertain
    }

    @Test("A face starts with a high confidence in the search or in a closer look, or with a lower one in both")
    func strong() {
        for strong in [
            detected(search: 0.9), detected(search: 0.8, verified: 0.5), detected(search: 0.6, verified: 0.8),
            detected(verified: 0.9),
        ] {
            #expect(isFace(strong))
        }
        // A palm, or a texture that looks like a small face, causes such results.
        for weak in [
            detected(search: 0.78, verified: 0), detected(search: 0.6, verified: 0.74),
            detected(search: 0.35, verified: 0.86),
        ] {
            #expect(!isFace(weak))
        }
    }

    @Test("A face below 32 pixels needs a high confidence in the search, in the verification, or in both")
    func small() {
        // Images of capacitors and pebbles cause such results.
        let (texture, check) = (detected(search: 0.69, verified: 0.86, size: 28), detected(verified: 0.86, size: 28))
        #expect(!isFace(texture, [check, check, check, check]))
        let strong = detected(verified: 0.9, size: 28)
        #expect(isFace(strong) && isFace(texture, [strong, strong]))
        #expect(isFace(detected(search: 0.86, size: 28)) && isFace(detected(search: 0.8, verified: 0.6, size: 28)))
    }

    @Test("Three looks that agree with the search, one after another, make a face")
    func agreement() {
        let (first, check) = (detected(search: 0.6, verified: 0.6), detected(verified: 0.65))
        #expect(!isFace(first, [check, check]))
        #expect(isFace(first, [check, check, check]))
        #expect(!isFace(first, [check, check, nil, check, check]))
        #expect(!isFace(first, [check, check, detected(search: 0.7, verified: 0), check]))
    }

    @Test("One strong look at a possible face may be chance, two make a face; a strong search makes one at once")
    func strongLooks() {
        let (weak, strong) = (detected(search: 0.3, verified: 0.5), detected(verified: 0.9))
        #expect(!isFace(weak, [strong]))
        #expect(!isFace(weak, [strong, nil, strong]))
        #expect(isFace(weak, [strong, strong]))
        #expect(isFace(weak, [detected(search: 0.9)]))
    }

    @Test("Looks at an unchanged frame, and looks without a search that agrees, do not make a face")
    func sameFrame() {
        let check = detected(verified: 0.85)
        #expect(!isFace(detected(search: 0.6, verified: 0.6), [check, check, check, check], isNews: false))
        #expect(!isFace(detected(search: 0.3, verified: 0.8), [check, check, check, check]))
    }

    @Test("Three looks that do not see a new face end it; a face that is known ends after fifteen")
    func misses() {
        let (face, check) = (detected(search: 0.9), detected(verified: 0.7))
        #expect(isFace(face, [nil, nil, check, nil, nil]))
        #expect(!isFace(face, [check, nil, nil, nil]))
        let known = [FaceVerifier.Verification?](repeating: check, count: 6)
        func missed(_ count: Int) -> [FaceVerifier.Verification?] { known + Array(repeating: nil, count: count) }
        #expect(isFace(face, missed(14)))
        #expect(!isFace(face, missed(15)))
        #expect(isFace(face, [nil, nil, nil, nil], isNews: false))
    }

    @Test("Three verifications that do not detect a known face end it if another face covers it")
    func covered() {
        let (face, check) = (detected(search: 0.9), detected(verified: 0.7))
        let known = [FaceVerifier.Verification?](repeating: check, count: 10)
        #expect(isFace(face, known + [nil, nil], isCovered: true))
        #expect(!isFace(face, known + [nil, nil, nil], isCovered: true))
    }

    @Test("Only a certain face covers another face, and only if their boxes overlap")
    func coveredTracks() throws {
        let tracker = try FaceTracker(settings: .balanced, library: CascadeLibrary()) { 1 }
        let faces = [50.0, 75, 200].map { x in
            FaceVerifier.Verification(
                species: .human, neighbors: 9, placement: FacePlacement(center: Point(x, 50), size: 40))
        }
        tracker.tracks = faces.map { FaceTrack($0, isShown: true, evidence: FaceEvidence($0, isCertain: true)) }
        tracker.noteCoveredFaces()
        #expect(tracker.tracks.map(\.isCovered) == [true, true, false])
        tracker.tracks[0].evidence = FaceEvidence(faces[0], isCertain: false)
        tracker.noteCoveredFaces()
        #expect(tracker.tracks.map(\.isCovered) == [true, false, false])
    }

    @Test("A possible face in the place of a certain face does not end the track of the certain face")
    func doubles() throws {
        let tracker = try FaceTracker(settings: .balanced, library: CascadeLibrary()) { 1 }
        func track(_ species: Species, size: Double, isCertain: Bool) -> FaceTrack {
            let face = FaceVerifier.Verification(
                species: species, neighbors: 9, placement: FacePlacement(center: Point(200, 150), size: size))
            return FaceTrack(face, isShown: true, evidence: FaceEvidence(face, isCertain: isCertain))
        }
        // The last search has detected only the second face.
        var (known, new) = (track(.cat, size: 100, isCertain: true), track(.human, size: 250, isCertain: false))
        new.isFound = true
        func kept() -> Set<Species> {
            tracker.tracks = [known, new]
            tracker.removeDoubles()
            return Set(tracker.tracks.map(\.species))
        }
        #expect(kept() == [.cat, .human])
        known.isOutOfSight = true
        #expect(kept() == [.human])
        known.isOutOfSight = false
        new.evidence = FaceEvidence(
            FaceVerifier.Verification(species: .human, neighbors: 9, placement: new.placement), isCertain: true)
        #expect(kept() == [.human])
    }

    @Test(
        "Cascades need six neighbours at once or five in three more verifications, of humans and cats",
        arguments: Species.allCases)
    func cascades(species: Species) {
        #expect(isFace(counted(6, species)))
        let weak = counted(5, species)
        #expect(!isFace(weak, [weak, weak]))
        #expect(isFace(weak, [weak, weak, weak]))
        let weaker = counted(4, species)
        #expect(!isFace(weaker, [weaker, weaker, weaker, weaker]))
    }

    @Test("Who asks for a lower minimum confidence or fewer neighbours gets faces with less evidence")
    func lower() throws {
        var settings = FaceSettings.balanced
        settings.minConfidence = 0.35
        (settings.human.minNeighbors, settings.cat.minNeighbors) = (1, 1)
        let detector = try FaceDetector(settings: settings, library: CascadeLibrary())
        #expect(detector.isCertain(detected(search: 0.7)))
        #expect(detector.isCertain(counted(2)) && detector.isCertain(counted(3, .cat)))
        #expect(!detector.isCertain(detected(search: 0.3)) && !detector.isCertain(counted(1)))
        settings.minConfidence = 0.95
        let strict = try FaceDetector(settings: settings, library: CascadeLibrary())
        #expect(!strict.isCertain(detected(search: 0.94)) && strict.isCertain(detected(search: 0.96)))
    }
}
