// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Testing

@testable import Vision

@Suite("Faces: second look")
struct FacesSecondLookTests {
    private func tracker(
        _ settings: FaceSettings = .balanced, library: CascadeLibrary = CascadeLibrary()
    ) throws -> FaceTracker {
        try FaceTracker(settings: settings, library: library) { 1 }
    }

    /// A detection that is strong enough for a certain face, in the centre of a scene of 320x320 pixels.
    private func strong(_ species: Species) -> FaceVerifier.Verification {
        FaceVerifier.Verification(
            species: species, neighbors: 6, placement: FacePlacement(center: Point(160, 160), size: 110))
    }

    /// Returns a scene with a drawn face in the centre.
    private func scene(_ species: Species, tilt: Double = 0) -> GrayPicture {
        let scene = DrawnScene(width: 320, height: 320, level: 98)
        scene.draw(species, center: Point(160, 160), size: 110, tilt: tilt)
        return scene.picture
    }

    /// Returns a road sign with the outline of a square that stands on its corner, and with a cross in the middle.
    private func sign() -> GrayPicture {
        let picture = GrayPicture(width: 320, height: 320, level: 20)
        for y in 0..<320 {
            for x in 0..<320 {
                let (u, v) = (abs((Double(x) - 159.5) / 110), abs((Double(y) - 159.5) / 110))
                if u + v < 0.6 { picture[x, y] = u + v < 0.54 ? 200 : 30 }
                if min(u, v) < 0.07, max(u, v) < 0.33 { picture[x, y] = 20 }
            }
        }
        return picture
    }

    private func confirms(
        _ face: FaceVerifier.Verification, in picture: GrayPicture, by tracker: FaceTracker
    ) throws -> Bool {
        try withExtendedLifetime(picture) {
            let detector = tracker.detector
            return try detector.isCertain(face, in: try detector.prepare(picture.image))
        }
    }

    @Test("A strong detection by a cascade makes a face only if the face is upright", arguments: Species.allCases)
    func upright(species: Species) throws {
        let tracker = try tracker()
        #expect(try confirms(strong(species), in: scene(species), by: tracker))
        #expect(try confirms(strong(species), in: scene(species, tilt: 180), by: tracker) == false)
    }

