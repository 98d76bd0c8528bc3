import COpenCV
import Pixels

/// A logo that was found in a frame.
package struct LogoMatch: Sendable, Hashable {
    /// The number of its track, where something is tracked.
    package var id = 0
    /// Which of the templates it is.
    package var template: Int
    /// In pixels of the full frame.
    package var box: Box
    /// The sum of its ratios' differences from the template's.
    package var distance: Double
    /// 0…1: its likeness to the template, or without verification how far its distance is from the largest one.
    package var confidence: Double
}

/// Finds logos by the features of their regions. One thread at a time may use it.
///
/// All maximally stable extremal regions (MSER) of the frame, dark ones and bright ones, of a size that may be, are looked
/// at; those whose features are near a template's are candidates, which are verified. Of several the best one is the logo.
package final class LogoDetector {
    package let settings: LogoSettings
    package let templates: [LogoTemplate]
    private let finder: RegionFinder
    private let square: ShapeSquare
    private let keypoints: [SquareKeypoints]

    /// - Throws: `TemplateError` where a template has too few keypoints to be verified by; `VisionError`.
    package init(settings: LogoSettings, templates: [LogoTemplate]) throws {
        self.settings = settings
        self.templates = templates
        finder = try RegionFinder()
        let square = ShapeSquare(hasGray: settings.verification == .orb)
        self.square = square
        keypoints =
            settings.verification == .orb
            ? try templates.map { template in
                square.setGray(template.gray)
                let keypoints = try SquareKeypoints(square.gray.image)
                let count = try keypoints.distinctCount
                guard count >= SquareKeypoints.least else {
                    throw TemplateError(
                        description: "\(template.name): verify=orb needs at least \(SquareKeypoints.least) keypoints "
                            + "that are unlike each other, and this logo has \(count): use verify=shape")
                }
                return keypoints
            } : []
    }

    /// The best match of each template that is found in a grey plane, in the templates' order.
    /// - Parameter wanted: which templates are looked for; nil is all.
    package func matches(in plane: Image, of wanted: [Int]? = nil) throws(VisionError) -> [LogoMatch] {
        try matches(
            in: plane, scale: settings.scale(width: plane.width, height: plane.height),
            areas: Limits(least: settings.minArea, most: settings.maxArea), of: wanted ?? Array(templates.indices))
    }

    /// The same by other numbers than the settings'.
    /// - Parameters:
    ///   - scale: what the plane is reduced by before it is searched.
    ///   - areas: what a region's area may be, as a share of the plane's.
    func matches(
        in plane: Image, scale: Double, areas: Limits, of wanted: [Int]
    ) throws(VisionError) -> [LogoMatch] {
        guard !wanted.isEmpty else { return [] }
        let regions = try finder.regions(in: plane, search(scale, areas, wanted))
        var best: [Int: LogoMatch] = [:]
        for index in regions.indices {
            for match in try matches(of: index, regions[index], wanted) {
                if let other = best[match.template], !settings.prefers(match, to: other) { continue }
                best[match.template] = match
            }
        }
        return best.values.sorted { $0.template < $1.template }
    }

    private func search(_ scale: Double, _ areas: Limits, _ wanted: [Int]) -> SVCVRegionSearch {
        let tolerances = settings.tolerances
        let rectangle = limits(wanted, \.rectangleRatio, tolerances.rectangleRatio + 0.05)
        let hull = limits(wanted, \.hullRatio, tolerances.hullRatio + 0.05)
        let contour = limits(wanted, \.contourRatio, tolerances.contourRatio + 0.05)
        return SVCVRegionSearch(
            delta: Int32(clamping: max(1, settings.delta)), scale: scale, minArea: areas.least,
            maxArea: areas.most, maxVariation: settings.maxVariation, skipsEdge: 0,
            leastRectangleRatio: rectangle.least, mostRectangleRatio: rectangle.most,
            leastHullRatio: hull.least, mostHullRatio: hull.most, leastContourRatio: contour.least,
            mostContourRatio: contour.most)
    }

    /// What a feature may be of regions of the reduced frame, which shows less than the square will.
    private func limits(
        _ wanted: [Int], _ ratio: (ShapeFeatures) -> Double, _ tolerance: Double
    ) -> Limits {
        let values = wanted.map { ratio(templates[$0].features) }
        return Limits(least: (values.min() ?? 0) - tolerance, most: (values.max() ?? 1) + tolerance)
    }

    /// The templates that a region may be.
    private func matches(
        of index: Int, _ region: SVCVRegion, _ wanted: [Int]
    ) throws(VisionError) -> [LogoMatch] {
        guard try finder.fill(square, with: index), var features = try square.measure() else { return [] }
        // The skeleton takes long, and most regions are something else.
        let near = wanted.filter { template in
            features.skeletonRatio = templates[template].features.skeletonRatio
            return features.isNear(templates[template].features, settings.tolerances)
        }
        guard !near.isEmpty else { return [] }
        features.skeletonRatio = square.skeletonRatio
        let box = Box(x: region.x, y: region.y, width: region.width, height: region.height)
        var result: [LogoMatch] = []
        var pattern: ShapePattern?
        for template in near where features.isNear(templates[template].features, settings.tolerances) {
            let distance = features.distance(to: templates[template].features)
            guard distance <= settings.maxDistance else { continue }
            var confidence: Double
            switch settings.verification {
            case .none:
                confidence = settings.maxDistance > 0 ? 1 - distance / settings.maxDistance : 1
            case .shape:
                pattern = pattern ?? ShapePattern(square.mask.image)
                confidence = pattern.map { templates[template].likeness($0) } ?? 0
            case .orb:
                confidence = try keypoints[template].likeness(SquareKeypoints(square.gray.image))
            }
            confidence = min(1, max(0, confidence))
            guard settings.verification == .none || confidence >= settings.minLikeness else { continue }
            result.append(LogoMatch(template: template, box: box, distance: distance, confidence: confidence))
        }
        return result
    }
}

/// From where to where something may be; nothing where the numbers make no sense.
struct Limits {
    var least: Double
    var most: Double
}

extension LogoSettings {
    /// Which of two matches of one template is the logo: the one that is more like it where that is known, else the nearer.
    func prefers(_ match: LogoMatch, to other: LogoMatch) -> Bool {
        verification == .none ? match.distance < other.distance : match.confidence > other.confidence
    }
}

extension ShapeSquare {
    func setGray(_ pixels: [UInt8]) {
        for y in 0..<gray.image.height {
            let row = gray.image.row(y)
            for x in 0..<gray.image.width where y * gray.image.width + x < pixels.count {
                row[x] = pixels[y * gray.image.width + x]
            }
        }
    }
}
