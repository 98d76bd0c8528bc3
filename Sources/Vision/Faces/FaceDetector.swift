// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Finds faces in single frames by cascade classifiers (Viola and Jones 2001; OpenCV's `detectMultiScale`).
///
/// With the preset `classic` it does what ManyMasks does: the grey frame is reduced by area interpolation and equalised;
/// humans are searched, then cats, and cats that intersect a human are discarded; in a human face the left eye is
/// searched in the left half and the right eye in the right half.
///
/// With the others a coarse search only finds candidates, which `FaceVerifier` then examines closely.
///
/// With a network (`FaceModel`) that finds the humans, in the place of their cascade and those of eyes; cats are found as
/// before.
///
/// One thread at a time may use it.
package final class FaceDetector {
    package let settings: FaceSettings
    /// Cascades of the species that are searched for.
    let cascades: PerSpecies<Cascade?>
    /// Finds humans in the place of their cascade, if it is there.
    let network: NetworkFinder?
    /// True if the network finds humans and measures their points.
    var usesNetwork: Bool { network != nil }
    let landmarks: LandmarkFinder
    let cutter = PatchCutter()
    let verifier: FaceVerifier
    private let reduced = OwnedImage(.gray8)
    private let equalized = OwnedImage(.gray8)
    private let patch = OwnedImage(.gray8)

    /// Loads the cascades that `settings` need, and no others.
    /// - Parameter model: the network that finds humans, in place of the cascade.
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

    /// Returns the faces in `plane`, which is grey; only one of a human and a cat in the same place.
    /// - Parameter colors: the same frame in its colours, by which the network finds more.
    package func faces(in plane: Image, colors: FrameImage? = nil) throws(VisionError) -> [Face] {
        try faces(in: try prepare(plane, colors.map { ColorSource($0) }))
    }

    func faces(in planes: FramePlanes) throws(VisionError) -> [Face] {
        var faces: [Face] = []
        switch settings.decision {
        case .classic: faces = try classicFaces(in: planes.search)
        case .confidence:
            for found in try verifiedFaces(in: planes) where isEnough(found) {
                var face = Face(
                    species: found.species, placement: found.placement,
                    confidence: found.confidence ?? found.species.confidence(found.neighbors))
                face.isPossible = found.confidence.map { $0 < settings.minConfidence } ?? false
                face.isSpeciesDoubtful = found.isDoubtful
                face.isExact = found.seen != nil
                face.merge(try landmarks(of: found, in: planes))
                faces.append(face)
            }
        }
        return reported(faces, in: planes)
    }

    /// Returns the faces that are large enough, as many as are wanted, and certain faces first.
    func reported(_ faces: [Face], in planes: FramePlanes) -> [Face] {
        let least = settings.minReportedSize * min(planes.bounds.width, planes.bounds.height)
        let faces = faces.filter { max($0.box.width, $0.box.height) >= least }
        guard settings.maxFaces > 0, faces.count > settings.maxFaces else { return faces }
        func rank(_ face: Face) -> (Int, Double) { (face.isPossible ? 0 : 1, face.confidence) }
        return Array(faces.sorted { rank($0) > rank($1) }.prefix(settings.maxFaces))
    }

    // MARK: - Steps

    /// Reduces and equalises the part of `plane` to be searched.
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
        // Where colours show the whole frame, only the part counts.
        let source = (colors ?? ColorSource(FrameImage(plane))).cropped(to: Box(within))
        return FramePlanes(full: full, reduced: small, search: search, colors: source)
    }

    /// Returns the fraction that leaves the smallest face 24 pixels, or as many as a larger window of a cascade: 1/n, which is averaged fastest, or beside a network, where
    /// cats alone are searched for in the reduced frame and cost most, exactly that.
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

    /// Returns what is found in a face, in the frame's coordinates.
    func landmarks(of face: FaceVerifier.Verification, in planes: FramePlanes) throws(VisionError) -> FoundLandmarks {
        guard let seen = face.seen else { return try landmarks(of: face.species, at: face.placement, in: planes) }
        return try landmarks(of: seen, at: face.placement, in: planes)
    }

    /// Returns what the network sees in a human face, and what that shows.
    func landmarks(
        of seen: NetworkFinder.Sight, at placement: FacePlacement, in planes: FramePlanes
    ) throws(VisionError) -> FoundLandmarks {
        let points = seen.landmarks
        var found = FoundLandmarks()
        (found.leftEye, found.rightEye, found.nose) = (points.leftEye, points.rightEye, points.nose)
        found.mouth = (points.mouthLeft, points.mouthRight)
        let side = 72.0
        try cutter.cut(placement, span: 1, side: Int(side), from: planes, into: patch)
        let inPatch = points.moved { (placement.fractions(of: $0) + Point(0.5, 0.5)) * side }
        if settings.landmarks.contains(.eyes) {
            // Its eyes are off by about a twentieth of the face, as are those of cascades.
            let pupils = PupilFinder(patch.image, reach: Int(side) / 12)
            func inFrame(_ point: Point) -> Point { placement.point(point.x / side - 0.5, point.y / side - 0.5) }
            found.leftEye = pupils.pupil(near: inPatch.leftEye).map(inFrame) ?? points.leftEye
            found.rightEye = pupils.pupil(near: inPatch.rightEye).map(inFrame) ?? points.rightEye
        }
        found.pose = HeadPose(points)
        guard landmarks.isOfUse else { return found }
        (found.smiles, found.closedEyes) = try landmarks.expression(
            in: patch.image, face: patch.image.bounds, points: inPatch)
        return found
    }

    /// Returns what is found in the face at `placement`, in the frame's coordinates. The face is turned upright and
    /// scaled to a size that suits the cascades of eyes; cats have none of their own.
    /// - Parameters:
    ///   - known: the previous places of the eyes, for those that the cascades miss. An eye that was never seen is
    ///     searched for in its usual place, and does not count as seen.
    ///   - areEyesSearched: true if the cascades search for eyes; if false, known ones are only followed.
    func landmarks(
        of species: Species, at placement: FacePlacement, in planes: FramePlanes,
        known: (left: Point?, right: Point?) = (nil, nil), areEyesSearched: Bool = true
    ) throws(VisionError) -> FoundLandmarks {
        let hasEyes = settings.landmarks.contains(.eyes)
        guard species == .human ? landmarks.isOfUse : hasEyes else { return FoundLandmarks() }
        let side = 72.0
        try cutter.cut(placement, span: 1, side: Int(side), from: planes, into: patch)
        var found = FoundLandmarks()
        if species == .human {
            found = try landmarks.landmarks(in: patch.image, face: patch.image.bounds, areEyesSearched: areEyesSearched)
        }
        if hasEyes {
            let usual = Face(species: species, box: Box(patch.image.bounds), confidence: 0)
            func inPatch(_ point: Point) -> Point {
                (placement.fractions(of: point) + Point(0.5, 0.5)) * side
            }
            // Cascades find eyes, not pupils: their boxes are off by about a twentieth of the face, and they miss many.
            let pupils = PupilFinder(patch.image, reach: Int(side) / 12)
            found.isLeftEyeSeen = found.leftEye != nil || known.left != nil
            found.isRightEyeSeen = found.rightEye != nil || known.right != nil
            found.leftEye = pupils.pupil(near: found.leftEye ?? known.left.map(inPatch) ?? usual.leftEye)
            found.rightEye = pupils.pupil(near: found.rightEye ?? known.right.map(inPatch) ?? usual.rightEye)
        }
        return found.mapped { placement.point($0.x / side - 0.5, $0.y / side - 0.5) }
    }
}

extension FaceSettings.Search {
    /// Number of neighbours, counted by `FaceVerifier`, with which a face is shown at once.
    var strongNeighbors: Int { max(4, 2 * minNeighbors) }
}

extension Species {
    /// Returns the confidence of a find with this many neighbours, 0…1. For each species 0.5 is a find that is just good
    /// enough.
    func confidence(_ neighbors: Int) -> Double {
        let count = Double(max(0, neighbors))
        return count / (count + (self == .human ? 4 : 2))
    }
}
