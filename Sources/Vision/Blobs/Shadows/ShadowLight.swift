// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Light, colour and direction of the hard shadows of an image.
struct ShadowLight: Sendable {
    var level: ShadowLevel
    /// Direction in which shadows fall, as a unit vector; nil if they have no common direction.
    var direction: Point?
    /// Sum of (area in pixels × score `ShadowFit.fit`) over the shadows from which the light was derived.
    var gain: Double
}

/// The light in shadows, and the shadows from which the light was derived. `proofs` has an element for each region: the
/// region's shadow, or nil if the shadow is not reliable enough. If the light was derived from detached shadows (which
/// do not touch their objects), `proofs` is empty.
struct ShadowEvidence {
    var light: ShadowLight
    var proofs: [CastShadow?]

    /// Returns the mask of a region without its shadow.
    /// - Parameter index: the index of `region` in `proofs`.
    func withoutShadow(_ region: ShadowRegion, _ index: Int) throws(VisionError) -> Matrix<UInt8> {
        if proofs.indices.contains(index), let proof = proofs[index] {
            return try region.removed(proof, light.level, because: proof.proof)
        }
        return try region.withoutShadow(light)
    }
}

/// Estimates the light in shadows from the shadows that touch their objects. Returns nil if no such shadow is reliable
/// enough.
func estimateLight(_ regions: [ShadowRegion]) throws(VisionError) -> ShadowEvidence? {
    let area = regions.reduce(0) { $0 + $1.area }
    var best: (level: ShadowLevel, gain: Double, shadows: [CastShadow?])?
    for level in ShadowLevel.all(in: regions, least: max(ShadowTuning.leastLevel, area / ShadowTuning.levelDivisor)) {
        var (gain, shadows): (Double, [CastShadow?]) = (0, [])
        for region in regions {
            let shadow = try region.castShadow(level)
            let isProof = shadow?.isProof ?? false
            if let shadow {
                if isProof { gain += shadow.fit.fit * Double(shadow.area) }
                region.recorder?.add(isProof ? .shadowProof : .noShadow, shadow.core, shadow.proof, level: level.level)
            }
            shadows.append(isProof ? shadow : nil)
        }
        guard gain > 0 else { continue }
        if let best, !isBetter(level, gain, than: best.level, best.gain) { continue }
        best = (level, gain, shadows)
    }
    guard let best else { return nil }
    var (sum, count) = (Point(0, 0), 0)
    for case let shadow? in best.shadows where shadow.fit.isMoved {
        sum = sum + shadow.fit.direction
        count += 1
    }
    let isCommon = sum.length > ShadowTuning.commonDirection * Double(count)
    return ShadowEvidence(
        light: ShadowLight(
            level: best.level, direction: isCommon ? sum / sum.length : nil, gain: best.gain),
        proofs: best.shadows)
}

/// Returns true if the first light is a better estimate of the light in shadows than `other`. Usually, the light with
/// the greater gain (area × score of its shadows) is better. If the gains are similar and the levels differ, the light
/// that is more probably the light in a shadow is better.
private func isBetter(
    _ level: ShadowLevel, _ gain: Double, than other: ShadowLevel, _ otherGain: Double
) -> Bool {
    let areAlike = min(gain, otherGain) > ShadowTuning.alikeGain * max(gain, otherGain)
    guard areAlike, abs(level.level - other.level) >= ShadowTuning.differentLevel else { return gain > otherGain }
    return level.isLikelierShadow(than: other)
}
