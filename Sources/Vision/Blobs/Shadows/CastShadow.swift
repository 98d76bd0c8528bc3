// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

// In a cast shadow, the background has less light: each level is the background's level times a factor. The factor is
// the same in all channels (T. Horprasert, D. Harwood and L. S. Davis: A statistical approach for real-time robust
// background subtraction and shadow detection, 1999). The factor has limits (R. Cucchiara et al.: Detecting moving
// objects, ghosts, and shadows in video streams, 2003). So in all pixels of a shadow, the logarithms of pixel and
// background differ by the same value, which is a peak in a histogram of these differences. All shadows from the same
// light source have the same peak.
//
// A grey object can have such a peak, too. But a shadow also has about the same outline as an object beside it. If the
// moved outline of the object matches the shadow, the shadow is called a proof. The code uses the factor and the
// direction of this shadow to find the shadows of other objects.

/// The offset at which a moved copy of an object's mask covers the object's shadow best, and a score.
struct ShadowFit {
    /// Score of the offset: (S − B) / A, 0…1. S: area of the shadow that the moved object covers. B: area of the
    /// background that the moved object covers. A: area of the whole shadow.
    var fit = 0.0
    /// `x`, `y`: offset from the object to its shadow, in pixels.
    var (x, y) = (0, 0)

    var isMoved: Bool { x != 0 || y != 0 }

    private var offset: Point { Point(Double(x), Double(y)) }

    var length: Double { offset.length }

    /// Direction from the object to its shadow, as a unit vector.
    var direction: Point { offset / length }

    /// Returns the offset at which the moved object covers a shadow best, and the score of this offset.
    /// - Parameters:
    ///   - thing: the mask of the object.
    ///   - shadow: the mask of the shadow.
    ///   - mask: the pixels that are not background.
    ///   - frame: the bounds of the image, in the coordinates of the masks.
    ///   - direction: the direction in which the shadow falls, as a unit vector; nil if it is unknown.
    ///   - side: the maximum side of the reduced masks, in pixels. For thin shadows, the maximum is `thinSide`.
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
        // If the object has the same outline as the shadow, `best` equals `squares`, and the fit is 1.
        result.fit = min(1, Double(best) / squares)
        return result
    }

    /// Returns, for each pixel, the score that a moved object gets if it covers this pixel: positive in the shadow,
    /// negative on the background. An object may be moved out of the masks, so the result is three times as wide and
    /// high as `inside`. Outside of the masks, the score is −1 (background), or 0 beyond the frame.
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

/// A hypothetical shadow in a region: some pixels are the shadow, and the other pixels are the object that casts the
/// shadow.
struct CastShadow {
    var shadow: Matrix<UInt8>
    /// The pixels of the shadow without its edges.
    var core: Matrix<UInt8>
    var thing: Matrix<UInt8>
    /// Number of pixels of `core`.
    let area: Int
    /// The offset at which the moved object covers `core` best, and the score of this offset.
    var fit = ShadowFit()
    /// The check that decides if this shadow is a proof: reliable enough to derive the light in all shadows from it.
    /// Nil before the check.
    var proof: Check?

    var isProof: Bool { proof?.isMet ?? false }

    /// Creates a hypothetical shadow; nil if the core of the shadow is too small, or too large for the object.
    /// - Parameters:
    ///   - all: the shadow with its edges. Some of the edge pixels may be inside the object.
    ///   - core: the shadow without its edges.
    ///   - ground: the pixels that show the background. A hole in the object is filled unless it contains such pixels.
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

