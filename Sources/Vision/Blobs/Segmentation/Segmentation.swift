// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// The blobs of a foreground mask.
struct Segmentation {
    /// The mask, in which blobs are solid.
    var mask: Matrix<UInt8>
    /// The blobs, the largest first.
    var candidates: [Candidate] = []
    /// The light in hard shadows, if there are any.
    var light: ShadowLight?
    /// The pixels of shadows that were removed; empty if there are none.
    var shadows = Matrix<UInt8>()
    /// The time that the search for shadows took.
    var shadowTime = 0

    /// The edges of a background near the frame's mean.
    init(nearMean picture: Matrix<UInt8>, _ search: BlobSearch) throws(VisionError) {
        let background = try picture.nearMean(search)
        mask = ~background
        candidates = try edgeCandidates(background, search)
    }

    /// The connected parts of a foreground.
    /// - Parameter view: what the foreground differs from; nil if that is not known.
    init(
        _ foreground: Matrix<UInt8>, _ view: View?, _ search: BlobSearch
    ) throws(VisionError) {
        mask = try foreground.morphed(sv_cv_open, side: 3)
        let erosion = Erosion(search, mask.bounds)
        var components = try takeComponents(erosion, search).filter { component in
            !(view.map(component.isFaint) ?? false)
        }
        if let view, search.removesShadows { components = try removeShadows(from: components, view) }
        // Gaps larger than half of the frame are not worth the time.
        let blur = mask.kernelSide(SegmentationTuning.blurDivisor)
        let closing = max(blur, min(erosion.growth + 1, min(mask.width, mask.height) / 2 | 1))
        for (index, component) in components.enumerated() {
            if let view, search.isUneven, component.isPattern(in: view) { continue }
            let object = try component.thing(view, light, blur: blur, closing: closing, search)
            let first = candidates.count
            for thing in search.isUneven ? try object.separated() : [object] {
                try add(
                    thing, x: component.box.x - closing, y: component.box.y - closing, scale: search.scale,
                    precision: SegmentationTuning.coarsePrecision, search)
            }
            guard view != nil else { continue }
            let isOne = candidates.count == first + 1
            for place in first..<candidates.count {
                candidates[place].refinable = try refinable(
                    candidates[place], isOne: isOne, of: component, index, search)
            }
        }
        candidates = Array(candidates.sorted(by: \.area).prefix(max(0, search.maxBlobs)))
    }

    /// Returns the components without their shadows.
    private mutating func removeShadows(
        from components: [Component], _ view: View
    ) throws(VisionError) -> [Component] {
        let start = StageTimes.now
        let result = try withoutShadows(components, view)
        light = result.light
        if light != nil {
            shadows = Matrix(sizeOf: mask)
            for component in components { shadows.unite(component.mask, x: component.box.x, y: component.box.y) }
            for component in result.components {
                shadows.remove(component.object, x: component.box.x, y: component.box.y)
            }
        }
        shadowTime = StageTimes.now - start
        return result.components
    }

    /// Takes the largest connected parts that may become blobs out of the mask. Parts that merge when the background is eroded
    /// are one, but not larger for that.
    private mutating func takeComponents(_ erosion: Erosion, _ search: BlobSearch) throws(VisionError) -> [Component] {
        let parts = try erosion.apply(sv_cv_dilate, to: mask).parts(connectivity: 8)
        // The refined blob may be smaller than the maximum, but not larger.
        let possible = parts.all.filter {
            search.fits(
                $0.box, scale: search.scale, precision: SegmentationTuning.coarsePrecision, isMaximumIgnored: true)
        }
        let largest = possible.sorted { ($1.area, $0.label) < ($0.area, $1.label) }.prefix(max(0, search.maxBlobs))
        return largest.map { part in
            let pixels = parts.mask(of: part) & mask.cropped(to: part.box)
            mask.remove(pixels, x: part.box.x, y: part.box.y)
            return Component(pixels, part.box)
        }
    }

    /// Returns what a closer view needs: the whole component, if that is one thing; else the thing with its surroundings.
    private func refinable(
        _ candidate: Candidate, isOne: Bool, of component: Component, _ index: Int, _ search: BlobSearch
    ) throws(VisionError) -> Candidate.Refinable {
        let isDoubtful = isOne && component.isDoubtful
        if component.isShaded || isDoubtful, !search.isUneven {
            return Candidate.Refinable(
                region: component.mask, box: component.box, shadow: component.shadow, shaded: index,
                isDoubtful: isDoubtful)
        }
        if isOne {
            return Candidate.Refinable(region: component.mask, box: component.box, isDoubtful: isDoubtful)
        }
        return Candidate.Refinable(region: try .filled([candidate.contour], candidate.box), box: candidate.box)
    }

    /// Adds the parts of an object, whose first pixel is at `x`, `y`, to the candidates, and draws them.
    mutating func add(
        _ object: Matrix<UInt8>, x: Int, y: Int, scale: Double, precision: Double, _ search: BlobSearch
    ) throws(VisionError) {
        for contour in try object.contours().map({ $0.moved(x: x, y: y) }) {
            let visible = contour.box.intersection(mask.bounds)
            let inside = try Matrix<UInt8>.filled([contour], visible)
            mask.unite(inside, x: visible.x, y: visible.y)
            guard search.fits(visible, scale: scale, precision: precision) else { continue }
            candidates.append(Candidate(box: visible, contour: contour, area: Double(inside.count)))
        }
    }
}
