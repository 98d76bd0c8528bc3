// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A logo that was detected in a frame.
package struct LogoMatch: Sendable, Hashable {
    /// ID that `LogoTracker` assigns. If logos are tracked, the ID stays the same from frame to frame.
    package var id = 0
    /// Index of the template.
    package var template: Int
    /// Bounding box, in pixels of the full frame.
    package var box: Box
    /// Sum of the absolute differences between the ratios of the region and the ratios of the template.
    package var distance: Double
    /// Confidence, 0…1: the likeness to the template. Without verification, 1 − distance / maximum distance.
    package var confidence: Double
}

/// Detects logos by the features of their regions. Only one thread at a time may use a detector.
///
/// The detector examines all maximally stable extremal regions (MSER) of the frame, dark and bright, with a permitted
/// size. Regions whose features are near the features of a template are candidates. The detector verifies the
/// candidates, and reports the best candidate of each template.
package final class LogoDetector {
    package let settings: LogoSettings
    package let templates: [LogoTemplate]
    private let finder = RegionFinder()
    private let square: ShapeSquare
    private let keypoints: [SquareKeypoints]

    /// - Throws: `TemplateError` if a template has too few keypoints for the verification; `VisionError` if OpenCV
    ///   fails.
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
                guard count >= SquareKeypoints.minCount else {
                    throw TemplateError(
                        description:
                            "\(template.name): verify=orb needs at least \(SquareKeypoints.minCount) distinct keypoints, "
                            + "but this logo has \(count). Use verify=shape.")
                }
                return keypoints
            } : []
    }

    /// Returns the best match of each template in a grey plane, in the order of the templates. Templates without a
    /// match are omitted.
    /// - Parameter wanted: the indices of the templates to search for; nil for all templates.
    package func matches(in plane: Image, of wanted: [Int]? = nil) throws(VisionError) -> [LogoMatch] {
        try matches(
            in: plane, scale: settings.scale(width: plane.width, height: plane.height),
            areas: Limits(minimum: settings.minArea, maximum: settings.maxArea), of: wanted ?? Array(templates.indices))
    }

    /// Returns the matches. The scale and the limits of the settings are replaced by `scale` and `areas`.
    /// - Parameters:
    ///   - scale: the factor by which the plane is reduced before the search.
    ///   - areas: the limits of a region's area, as fractions of the plane's area.
    ///   - wanted: the indices of the templates to search for.
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
        // The limits are wider than the tolerances, because the reduced frame shows less detail than the square.
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

    /// Returns the matches of a region, at most one for each template. If the settings require a verification, only
    /// verified matches are returned.
    private func matches(
        of index: Int, _ box: Box, _ wanted: [Int]
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
    /// Returns true if a match is better than another match of the same template. With verification, the higher
    /// confidence is better; without verification, the smaller distance is better.
    func prefers(_ match: LogoMatch, to other: LogoMatch) -> Bool {
        verification == .none ? match.distance < other.distance : match.confidence > other.confidence
    }
}
