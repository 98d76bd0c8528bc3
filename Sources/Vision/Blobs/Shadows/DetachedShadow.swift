// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

// Detached shadows do not touch the objects that cast them. A detached shadow is a separate component (connected part
// of the foreground). It shows the background with less light, and has the outline of an object nearby. The code
// derives the light in all shadows from shadows that touch their objects. The code can also derive the light from
// several detached shadows, if these shadows are equally dark and fall in the same direction.

/// An object that may cast a detached shadow (a shadow that does not touch the object). The object is a connected part
/// of a component after the removal of the component's shadow.
private struct ShadowCaster {
    let component: Int
    let box: Rectangle
    let mask: Matrix<UInt8>
    let area: Int
    /// Area of the shadow that was removed from the component, in pixels; 0 if the component contains several objects.
    let removed: Int

    static func all(in components: [Component]) throws(VisionError) -> [ShadowCaster] {
        var result: [ShadowCaster] = []
        for (index, component) in components.enumerated() {
            let parts = try component.object.parts(connectivity: 8)
            let large = parts.all.filter { $0.area >= ShadowTuning.leastThing }
            // If a component contains several objects, the removed shadow may belong to any of these objects.
            let removed = large.count == 1 ? component.shadow.count : 0
            for part in large {
                var box = part.box
                (box.x, box.y) = (box.x + component.box.x, box.y + component.box.y)
                result.append(
                    ShadowCaster(
                        component: index, box: box, mask: parts.mask(of: part), area: part.area, removed: removed))
            }
        }
        return result
    }

    /// Compares this object with a component (connected part of the foreground) that may be its shadow. Returns the
    /// offset at which the moved object covers the component best, and the score. If the component is too far away or
    /// too large, the score is 0.
    /// - Parameter area: the number of the component's pixels.
    func fit(
        to shadow: Component, area: Int, frame: Rectangle, direction: Point?
    ) throws(VisionError) -> ShadowFit {
        let diagonal = Point(Double(box.width), Double(box.height)).length
        let x = (2 * shadow.box.x + shadow.box.width - 2 * box.x - box.width) / 2
        let y = (2 * shadow.box.y + shadow.box.height - 2 * box.y - box.height) / 2
        guard Point(Double(x), Double(y)).length <= ShadowTuning.reach * diagonal + ShadowTuning.reachMargin,
            Double(area) <= ShadowTuning.mostArea * Double(self.area)
        else { return ShadowFit() }
        let both = shadow.box.union(box)
        var (first, second) = (
            Matrix<UInt8>(width: both.width, height: both.height), Matrix<UInt8>(width: both.width, height: both.height)
        )
        first.paste(shadow.mask, x: shadow.box.x - both.x, y: shadow.box.y - both.y)
        second.paste(mask, x: box.x - both.x, y: box.y - both.y)
        var frame = frame
        (frame.x, frame.y) = (frame.x - both.x, frame.y - both.y)
        return try .best(second, first, mask: first | second, frame: frame, direction: direction)
    }
}

/// A detached shadow (a shadow that does not touch its object) that is reliable enough to derive the light from it.
private struct DetachedProof {
    let direction: Point
    let level: ShadowLevel
    /// Area of the shadow in pixels, multiplied by the shadow's score `ShadowFit.fit`.
    let gain: Double

    /// Returns true if both shadows may come from the same light source: they have similar levels, colours and
    /// directions.
    func agrees(with other: DetachedProof, noise: Double) -> Bool {
        let limit = noiseTolerance(ShadowTuning.sameShadow, level: level.level, noise: noise)
        let tint = SIMD3<Double>(level.tint - other.level.tint)
        return direction.dot(other.direction) > ShadowTuning.detachedDirection
            && Double(abs(level.level - other.level.level)) < limit
            && (tint * tint).sum().squareRoot() < limit
    }
}

