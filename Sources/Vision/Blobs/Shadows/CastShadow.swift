// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

// A cast shadow is ground with less light: darker by one factor, in all channels (T. Horprasert, D. Harwood and L. S. Davis: A
// statistical approach for real-time robust background subtraction and shadow detection, 1999), a factor with a limit (R.
// Cucchiara et al.: Detecting moving objects, ghosts, and shadows in video streams, 2003). So in logarithms it is flat, at one
// place of the histogram, and at the same one beside all things in one light. That may hold for grey things, too: what tells
// them from shadows is that a shadow has the outline of its thing, moved. One that does proves the light; the shadows of other
// things are then looked for in that light and in that direction.

/// How well a shadow is explained by the outline of a thing, moved.
struct ShadowFit {
    /// Fraction of the shadow that the thing covers, at most 1.
    var fit = 0.0
    /// Offset in pixels from the thing to its shadow.
    var (x, y) = (0, 0)

    var isMoved: Bool { x != 0 || y != 0 }

    var length: Double { (Double(x * x) + Double(y * y)).squareRoot() }

    /// The direction from the thing to its shadow, of length 1.
    var direction: Point { Point(Double(x) / length, Double(y) / length) }

    /// Returns the offset by which a thing, moved, covers a shadow best.
    /// - Parameters:
    ///   - mask: the pixels that are no ground.
    ///   - frame: the image in the masks' coordinates.
    ///   - direction: the direction in which the shadow falls; nil if it is not known.
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
                    let length = (right * right + down * down).squareRoot()
                    let along = right * direction.x + down * direction.y
                    guard along >= ShadowTuning.sameDirection * length else { continue }
                }
                best = row[x]
                result.x = Int((right / scale).rounded(.toNearestOrEven))
                result.y = Int((down / scale).rounded(.toNearestOrEven))
            }
        }
        // A thing of the same outline covers each pixel by no more.
        result.fit = min(1, Double(best) / squares)
        return result
    }

    /// Returns what it is worth to cover a pixel, with as much around as a thing may be moved: there is ground, too, unless that
    /// is beyond the frame.
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

/// A hypothesis which pixels of a region are the shadow of the others.
struct CastShadow {
    var shadow: Matrix<UInt8>
    /// Its pixels that are no edges.
    var core: Matrix<UInt8>
    var thing: Matrix<UInt8>
    /// Number of the core's pixels.
    let area: Int
    /// How well the thing explains the core.
    var fit = ShadowFit()
    /// Whether that proves that there is a shadow.
    var isProof = false

    /// - Parameter all: the shadow and its edges, of which some may be inside of the thing.
    init?(
        _ region: ShadowRegion, all: Matrix<UInt8>, core: Matrix<UInt8>, ground: Matrix<UInt8>
    ) throws(VisionError) {
        thing = try region.mask.subtracting(all).withoutSpecks(
            max(ShadowTuning.leastPart, region.area / ShadowTuning.partDivisor)
        ).withoutHoles(ground)
        self.core = core.subtracting(thing)
        shadow = all.subtracting(thing)
        area = self.core.count
        let largest = ShadowTuning.mostArea * Double(thing.count)
        guard area >= region.leastShadow, Double(area) <= largest else { return nil }
    }

    /// Returns where the thing is on its way to the shadow's end.
    func swept() throws(VisionError) -> Matrix<UInt8> {
        var path = Matrix<UInt8>(sizeOf: thing)
        let steps = max(1, min(ShadowTuning.mostSteps, Int(fit.length / 3)))
        for step in 1...steps {
            let part = Double(step) / Double(steps)
            path.unite(
                thing, x: Int((part * Double(fit.x)).rounded(.toNearestOrEven)),
                y: Int((part * Double(fit.y)).rounded(.toNearestOrEven)))
        }
        // The offset is known to a pixel of the reduced masks.
        let margin = 3 + max(path.width, path.height) / ShadowTuning.reducedSide
        // On the side of the light there is none.
        let length = max(1, fit.length)
        let map = AffineMap(
            shiftX: Double(margin) * Double(fit.x) / length, shiftY: Double(margin) * Double(fit.y) / length)
        return try path.dilated(side: 2 * margin + 1)
            .warped(map, width: path.width, height: path.height, sv_cv_nearest)
    }

    /// Returns the region's mask without the shadow.
    func removed(from mask: Matrix<UInt8>) throws(VisionError) -> Matrix<UInt8> {
        mask.subtracting(shadow & (try swept()))
    }
}

extension ShadowRegion {
    /// Least area in pixels of a shadow.
    fileprivate var leastShadow: Int { max(ShadowTuning.leastShadow, area / ShadowTuning.shadowDivisor) }

    /// Least area of its pixels away from edges.
    private var leastCore: Int { max(ShadowTuning.leastCore, area / ShadowTuning.coreDivisor) }

    /// Returns the likeliest shadow of about this light; nil if there is none.
    /// - Parameter direction: the direction in which shadows fall, if it is known.
    func castShadow(_ light: ShadowLevel, direction: Point? = nil) throws(VisionError) -> CastShadow? {
        let besideDark = try castShadowBesideDark(light, direction: direction)
        if let besideDark, besideDark.isProof { return besideDark }
        let dark = darkPixels(light)
        guard dark.count >= leastShadow else { return nil }
        let core = try dark.opened().withoutSpecks(leastCore)
        // Beside the ground a shadow is lighter.
        let limit = Float(noiseTolerance(ShadowTuning.tolerance, level: light.level, noise: noise))
        let lighter = luma.mask(from: light.level - limit, to: 0)
        let inner = try mask.eroded(side: 5, outside: .zero)
        let all = try (dark | (lighter & possible).subtracting(inner)).parts(with: core)
        guard var shadow = try CastShadow(self, all: all, core: core, ground: ~mask), shadow.thing.count > 0,
            !isOfOnePiece(shadow, light)
        else { return nil }
        try judge(&shadow, direction)
        return shadow
    }

