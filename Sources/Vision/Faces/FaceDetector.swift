// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Detects faces in single frames by cascade classifiers (Viola and Jones 2001; OpenCV's `detectMultiScale`) or a
/// network.
///
/// With the preset `classic`, the detector runs the algorithm of ManyMasks: it reduces the grey frame by area
/// interpolation, equalises it, searches for humans and then for cats, and discards cats that intersect a human. In a
/// human face, it searches for the left eye in the left half and for the right eye in the right half.
///
/// With the other presets, a coarse search detects candidates, and `FaceVerifier` verifies the candidates.
///
/// With a network (`FaceModel`), the network detects humans and their eyes instead of the cascades. Cats are still
/// detected by their cascade.
///
/// Only one thread at a time may use a detector.
package final class FaceDetector {
    package let settings: FaceSettings
    /// Cascades of the requested species.
    let cascades: PerSpecies<Cascade?>
    /// Network that detects humans instead of the cascade; nil to use the cascade.
    let network: NetworkFinder?
    /// True if a network detects humans and measures their landmarks.
    var usesNetwork: Bool { network != nil }
    let landmarks: LandmarkFinder
    let cutter = PatchCutter()
    let verifier: FaceVerifier
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
    }

    /// Returns the faces in a frame. If a human and a cat are detected at the same position, only one of them is
    /// returned.
    /// - Parameters:
    ///   - plane: the grey image of the frame.
    ///   - colors: the same frame in colour, in which the network detects more faces.
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

    /// Returns the faces with at least the minimum size, up to the maximum number. Certain faces take precedence over
    /// possible faces, then faces with a higher confidence.
    func reported(_ faces: [Face], in planes: FramePlanes) -> [Face] {
        let minimum = settings.minReportedSize * min(planes.bounds.width, planes.bounds.height)
        let faces = faces.filter { max($0.box.width, $0.box.height) >= minimum }
        guard settings.maxFaces > 0, faces.count > settings.maxFaces else { return faces }
        func rank(_ face: Face) -> (Int, Double) { (face.isPossible ? 0 : 1, face.confidence) }
        return Array(faces.sorted { rank($0) > rank($1) }.prefix(settings.maxFaces))
    }

    // MARK: - Steps

    /// Crops, reduces and equalises a frame for the search.
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
        // The colours show the whole frame, so they are cropped to the searched region.
        let source = (colors ?? ColorSource(FrameImage(plane))).cropped(to: Box(within))
        return FramePlanes(full: full, reduced: small, search: search, colors: source)
    }

    /// Returns the scale at which the smallest requested face is 24 pixels wide, or as wide as the largest window of
    /// the cascades if this window is wider. Without a network, the scale is rounded up to 1/n, which OpenCV averages
    /// fastest. With a network, the exact scale is used: only cats are searched for in the reduced frame, and this
    /// search takes most of the time.
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

    /// Returns the landmarks of a detected face, in pixels of the full frame.
    func landmarks(of face: FaceVerifier.Verification, in planes: FramePlanes) throws(VisionError) -> FoundLandmarks {
        guard let result = face.networkResult else {
            return try landmarks(of: face.species, at: face.placement, in: planes)
        }
        return try landmarks(of: result, at: face.placement, in: planes)
    }

    /// Returns the landmarks that the network measured in a human face, and whether the face smiles and has closed
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
            // The network's and the cascades' eye positions are off by about 5 % of the face's width, so `PupilFinder`
            // corrects them.
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

    /// Returns the landmarks that cascades and `PupilFinder` measure in a face, in pixels of the full frame. The face
    /// is rotated upright and scaled to a size that suits the cascades for eyes. There are no cascades for cats' eyes,
    /// so `PupilFinder` alone measures these eyes.
    /// - Parameters:
    ///   - tracked: the previous positions of the eyes, for eyes that the cascades miss. Without a previous position,
    ///     the
    ///     pupil is searched for at the usual position, and the eye does not count as seen.
    ///   - areEyesSearched: true to search for eyes by cascades; false to follow only known eyes.
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
            // Cascades detect eyes, not pupils. The centres of their boxes are off by about 5 % of the face's width,
            // and the cascades miss many eyes.
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
    /// Minimum number of neighbours, counted by `FaceVerifier`, of a face that is reported immediately.
    var strongNeighbors: Int { max(4, 2 * minNeighbors) }
}

extension Species {
    /// Returns the confidence of a detection with this number of neighbours, 0…1. For each species, 0.5 corresponds to
    /// a detection that is just sufficient.
    func confidence(_ neighbors: Int) -> Double {
        let count = Double(max(0, neighbors))
        return count / (count + (self == .human ? 4 : 2))
    }
}