    /// Returns the pixels that the object covers when it moves from its position to its shadow.
    func swept() throws(VisionError) -> Matrix<UInt8> {
        var path = Matrix<UInt8>(sizeOf: thing)
        let steps = max(1, min(ShadowTuning.mostSteps, Int(fit.length / 3)))
        for step in 1...steps {
            let part = Double(step) / Double(steps)
            path.unite(
                thing, x: Int((part * Double(fit.x)).rounded(.toNearestOrEven)),
                y: Int((part * Double(fit.y)).rounded(.toNearestOrEven)))
        }
        // The offset was measured in reduced masks. So the precision of the offset is only one pixel of these masks.
        // Add a margin.
        let margin = 3 + max(path.width, path.height) / ShadowTuning.reducedSide
        // On the side of the object that faces the light source, the path needs no margin. So move the dilated path
        // away from the light source.
        let length = max(1, fit.length)
        let map = AffineMap(
            shiftX: Double(margin) * Double(fit.x) / length, shiftY: Double(margin) * Double(fit.y) / length)
        return try path.dilated(side: 2 * margin + 1)
            .warped(map, width: path.width, height: path.height, sv_cv_nearest)
    }

    /// Returns `mask` without the shadow pixels that lie on the path from the object to its shadow.
    func removed(from mask: Matrix<UInt8>) throws(VisionError) -> Matrix<UInt8> {
        mask.subtracting(shadow & (try swept()))
    }
}

extension ShadowRegion {
    /// Checks that a shadow in this region is large enough.
    /// - Parameter shadow: the area of the shadow, in pixels.
    fileprivate func shadowArea(_ shadow: Int) -> Check {
        let part = area / ShadowTuning.shadowDivisor
        return Check(
            part > ShadowTuning.leastShadow ? .shadowDivisor : .leastShadow, Double(shadow),
            atLeast: Double(max(ShadowTuning.leastShadow, part)))
    }

    /// Minimum area of the core of a shadow (the shadow without its edges), in pixels.
    private var leastCore: Int { max(ShadowTuning.leastCore, area / ShadowTuning.coreDivisor) }