    /// Returns the shadow of a thing that is much darker: whatever may be shadow and is nearer to its light than to the thing's.
    /// Where a shadow is hardly wider than its blurred edges, few of its pixels have the light of its inside.
    private func castShadowBesideDark(_ light: ShadowLevel, direction: Point?) throws(VisionError) -> CastShadow? {
        let darker = mask & (luma < light.level - ShadowTuning.muchDarker)
        guard darker.count >= leastShadow else { return nil }
        let limit = (light.level + luma.quantile(1, of: 2, under: darker)) / 2
        let lighter = possible & (luma > limit)
        // The blurred edge of the thing is as light.
        let thing = try mask.subtracting(lighter).withoutSpecks(ShadowTuning.leastPart)
        let core = try (lighter & (luma < light.level / 2)).subtracting(try thing.dilated(side: 5))
            .opened().withoutSpecks(leastCore)
        let all = try (lighter.subtracting(try thing.dilated(side: 3)) | core).parts(with: core)
        guard var shadow = try CastShadow(self, all: all, core: core, ground: ~mask | core) else { return nil }
        try judge(&shadow, direction)
        return shadow
    }

    /// Returns whether a part of a thing was taken for the shadow of the rest: both have the same light and colour.
    private func isOfOnePiece(_ shadow: CastShadow, _ light: ShadowLevel) -> Bool {
        let limit = noiseTolerance(ShadowTuning.sameLight, level: light.level, noise: ShadowTuning.cameraNoise)
        guard abs(luma.quantile(1, of: 2, under: shadow.thing) - light.level) <= Float(limit) else { return false }
        let difference = meanTint(of: shadow.thing) - meanTint(of: shadow.shadow)
        return (difference * difference).sum().squareRoot() < limit
    }

    /// Finds out how well a shadow is explained, and whether it proves the light.
    private func judge(_ shadow: inout CastShadow, _ direction: Point?) throws(VisionError) {
        shadow.fit = try ShadowFit.best(shadow.thing, shadow.core, mask: mask, frame: frame, direction: direction)
        // A thing that cannot be a shadow itself needs less of a proof.
        let doubtful = Double((shadow.thing & possible).count)
        if doubtful < ShadowTuning.doubtfulThing * Double(shadow.thing.count) {
            shadow.isProof = shadow.fit.fit >= ShadowTuning.proof
        } else {
            shadow.isProof =
                shadow.fit.fit >= ShadowTuning.proofOfGrey
                && light(of: shadow.core).isLikelierShadow(than: light(of: shadow.thing))
        }
    }

    // MARK: - Known light

    /// Returns the mask without the shadow in a light that is known.
    func withoutShadow(_ light: ShadowLight) throws(VisionError) -> Matrix<UInt8> {
        guard let shadow = try castShadow(light.level, direction: light.direction) else { return mask }
        let least = light.direction == nil ? ShadowTuning.proof : ShadowTuning.enough
        if shadow.fit.fit >= least { return try shadow.removed(from: mask) }
        guard let direction = light.direction else { return mask }
        return try withoutShadows(shadow, direction)
    }

    /// Returns the mask without the shadows of several things in it, each of which explains some of them; the whole mask if they
    /// leave much unexplained.
    private func withoutShadows(_ all: CastShadow, _ direction: Point) throws(VisionError) -> Matrix<UInt8> {
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
            // All of its shadow is seen there, but for what is under things or beyond the frame.
            let (seen, missing) = ((moved & all.shadow).count, moved.subtracting(around).count)
            if seen >= ShadowTuning.leastVisible,
                Double(missing) <= ShadowTuning.mostMissing * Double(seen + missing)
            {
                cast = cast | (try one.swept())
            }
        }
        let isExplained = Double((cast & all.core).count) >= ShadowTuning.proofOfGrey * Double(all.area)
        return isExplained ? mask.subtracting(all.shadow & cast) : mask
    }
}

// MARK: - Masks

extension Matrix<UInt8> {
    /// Returns the squares of two pixels in a mask: not the blurred edges of things.
    fileprivate func opened() throws(VisionError) -> Matrix {
        try morphed(sv_cv_erode, side: 2, anchor: 0).morphed(sv_cv_dilate, side: 2, anchor: 1)
    }

    /// Returns the parts that have at least this area.
    fileprivate func withoutSpecks(_ area: Int) throws(VisionError) -> Matrix {
        try parts(connectivity: 4).mask { $0.area >= area }
    }

    /// Returns the connected parts that have some of the seeds in them.
    fileprivate func parts(with seeds: Matrix) throws(VisionError) -> Matrix {
        let parts = try parts(connectivity: 8)
        let counts = parts.counts(seeds)
        return parts.mask { counts[Int($0.label)] > 0 }
    }

    /// Returns the mask without the holes in which nothing of the ground is seen.
    fileprivate func withoutHoles(_ ground: Matrix) throws(VisionError) -> Matrix {
        let solid = try Matrix.filled(try contours(), bounds)
        let holes = try solid.subtracting(self).parts(connectivity: 4)
        guard !holes.all.isEmpty else { return solid }
        let counts = holes.counts(ground)
        return solid.subtracting(holes.mask { counts[Int($0.label)] > 1 })
    }
}
