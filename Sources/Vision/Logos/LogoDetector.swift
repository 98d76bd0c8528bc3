// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A logo that was detected in a frame.
package struct LogoMatch: Sendable, Hashable {
    /// The method that proposed the position of the logo.
    package enum Source: Sendable, Hashable {
        case regions
        case keypoints
    }

    /// ID that `LogoTracker` assigns. If logos are tracked, the ID stays the same from frame to frame.
    package var id = 0
    /// Index of the template.
    package var template: Int
    /// Bounding box, in pixels of the full frame.
    package var box: Box
    /// Sum of the absolute differences between the ratios (`ShapeFeatures`) of the region and of the template; nil if
    /// keypoints proposed the position.
    package var distance: Double?
    /// Confidence, 0…1: the likeness to the template. Without verification, 1 − distance / maximum distance.
    package var confidence: Double
    package var source = Source.regions
    /// Maps coordinates of the template to pixels of the full frame; nil without the verification `shape`.
    var pose: Homography?

    /// If this match has no distance, copies distance and source of `match`, which shows the same logo.
    mutating func adoptRegion(of match: LogoMatch) {
        guard distance == nil, let distance = match.distance else { return }
        (self.distance, source) = (distance, match.source)
    }
}

/// Detects logos by the features of their regions and by their keypoints. Only one thread at a time may use a detector.
///
/// The detector examines all maximally stable extremal regions (MSER) of the frame, dark and bright, with a permitted
/// size. Regions whose features are near the features of a template are candidates. Keypoints propose further poses,
/// for example of occluded logos. With the verification `shape`, all poses are verified in the same way.
package final class LogoDetector {
    package let settings: LogoSettings
    package let templates: [LogoTemplate]
    private let finder = RegionFinder()
    private let square: ShapeSquare
    /// Number of regions in the last search of a whole frame.
    package private(set) var regionCount = 0

    /// - Throws: `TemplateError` if a template does not suit the verification; `VisionError` if OpenCV fails.
    package init(settings: LogoSettings, templates: [LogoTemplate]) throws {
        self.settings = settings
        self.templates = templates
        square = ShapeSquare(hasGray: settings.verification == .orb)
        for template in templates {
            if let problem = template.problem(with: settings.verification) { throw TemplateError(description: problem) }
        }
    }

    /// Returns the logos in a frame, in the order of the templates. Only the verification `shape` detects several
    /// instances of a template.
    /// - Parameters:
    ///   - plane: the grey plane of the frame.
    ///   - colors: the frame with its colours, or a reduced copy. Without it, colours are not compared.
    ///   - wanted: the indices of the templates to search for; nil for all templates.
    ///   - known: the logos of an earlier frame. Their poses are verified, too.
    ///   - usesKeypoints: true if keypoints propose poses, too.
    package func matches(
        in plane: Image, colors: FrameImage? = nil, of wanted: [Int]? = nil, known: [LogoMatch] = [],
        usesKeypoints: Bool = true
    ) throws(VisionError) -> [LogoMatch] {
        let wanted = wanted ?? Array(templates.indices)
        guard !wanted.isEmpty, !plane.isEmpty else { return [] }
        let scene = LogoScenery(plane, colors)
        var matches = try regionMatches(
            in: plane, scene, scale: settings.scale(width: plane.width, height: plane.height),
            areas: Limits(minimum: settings.minArea, maximum: settings.maxArea), of: wanted)
        regionCount = finder.count
        if settings.verification == .shape, usesKeypoints { matches += try keypointMatches(scene, of: wanted) }
        for match in known where wanted.contains(match.template) {
            guard let pose = match.pose else { continue }
            if let match = try verified(pose, match, scene, isTracked: true) { matches.append(match) }
        }
        return unique(matches)
    }

    /// Returns the best match of a template in a part of a frame.
    /// - Parameters:
    ///   - scale: the factor by which the part is reduced before the search.
    ///   - areas: the limits of a region's area, as fractions of the part's area.
    func match(
        of template: Int, in plane: Image, colors: FrameImage?, part: Rectangle, scale: Double, areas: Limits
    ) throws(VisionError) -> LogoMatch? {
        let scene = LogoScenery(plane, colors, part: part)
        let matches = try regionMatches(
            in: plane.cropped(to: part), scene, scale: scale, areas: areas, of: [template], origin: part.corner)
        return unique(matches).first
    }

    /// Searches the current frame for a logo of the previous frame. Returns nil if the logo is not found.
    /// - Parameter offset: the expected movement, in pixels.
    func follow(
        _ match: LogoMatch, offset: Point, in plane: Image, colors: FrameImage?, part: Rectangle
    ) throws(VisionError) -> LogoMatch? {
        guard let pose = match.pose else { return nil }
        return try verified(
            pose.shifted(by: offset), match, LogoScenery(plane, colors, part: part), isTracked: true)
    }

    // MARK: - Regions

    private func regionMatches(
        in plane: Image, _ scene: LogoScenery, scale: Double, areas: Limits, of wanted: [Int],
        origin: Point = Point(0, 0)
    ) throws(VisionError) -> [LogoMatch] {
        let regions = try finder.regions(in: plane, search(scale, areas, wanted))
        var candidates: [LogoMatch] = []
        for index in regions.indices {
            var box = regions[index].box
            box.corner = box.corner + origin
            candidates += try self.candidates(of: index, box, wanted, origin)
        }
        guard settings.verification == .shape else { return candidates }
        var matches: [LogoMatch] = []
        for template in wanted {
            let likeliest = candidates.filter { $0.template == template }.sorted { $0.confidence > $1.confidence }
            for candidate in likeliest.prefix(LogoTuning.maxRegionPoses) {
                guard let pose = candidate.pose else { continue }
                if let match = try verified(pose, candidate, scene, isTracked: false) { matches.append(match) }
            }
        }
        return matches
    }

    private func search(_ scale: Double, _ areas: Limits, _ wanted: [Int]) -> RegionSearch {
        let tolerances = settings.tolerances
        // The limits are wider than the tolerances, because they apply to the reduced frame, which has little detail.
        func limits(_ ratio: (ShapeFeatures) -> Double, _ tolerance: Double) -> Limits {
            let values = wanted.map { ratio(templates[$0].features) }
            return Limits(
                minimum: (values.min() ?? 0) - (tolerance + 0.05), maximum: (values.max() ?? 1) + (tolerance + 0.05))
        }
        return RegionSearch(
            delta: max(1, settings.delta), maxVariation: settings.maxVariation, scale: scale, area: areas,
            rectangleRatio: limits(\.rectangleRatio, tolerances.rectangleRatio),
            hullRatio: limits(\.hullRatio, tolerances.hullRatio),
            contourRatio: limits(\.contourRatio, tolerances.contourRatio))
    }

    /// Returns the candidates for a region, at most one for each template. With the verification `shape`, the pose of a
    /// candidate is not verified yet, and its confidence is the likeness of the shapes.
    private func candidates(
        of index: Int, _ box: Box, _ wanted: [Int], _ origin: Point
    ) throws(VisionError) -> [LogoMatch] {
        guard try finder.fill(square, with: index), var features = try square.measure() else { return [] }
        // The skeleton takes the longest to compute, so it is computed only if all other features match.
        let near = wanted.filter { template in
            features.skeletonRatio = templates[template].features.skeletonRatio
            return features.isNear(templates[template].features, settings.tolerances)
        }
        guard !near.isEmpty else { return [] }
        features.skeletonRatio = square.skeletonRatio
        var result: [LogoMatch] = []
        var pattern: ShapePattern?
        for template in near where features.isNear(templates[template].features, settings.tolerances) {
            let distance = features.distance(to: templates[template].features)
            guard distance <= settings.maxDistance else { continue }
            var match = LogoMatch(template: template, box: box, distance: distance, confidence: 0)
            switch settings.verification {
            case .none:
                match.confidence = settings.maxDistance > 0 ? 1 - distance / settings.maxDistance : 1
            case .shape:
                pattern = pattern ?? ShapePattern(square.mask.image)
                guard let pattern, let map = finder.map(of: index)?.inverse,
                    let (likeness, pose) = templates[template].likeness(pattern, squareToFrame: map),
                    likeness >= LogoTuning.minRegionLikeness
                else { continue }
                (match.confidence, match.pose) = (likeness, pose.shifted(by: origin))
            case .orb:
                match.confidence = templates[template].square.likeness(try SquareKeypoints(square.gray.image))
                guard match.confidence >= settings.minLikeness else { continue }
            }
            match.confidence = min(1, max(0, match.confidence))
            result.append(match)
        }
        return result
    }

    // MARK: - Keypoints

    private func keypointMatches(_ scene: LogoScenery, of wanted: [Int]) throws(VisionError) -> [LogoMatch] {
        let keypoints = try FrameKeypoints(try scene.view())
        var matches: [LogoMatch] = []
        for template in wanted {
            let empty = LogoMatch(
                template: template, box: Box(x: 0, y: 0, width: 0, height: 0), confidence: 0, source: .keypoints)
            for pose in templates[template].keypoints.poses(in: keypoints) {
                if let match = try verified(pose, empty, scene, isTracked: false) { matches.append(match) }
            }
        }
        return matches
    }

    // MARK: - Verification

    /// Refines a pose, and returns `match` with this pose; nil if the frame does not confirm the pose.
    private func verified(
        _ pose: Homography, _ match: LogoMatch, _ scene: LogoScenery, isTracked: Bool
    ) throws(VisionError) -> LogoMatch? {
        let (template, view) = (templates[match.template], try scene.view())
        guard pose.isFinite, let reader = try view.reader(for: pose.size) else { return nil }
        let fit = LogoFit(look: template.look, reader: reader)
        guard let pose = fit.aligned(pose, isTracked: isTracked), pose.isPlausible,
            let evidence = fit.evidence(pose)
        else { return nil }
        let minScore = template.quality.minScore - (isTracked ? LogoTuning.trackingBonus : 0)
        let likeness = LogoEvidence.likeness(score: evidence.score, minScore: minScore)
        guard likeness >= settings.minLikeness else { return nil }
        var match = match
        (match.pose, match.confidence) = (pose, likeness)
        match.box = template.box(pose).intersection(scene.bounds)
        guard match.box.area > 0 else { return nil }
        return match
    }

    /// Removes matches that show the same logo as a better match, and returns the others in the order of the templates.
    private func unique(_ matches: [LogoMatch]) -> [LogoMatch] {
        var kept: [LogoMatch] = []
        for match in matches.sorted(by: settings.prefers) {
            let others = kept.indices.filter { kept[$0].template == match.template }
            if settings.verification == .shape {
                if let same = others.first(where: { kept[$0].box.overlapOfSmaller(match.box) > LogoTuning.sameLogo }) {
                    kept[same].adoptRegion(of: match)
                    continue
                }
                guard others.count < LogoTuning.maxInstances,
                    // Two logos cannot fill the same place.
                    !kept.contains(where: { $0.box.intersectionOverUnion(match.box) > LogoTuning.samePlace })
                else { continue }
            } else if !others.isEmpty {
                continue
            }
            kept.append(match)
        }
        return kept.sorted { ($0.template, $0.box.x, $0.box.y) < ($1.template, $1.box.x, $1.box.y) }
    }
}

