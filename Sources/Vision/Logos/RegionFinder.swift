// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Finds maximally stable extremal regions (MSER). Only one thread at a time may use a finder.
final class RegionFinder {
    /// A region, in pixels of the reduced image.
    private struct Region {
        let box: Rectangle
        let area: Double
        /// The smallest enclosing rectangle, which may be rotated.
        let rectangle: SVCVRotatedRectangle
        /// The region's pixels, valid until `found` is released.
        let pixels: UnsafeBufferPointer<SVCVPixel>
    }

    /// `image`: the image of the last search. `reduced`: the reduced image.
    private let image = OwnedImage(.gray8)
    private var reduced = Matrix<UInt8>()
    /// Scale of the reduced image relative to the image, horizontally and vertically.
    private var scale = Point(1, 1)
    /// The OpenCV object that owns the pixels of the regions.
    private var detections: OpenCVObject?
    private var regions: [Region] = []

    // MARK: - Search

    /// Returns the bounding boxes and the areas of the regions, in pixels of `plane`. If several regions nearly
    /// coincide, only the first is returned.
    func regions(in plane: Image, _ search: RegionSearch) throws(VisionError) -> [(box: Box, area: Double)] {
        (regions, detections) = ([], nil)
        image.copy(plane)
        let (width, height) = (reducedLength(plane.width, search.scale), reducedLength(plane.height, search.scale))
        guard min(width, height) >= LogoTuning.minSide else { return [] }
        reduced = try image.image.resized(width: width, height: height, isReduced: true)
        scale = Point(Double(width) / Double(plane.width), Double(height) / Double(plane.height))
        func pixels(_ fraction: Double) -> Int32 {
            let area = (fraction * Double(width * height)).rounded(.toNearestOrEven)
            return area.isFinite ? Int32(max(1, min(1e9, area))) : 1
        }
        let (minimum, maximum) = (pixels(search.area.minimum), pixels(search.area.maximum))
        let detections = try OpenCVObject {
            sv_cv_regions_create(
                reduced.openCV, Int32(clamping: max(1, search.delta)), minimum, max(minimum, maximum),
                search.maxVariation, $0)
        }
        var first: UnsafePointer<SVCVPixel>?
        var counts: UnsafePointer<Int32>?
        let boxes: UnsafeBufferPointer<SVCVBox> = try lent {
            sv_cv_regions_read(detections.handle, &first, &counts, $0, $1, $2)
        }
        self.detections = detections
        guard var first, let counts else { return [] }
        for (index, box) in boxes.enumerated() {
            let pixels = UnsafeBufferPointer(start: first, count: Int(counts[index]))
            if let region = try region(pixels, Rectangle(box), search) { regions.append(region) }
            first += pixels.count
        }
        return regions.map { region in
            let box = Box(region.box)
            return (
                Box(
                    x: box.x / scale.x, y: box.y / scale.y, width: box.width / scale.x, height: box.height / scale.y),
                region.area / (scale.x * scale.y)
            )
        }
    }

    /// Returns a region; nil if the region exceeds the limits of the search, or nearly coincides with an earlier
    /// region.
    private func region(
        _ pixels: UnsafeBufferPointer<SVCVPixel>, _ box: Rectangle, _ search: RegionSearch
    ) throws(VisionError) -> Region? {
        // OpenCV ignores the outermost pixels of the image, so no region touches the edge. Therefore, a region counts
        // as touching the edge if it reaches into the outer 2 pixels.
        if search.skipsEdge, box.intersection(reduced.bounds.grown(by: -2)) != box { return nil }
        let area = Double(pixels.count)
        guard !regions.contains(where: { Self.nearlyCoincide($0.box, $0.area, box, area) }) else { return nil }
        let ends = RowEnds(pixels, box)
        guard search.hullRatio.contains(area / max(1, ends.hullArea)), let rectangle = try ends.smallestRectangle(),
            search.rectangleRatio.contains(area / max(1, rectangle.width * rectangle.height)),
            search.contourRatio.contains(area / (try Self.filledArea(pixels, box)))
        else { return nil }
        return Region(box: box, area: area, rectangle: rectangle, pixels: pixels)
    }

    private static func nearlyCoincide(_ a: Rectangle, _ area: Double, _ b: Rectangle, _ otherArea: Double) -> Bool {
        func size(_ box: Rectangle) -> Double { Double(box.width) * Double(box.height) }
        let common = size(a.intersection(b))
        return common > LogoTuning.sameBox * (size(a) + size(b) - common)
            && min(area, otherArea) > LogoTuning.sameArea * max(area, otherArea)
    }

