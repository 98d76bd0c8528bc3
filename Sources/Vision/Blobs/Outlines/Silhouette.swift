// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// The outline and the holes of an object, in pixels of an image, and properties of the cut-out object. The centre of
/// the first pixel is at (0.5, 0.5).
struct Silhouette: Sendable {
    var corners: [Point]
    var holes: [[Point]] = []
    /// Mean colour of the object, divided by the background's colour, in the order blue, green, red. In grey images,
    /// all three values are equal.
    var tone = SIMD3<Double>()
    /// True if the background around the object has no shadows. The outline then cannot include a shadow.
    var isExact = false
    /// True if the outline may include a narrow shadow, but too few pixels show the shadow for a reliable decision.
    var hasNarrowShadow = false

    /// Returns the mask of the object.
    /// - Parameter map: maps pixels of the mask to pixels of the image.
    func mask(_ map: AffineMap, width: Int, height: Int) throws(VisionError) -> Matrix<UInt8> {
        let (inverse, half) = (map.inverse, Point(0.5, 0.5))
        return try Matrix(
            inside: ([corners] + holes).map { $0.map { inverse($0 - half) + half } }, width: width, height: height)
    }
}

extension Matrix<UInt8> {
    /// Creates a mask of the pixels that are inside an odd number of polygons, or on the edge of a polygon. The centre
    /// of the first pixel is at (0.5, 0.5).
    init(inside polygons: [[Point]], width: Int, height: Int) throws(VisionError) {
        self.init(width: width, height: height)
        func fixed(_ place: Double) -> Int32 {
            Int32(((Swift.max(-8000, Swift.min(8000, Float(place))) - 0.5) * 16).rounded(.toNearestOrEven))
        }
        try fill(polygons.map { $0.map { SVCVPixel(x: fixed($0.x), y: fixed($0.y)) } }, shift: 4)
    }

    /// Removes narrow parts of the mask (`sv_cv_open`), or fills narrow gaps (`sv_cv_close`). Narrow means narrower
    /// than a disc. Outside of the mask, pixels count as 0.
    /// - Parameter disc: the diameter of the disc in pixels, an odd number.
    func morphed(_ operation: SVCVOperation, disc: Int) throws(VisionError) -> Matrix {
        var padded = Matrix(width: width + 2 * disc, height: height + 2 * disc)
        padded.paste(self, x: disc, y: disc)
        return try padded.morphed(operation, side: disc, isElliptic: true)
            .cropped(to: Rectangle(x: disc, y: disc, width: width, height: height))
    }
}

// MARK: - Cutting out

extension Silhouette {
    /// Cuts an object out of an image. The outline follows the line at which the contrast falls to half of the object's
    /// contrast. If the view shows too little contrast or background, or if the new outline is much smaller or larger
    /// than the coarse outline, uses the coarse outline.
    /// - Parameters:
    ///   - view: the view of the object. The initializer sets its properties `object`, `contrast` and `ground`.
    ///   - coarse: the outline from the detector, in pixels of the image.
    ///   - precision: the expected error of `coarse`, in pixels of the image.
    ///   - ignoresNarrowShadow: true to treat a narrow shadow along the outline as background.
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
                    mask, open: found.open, in: view, roughArea: roughArea, roughHull: scale * scale * coarse.hullArea,
                    isExact: found.wideShadow >= 1 && found.narrowShadow >= 1)
            }
        }
        view.object = try mask(view.map, width: width, height: height)
        let beyond = ~(try view.object.dilated(side: OutlineTuning.groundDistance))
        if beyond.count > 0 { view.ground = view.median(beyond) }
        let core = try view.object.eroded(side: OutlineTuning.coreDistance)
        tone = view.tone(core.count > 0 ? core : view.object)
    }

    /// Takes the outline and the holes from the mask's largest part. If this part is much smaller or larger than the
    /// coarse outline (the detector's outline), changes nothing.
    /// - Parameter open: the pixels that show the background.
    private mutating func trace(
        _ mask: Matrix<UInt8>, open: Matrix<UInt8>, in view: ObjectView, roughArea: Double, roughHull: Double,
        isExact: Bool
    ) throws(VisionError) {
        // Close narrow gaps in the mask, because smaller images of the same object do not show such gaps.
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
            let open = inside.subtracting(mask.cropped(to: contour.box)) & open.cropped(to: contour.box)
            if Double(open.count) > OutlineTuning.openHole * Double(inside.count) { holes.append(view.placed(contour)) }
        }
    }
}

/// The pixels of a view that show the object.
private struct Foreground {
    /// Mask of the object; nil if the view shows too little background, or if the object has too little contrast.
    var mask: Matrix<UInt8>?
    /// The pixels that have about the background's colour, in full light or in a shadow.
    var open = Matrix<UInt8>()
    /// Contrast between each pixel and the background, in levels. Pixels in a shadow also have a contrast. Empty if the
    /// view shows too little background.
    var contrast = Matrix<Float>()
    /// The light in a shadow divided by the light on the background, 0…1; 1 without a shadow. `wideShadow`: in a shadow
    /// on the background. `narrowShadow`: in a shadow that extends only a few pixels beyond the object.
    var (wideShadow, narrowShadow): (Float, Float) = (1, 1)

    /// Separates an object from the background. Near the coarse outline (the detector's outline), a pixel belongs to
    /// the object if its contrast exceeds half of the mean contrast of the object's pixels nearby. Farther inside, all
    /// pixels except holes belong to the object.
    /// - Parameters:
    ///   - coarse: the mask of the coarse outline.
    ///   - band: the maximum error of the coarse outline, in pixels.
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
            // Treat shadows as background. Then an object that is as dark as a shadow has no contrast, so use its
            // coarse outline.
            contrast = ground.contrast(picture, darkest: wideShadow - OutlineTuning.shadowTolerance)
            let edge = contrast.quantile(1, of: 3, under: coarse.subtracting(narrow), step: 4)
            guard Double(edge) >= OutlineTuning.leastContrast else { return }
        }
        let most = contrast.quantile(9, of: 10, under: coarse, step: 4)
        let noise = contrast.quantile(1, of: 2, under: far, step: 4)
        let faint = Float(max(OutlineTuning.leastContrast, OutlineTuning.noiseFactor * Double(noise)))
        guard most >= faint else { return }
        // Holes may fill more than half of the coarse outline's area, and have no contrast. So compute the median only
        // over the pixels with contrast.
        let typical = contrast.quantile(1, of: 2, under: coarse & (contrast > faint), step: 4)
        let means = try Self.means(contrast, coarse, above: max(faint, OutlineTuning.certain * typical))
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
        open = ground.contrast(picture, darkest: OutlineTuning.darkestHole) <= faint
    }

    /// Returns, for each pixel, the mean contrast in a square around the pixel. The mean includes only masked pixels
    /// with a contrast above `limit`.
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
