// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

// Model of cast shadows. A cast shadow is background with less light. It is darker by one factor, which is the same in
// all channels (T. Horprasert, D. Harwood and L. S. Davis: A statistical approach for real-time robust background
// subtraction and shadow detection, 1999). This factor has limits (R. Cucchiara et al.: Detecting moving objects,
// ghosts, and shadows in video streams, 2003). The logarithm of a shadow therefore differs from the background by a
// constant, which is a peak in the histogram. All shadows in one light have the same peak.
//
// Grey objects can have such a peak, too. But only a shadow has the outline of an object next to it, moved by an
// offset. A shadow with such an outline proves the light. The code then searches for the shadows of other objects in
// this light and in this direction.

/// Describes how well a moved copy of an object's outline covers a shadow.
struct ShadowFit {
    /// The fraction of the shadow that the moved object covers, reduced by the background that the moved object covers,
    /// 0…1.
    var fit = 0.0
    /// Offset from the object to its shadow, in pixels.
    var (x, y) = (0, 0)

    var isMoved: Bool { x != 0 || y != 0 }

    private var offset: Point { Point(Double(x), Double(y)) }

    var length: Double { offset.length }

    /// The direction from the object to its shadow, as a unit vector.
    var direction: Point { offset / length }

    /// Returns the offset at which the moved object covers a shadow best, with its score.
    /// - Parameters:
    ///   - thing: the mask of the object.
    ///   - shadow: the mask of the shadow.
    ///   - mask: the pixels that are not background.
    ///   - frame: the image in the coordinates of the masks.
    ///   - direction: the direction in which the shadow falls, as a unit vector; nil if the direction is unknown.
    ///   - side: the maximum side in pixels to which the masks are reduced. Thin shadows use `thinSide`.
    static func best(
        _ thing: Matrix<UInt8>, _ shadow: Matrix<UInt8>, mask: Matrix<UInt8>, frame: Rectangle, direction: Point?,
        side: Int = ShadowTuning.reducedSide
    ) throws(VisionError) -> ShadowFit {
        let scale = min(1, Double(side) / Double(max(1, mask.width, mask.height)))
        func reduced(_ length: Int) -> Int { max(1, Int((Double(length) * scale).rounded(.toNearestOrEven))) }
        let (width, height) = (reduced(mask.width), reduced(mask.height))
        func small(_ mask: Matrix<UInt8>) throws(VisionError) -> Matrix<Float> {
            try mask.resized(width: width, height: height, sv_cv_area).coverage
        }
        let cover = try small(shadow)
        let (sum, squares) = cover.sums
        if side < ShadowTuning.thinSide, scale < 1, squares < ShadowTuning.thinCover * sum {
            return try best(
                thing, shadow, mask: mask, frame: frame, direction: direction, side: ShadowTuning.thinSide)
        }
        var result = ShadowFit()
        guard squares > 0 else { return result }
        let ground = try small(~(try mask.dilated(side: 3)))
        let worth = Self.worth(cover - ground, mask.bounds, frame)
        let scores = try worth.correlated(with: try small(thing))
        var best: Float = 0
        for y in 0..<scores.height {
            let row = scores.row(y)
            for x in 0..<scores.width where row[x] > best {
                let (right, down) = (Double(x - width), Double(y - height))
                if let direction {
                    let offset = Point(right, down)
                    guard offset.dot(direction) >= ShadowTuning.sameDirection * offset.length else { continue }
                }
                best = row[x]
                result.x = Int((right / scale).rounded(.toNearestOrEven))
                result.y = Int((down / scale).rounded(.toNearestOrEven))
            }
        }
        // An object with the same outline as the shadow has the score 1.
        result.fit = min(1, Double(best) / squares)
        return result
    }

    /// Returns, for each pixel, the score for covering the pixel: positive in the shadow, negative on the background.
    /// The result is three times as wide and high as `inside`, because an object may be moved out of the masks. The
    /// added area counts as background (−1), or as 0 if it is beyond the frame.
    private static func worth(_ inside: Matrix<Float>, _ bounds: Rectangle, _ frame: Rectangle) -> Matrix<Float> {
        let (width, height) = (inside.width, inside.height)
        var result = Matrix<Float>(width: 3 * width, height: 3 * height, filledWith: -1)
        let wide = Matrix<Float>(width: 3 * width, height: height)
        let high = Matrix<Float>(width: width, height: 3 * height)
        if frame.y >= 0 { result.paste(wide, x: 0, y: 0) }
        if frame.y + frame.height <= bounds.height { result.paste(wide, x: 0, y: 2 * height) }
        if frame.x >= 0 { result.paste(high, x: 0, y: 0) }
        if frame.x + frame.width <= bounds.width { result.paste(high, x: 2 * width, y: 0) }
        result.paste(inside, x: width, y: height)
        return result
    }
}

