import COpenCV
import Glibc
import Pixels

/// Finds faces in single frames by cascade classifiers (Viola and Jones 2001; OpenCV's `detectMultiScale`).
///
/// With the preset `classic` it does what ManyMasks does: the grey frame is reduced by area interpolation and equalised;
/// humans are searched, then cats, and cats that intersect a human are discarded; in a human face the left eye is
/// searched in the left half and the right eye in the right half.
///
/// With the others a coarse search only proposes places, which `FaceJudge` then examines closely.
///
/// One thread at a time may use it.
package final class FaceDetector {
    /// A face as the search found it, before its landmarks are known.
    struct Find {
        var species: Species
        /// Rectangle in pixels of the searched plane, as OpenCV returned it.
        var rectangle: Rectangle
        var box: Box
        var neighbors: Int
    }

    package let settings: FaceSettings
    let human: Cascade?
    let cat: Cascade?
    let landmarks: LandmarkFinder
    let cutter = PatchCutter()
    let judge: FaceJudge
    private let reduced = GrayPlane()
    private let equalized = GrayPlane()
    private let patch = GrayPlane()

    /// Loads the cascades that `settings` need, and no others.
    package init(settings: FaceSettings, library: CascadeLibrary) throws(CascadeError) {
        let settings = settings.sound
        self.settings = settings
        human =
            settings.species.contains(.human)
            ? try Cascade(path: library.path(of: settings.faceCascade(of: .human)), purpose: .face) : nil
        cat =
            settings.species.contains(.cat)
            ? try Cascade(path: library.path(of: settings.faceCascade(of: .cat)), purpose: .face) : nil
        landmarks = try LandmarkFinder(settings: settings, library: library)
        judge = FaceJudge(human: human, cat: cat, cutter: cutter)
        if settings.threads > 1 {
            setOpenCVThreads(settings.threads)
        }
    }

    /// Returns the faces in `plane`, which is grey; only one of a human and a cat in the same place.
    package func faces(in plane: Image) throws(VisionError) -> [Face] {
        let planes = try prepare(plane)
        var faces: [Face] = []
        switch settings.judgement {
        case .classic:
            for find in try classicFinds(in: planes.search) { faces.append(try face(find, in: planes.search)) }
        case .confidence:
            for verdict in try verdicts(in: planes)
            where verdict.neighbors >= search(for: verdict.species).minNeighbors {
                faces.append(try face(verdict, in: planes))
            }
        }
        guard settings.maxFaces > 0, faces.count > settings.maxFaces else { return faces }
        return Array(faces.sorted { $0.confidence > $1.confidence }.prefix(settings.maxFaces))
    }

    // MARK: - Steps

    /// Reduces and equalises the part of `plane` to be searched.
    func prepare(_ plane: Image) throws(VisionError) -> FramePlanes {
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
        let origin = Point(Double(within.x), Double(within.y))
        return FramePlanes(full: full, reduced: small, search: SearchPlane(image: part, origin: origin, scale: scale))
    }

    /// Returns the parameters for the faces of `species`.
    func search(for species: Species) -> FaceSettings.Search {
        species == .human ? settings.human : settings.cat
    }

    /// Returns a fraction 1/n that leaves the smallest face 24 pixels or more.
    private func automaticScale(_ part: Image) -> Double {
        let fractions = [
            settings.species.contains(.human) ? settings.human.minSize : 1,
            settings.species.contains(.cat) ? settings.cat.minSize : 1,
        ]
        let smallest = (fractions.min() ?? 1) * Double(min(part.width, part.height))
        return 1 / max(1, (smallest / 24).rounded(.down))
    }

    // MARK: - Classic

    private func classicFinds(in plane: SearchPlane) throws(VisionError) -> [Find] {
        let humans = try classicFinds(.human, human, in: plane)
        let cats = try classicFinds(.cat, cat, in: plane)
        return humans + cats.filter { cat in humans.allSatisfy { $0.box.overlap(cat.box) == 0 } }
    }

    private func classicFinds(
        _ species: Species, _ cascade: Cascade?, in plane: SearchPlane
    ) throws(VisionError) -> [Find] {
        guard let cascade else { return [] }
        let search = search(for: species)
        let numbers = Cascade.Search(
            scaleFactor: search.scaleFactor, minNeighbors: search.minNeighbors, minSize: smallest(species, in: plane),
            usesThreads: settings.threads != 1)
        return try cascade.detect(in: plane.image, numbers).map {
            Find(species: species, rectangle: $0.rectangle, box: plane.box($0.rectangle), neighbors: $0.neighbors)
        }
    }

    func smallest(_ species: Species, in plane: SearchPlane) -> Int {
        Int(Double(min(plane.image.width, plane.image.height)) * search(for: species).minSize)
    }

    private func face(_ find: Find, in plane: SearchPlane) throws(VisionError) -> Face {
        var face = Face(
            species: find.species, box: find.box, confidence: confidence(find.species, neighbors: find.neighbors))
        guard find.species == .human else { return face }
        face.take(try landmarks.landmarks(in: plane.image, face: find.rectangle).mapped(plane.point))
        return face
    }

    // MARK: - Details of a find

    /// Returns the face of a verdict, with its landmarks.
    func face(_ verdict: FaceJudge.Verdict, in planes: FramePlanes) throws(VisionError) -> Face {
        var face = Face(
            species: verdict.species, placement: verdict.placement,
            confidence: confidence(verdict.species, neighbors: verdict.neighbors))
        face.take(try landmarks(of: verdict.species, at: verdict.placement, in: planes))
        return face
    }

    /// Returns what is found in the face at `placement`, in the frame's coordinates. The face is turned upright and
    /// scaled to a size that suits the cascades of eyes; cats have none of their own.
    /// - Parameters:
    ///   - known: the previous places of the eyes, for those that the cascades miss. An eye that was never seen is
    ///     searched for in its usual place, and does not count as seen.
    ///   - areEyesSearched: true if the cascades search for eyes; if false, known ones are only followed.
    func landmarks(
        of species: Species, at placement: Placement, in planes: FramePlanes,
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
            let usual = Face(
                species: species, box: Box(x: 0, y: 0, width: side, height: side), confidence: 0)
            func inPatch(_ point: Point) -> Point {
                let (u, v) = placement.fractions(of: point)
                return Point((u + 0.5) * side, (v + 0.5) * side)
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
    /// Number of neighbours, counted by `FaceJudge`, with which a face is shown at once.
    var strongNeighbors: Int { max(4, 2 * minNeighbors) }
}

/// Returns the confidence of a find with this many neighbours, 0…1. For each species 0.5 is a find that is just good
/// enough.
func confidence(_ species: Species, neighbors: Int) -> Double {
    let count = Double(max(0, neighbors))
    return count / (count + (species == .human ? 4 : 2))
}

/// Sets OpenCV's thread count, for the whole process, to at most the number of processors, as TBB complains about more;
/// a failure leaves it unchanged.
private func setOpenCVThreads(_ count: Int) {
    let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    try? check { sv_cv_set_threads(Int32(clamping: min(count, processors)), $0) }
}