    /// Returns the number of pixels inside of a region's outer contour, including holes.
    private static func filledArea(_ pixels: UnsafeBufferPointer<SVCVPixel>, _ box: Rectangle) throws(VisionError)
        -> Double
    {
        let background = ~mask(pixels, in: box.grown(by: 1))
        let parts = try background.parts(connectivity: 4), outside = parts.labels[0, 0]
        return Double(background.width * background.height - (parts.all.first { $0.label == outside }?.area ?? 0))
    }

    /// Returns the mask of some pixels.
    /// - Parameter part: a rectangle in the image that contains the pixels.
    private static func mask(_ pixels: UnsafeBufferPointer<SVCVPixel>, in part: Rectangle) -> Matrix<UInt8> {
        var mask = Matrix<UInt8>(width: part.width, height: part.height)
        let first = mask.mutableRow(0)
        for pixel in pixels { first[(Int(pixel.y) - part.y) * part.width + Int(pixel.x) - part.x] = 255 }
        return mask
    }

    // MARK: - Squares

    /// Number of regions that the last search returned.
    var count: Int { regions.count }

    /// Returns the map from pixels of the searched image to the square that `fill` makes from a region.
    func map(of index: Int) -> AffineMap? {
        guard regions.indices.contains(index) else { return nil }
        return AffineMap(
            regions[index].rectangle, scale: scale, side: ShapeSquare.length, margin: ShapeSquare.margin)
    }

    /// Fills a square with a region of the last search. The smallest enclosing rectangle of the region is mapped to the
    /// inside of the square. The mask is 255 for pixels that are near the region, and whose level is nearer to the
    /// region's mean level than to the mean level of its surroundings. The grey image shows the same part of the image,
    /// inverted if the region is brighter than its surroundings.
    /// - Returns: false if the region is too narrow.
    func fill(_ square: ShapeSquare, with index: Int) throws(VisionError) -> Bool {
        guard regions.indices.contains(index) else { return false }
        let region = regions[index], rectangle = region.rectangle
        let narrow = min(rectangle.width, rectangle.height)
        guard narrow >= 1 else { return false }
        // Levels are measured inside the region and in a ring around it. There is a gap of one pixel between the region
        // and the ring, because the pixels along the edge show a mixture of both levels.
        let part = region.box.grown(by: LogoTuning.ring).intersection(reduced.bounds)
        let mask = Self.mask(region.pixels, in: part), inner = try mask.dilated(side: 3)
        let outer = try inner.morphed(sv_cv_dilate, side: 3, passes: 2).subtracting(inner)
        let levels = reduced.cropped(to: part), inside = levels.mean(under: mask).x
        // If the region fills the image, it has no surroundings.
        let around = outer.count > 0 ? levels.mean(under: outer).x : 255 - inside
        let (side, margin) = (ShapeSquare.length, ShapeSquare.margin)
        let map = AffineMap(rectangle, side: side, margin: margin)
        // For a small region, the full image is used, which has more detail than the reduced image.
        let isSmall = narrow < Double(ShapeSquare.side)
        if isSmall {
            try image.image.warp(AffineMap(rectangle, scale: scale, side: side, margin: margin), to: square.mask.image)
        } else {
            try reduced.warp(map, to: square.mask.image)
        }
        let reach = try inner.warped(
            map * AffineMap(x0: Double(part.x), y0: Double(part.y)), width: side, height: side, sv_cv_linear)
        let (isDark, limit) = (inside < around, (inside + around) / 2)
        for y in 0..<side {
            let (to, near) = (square.mask.image.row(y), reach.row(y))
            for x in 0..<side { to[x] = near[x] > 127 && (Double(to[x]) > limit) != isDark ? 255 : 0 }
        }
        let gray = square.gray.image
        guard !gray.isEmpty else { return true }
        try image.image.warp(
            AffineMap(rectangle, scale: scale, side: gray.width, margin: margin * gray.width / side), to: gray)
        guard !isDark else { return true }
        for y in 0..<gray.height {
            let row = gray.row(y)
            for x in 0..<gray.width { row[x] = ~row[x] }
        }
        return true
    }
}

extension Image {
    /// Warps the image to another image of any size. The edge is repeated.
    fileprivate func warp(_ map: AffineMap, to output: Image) throws(VisionError) {
        try check { sv_cv_warp(matrix, map.rows, false, sv_cv_linear, true, output.matrix, $0) }
    }
}

extension Matrix<UInt8> {
    fileprivate func warp(_ map: AffineMap, to output: Image) throws(VisionError) {
        try check { sv_cv_warp(openCV, map.rows, false, sv_cv_linear, true, output.matrix, $0) }
    }
}
