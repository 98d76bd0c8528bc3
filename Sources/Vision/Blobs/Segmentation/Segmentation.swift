// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// The blobs of a foreground mask.
struct Segmentation {
    /// The foreground mask. Gaps and holes of blobs are filled.
    var mask: Matrix<UInt8>
    /// The blobs, the largest first.
    var candidates: [Candidate] = []
    /// The light in hard shadows; nil if no shadow is reliable enough to derive the light from it.
    var light: ShadowLight?
    /// Mask of the removed shadows; empty if the search removed no shadows.
    var shadows = Matrix<UInt8>()
    /// Duration of the search for shadows, in nanoseconds.
    var shadowTime = 0

    /// Finds blobs with the algorithm of the app BeanCounter: pixels near the mean colour of the image are background.
    init(nearMean picture: Matrix<UInt8>, _ search: BlobSearch) throws(VisionError) {
        let background = try picture.nearMean(search)
        mask = ~background
        candidates = try edgeCandidates(background, search)
    }

    /// Finds the blobs of a foreground mask.
    /// - Parameter view: the view from which the foreground was computed; nil with the models `mog2` and `knn`.
    init(
        _ foreground: Matrix<UInt8>, _ view: View?, _ search: BlobSearch
    ) throws(VisionError) {
        mask = try foreground.morphed(sv_cv_open, side: 3)
        let erosion = Erosion(search, mask.bounds)
        var components = try takeComponents(erosion, search).filter { view.map($0.isClear) ?? true }
        if let view, search.removesShadows { components = try removeShadows(from: components, view) }
        // `blur` and `closing` are sides of kernels. A larger kernel takes more time, so limit `closing` to half of the
        // shorter side of the mask.
        let blur = mask.kernelSide(SegmentationTuning.blurDivisor)
        let closing = max(blur, min(erosion.growth + 1, min(mask.width, mask.height) / 2 | 1))
        for (index, component) in components.enumerated() {
            if let view, search.isUneven, !component.isNoPattern(in: view) { continue }
            let object = try component.thing(view, light, blur: blur, closing: closing, search)
            let first = candidates.count
            let separated = search.isUneven ? try separated(object, component, search) : [object]
            for thing in separated {
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
        candidates = candidates.sorted(by: \.area)
        if let view { try removeParts(foreground, view, search) }
        candidates = search.largest(candidates)
    }

    /// Removes each candidate that is only a part of a larger candidate, for example a star printed on a bottle cap. A
    /// candidate is a part if it is inside the larger candidate's outline, and if the pixels between both outlines that
    /// are not foreground still differ slightly from the background.
    private mutating func removeParts(
        _ foreground: Matrix<UInt8>, _ view: View, _ search: BlobSearch
    ) throws(VisionError) {
        var wholes: [Candidate] = []
        for candidate in candidates {
            var isPart = false
            for whole in wholes where !isPart && whole.box.intersection(candidate.box) == candidate.box {
                let inside = try Matrix<UInt8>.filled([whole.contour], whole.box)
                let part = try Matrix<UInt8>.filled([candidate.contour], whole.box)
                let gap = inside.subtracting(foreground.cropped(to: whole.box)).subtracting(part)
                guard part.subtracting(inside).count == 0, gap.count > 0 else { continue }
                let usual = view.differing.distance.cropped(to: whole.box).quantile(1, of: 2, under: gap)
                isPart = Double(usual) > SegmentationTuning.gapDistance * view.threshold
            }
            if isPart {
                search.recorder?.add(.insideAnother, candidate.box, area: candidate.area)
            } else {
                wholes.append(candidate)
            }
        }
        candidates = wholes
    }

    /// Separates touching objects in a component (connected part of the foreground).
    private func separated(
        _ object: Matrix<UInt8>, _ component: Component, _ search: BlobSearch
    ) throws(VisionError) -> [Matrix<UInt8>] {
        let (parts, saddle) = try object.separatedAtSaddle()
        if let saddle, parts.count > 1 {
            search.recorder?.add(.separated, component.box, area: Double(component.mask.count), saddle)
        }
        return parts
    }

    /// Returns the components (connected parts of the foreground) without their shadows. Sets `light` to the light in
    /// the shadows, and `shadows` to the mask of the removed shadows.
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

    /// Removes up to `maxBlobs` connected parts from the mask, the largest first, and returns them as components.
    /// Ignores parts that are too small for a blob. If the erosion of the background connects several parts, these
    /// parts become one component. The component contains only pixels that are foreground without the erosion.
    private mutating func takeComponents(_ erosion: Erosion, _ search: BlobSearch) throws(VisionError) -> [Component] {
        let parts = try erosion.apply(sv_cv_dilate, to: mask).parts(connectivity: 8)
        // A search in higher resolution may show that a blob is smaller. So do not check the maximum size yet.
        let possible = parts.all.filter {
            search.fits(
                $0.box, scale: search.scale, precision: SegmentationTuning.coarsePrecision, isMaximumIgnored: true)
        }
        let largest = possible.sorted { ($1.area, $0.label) < ($0.area, $1.label) }
        var components: [Component] = []
        for (index, part) in largest.enumerated() {
            let fits = Check(.maxBlobs, Double(index + 1), atMost: Double(search.maxBlobs))
            guard search.recorder.allows(fits, part.box, area: part.area, else: .tooMany) else { continue }
            let pixels = parts.mask(of: part) & mask.cropped(to: part.box)
            mask.remove(pixels, x: part.box.x, y: part.box.y)
            components.append(Component(pixels, part.box))
            guard let recorder = search.recorder else { continue }
            let gaps = Check(.erodeKernel, Double(try pixels.parts(connectivity: 8).all.count), atMost: 1)
            if !gaps.isMet { recorder.add(.merged, part.box, area: Double(part.area), gaps) }
        }
        return components
    }

    /// Returns the data for a search of a candidate in higher resolution. The searched region is the whole component
    /// (connected part of the foreground) if it contains a single object or, on an even background, a shadow.
    /// Otherwise, it is the filled contour of the candidate.
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

    /// Draws the connected parts of an object into the mask. Adds the parts within the size limits to the candidates.
    /// - Parameters:
    ///   - x: the column of the object's first pixel in the mask.
    ///   - y: the row of the object's first pixel in the mask.
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