/// A hypothesis that some pixels of a region are the shadow of the region's other pixels.
struct CastShadow {
    var shadow: Matrix<UInt8>
    /// The pixels of the shadow that are away from its edges.
    var core: Matrix<UInt8>
    var thing: Matrix<UInt8>
    /// Number of pixels of the core.
    let area: Int
    /// The fit of the object, moved by an offset, to the core.
    var fit = ShadowFit()
    /// True if the fit proves that the hypothesis is right.
    var proof: Check?

    var isProof: Bool { proof?.isMet ?? false }

    /// Creates a hypothesis. The result is nil if the core is too small, or is too large for the object.
    /// - Parameters:
    ///   - all: the shadow with its edges. Some of the edges may be inside of the object.
    ///   - core: the shadow without its edges.
    ///   - ground: the pixels that show the background. Holes in the object stay open only if they contain such pixels.
    init?(
        _ region: ShadowRegion, _ light: ShadowLevel, all: Matrix<UInt8>, core: Matrix<UInt8>, ground: Matrix<UInt8>
    ) throws(VisionError) {
        thing = try region.mask.subtracting(all).withoutSpecks(
            max(ShadowTuning.leastPart, region.area / ShadowTuning.partDivisor)
        ).withoutHoles(ground)
        self.core = core.subtracting(thing)
        shadow = all.subtracting(thing)
        area = self.core.count
        let ratio = Check(.mostArea, Double(area) / Double(thing.count), atMost: ShadowTuning.mostArea)
        guard region.recorder.allows(region.shadowArea(area), self.core, light),
            region.recorder.allows(ratio, self.core, light)
        else { return nil }
    }

    /// Returns the pixels that the object covers when it moves along the offset to its shadow.
    func swept() throws(VisionError) -> Matrix<UInt8> {
        var path = Matrix<UInt8>(sizeOf: thing)
        let steps = max(1, min(ShadowTuning.mostSteps, Int(fit.length / 3)))
        for step in 1...steps {
            let part = Double(step) / Double(steps)
            path.unite(
                thing, x: Int((part * Double(fit.x)).rounded(.toNearestOrEven)),
                y: Int((part * Double(fit.y)).rounded(.toNearestOrEven)))
        }
        // The offset is only as precise as a pixel of the reduced masks.
        let margin = 3 + max(path.width, path.height) / ShadowTuning.reducedSide
        // The path needs no margin on the side of the light.
        let length = max(1, fit.length)
        let map = AffineMap(
            shiftX: Double(margin) * Double(fit.x) / length, shiftY: Double(margin) * Double(fit.y) / length)
        return try path.dilated(side: 2 * margin + 1)
            .warped(map, width: path.width, height: path.height, sv_cv_nearest)
    }

    /// Returns the region's mask without the shadow pixels on the path of the object.
    func removed(from mask: Matrix<UInt8>) throws(VisionError) -> Matrix<UInt8> {
        mask.subtracting(shadow & (try swept()))
    }
}

extension ShadowRegion {
    /// Minimum area of a shadow, in pixels.
    fileprivate func shadowArea(_ shadow: Int) -> Check {
        let part = area / ShadowTuning.shadowDivisor
        return Check(
            part > ShadowTuning.leastShadow ? .shadowDivisor : .leastShadow, Double(shadow),
            atLeast: Double(max(ShadowTuning.leastShadow, part)))
    }

    /// Minimum area of a shadow's core, in pixels.
    private var leastCore: Int { max(ShadowTuning.leastCore, area / ShadowTuning.coreDivisor) }

    /// Returns the most probable shadow with approximately this light; nil if the region has no such shadow.
    /// - Parameter direction: the direction in which shadows fall, as a unit vector; nil if the direction is unknown.
    func castShadow(_ light: ShadowLevel, direction: Point? = nil) throws(VisionError) -> CastShadow? {
        let besideDark = try castShadowBesideDark(light, direction: direction)
        if let besideDark, besideDark.isProof { return besideDark }
        let dark = darkPixels(light)
        guard recorder.allows(shadowArea(dark.count), dark, light) else { return nil }
        let core = try dark.opened().withoutSpecks(leastCore)
        // Along the background, the blurred edge of a shadow is lighter than its core.
        let limit = Float(noiseTolerance(ShadowTuning.tolerance, level: light.level, noise: noise))
        let lighter = luma.mask(from: light.level - limit, to: 0)
        let inner = try mask.eroded(side: 5, outside: .zero)
        let all = try (dark | (lighter & possible).subtracting(inner)).parts(with: core)
        guard var shadow = try CastShadow(self, light, all: all, core: core, ground: ~mask),
            recorder.allows(difference(of: shadow, light), shadow.core, light)
        else { return nil }
        try judge(&shadow, light, direction)
        return shadow
    }

