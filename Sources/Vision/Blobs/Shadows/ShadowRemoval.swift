// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// A region in which the code searches for shadows. If the region is large, its resolution is reduced by a factor of up
/// to 4.
struct ShadowSample {
    private let step: Int
    let region: ShadowRegion

    /// - Parameters:
    ///   - mask: the pixels in `box` that differ from the background.
    ///   - side: regions with a longer side than this value, in pixels, are reduced.
    init(
        _ mask: Matrix<UInt8>, _ box: Rectangle, _ view: View, side: Int = ShadowTuning.regionSide
    ) throws(VisionError) {
        let step = max(1, min(4, (max(box.width, box.height) + side - 1) / max(1, side)))
        let (x, y) = (view.frame.x - box.x, view.frame.y - box.y)
        region = try ShadowRegion(
            mask: mask.reduced(step), residual: view.ground.residual(view.logarithm, box, view.place, step: step),
            frame: Rectangle(
                x: x / step, y: y / step, width: view.frame.width / step, height: view.frame.height / step),
            noise: view.noise, recorder: view.recorder?.part(box, step: step))
        self.step = step
    }

    /// Returns `mask` without the shadow. The shadow was searched in `region`, which may have a lower resolution than
    /// `mask`.
    /// - Parameters:
    ///   - mask: the mask of the region in full resolution, with the shadow.
    ///   - rest: the mask of the region without the shadow, in the resolution of `region`.
    func left(of mask: Matrix<UInt8>, _ rest: Matrix<UInt8>) throws(VisionError) -> Matrix<UInt8> {
        let shadow = region.mask.subtracting(rest)
        guard shadow.count > 0 else { return mask }
        guard step > 1 else { return mask.subtracting(shadow) }
        let map = AffineMap(scaleX: Double(step), scaleY: Double(step))
        let large = try shadow.warped(
            map, width: mask.width, height: mask.height, sv_cv_linear, isEdgeRepeated: true)
        return mask.subtracting(large > 127)
    }
}

extension Matrix<UInt8> {
    /// Returns every n-th pixel of every n-th row, where n is `step`.
    fileprivate func reduced(_ step: Int) -> Matrix {
        guard step > 1 else { return self }
        var result = Matrix(width: (width + step - 1) / step, height: (height + step - 1) / step)
        for y in 0..<result.height {
            let (from, to) = (row(y * step), result.mutableRow(y))
            for x in 0..<result.width { to[x] = from[x &* step] }
        }
        return result
    }
}

extension Component {
    /// True if the component may have a shadow that is visible only in higher resolution. Such a component is large,
    /// but only a small fraction of its pixels (less than `innerFraction`) is away from its edges.
    fileprivate var mayHideShadow: Bool {
        get throws(VisionError) {
            guard max(box.width, box.height) >= ShadowTuning.doubtfulSide else { return false }
            let inner = try mask.eroded(side: 5, outside: .zero)
            return Double(inner.count) < ShadowTuning.innerFraction * Double(mask.count)
        }
    }
}

/// Estimates the light in the shadows of a view, and removes the shadows.
/// - Returns: the components that are objects, without their shadows, and the light. If no shadow is reliable enough,
///   the light is nil.
func withoutShadows(
    _ components: [Component], _ view: View
) throws(VisionError) -> (components: [Component], light: ShadowLight?) {
    var samples: [ShadowSample] = []
    for component in components { samples.append(try ShadowSample(component.mask, component.box, view)) }
    let regions = samples.map(\.region)
    var evidence = try estimateLight(regions)
    let known = evidence?.light.gain ?? 0
    if let light = try estimateDetachedLight(components, regions, view, known: known) {
        evidence = ShadowEvidence(light: light, proofs: [])
    }
    guard let evidence else {
        var components = components
        for index in components.indices { components[index].isDoubtful = try components[index].mayHideShadow }
        return (components, nil)
    }
    view.recorder?.add(
        .shadowLight, view.frame, area: Double(view.frame.width * view.frame.height), level: evidence.light.level.level)
    var result = components
    for (index, sample) in samples.enumerated() {
        let rest = try evidence.withoutShadow(sample.region, index)
        result[index].object = try sample.left(of: components[index].mask, rest)
        let dark = sample.region.darkPixels(evidence.light.level).count
        result[index].isShaded = ShadowTuning.shadedDivisor * dark > sample.region.area
    }
    return (try withoutDetachedShadows(result, regions, view, evidence.light), evidence.light)
}
