// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

extension Segmentation {
    /// Finds the blobs of a candidate in a closer view (a part of the frame in higher resolution). The blobs are in
    /// pixels of the closer view. If the reduced image (the coarse view) shows the candidate's shadow better than the
    /// closer view, the result has no blobs.
    /// - Parameters:
    ///   - candidate: the candidate's region in the coarse view.
    ///   - view: the closer view of the candidate and its surroundings.
    ///   - whole: the bounds of the coarse view.
    ///   - light: the light in the hard shadows of the coarse view; nil if it is unknown.
    init(
        of candidate: Candidate.Refinable, in view: View, _ whole: Rectangle, _ light: ShadowLight?,
        _ search: BlobSearch
    ) throws(VisionError) {
        (mask, self.light) = (Matrix(sizeOf: view.logarithm), light)
        // `map` maps pixels of the candidate's region to pixels of the closer view.
        let across = Double(mask.width) / (view.place.width * Double(whole.width))
        let down = Double(mask.height) / (view.place.height * Double(whole.height))
        let left = Double(candidate.box.x) + 0.5 - view.place.x * Double(whole.width)
        let top = Double(candidate.box.y) + 0.5 - view.place.y * Double(whole.height)
        let map = AffineMap(scaleX: across, scaleY: down, shiftX: across * left - 0.5, shiftY: down * top - 0.5)
        // In the coarse view, pixels along the edge of the region may be missing. So dilate the region.
        let lost = max(1, Int((SegmentationTuning.lostEdge * across).rounded(.up)))
        let region = try candidate.region.warped(map, width: mask.width, height: mask.height, sv_cv_nearest)
            .dilated(side: 2 * lost + 1)
        var component = Component(try (view.foreground & region).morphed(sv_cv_open, side: 3), mask.bounds)
        var dark: Matrix<UInt8>?
        if search.removesShadows, light != nil || !search.isUneven {
            let sample = try ShadowSample(
                component.mask, mask.bounds, view, side: 2 * max(mask.width, mask.height))
            try removeShadow(from: &component, sample.region)
            if let light = self.light {
                let shadow = try candidate.shadow?.warped(map, width: mask.width, height: mask.height, sv_cv_nearest)
                switch try Self.darkPixels(sample.region, component, shadow, light) {
                case .some(let pixels): dark = pixels
                case .none: return
                }
            } else if candidate.isDoubtful {
                search.recorder?.add(.closerViewUnclear, component.mask)
                return
            }
        }
        let closing = 2 * Int(across.rounded(.toNearestOrEven)) + 1
        try add(
            try component.thing(view, self.light, blur: 3, closing: closing, search), x: -closing, y: -closing,
            scale: across * search.scale, precision: SegmentationTuning.closePrecision, search)
        if let dark, candidates.count > 1 { try removeRests(of: dark, search) }
        candidates = candidates.sorted(by: \.area)
    }

    /// Removes the shadow of a component. If `light` is nil, and the shadow is reliable enough, sets `light` to the
    /// light in this shadow.
    private mutating func removeShadow(
        from component: inout Component, _ region: ShadowRegion
    ) throws(VisionError) {
        if let light {
            component.object = try region.withoutShadow(light)
        } else if let evidence = try estimateLight([region]) {
            component.object = try evidence.withoutShadow(region, 0)
            light = evidence.light
        }
    }

    /// Returns the pixels of a closer view that are as dark as a shadow. Candidates with such pixels may be remains of
    /// a shadow. Returns nil if the coarse view (the reduced frame) shows the shadow better than the closer view.
    /// - Parameter shadow: the mask of the shadow in the coarse view; nil if the coarse view shows no shadow.
    private static func darkPixels(
        _ region: ShadowRegion, _ component: Component, _ shadow: Matrix<UInt8>?, _ light: ShadowLight
    ) throws(VisionError) -> Matrix<UInt8>? {
        let dark = region.darkPixels(light.level)
        guard let shadow, component.object.count == region.area else { return dark }
        // The coarse view shows a shadow, but the search in the closer view has found none. If most pixels of this
        // shadow are dark in the closer view, noise may hide the shadow. Otherwise, there is no shadow: small gaps in
        // the object looked like a shadow in the coarse view.
        let isMostlyDark = SegmentationTuning.darkDivisor * dark.count > region.area
        let least = max(region.area / SegmentationTuning.darkDivisor, shadow.count)
        let seen = Check(
            .shadowSeen, Double((shadow & dark).count) / Double(max(1, least)), atMost: SegmentationTuning.shadowSeen)
        guard region.recorder.allows(seen, shadow, light.level, else: .closerViewUnclear) else { return nil }
        guard isMostlyDark else { return dark }
        let part = try region.partOfOneLight(light.level)
        return region.recorder.allows(part, dark, light.level, else: .closerViewUnclear) ? Matrix(sizeOf: dark) : nil
    }

    /// Removes the candidates that consist mostly of dark pixels, because such candidates are remains of a shadow.
    private mutating func removeRests(of dark: Matrix<UInt8>, _ search: BlobSearch) throws(VisionError) {
        var rest: [Candidate] = []
        for candidate in candidates {
            let pixels = try Matrix.filled([candidate.contour], candidate.box) & mask.cropped(to: candidate.box)
            let darkCount = (pixels & dark.cropped(to: candidate.box)).count
            let check = Check(
                .mostDark, Double(darkCount) / Double(max(1, pixels.count)), atMost: SegmentationTuning.mostDark)
            let isKept = search.recorder.allows(check, candidate.box, area: pixels.count, else: .shadowRest)
            if isKept { rest.append(candidate) }
        }
        candidates = rest
    }
}