    /// Returns the shadow of an object that is much darker than the shadow. The shadow consists of all possible shadow
    /// pixels whose level is nearer to the shadow's level than to the object's level. A narrow shadow consists mostly
    /// of blurred edges, so only a few of its pixels have the level of its core.
    private func castShadowBesideDark(_ light: ShadowLevel, direction: Point?) throws(VisionError) -> CastShadow? {
        let darker = mask & (luma < light.level - ShadowTuning.muchDarker)
        guard shadowArea(darker.count).isMet else { return nil }
        let limit = (light.level + luma.quantile(1, of: 2, under: darker)) / 2
        let lighter = possible & (luma > limit)
        // The blurred edge of the dark object has the levels of a shadow, so pixels near the object are excluded.
        let thing = try mask.subtracting(lighter).withoutSpecks(ShadowTuning.leastPart)
        let core = try (lighter & (luma < light.level / 2)).subtracting(try thing.dilated(side: 5))
            .opened().withoutSpecks(leastCore)
        let all = try (lighter.subtracting(try thing.dilated(side: 3)) | core).parts(with: core)
        guard var shadow = try CastShadow(self, light, all: all, core: core, ground: ~mask | core) else { return nil }
        try judge(&shadow, light, direction)
        return shadow
    }

    /// Returns true if the hypothesis splits one object into object and shadow: both parts have the same light and
    /// colour.
    private func difference(of shadow: CastShadow, _ light: ShadowLevel) -> Check {
        let limit = noiseTolerance(ShadowTuning.sameLight, level: light.level, noise: ShadowTuning.cameraNoise)
        let inLight = Double(abs(luma.quantile(1, of: 2, under: shadow.thing) - light.level))
        guard inLight <= limit else { return Check(.sameLight, inLight, above: limit) }
        let tint = meanTint(of: shadow.thing) - meanTint(of: shadow.shadow)
        return Check(.sameLight, max(inLight, (tint * tint).sum().squareRoot()), above: limit)
    }

    /// Computes the fit of a shadow, and decides whether the fit proves the light.
    private func judge(
        _ shadow: inout CastShadow, _ light: ShadowLevel, _ direction: Point?
    ) throws(VisionError) {
        shadow.fit = try ShadowFit.best(shadow.thing, shadow.core, mask: mask, frame: frame, direction: direction)
        let surrounded = try surroundedPart(of: shadow, light)
        guard surrounded?.isMet ?? true else {
            shadow.proof = surrounded
            return
        }
        // A smaller fit is a proof if the object itself cannot be a shadow.
        let doubtful = Double((shadow.thing & possible).count)
        guard doubtful >= ShadowTuning.doubtfulThing * Double(shadow.thing.count) else {
            shadow.proof = Check(.proof, shadow.fit.fit, atLeast: ShadowTuning.proof)
            return
        }
        let fit = Check(.proofOfGrey, shadow.fit.fit, atLeast: ShadowTuning.proofOfGrey)
        shadow.proof = fit.isMet ? self.light(of: shadow.core).likelierShadow(than: self.light(of: shadow.thing)) : fit
    }

    /// Compares the lightest part of the object that the shadow surrounds with the light; nil if there is no such part.
    /// A surrounded part is in the shadow, too. If it is nearly as light as the background, it is a print on a dark
    /// object.
    private func surroundedPart(of shadow: CastShadow, _ light: ShadowLevel) throws(VisionError) -> Check? {
        let around = try shadow.core.dilated(side: 5)
        let parts = try shadow.thing.parts(connectivity: 8)
        var lightest: Float?
        for part in parts.all where part.area >= max(ShadowTuning.leastPart, area / ShadowTuning.partDivisor) {
            let inside = parts.mask { $0.label == part.label }
            let edge = try inside.dilated(side: 5).subtracting(inside)
            guard Double((edge & around).count) >= ShadowTuning.surrounded * Double(edge.count) else { continue }
            lightest = max(lightest ?? -.infinity, luma.quantile(1, of: 2, under: inside))
        }
        return lightest.map {
            Check(.lightInShadow, Double($0 / light.level), atLeast: Double(ShadowTuning.lightInShadow))
        }
    }

