// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A logo that was found in a frame.
package struct LogoMatch: Sendable, Hashable {
    /// Number of its track, if logos are tracked.
    package var id = 0
    /// Index of the template.
    package var template: Int
    /// Box in pixels of the full frame.
    package var box: Box
    /// Sum of the differences between its ratios and the template's.
    package var distance: Double
    /// Confidence, 0…1: the likeness to the template, or without verification how far the distance is below the largest
    /// one.
    package var confidence: Double
}

/// Finds logos by the features of their regions. One thread at a time may use it.
///
/// All maximally stable extremal regions (MSER) of the frame, dark and bright, of a permitted size are examined; those
/// whose features are near a template's are candidates, which are verified. The best of several is the logo.
package final class LogoDetector {
    package let settings: LogoSettings
    package let templates: [LogoTemplate]
    private let finder = RegionFinder()
    private let square: ShapeSquare
    private let keypoints: [SquareKeypoints]

    /// - Throws: `TemplateError` if a template has too few keypoints for verification; `VisionError`.
    package init(settings: LogoSettings, templates: [LogoTemplate]) throws {
        self.settings = settings
        self.templates = templates
        square = ShapeSquare(hasGray: settings.verification == .orb)
        keypoints =
            settings.verification == .orb
            ? try templates.map { template in
                let length = ShapeSquare.grayLength
                let keypoints = try template.gray.withImage(width: length, height: length, format: .gray8) {
                    try SquareKeypoints($0)
                }
                let count = keypoints.distinctCount
                guard count >= SquareKeypoints.least else {
                    throw TemplateError(
                        description:
                            "\(template.name): verify=orb needs at least \(SquareKeypoints.least) distinct keypoints, "
                            + "but this logo has \(count). Use verify=shape.")
                }
                return keypoints
            } : []
    }

    /// Returns the best match of each template that is found in a grey plane, in the templates' order.
    /// - Parameter wanted: indices of the templates to search for; nil for all.
    package func matches(in plane: Image, of wanted: [Int]? = nil) throws(VisionError) -> [LogoMatch] {
        try matches(
            in: plane, scale: settings.scale(width: plane.width, height: plane.height),
            areas: Limits(least: settings.minArea, most: settings.maxArea), of: wanted ?? Array(templates.indices))
    }

    /// Returns the matches with other numbers than the settings'.
    /// - Parameters:
    ///   - scale: the factor by which the plane is reduced before the search.
    ///   - areas: the limits of a region's area, as a share of the plane's.
    func matches(
        in plane: Image, scale: Double, areas: Limits, of wanted: [Int]
    ) throws(VisionError) -> [LogoMatch] {
        guard !wanted.isEmpty else { return [] }
        let regions = try finder.regions(in: plane, search(scale, areas, wanted))
        var best: [Int: LogoMatch] = [:]
        for index in regions.indices {
            for match in try matches(of: index, regions[index].box, wanted) {
                if let other = best[match.template], !settings.prefers(match, to: other) { continue }
                best[match.template] = match
            }
        }
        return best.values.sorted { $0.template < $1.template }
    }

    private func search(_ scale: Double, _ areas: Limits, _ wanted: [Int]) -> RegionSearch {
        let tolerances = settings.tolerances
        // The reduced frame shows less detail than the square.
        func limits(_ ratio: (ShapeFeatures) -> Double, _ tolerance: Double) -> Limits {
            let values = wanted.map { ratio(templates[$0].features) }
            return Limits(
                least: (values.min() ?? 0) - (tolerance + 0.05), most: (values.max() ?? 1) + (tolerance + 0.05))
        }
        return RegionSearch(
            delta: max(1, settings.delta), maxVariation: settings.maxVariation, scale: scale, area: areas,
            rectangleRatio: limits(\.rectangleRatio, tolerances.rectangleRatio),
            hullRatio: limits(\.hullRatio, tolerances.hullRatio),
            contourRatio: limits(\.contourRatio, tolerances.contourRatio))
    }

    /// Returns the templates that a region may match.
    private func matches(
        of index: Int, _ box: Box, _ wanted: [Int]
    ) throws(VisionError) -> [LogoMatch] {
        guard try finder.fill(square, with: index), var features = try square.measure() else { return [] }
        // Skeletons are slow to compute, and most regions are something else.
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
            var confidence: Double
            switch settings.verification {
            case .none:
                confidence = settings.maxDistance > 0 ? 1 - distance / settings.maxDistance : 1
            case .shape:
                pattern = pattern ?? ShapePattern(square.mask.image)
                confidence = pattern.map { templates[template].likeness($0) } ?? 0
            case .orb:
                confidence = keypoints[template].likeness(try SquareKeypoints(square.gray.image))
            }
            confidence = min(1, max(0, confidence))
            guard settings.verification == .none || confidence >= settings.minLikeness else { continue }
            result.append(LogoMatch(template: template, box: box, distance: distance, confidence: confidence))
        }
        return result
    }
}

extension LogoSettings {
    /// Returns whether a match is preferred to another of the same template: the one with the greater likeness if that
    /// is known, else the nearer.
    func prefers(_ match: LogoMatch, to other: LogoMatch) -> Bool {
        verification == .none ? match.distance < other.distance : match.confidence > other.confidence
    }
}
