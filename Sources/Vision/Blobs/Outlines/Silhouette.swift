// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// The outline and the holes of an object in an image, where a pixel covers 0…1, and what was learned when it was cut out.
struct Silhouette: Sendable {
    var corners: [Point]
    var holes: [[Point]] = []
    /// Mean colour of the object as a fraction of the ground's: blue, green and red; grey has one value in all three.
    var tone = SIMD3<Double>()
    /// True if the object was cut out of ground without shadows, so that no shadow can be part of the outline.
    var isExact = false
    /// True if the edge may be a shadow, too little of which is visible to be sure.
    var hasNarrowShadow = false

    /// Returns a mask of the object.
    /// - Parameter map: from the mask's pixels to the image's.
    func mask(_ map: AffineMap, width: Int, height: Int) throws(VisionError) -> Matrix<UInt8> {
        let (inverse, half) = (map.inverse, Point(0.5, 0.5))
        return try Matrix(
            inside: ([corners] + holes).map { $0.map { inverse($0 - half) + half } }, width: width, height: height)
    }
}

extension Matrix<UInt8> {
    /// Creates a mask of what is inside an odd number of polygons, with their edges, where a pixel covers 0…1.
    init(inside polygons: [[Point]], width: Int, height: Int) throws(VisionError) {
        self.init(width: width, height: height)
        func fixed(_ place: Double) -> Int32 {
            Int32(((Swift.max(-8000, Swift.min(8000, Float(place))) - 0.5) * 16).rounded(.toNearestOrEven))
        }
        try fill(polygons.map { $0.map { SVCVPixel(x: fixed($0.x), y: fixed($0.y)) } }, shift: 4)
    }

    /// Returns the mask without parts (`sv_cv_open`) or gaps (`sv_cv_close`) that are narrower than a disc; outside it is empty.
    /// - Parameter disc: the disc's diameter in pixels, odd.
    func morphed(_ operation: SVCVOperation, disc: Int) throws(VisionError) -> Matrix {
        var padded = Matrix(width: width + 2 * disc, height: height + 2 * disc)
        padded.paste(self, x: disc, y: disc)
        return try padded.morphed(operation, side: disc, isElliptic: true)
            .cropped(to: Rectangle(x: disc, y: disc, width: width, height: height))
    }
}

// MARK: - Cutting out

extension Silhouette {
    /// Cuts an object out of an image along half of the contrast between it and the ground. Where that fails, or finds something
    /// else, the outline is the coarse one.
    /// - Parameters:
    ///   - view: receives the object's mask and contrast, and the colour of the ground.
    ///   - coarse: the outline by which the object was found.
    ///   - precision: how far that may be off, in pixels of the image.
    ///   - ignoresNarrowShadow: whether a narrow shadow along the outline counts as ground.
    init(_ view: inout ObjectView, coarse: [Point], precision: Double, ignoresNarrowShadow: Bool) throws(VisionError) {
        corners = coarse
        let (width, height, scale) = (view.picture.width, view.picture.height, view.scale)
        let rough = try Matrix(inside: [view.polygon(coarse)], width: width, height: height)
        let roughArea = Double(rough.count)
        if roughArea > 0, width > 4, height > 4 {
            let limits = OutlineTuning.band, distance = (precision * scale).rounded(.toNearestOrEven)
            let band = Int(max(Double(limits.lowerBound), min(Double(limits.upperBound), distance)))
            let found = try Foreground(
                view.picture, coarse: rough, band: band, ignoresNarrowShadow: ignoresNarrowShadow)
            view.contrast = found.contrast
            hasNarrowShadow = found.narrowShadow < 1
            if let mask = found.mask {
                try trace(
                    mask, in: view, roughArea: roughArea, roughHull: scale * scale * coarse.hullArea,
                    isExact: found.wideShadow >= 1 && found.narrowShadow >= 1)
            }
        }
        view.object = try mask(view.map, width: width, height: height)
        let beyond = ~(try view.object.dilated(side: OutlineTuning.groundDistance))
        if beyond.count > 0 { view.ground = view.median(beyond) }
        let core = try view.object.eroded(side: OutlineTuning.coreDistance)
        tone = view.tone(core.count > 0 ? core : view.object)
    }

    /// Takes the outline of the largest part of a mask, with its holes, unless it is that of something else.
    private mutating func trace(
        _ mask: Matrix<UInt8>, in view: ObjectView, roughArea: Double, roughHull: Double, isExact: Bool
    ) throws(VisionError) {
        // Without gaps that small images of the same object do not show.
        let contours = try mask.morphed(sv_cv_close, disc: OutlineTuning.finestGap).contours(sv_cv_parts_and_holes)
        let areas = contours.map(\.area)
        let outer = contours.indices.filter { contours[$0].parent == nil }.max { areas[$0] < areas[$1] }
        guard let outer, areas[outer] > 0 else { return }
        func isAlike(_ area: Double, _ other: Double) -> Bool {
            area > OutlineTuning.alike * other && OutlineTuning.alike * area < other
        }
        let outline = view.placed(contours[outer])
        guard isAlike(areas[outer], roughArea) || isAlike(view.scale * view.scale * outline.hullArea, roughHull) else {
            return
        }
        (corners, self.isExact) = (outline, isExact)
        for (index, contour) in contours.enumerated()
        where contour.parent == outer && areas[index] > OutlineTuning.smallestHole * areas[outer] {
            let inside = try Matrix<UInt8>.filled([contour], contour.box)
            let open = inside.subtracting(mask.cropped(to: contour.box))
            if Double(open.count) > OutlineTuning.openHole * Double(inside.count) { holes.append(view.placed(contour)) }
        }
    }
}

