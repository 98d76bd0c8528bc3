import COpenCV
import Pixels

/// Finds faces in single frames by cascade classifiers (Viola and Jones 2001; OpenCV's `detectMultiScale`).
///
/// With the preset `classic` it does what ManyMasks does: the grey frame is reduced by area interpolation and equalised;
/// humans are searched, then cats, and cats that intersect a human are discarded; in a human face the left eye is
/// searched in the left half and the right eye in the right half.
///
/// One thread at a time may use it.
package final class FaceDetector {
    /// A face as the search left it, before its landmarks are known.
    package struct Find: Sendable, Hashable {
        package var species: Species
        /// In pixels of the full frame.
        package var box: Box
        /// In pixels of the searched plane, as OpenCV gave it.
        package var rectangle: Rectangle
        package var neighbors: Int
        /// 0…1.
        package var confidence: Double
    }

    package let settings: FaceSettings
    private let human: Cascade?
    private let cat: Cascade?
    private let landmarks: LandmarkFinder
    private let reduced = GrayPlane()
    private let equalized = GrayPlane()

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
        if settings.threads > 1 {
            setOpenCVThreads(settings.threads)
        }
    }

    /// The faces in `plane`, which is grey.
    package func faces(in plane: Image) throws(VisionError) -> [Face] {
        let search = try prepare(plane)
        var faces: [Face] = []
        for find in try finds(in: search) {
            faces.append(try landmarks.face(find, in: search))
        }
        return faces
    }

    // MARK: - Steps

    /// Reduces and equalises the part of `plane` that is to be searched.
    func prepare(_ plane: Image) throws(VisionError) -> SearchPlane {
        var part = plane
        if let region = settings.region { part = plane.cropped(to: region) }
        let within = settings.region.map { plane.bounds.intersection($0) } ?? plane.bounds
        let origin = Point(x: Double(within.x), y: Double(within.y))
        let scale = settings.scale > 0 ? settings.scale : automaticScale(part)
        if scale < 1 {
            try reduced.reduce(part, by: scale)
            part = reduced.image
        }
        switch settings.equalize {
        case .none: break
        case .histogram: try equalized.equalize(part)
        case .clahe: try equalized.equalizeTiles(part)
        }
        if settings.equalize != .none { part = equalized.image }
        return SearchPlane(image: part, origin: origin, scale: scale)
    }

    /// The faces of both species, the most confident first, without landmarks.
    func finds(in plane: SearchPlane) throws(VisionError) -> [Find] {
        let humans = try finds(.human, human, settings.human, in: plane)
        let cats = try finds(.cat, cat, settings.cat, in: plane)
        let all = judged(humans, cats)
        guard settings.maxFaces > 0, all.count > settings.maxFaces else { return all }
        return Array(all.sorted { $0.confidence > $1.confidence }.prefix(settings.maxFaces))
    }

    private func finds(
        _ species: Species, _ cascade: Cascade?, _ search: FaceSettings.Search, in plane: SearchPlane
    ) throws(VisionError) -> [Find] {
        guard let cascade else { return [] }
        let side = Double(min(plane.image.width, plane.image.height))
        let numbers = Cascade.Search(
            scaleFactor: search.scaleFactor, minNeighbors: search.minNeighbors, minSize: Int(side * search.minSize),
            usesThreads: settings.threads != 1)
        return try cascade.detect(in: plane.image, numbers).map { find in
            Find(
                species: species, box: plane.box(find.rectangle), rectangle: find.rectangle, neighbors: find.neighbors,
                confidence: confidence(neighbors: find.neighbors, atLeast: search.minNeighbors))
        }
    }

    private func judged(_ humans: [Find], _ cats: [Find]) -> [Find] {
        switch settings.judgement {
        case .classic:
            return humans + cats.filter { cat in humans.allSatisfy { $0.box.overlap(cat.box) == 0 } }
        case .confidence:
            var kept: [Find] = []
            for find in (humans + cats).sorted(by: { $0.confidence > $1.confidence })
            where kept.allSatisfy({ $0.box.similarity(find.box) < 0.2 }) {
                kept.append(find)
            }
            return kept
        }
    }

    private func automaticScale(_ part: Image) -> Double { 1 }
}

/// 0…1: how sure a find is that so many overlapping candidates make up, when it takes `least` to be a find.
private func confidence(neighbors: Int, atLeast least: Int) -> Double {
    let count = Double(max(0, neighbors))
    return count / (count + Double(max(1, least)))
}

/// OpenCV's thread count, for the whole process; a failure leaves it as it was.
private func setOpenCVThreads(_ count: Int) {
    try? check { sv_cv_set_threads(Int32(clamping: count), $0) }
}

/// A plane that is ready to be searched, and where it lies in the full frame.
struct SearchPlane {
    let image: Image
    /// Its top left corner in the full frame.
    let origin: Point
    /// By what it was reduced.
    let scale: Double

    /// A rectangle of the plane in the full frame.
    func box(_ rectangle: Rectangle) -> Box {
        Box(
            x: Double(rectangle.x), y: Double(rectangle.y), width: Double(rectangle.width),
            height: Double(rectangle.height)
        ).enlarged(by: scale, origin: origin)
    }
}
