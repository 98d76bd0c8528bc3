// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Detects faces in single frames by cascade classifiers (Viola and Jones 2001; OpenCV's `detectMultiScale`) or by a
/// network.
///
/// With the preset `classic`, the detector works like the app ManyMasks. It reduces the grey frame by area
/// interpolation and equalises the frame. Then it searches for humans and for cats, and discards cats that intersect a
/// human. In a human face, it searches for the left eye in the left half and for the right eye in the right half.
///
/// With the other presets, a coarse search detects candidates, and `FaceVerifier` verifies the candidates.
///
/// If the detector has a network (`FaceModel`), the network detects humans and their eyes. The cascade still detects
/// cats.
///
/// Only one thread at a time may use a detector.
package final class FaceDetector {
    package let settings: FaceSettings
    /// The cascade for each requested species. Nil for humans if a network detects humans.
    let cascades: PerSpecies<Cascade?>
    /// The network that detects humans. Nil if the cascade detects humans.
    let network: NetworkFinder?
    var usesNetwork: Bool { network != nil }
    let landmarks: LandmarkFinder
    let cutter = PatchCutter()
    let verifier: FaceVerifier
    let secondLook: SecondLook
    private let reduced = OwnedImage(.gray8)
    private let equalized = OwnedImage(.gray8)
    private let patch = OwnedImage(.gray8)

    /// Loads only the cascades that `settings` need.
    /// - Parameter model: the network that detects humans instead of the cascade.
    package init(
        settings: FaceSettings, library: CascadeLibrary, model: FaceModel? = nil
    ) throws(CascadeError) {
        var settings = settings.sanitized
        let network = settings.species.contains(.human) ? model.map { NetworkFinder($0, settings) } : nil
        self.network = network
        if network != nil { settings.decision = .confidence }
        self.settings = settings
        var cascades = PerSpecies<Cascade?>(nil)
        for species in settings.species.all where species == .cat || network == nil {
            cascades[species] = try Cascade(path: library.path(of: settings.faceCascade(of: species)), purpose: .face)
        }
        self.cascades = cascades
        landmarks = try LandmarkFinder(settings: settings, library: library, hasPoints: network != nil)
        verifier = FaceVerifier(cascades, network: network, cutter: cutter)
        secondLook = SecondLook(verifier, network: network, settings: settings, library: library)
    }

    /// Returns the faces in a frame. If a human and a cat are detected at the same position, returns only one of these
    /// faces.
    /// - Parameters:
    ///   - plane: the grey image of the frame.
    ///   - colors: the same frame in colour. The network detects more faces in colour than in grey.
    package func faces(in plane: Image, colors: FrameImage? = nil) throws(VisionError) -> [Face] {
        try faces(in: try prepare(plane, colors.map { ColorSource($0) }))
    }

    func faces(in planes: FramePlanes) throws(VisionError) -> [Face] {
        var faces: [Face] = []
        switch settings.decision {
        case .classic: faces = try classicFaces(in: planes.search)
        case .confidence:
            for verified in try verifiedFaces(in: planes) where isEnough(verified) {
                var face = Face(
                    species: verified.species, placement: verified.placement,
                    confidence: verified.confidence ?? verified.species.confidence(verified.neighbors))
                face.isPossible = verified.confidence.map { $0 < settings.minConfidence } ?? false
                face.isSpeciesDoubtful = verified.isDoubtful
                face.isExact = verified.networkResult != nil
                face.merge(try landmarks(of: verified, in: planes))
                faces.append(face)
            }
        }
        return reported(faces, in: planes)
    }

    /// Returns the faces that are at least as large as the setting `minReportedSize`. If there are more than `maxFaces`
    /// faces, certain faces take precedence over possible faces (`Face.isPossible`). Among certain faces, and among
    /// possible faces, a higher confidence takes precedence.
    func reported(_ faces: [Face], in planes: FramePlanes) -> [Face] {
        let minimum = settings.minReportedSize * min(planes.bounds.width, planes.bounds.height)
        let faces = faces.filter { max($0.box.width, $0.box.height) >= minimum }
        guard settings.maxFaces > 0, faces.count > settings.maxFaces else { return faces }
        func rank(_ face: Face) -> (Int, Double) { (face.isPossible ? 0 : 1, face.confidence) }
        return Array(faces.sorted { rank($0) > rank($1) }.prefix(settings.maxFaces))
    }

    // MARK: - Steps

    /// Crops a frame to the searched region, reduces the frame, and equalises its histogram if the settings request
    /// this.
    func prepare(_ plane: Image, _ colors: ColorSource? = nil) throws(VisionError) -> FramePlanes {
        let within = settings.region.map { plane.bounds.intersection($0) } ?? plane.bounds
        let full = plane.cropped(to: within)
        let scale = settings.scale > 0 ? settings.scale : automaticScale(full)
        var part = full
        if scale < 1 {
            try reduced.reduce(full, by: scale)
            part = reduced.image
        }
        let small = part
        switch settings.equalize {
        case .none: break
        case .histogram: try equalized.equalize(part)
        case .clahe: try equalized.equalizeTiles(part)
        }
        if settings.equalize != .none { part = equalized.image }
        let search = SearchPlane(image: part, origin: within.corner, scale: scale)
        // `colors` shows the whole frame, so crop `colors` to the searched region.
        let source = (colors ?? ColorSource(FrameImage(plane))).cropped(to: Box(within))
        return FramePlanes(full: full, reduced: small, search: search, colors: source)
    }

    /// Returns the scale at which the smallest requested face is 24 pixels wide. If a cascade has a wider window, the
    /// width of this window replaces the 24 pixels. Without a network, the scale is rounded up to 1/n with a whole
    /// number n, because OpenCV then reduces images fastest. With a network, the scale is not rounded, because the
    /// search for cats is faster in a smaller frame.
    private func automaticScale(_ part: Image) -> Double {
        let fractions = settings.species.all.map { settings.search(for: $0).minSize }
        let smallest = (fractions.min() ?? 1) * Double(min(part.width, part.height))
        let windows = settings.species.all.compactMap { cascades[$0]?.window.width }
        let factor = max(1, smallest / Double(max(24, windows.max() ?? 0)))
        return 1 / (network == nil ? factor.rounded(.down) : factor)
    }

    // MARK: - Classic

    private func classicFaces(in plane: SearchPlane) throws(VisionError) -> [Face] {
        let humans = try finds(of: .human, in: plane).map { find throws(VisionError) in
            var face = face(.human, find, in: plane)
            face.merge(try landmarks.landmarks(in: plane.image, face: find.rectangle).mapped(plane.point))
            return face
        }
        let cats = try finds(of: .cat, in: plane).map { face(.cat, $0, in: plane) }
        return humans + cats.filter { cat in humans.allSatisfy { $0.box.overlap(cat.box) == 0 } }
    }

    private func face(_ species: Species, _ find: Cascade.Find, in plane: SearchPlane) -> Face {
        Face(species: species, box: plane.box(find.rectangle), confidence: species.confidence(find.neighbors))
    }

    private func finds(of species: Species, in plane: SearchPlane) throws(VisionError) -> [Cascade.Find] {
        let search = settings.search(for: species)
        return try cascades[species]?.detect(
            in: plane.image,
            Cascade.Search(
                scaleFactor: search.scaleFactor, minNeighbors: search.minNeighbors,
                minSize: smallest(species, in: plane), usesThreads: settings.threads != 1)) ?? []
    }

    func smallest(_ species: Species, in plane: SearchPlane) -> Int {
        Int(Double(min(plane.image.width, plane.image.height)) * settings.search(for: species).minSize)
    }

    // MARK: - Landmarks

    /// Returns the landmarks of a verified face, in pixels of the full frame.
    func landmarks(of face: FaceVerifier.Verification, in planes: FramePlanes) throws(VisionError) -> FoundLandmarks {
        guard let result = face.networkResult else {
            return try landmarks(of: face.species, at: face.placement, in: planes)
        }
        return try landmarks(of: result, at: face.placement, in: planes)
    }

    /// Returns the landmarks that the network measured in a human face. If requested, also detects a smile and closed
    /// eyes. Points are in pixels of the full frame.
    func landmarks(
        of detection: NetworkFinder.FaceResult, at placement: FacePlacement, in planes: FramePlanes
    ) throws(VisionError) -> FoundLandmarks {
        let points = detection.landmarks
        var result = FoundLandmarks()
        (result.leftEye, result.rightEye, result.nose) = (points.leftEye, points.rightEye, points.nose)
        result.mouth = (points.mouthLeft, points.mouthRight)
        let side = 72.0
        try cutter.cut(placement, span: 1, side: Int(side), from: planes, into: patch)
        let inPatch = points.moved { (placement.fractions(of: $0) + Point(0.5, 0.5)) * side }
        if settings.landmarks.contains(.eyes) {
            // The eye positions from the network have errors of about 5 % of the face's width. `PupilFinder` corrects
            // these errors.
            let pupils = PupilFinder(patch.image, reach: Int(side) / 12)
            func inFrame(_ point: Point) -> Point { placement.point(point.x / side - 0.5, point.y / side - 0.5) }
            result.leftEye = pupils.pupil(near: inPatch.leftEye).map(inFrame) ?? points.leftEye
            result.rightEye = pupils.pupil(near: inPatch.rightEye).map(inFrame) ?? points.rightEye
        }
        result.pose = HeadPose(points)
        guard landmarks.isOfUse else { return result }
        (result.smiles, result.closedEyes) = try landmarks.expression(
            in: patch.image, face: patch.image.bounds, points: inPatch)
        return result
    }

    /// Measures the landmarks of a face by cascades and `PupilFinder`. Points are in pixels of the full frame. The face
    /// is first rotated upright and scaled to a size that suits the cascades for eyes. No cascade for cats' eyes
    /// exists, so `PupilFinder` alone measures cats' eyes.
    /// - Parameters:
    ///   - tracked: the previous positions of the eyes, in pixels of the full frame. They are used for eyes that the
    ///     cascades miss. If an eye has no previous position, `PupilFinder` searches at the default position, and the
    ///     eye counts as not detected.
    ///   - areEyesSearched: true to search for eyes by cascades; false to use only `PupilFinder`, near the previous
    ///     positions.
    func landmarks(
        of species: Species, at placement: FacePlacement, in planes: FramePlanes,
        tracked: (left: Point?, right: Point?) = (nil, nil), areEyesSearched: Bool = true
    ) throws(VisionError) -> FoundLandmarks {
        let hasEyes = settings.landmarks.contains(.eyes)
        guard species == .human ? landmarks.isOfUse : hasEyes else { return FoundLandmarks() }
        let side = 72.0
        try cutter.cut(placement, span: 1, side: Int(side), from: planes, into: patch)
        var result = FoundLandmarks()
        if species == .human {
            result = try landmarks.landmarks(
                in: patch.image, face: patch.image.bounds, areEyesSearched: areEyesSearched)
        }
        if hasEyes {
            let usual = Face(species: species, box: Box(patch.image.bounds), confidence: 0)
            func inPatch(_ point: Point) -> Point {
                (placement.fractions(of: point) + Point(0.5, 0.5)) * side
            }
            // The centre of the box that a cascade detects for an eye differs from the pupil by about 5 % of the face's
            // width. Cascades also miss many eyes. So `PupilFinder` searches for each pupil.
            let pupils = PupilFinder(patch.image, reach: Int(side) / 12)
            result.isLeftEyeDetected = result.leftEye != nil || tracked.left != nil
            result.isRightEyeDetected = result.rightEye != nil || tracked.right != nil
            result.leftEye = pupils.pupil(near: result.leftEye ?? tracked.left.map(inPatch) ?? usual.leftEye)
            result.rightEye = pupils.pupil(near: result.rightEye ?? tracked.right.map(inPatch) ?? usual.rightEye)
        }
        return result.mapped { placement.point($0.x / side - 0.5, $0.y / side - 0.5) }
    }
}

extension FaceSettings.Search {
    /// A detection of `FaceVerifier` counts as strong if it has at least this number of neighbours (overlapping single
    /// detections). The tracker reports strong detections immediately.
    var strongNeighbors: Int { max(4, 2 * minNeighbors) }
}

extension Species {
    /// Returns the confidence of a cascade's detection, 0…1. The confidence is 0.5 for a human with 4 neighbours and
    /// for a cat with 2 neighbours.
    /// - Parameter neighbors: the number of overlapping single detections that form the detection.
    func confidence(_ neighbors: Int) -> Double {
        let count = Double(max(0, neighbors))
        return count / (count + (self == .human ? 4 : 2))
    }
}