    /// Returns the most probable shadow whose light and colour are approximately those of `light`; nil if the region
    /// has no such shadow.
    /// - Parameter direction: the direction in which shadows fall, as a unit vector; nil if it is unknown.
    func castShadow(_ light: ShadowLevel, direction: Point? = nil) throws(VisionError) -> CastShadow? {
        let besideDark = try castShadowBesideDark(light, direction: direction)
        if let besideDark, besideDark.isProof { return besideDark }
        let dark = darkPixels(light)
        guard recorder.allows(shadowArea(dark.count), dark, light) else { return nil }
        let core = try dark.opened().withoutSpecks(leastCore)
        // Next to the background, the blurred edge of a shadow is lighter than the inside of the shadow. So include
        // lighter pixels along the region's edge.
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

    /// Returns the shadow of an object that is much darker than its shadow. Here, a shadow pixel is a pixel whose light
    /// is nearer to the light in the shadow than to the light of the object. Most pixels of a narrow shadow are blurred
    /// edges, so only a few pixels have exactly the light of the shadow.
    private func castShadowBesideDark(_ light: ShadowLevel, direction: Point?) throws(VisionError) -> CastShadow? {
        let darker = mask & (luma < light.level - ShadowTuning.muchDarker)
        guard shadowArea(darker.count).isMet else { return nil }
        let limit = (light.level + luma.quantile(1, of: 2, under: darker)) / 2
        let lighter = possible & (luma > limit)
        // The blurred edge of the dark object can be as light as a shadow, so exclude pixels near the object.
        let thing = try mask.subtracting(lighter).withoutSpecks(ShadowTuning.leastPart)
        let core = try (lighter & (luma < light.level / 2)).subtracting(try thing.dilated(side: 5))
            .opened().withoutSpecks(leastCore)
        let all = try (lighter.subtracting(try thing.dilated(side: 3)) | core).parts(with: core)
        guard var shadow = try CastShadow(self, light, all: all, core: core, ground: ~mask | core) else { return nil }
        try judge(&shadow, light, direction)
        return shadow
    }

    /// Checks that the object (`thing`) and its supposed shadow differ in light or colour. Without a difference, both
    /// are parts of one object.
    private func difference(of shadow: CastShadow, _ light: ShadowLevel) -> Check {
        let limit = noiseTolerance(ShadowTuning.sameLight, level: light.level, noise: ShadowTuning.cameraNoise)
        let inLight = Double(abs(luma.quantile(1, of: 2, under: shadow.thing) - light.level))
        guard inLight <= limit else { return Check(.sameLight, inLight, above: limit) }
        let tint = meanTint(of: shadow.thing) - meanTint(of: shadow.shadow)
        return Check(.sameLight, max(inLight, (tint * tint).sum().squareRoot()), above: limit)
    }

    /// Sets the properties `fit` and `proof` of a shadow.
    private func judge(
        _ shadow: inout CastShadow, _ light: ShadowLevel, _ direction: Point?
    ) throws(VisionError) {
        shadow.fit = try ShadowFit.best(shadow.thing, shadow.core, mask: mask, frame: frame, direction: direction)
        let surrounded = try surroundedPart(of: shadow, light)
        guard surrounded?.isMet ?? true else {
            shadow.proof = surrounded
            return
        }
        // If the object itself cannot be a shadow, a lower score is enough for a reliable shadow.
        let doubtful = Double((shadow.thing & possible).count)
        guard doubtful >= ShadowTuning.doubtfulThing * Double(shadow.thing.count) else {
            shadow.proof = Check(.proof, shadow.fit.fit, atLeast: ShadowTuning.proof)
            return
        }
        let fit = Check(.proofOfGrey, shadow.fit.fit, atLeast: ShadowTuning.proofOfGrey)
        shadow.proof = fit.isMet ? self.light(of: shadow.core).likelierShadow(than: self.light(of: shadow.thing)) : fit
    }

    /// Checks the light of those parts of an object that its shadow surrounds. These parts are in the shadow, too, so
    /// they must be dark. If one part is nearly as light as the background, the supposed shadow is a dark object with a
    /// light print. Returns nil if the shadow surrounds no part.
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

    /// Returns the region's mask without the shadows of its objects.
    /// - Parameter light: the known light in the shadows of the image.
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

    /// Returns `mask` without the pixels of a shadow, and records the decision.
    func removed(
        _ shadow: CastShadow, _ light: ShadowLevel, because check: Check?
    ) throws(VisionError) -> Matrix<UInt8> {
        let rest = try shadow.removed(from: mask)
        recorder?.add(.castShadow, mask.subtracting(rest), check, level: light.level)
        return rest
    }

    /// Returns the mask without the shadows of several objects in this region. If the shadows of all objects together
    /// cover less than the fraction `proofOfGrey` of the region's dark pixels, returns the unchanged mask.
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
            // The moved object must cover enough visible pixels of the shadow. Some pixels of the shadow may be hidden
            // by another object or may be beyond the frame. But if a pixel of the moved object shows the background, a
            // pixel of the shadow is missing.
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
    /// Returns the mask, opened with a square of 2 × 2 pixels. The opening removes narrow lines, such as the blurred
    /// edges of objects.
    fileprivate func opened() throws(VisionError) -> Matrix {
        try morphed(sv_cv_erode, side: 2, anchor: 0).morphed(sv_cv_dilate, side: 2, anchor: 1)
    }

    /// Returns the connected parts of the mask that have at least this area in pixels.
    fileprivate func withoutSpecks(_ area: Int) throws(VisionError) -> Matrix {
        try parts(connectivity: 4).mask { $0.area >= area }
    }

    /// Returns the connected parts of the mask that contain at least one pixel of `seeds`.
    fileprivate func parts(with seeds: Matrix) throws(VisionError) -> Matrix {
        let parts = try parts(connectivity: 8)
        let counts = parts.counts(seeds)
        return parts.mask { counts[Int($0.label)] > 0 }
    }

    /// Returns the mask with its holes filled, except holes with more than one pixel of `ground`.
    fileprivate func withoutHoles(_ ground: Matrix) throws(VisionError) -> Matrix {
        let solid = try Matrix.filled(try contours(), bounds)
        let holes = try solid.subtracting(self).parts(connectivity: 4)
        guard !holes.all.isEmpty else { return solid }
        let counts = holes.counts(ground)
        return solid.subtracting(holes.mask { counts[Int($0.label)] > 1 })
    }
}