/// Estimates the light in shadows from detached shadows, which do not touch their objects. Returns nil unless several
/// detached shadows have a similar light and direction, and the sum of their `gain` values exceeds `known`.
/// - Parameters:
///   - regions: the components, as regions in which shadows are searched.
///   - known: the sum of `gain` for the shadows that touch their objects; 0 if no such shadow is reliable enough.
func estimateDetachedLight(
    _ components: [Component], _ regions: [ShadowRegion], _ view: View, known: Double
) throws(VisionError) -> ShadowLight? {
    guard regions.count(where: \.hasGroundColor) > 1 else { return nil }
    let levels = regions.map(\.darkestLight)
    var suspects: [Bool] = []
    for (region, level) in zip(regions, levels) {
        let isSuspect = region.mayBeShadow(level)
        suspects.append(
            isSuspect
                ? region.recorder.allows(try region.darkInside(level), region.mask, level, else: .noDetachedShadow)
                : false)
    }
    /// Returns true if component `shadow` may be the shadow of component `thing`. The components must differ in light.
    /// If each component may be the shadow of the other, returns true only for the more probable of the two cases.
    func mayCast(_ thing: Int, _ shadow: Int) -> Bool {
        let level = levels[shadow].level
        let limit = noiseTolerance(ShadowTuning.sameLight, level: level, noise: ShadowTuning.cameraNoise)
        return thing != shadow && abs(levels[thing].level - level) > Float(limit)
            && (!suspects[thing] || levels[shadow].isLikelierShadow(than: levels[thing]))
    }
    let casters = try ShadowCaster.all(in: components)
    var proofs: [DetachedProof] = []
    for (index, component) in components.enumerated() where suspects[index] {
        let area = component.mask.count
        var best = ShadowFit()
        for caster in casters where mayCast(caster.component, index) {
            let fit = try caster.fit(to: component, area: area, frame: view.frame, direction: nil)
            if fit.fit > best.fit, fit.isMoved { best = fit }
        }
        let proof = Check(.detachedProof, best.fit, atLeast: ShadowTuning.detachedProof)
        if regions[index].recorder.allows(proof, component.mask, levels[index], else: .noDetachedShadow) {
            let gain = best.fit * Double(regions[index].area)
            proofs.append(DetachedProof(direction: best.direction, level: levels[index], gain: gain))
        }
    }
    var (best, bestGain): ([DetachedProof], Double) = ([], 0)
    for proof in proofs {
        let agreeing = proofs.filter { proof.agrees(with: $0, noise: view.noise) }
        let gain = agreeing.reduce(0) { $0 + $1.gain }
        if agreeing.count > 1, gain > bestGain { (best, bestGain) = (agreeing, gain) }
    }
    let ratio = Check(
        .componentsPerProof, Double(components.count) / Double(best.count),
        atMost: Double(ShadowTuning.componentsPerProof))
    guard ratio.isMet, bestGain > known else {
        if !proofs.isEmpty { view.recorder?.add(.noDetachedShadow, view.frame, area: 0, ratio) }
        return nil
    }
    var (mean, direction) = (ShadowLevel(level: 0), Point(0, 0))
    let part = 1 / Float(best.count)
    for proof in best {
        mean.level += part * proof.level.level
        mean.tint += part * proof.level.tint
        direction = direction + proof.direction * Double(part)
    }
    return ShadowLight(
        level: mean, direction: direction / direction.length, gain: bestGain)
}

/// Returns the components (connected parts of the foreground) that are not detached shadows with the light and colour
/// of `light`. A detached shadow does not touch its object.
func withoutDetachedShadows(
    _ components: [Component], _ regions: [ShadowRegion], _ view: View, _ light: ShadowLight
) throws(VisionError) -> [Component] {
    let suspects = regions.map { $0.mayBeShadow(light.level) }
    let casters = try ShadowCaster.all(in: components)
    var rest: [Component] = []
    for (index, component) in components.enumerated() {
        var (isShadow, best) = (false, 0.0)
        if suspects[index] {
            let area = component.mask.count
            let isDark = try regions[index].darkInside(light.level).isMet
            func check(_ fit: Double) -> Check {
                light.direction == nil || !isDark
                    ? Check(.detachedProof, fit, atLeast: ShadowTuning.detachedProof)
                    : Check(.detachedEnough, fit, atLeast: ShadowTuning.detachedEnough)
            }
            // A shadow casts no shadow, so skip components that may be shadows. An object casts only one shadow, so
            // skip objects with a large attached shadow.
            for caster in casters
            where !isShadow && !suspects[caster.component] && 2 * caster.removed < area {
                let fit = try caster.fit(to: component, area: area, frame: view.frame, direction: light.direction)
                best = max(best, fit.fit)
                isShadow = check(fit.fit).isMet
            }
            regions[index].recorder?.add(
                isShadow ? .detachedShadow : .noDetachedShadow, component.mask, check(best), level: light.level.level)
        }
        if !isShadow { rest.append(component) }
    }
    return rest
}