/// The pixels of a view that are certainly or probably the object's.
private struct Foreground {
    /// Nil if there is too little ground or contrast.
    var mask: Matrix<UInt8>?
    /// Contrast of all pixels to the ground, of shadows as well; empty if there is too little ground.
    var contrast = Matrix<Float>()
    /// Factors of the light in a shadow on the ground, and in one that hardly reaches beyond its object; 1 if there is none.
    var (wideShadow, narrowShadow): (Float, Float) = (1, 1)

    /// Separates an object from the ground: near the coarse outline, pixels with more than half of the contrast that the object
    /// has around there, and inside all but holes.
    /// - Parameters:
    ///   - coarse: the mask of the coarse outline.
    ///   - band: how far that can be off, in pixels.
    init(_ picture: Matrix<UInt8>, coarse: Matrix<UInt8>, band: Int, ignoresNarrowShadow: Bool) throws(VisionError) {
        let wide = try coarse.dilated(side: 2 * band + 1)
        let narrow = try coarse.eroded(side: 2 * band + 1, outside: .zero)
        let far = ~wide
        guard Double(far.count) >= OutlineTuning.leastGround * Double(picture.width * picture.height) else { return }
        let ground = try GroundPlane(picture, far)
        var contrast = ground.contrast(picture, darkest: 1)
        self.contrast = contrast
        wideShadow = ground.shadow
        if wideShadow >= 1 { narrowShadow = try ground.narrowShadow(picture, edge: ~narrow, inside: narrow) }
        if ignoresNarrowShadow, narrowShadow < 1 {
            contrast = ground.contrast(picture, darkest: narrowShadow - OutlineTuning.shadowTolerance)
        } else if wideShadow < 1 {
            // Shadows count as ground. Where the object does, too, the coarse outline is the best there is.
            contrast = ground.contrast(picture, darkest: wideShadow - OutlineTuning.shadowTolerance)
            let edge = contrast.quantile(1, of: 3, under: coarse.subtracting(narrow), step: 4)
            guard Double(edge) >= OutlineTuning.leastContrast else { return }
        }
        // The outline may have holes in it, which may be most of it.
        let most = contrast.quantile(9, of: 10, under: coarse, step: 4)
        let noise = contrast.quantile(1, of: 2, under: far, step: 4)
        let faint = Float(max(OutlineTuning.leastContrast, OutlineTuning.noiseFactor * Double(noise)))
        guard most >= faint else { return }
        let means = try Self.means(contrast, coarse, above: max(faint, OutlineTuning.certain * most))
        var mask = Matrix<UInt8>(sizeOf: picture)
        for y in 0..<mask.height {
            let (to, contrasts, means) = (mask.mutableRow(y), contrast.row(y), means.row(y))
            let (wide, narrow) = (wide.row(y), narrow.row(y))
            for x in 0..<mask.width {
                let isObject = contrasts[x] > max(OutlineTuning.edge * means[x], faint)
                let isHole = contrasts[x] < max(OutlineTuning.holeEdge * means[x], faint)
                to[x] = ((isObject ? 255 : 0) | (isHole ? 0 : narrow[x])) & wide[x]
            }
        }
        self.mask = mask
    }

    /// Returns the means of the contrast above a limit, under a mask, in the surroundings of each pixel.
    private static func means(
        _ contrast: Matrix<Float>, _ mask: Matrix<UInt8>, above limit: Float
    ) throws(VisionError) -> Matrix<Float> {
        var (values, weights) = (Matrix<Float>(sizeOf: contrast), Matrix<Float>(sizeOf: contrast))
        for y in 0..<contrast.height {
            let (value, weight) = (values.mutableRow(y), weights.mutableRow(y))
            let (from, use) = (contrast.row(y), mask.row(y))
            for x in 0..<contrast.width where use[x] != 0 && from[x] > limit { (value[x], weight[x]) = (from[x], 1) }
        }
        values = try values.boxBlurred(side: OutlineTuning.surroundings)
        weights = try weights.boxBlurred(side: OutlineTuning.surroundings)
        for y in 0..<contrast.height {
            let (value, weight) = (values.mutableRow(y), weights.row(y))
            for x in 0..<contrast.width { value[x] /= weight[x] + 1e-3 }
        }
        return values
    }
}