    // MARK: - Known light

    /// Returns the mask without the shadow in a known light.
    func withoutShadow(_ light: ShadowLight) throws(VisionError) -> Matrix<UInt8> {
        guard let shadow = try castShadow(light.level, direction: light.direction) else { return mask }
        let fit = shadow.fit.fit
        let enough =
            light.direction == nil
            ? Check(.proof, fit, atLeast: ShadowTuning.proof) : Check(.enough, fit, atLeast: ShadowTuning.enough)
        if enough.isMet { return try removed(shadow, light.level, because: enough) }
        recorder?.add(.noShadow, shadow.core, enough, level: light.level.level)
        guard let direction = light.direction else { return mask }
        return try withoutShadows(shadow, light.level, direction)
    }

    /// Returns the mask without a shadow.
    func removed(
        _ shadow: CastShadow, _ light: ShadowLevel, because check: Check?
    ) throws(VisionError) -> Matrix<UInt8> {
        let rest = try shadow.removed(from: mask)
        recorder?.add(.castShadow, mask.subtracting(rest), check, level: light.level)
        return rest
    }

    /// Returns the mask without the shadows of several objects, each of which explains a part of the shadow pixels. If
    /// the objects explain less than `proofOfGrey` of these pixels, the function returns the unchanged mask.
    private func withoutShadows(
        _ all: CastShadow, _ light: ShadowLevel, _ direction: Point
    ) throws(VisionError) -> Matrix<UInt8> {
        var cast = Matrix<UInt8>(sizeOf: mask)
        let around = try mask.dilated(side: 3)
        let things = try all.thing.parts(connectivity: 8)
        let least = max(ShadowTuning.leastSeveral, area / ShadowTuning.severalDivisor)
        for part in things.all where part.area >= least {
            var one = all
            one.thing = things.mask { $0.label == part.label }
            one.fit = try ShadowFit.best(one.thing, all.core, mask: mask, frame: frame, direction: direction)
            var moved = Matrix<UInt8>(sizeOf: mask)
            moved.unite(one.thing, x: one.fit.x, y: one.fit.y)
            // At the offset, the shadow of the object must be visible, unless the shadow is under an object or beyond
            // the frame. A pixel of the moved object counts as missing if it shows the background.
            let (seen, missing) = ((moved & all.shadow).count, moved.subtracting(around).count)
            let visible = Check(.leastVisible, Double(seen), atLeast: Double(ShadowTuning.leastVisible))
            let hidden = Check(
                .mostMissing, Double(missing) / Double(max(1, seen + missing)), atMost: ShadowTuning.mostMissing)
            if recorder.allows(visible, one.thing, light), recorder.allows(hidden, one.thing, light) {
                cast = cast | (try one.swept())
            }
        }
        let explained = Check(
            .proofOfGrey, Double((cast & all.core).count) / Double(max(1, all.area)), atLeast: ShadowTuning.proofOfGrey)
        guard recorder.allows(explained, all.core, light) else { return mask }
        let shadow = all.shadow & cast
        recorder?.add(.castShadow, shadow, explained, level: light.level)
        return mask.subtracting(shadow)
    }
}

// MARK: - Masks

extension Matrix<UInt8> {
    /// Returns the mask opened with a square of 2 × 2 pixels, which removes the blurred edges of objects.
    fileprivate func opened() throws(VisionError) -> Matrix {
        try morphed(sv_cv_erode, side: 2, anchor: 0).morphed(sv_cv_dilate, side: 2, anchor: 1)
    }

    /// Returns the connected parts with at least this area in pixels.
    fileprivate func withoutSpecks(_ area: Int) throws(VisionError) -> Matrix {
        try parts(connectivity: 4).mask { $0.area >= area }
    }

    /// Returns the connected parts that contain at least one pixel of `seeds`.
    fileprivate func parts(with seeds: Matrix) throws(VisionError) -> Matrix {
        let parts = try parts(connectivity: 8)
        let counts = parts.counts(seeds)
        return parts.mask { counts[Int($0.label)] > 0 }
    }

    /// Returns the mask with its holes filled. Holes with more than one pixel of the background stay open.
    fileprivate func withoutHoles(_ ground: Matrix) throws(VisionError) -> Matrix {
        let solid = try Matrix.filled(try contours(), bounds)
        let holes = try solid.subtracting(self).parts(connectivity: 4)
        guard !holes.all.isEmpty else { return solid }
        let counts = holes.counts(ground)
        return solid.subtracting(holes.mask { counts[Int($0.label)] > 1 })
    }
}
