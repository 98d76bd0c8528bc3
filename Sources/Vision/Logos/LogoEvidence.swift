// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// How well a template in a pose agrees with the frame: its edges, and its colours if the logo has inner edges.
struct LogoEvidence: Sendable {
    /// Weighted mean agreement of all edges, 0…1.
    let agreement: Double
    /// Penalty for a large difference in brightness or tint between the template and the frame, at least 0.
    let penalty: Double

    /// - Parameter agreements: the agreement of each edge point, 0…1; nil for a point outside of the `LogoView`.
    /// - Returns: nil if too much of the logo is outside of the view.
    init?(_ look: LogoLook, agreements: [Double?], penalty: Double = 0) {
        var (sum, weights, visible) = (0.0, 0.0, 0)
        for (edge, agreement) in zip(look.edges, agreements) {
            guard let agreement else {
                weights += edge.weight * LogoTuning.outsideWeight
                continue
            }
            sum += edge.weight * agreement
            weights += edge.weight
            visible += 1
        }
        guard weights > 0, Double(visible) >= (1 - LogoTuning.maxOutside) * Double(look.edges.count) else { return nil }
        agreement = sum / weights
        self.penalty = penalty
    }

    /// The score, at most 1.
    var score: Double { max(0, agreement - penalty) }

    /// Converts a score to a likeness, 0…1. `minScore` gives the likeness `LogoTuning.minLikeness`.
    static func likeness(score: Double, minScore: Double) -> Double {
        let limit = LogoTuning.minLikeness
        guard score >= minScore else { return max(0, limit * score / max(0.01, minScore)) }
        return min(1, limit + (1 - limit) * (score - minScore) / max(0.01, 1 - minScore))
    }
}

extension LogoFit {
    /// Measures the agreement of a pose; nil if too much of the logo is outside of the view.
    func evidence(_ pose: Homography) -> LogoEvidence? {
        guard let gain = gain(pose) else { return nil }
        let isColored = reader.channels == 3 && look.hasInnerEdges
        return LogoEvidence(
            look, agreements: agreements(pose, gain), penalty: isColored ? Self.penalty(gain) : 0)
    }

    /// Returns the agreement of each edge point, 0…1; nil outside of the view. A point of the outline agrees only if
    /// the inner side has the expected colour, and the outer side has another colour.
    /// - Parameter gain: for each channel, the factor by which the light changes the template's colours.
    func agreements(_ pose: Homography, _ gain: SIMD3<Float>) -> [Double?] {
        let distance = LogoTuning.sideDistance
        return look.edges.map { edge in
            guard let place = placed(edge, pose) else { return nil }
            let least = LogoTuning.minAlignment
            let agreement = max(0, (alignment(place, edge.isInner) - least) / (1 - least))
            guard agreement > 0, !edge.isInner else { return agreement }
            let expected = (seen(edge.color) + LogoTuning.darkLevel) * gain - LogoTuning.darkLevel
            let inside = reader.color(pose(edge.position - edge.normal * distance))
            let outside = reader.color(pose(edge.position + edge.normal * distance))
            let isRight = abs(inside - expected).max() < LogoTuning.maxColorDifference
            let isOther = abs(outside - expected).max() > LogoTuning.maxColorDifference
            return isRight && isOther && abs(outside - inside).max() > LogoTuning.minContrast ? agreement : 0
        }
    }

    /// Returns the cosine of twice the angle between the frame's gradient and the edge's normal, or −1 if an inner edge
    /// has the opposite gradient. For weak gradients, the result is reduced, down to 0.
    private func alignment(_ place: Placed, _ isInner: Bool) -> Double {
        let gradient = reader.gradient(place.point)
        let length = gradient.length
        let weight = min(1, max(0, length / 3 - 0.33))
        guard weight > 0 else { return 0 }
        let cosine = gradient.dot(place.normal) / length
        return weight * (isInner && cosine < 0 ? -1 : 2 * cosine * cosine - 1)
    }

    /// Returns a colour of the template; if the frame is grey, the luma of the colour.
    private func seen(_ color: SIMD3<Float>) -> SIMD3<Float> {
        reader.channels == 3 ? color : SIMD3(repeating: 0.114 * color.x + 0.587 * color.y + 0.299 * color.z)
    }

    /// Returns, for each channel, the factor by which the light changes the template's colours: the median over all
    /// samples of the logo.
    func gain(_ pose: Homography) -> SIMD3<Float>? {
        var ratios: [SIMD3<Float>] = []
        ratios.reserveCapacity(look.samples.count)
        for sample in look.samples {
            let point = pose(sample.position)
            guard reader.contains(point) else { continue }
            ratios.append(
                (reader.color(point) + LogoTuning.darkLevel) / (seen(sample.color) + LogoTuning.darkLevel))
        }
        guard !ratios.isEmpty else { return nil }
        var median = SIMD3<Float>.zero
        for channel in 0..<3 { median[channel] = ratios.map { $0[channel] }.sorted()[ratios.count / 2] }
        return median
    }

    private static func penalty(_ gain: SIMD3<Float>) -> Double {
        let logs = (0..<3).map { log(max(0.02, Double(gain[$0]))) }
        let light = logs.reduce(0, +) / 3
        let tint = logs.map { abs($0 - light) }.max() ?? 0
        return max(0, abs(light) - LogoTuning.light) + max(0, tint - LogoTuning.tint)
    }
}