    @Test(
        "A track that a second look has contradicted stays a possible face until two later looks confirm the face",
        arguments: Species.allCases)
    func evidence(species: Species) throws {
        let tracker = try tracker()
        let face = strong(species)
        let (upright, upsideDown) = (scene(species), scene(species, tilt: 180))
        func track() -> FaceTrack { FaceTrack(face, isShown: true, evidence: FaceEvidence(face, isCertain: false)) }
        func look(_ track: inout FaceTrack, after frames: Int, at picture: GrayPicture) throws -> Bool {
            track.age += frames
            return try withExtendedLifetime(picture) {
                let planes = try tracker.detector.prepare(picture.image)
                try tracker.addEvidence(face, to: &track, isNews: true, in: planes)
                return track.evidence.isCertain && !track.face.isPossible
            }
        }
        var new = track()
        #expect(try look(&new, after: 4, at: upright) == false)
        #expect(try look(&new, after: 4, at: upright))
        var doubted = track()
        for _ in 0..<4 { #expect(try look(&doubted, after: 4, at: upsideDown) == false) }
        #expect(try look(&doubted, after: 4, at: upright) == false)
        #expect(try look(&doubted, after: 4, at: upright))
        // A face that is certain needs no second look.
        #expect(try look(&doubted, after: 4, at: upsideDown))
        // Looks at successive frames do not count.
        var hasty = track()
        for _ in 0..<3 { #expect(try look(&hasty, after: 4, at: upsideDown) == false) }
        #expect(try (0..<7).map { _ in try look(&hasty, after: 1, at: upright) } == Array(repeating: false, count: 7))
        #expect(try look(&hasty, after: 1, at: upright))
    }

    @Test(
        "A weak detection by the network makes a face only if the network detects the face at all sizes and mirrored",
        .enabled(if: RealData.hasModel, RealData.noModel))
    func network() throws {
        let model = try #require(RealData.model)
        let detector = try FaceDetector(settings: .balanced, library: CascadeLibrary(), model: model)
        let network = try #require(detector.network)
        let face = try #require(try HardFaces.originals(perPerson: 0).first)
        let picture = try face.picture.around(face.center, scale: 80 / face.size)
        /// Covers the left half of the face.
        func cover(_ image: Image) {
            for y in 110..<190 {
                for x in 3 * 160..<3 * 190 { image.row(y)[x] = 90 }
            }
        }
        let half = try face.picture.around(face.center, scale: 80 / face.size, cover)
        let mirrored = try face.picture.around(face.center, scale: 80 / face.size) { image in
            cover(image)
            image.mirrorRows()
        }
        func planes(of picture: RealPicture) throws -> FramePlanes {
            try detector.prepare(picture.gray.image, ColorSource(FrameImage(picture.colors.image)))
        }
        func mean(_ picture: RealPicture, at place: FacePlacement) throws -> Double {
            try withExtendedLifetime(picture) { try network.meanConfidence(at: place, in: try planes(of: picture)) }
        }
        let place = FacePlacement(center: Point(199.5, 149.5), size: 80)
        #expect(try mean(picture, at: place) > 0.85)
        // An image and its mirror image have the same mean.
        let (left, right) = (try mean(half, at: place), try mean(mirrored, at: place))
        #expect((left - right).magnitude < 0.03, "\(left), \(right)")
        func isCertain(searched: Double, at place: FacePlacement) throws -> Bool {
            let result = NetworkFinder.FaceResult(
                confidence: 0.9, searched: searched, verified: 0.9, landmarks: FaceLandmarks(at: place.center))
            let weak = FaceVerifier.Verification(
                species: .human, neighbors: 0, placement: place, networkResult: result)
            return try withExtendedLifetime(picture) { try detector.isCertain(weak, in: try planes(of: picture)) }
        }
        let elsewhere = FacePlacement(center: Point(60, 240), size: 80)
        #expect(try isCertain(searched: 0.6, at: place))
        #expect(try isCertain(searched: 0.6, at: elsewhere) == false)
        #expect(try isCertain(searched: 0.9, at: elsewhere))
    }

    @Test("A search detects a possible face of the network again, so that the whole face counts as evidence")
    func searchedAgain() throws {
        let (tracker, picture) = (try tracker(), scene(.human))
        func detection(_ species: Species = .human, searched: Double, verified: Double?) -> FaceVerifier.Verification {
            FaceVerifier.Verification(
                species: species, neighbors: 0, placement: FacePlacement(center: Point(160, 160), size: 110),
                networkResult: NetworkFinder.FaceResult(
                    confidence: max(searched, verified ?? 0), searched: searched, verified: verified,
                    landmarks: FaceLandmarks(at: Point(160, 160))))
        }
        // The first search saw only a part of the face. Without another search, verifications are not sufficient.
        let part = detection(searched: 0.4, verified: 0.7)
        var track = FaceTrack(part, isShown: true, evidence: FaceEvidence(part, isCertain: false))
        for _ in 0..<20 {
            track.evidence.confirm(detection(searched: 0, verified: 0.86), isNews: true, by: tracker.detector)
        }
        #expect(!track.evidence.isCertain && track.needsSearch)
        let box = track.placement.box
        try withExtendedLifetime(picture) {
            // A first frame without a search creates the generation to which the request belongs.
            _ = try tracker.faces(in: picture.image, frame: 0, searching: .later)
            try tracker.begin(&track, with: part, in: try tracker.detector.prepare(picture.image))
            tracker.tracks = [track]
            _ = try tracker.faces(in: picture.image, frame: 1, searching: .elsewhere)
            let search = try #require(tracker.dueSearch)
            #expect(search.follows(box) && !search.isKnown(box) && search.trackedBoxes.isEmpty)
            #expect(search.areas[.human] != nil)
            // An unchanged face would be no new evidence.
            tracker.tracks[0].isUnchanged = false
            let whole = detection(searched: 0.9, verified: nil)
            let findings = FaceFindings(generation: search.generation, losses: search.losses, verified: [whole])
            try tracker.add(findings, seenIn: picture.image)
        }
        #expect(tracker.tracks.count == 1 && tracker.tracks.first?.evidence.isCertain == true)
        #expect(tracker.tracks.first?.needsSearch == false)
    }

    @Test("A road sign looks like a cat to two cascades, but also upside down, so the sign is no cat")
    func symmetric() throws {
        let (tracker, picture) = (try tracker(), sign())
        try withExtendedLifetime(picture) {
            let (detector, verifier) = (tracker.detector, tracker.detector.verifier)
            let planes = try detector.prepare(picture.image)
            let placement = FacePlacement(center: Point(160, 168), size: 122)
            let cat = try #require(try verifier.verify(.cat, at: placement, reach: .wide, in: planes))
            let second = try Cascade(path: try cascadePath("haarcascade_frontalcatface"), purpose: .face)
            let sum = try verifier.neighbors(of: cat, by: .init(cascade: second), in: planes)
            let isConfirmed = try detector.isCertain(cat, in: planes)
            #expect(detector.isCertain(cat) && sum >= 6 && !isConfirmed)
        }
        for frame in 0..<20 {
            let faces = try tracker.faces(in: picture, frame: frame)
            #expect(faces.allSatisfy { $0.isPossible }, "frame \(frame)")
        }
    }

    @Test("The second cascade also detects a face whose first detection is much larger than the face")
    func placement() throws {
        let (tracker, picture) = (try tracker(), scene(.human))
        try withExtendedLifetime(picture) {
            let (verifier, planes) = (tracker.detector.verifier, try tracker.detector.prepare(picture.image))
            let cascade = try Cascade(path: try cascadePath("lbpcascade_frontalface"), purpose: .face)
            /// Returns the sum of the neighbours for a detection that is 30 % larger than the drawn face.
            func sum(_ relativeSize: Double) throws -> Int {
                var face = strong(.human)
                face.placement.size *= 1.3
                return try verifier.neighbors(
                    of: face, by: .init(cascade: cascade, enlargement: 1.3, relativeSize: relativeSize), in: planes)
            }
            // Without the relative size of its boxes, the cascade loses many single detections to the minimum size.
            let (usual, without) = (try sum(0.85), try sum(1))
            #expect(usual >= 45 && without < 45, "\(usual), \(without)")
        }
    }

    @Test("The first cascade alone decides if the user selects it, or if the second cascade is missing")
    func alone() throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        let names = [
            "haarcascade_frontalface_alt", "haarcascade_frontalcatface_extended", "haarcascade_lefteye_2splits",
            "haarcascade_righteye_2splits",
        ]
        for name in names {
            try files.createSymbolicLink(
                atPath: folder.appendingPathComponent("\(name).xml").path, withDestinationPath: try cascadePath(name))
        }
        let missing = try tracker(library: CascadeLibrary(directory: folder.path, roots: []))
        var settings = FaceSettings.balanced
        (settings.cascades.human, settings.cascades.cat) = (names[0], names[1])
        let selected = try tracker(settings)
        for species in Species.allCases {
            for tracker in [missing, selected] {
                #expect(try confirms(strong(species), in: scene(species, tilt: 180), by: tracker))
            }
        }
    }

    @Test("Faces in a real clip become certain in the first frame", .enabled(if: RealData.isPresent, RealData.absence))
    func first() throws {
        for settings in [FaceSettings.fast, .balanced, .accurate] {
            for picture in [RealData.carphone.first, RealData.astronaut.first] {
                let image = try #require(picture)
                let faces = try tracker(settings).faces(in: image, frame: 0).filter { !$0.isPossible }
                #expect(faces.count == 1)
            }
        }
    }
}