/// A frame. Its `LogoView` is created at the first use.
private final class LogoScenery {
    private let plane: Image
    private let colors: FrameImage?
    private let part: Rectangle?
    private var made: LogoView?

    init(_ plane: Image, _ colors: FrameImage?, part: Rectangle? = nil) {
        (self.plane, self.colors, self.part) = (plane, colors, part)
    }

    var bounds: Box { Box(plane.bounds) }

    func view() throws(VisionError) -> LogoView {
        if let made { return made }
        let view =
            if let colors {
                try LogoView(colors, part: part, of: (plane.width, plane.height))
            } else {
                try LogoView(FrameImage(plane), part: part)
            }
        made = view
        return view
    }
}

extension LogoSettings {
    /// Returns true if a match is better than another match of the same template. With verification, the higher
    /// confidence is better; without verification, the smaller distance is better.
    func prefers(_ match: LogoMatch, to other: LogoMatch) -> Bool {
        verification == .none
            ? (match.distance ?? 0) < (other.distance ?? 0) : match.confidence > other.confidence
    }
}

extension Homography {
    /// True if the pose is not mirrored, not too small, and not tilted by more than about 70 degrees.
    fileprivate var isPlausible: Bool {
        let map = derivative(at: Point(0, 0))
        let stretch = map.stretch
        return isFinite && map.determinant > 0 && size >= 0.7 * LogoTuning.minLength
            && stretch.least > LogoTuning.minTilted * stretch.most
    }
}
