// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Finds maximally stable extremal regions. One thread at a time may use it.
final class RegionFinder {
    /// A region in pixels of the reduced image.
    private struct Region {
        let box: Rectangle
        let area: Double
        /// The smallest rectangle around it.
        let rectangle: SVCVRotatedRectangle
        /// Valid while `found` lives.
        let pixels: UnsafeBufferPointer<SVCVPixel>
    }

    /// The image of the last search, and the same reduced.
    private let image = OwnedImage(.gray8)
    private var reduced = Matrix<UInt8>()
    /// Pixels of the reduced image per pixel of the image, horizontally and vertically.
    private var scale = Point(1, 1)
    /// Owns the pixels of the regions.
    private var found: OpenCVObject?
    private var regions: [Region] = []

    // MARK: - Search

    /// Returns the boxes and the areas of the regions; of regions that nearly coincide one is kept.
    func regions(in plane: Image, _ search: RegionSearch) throws(VisionError) -> [(box: Box, area: Double)] {
        (regions, found) = ([], nil)
        image.copy(plane)
        let (width, height) = (reducedLength(plane.width, search.scale), reducedLength(plane.height, search.scale))
        guard min(width, height) >= LogoTuning.leastSide else { return [] }
        reduced = try image.image.resized(width: width, height: height, isReduced: true)
        scale = Point(Double(width) / Double(plane.width), Double(height) / Double(plane.height))
        func pixels(_ fraction: Double) -> Int32 {
            let area = (fraction * Double(width * height)).rounded(.toNearestOrEven)
            return area.isFinite ? Int32(max(1, min(1e9, area))) : 1
        }
        let (least, most) = (pixels(search.area.least), pixels(search.area.most))
        let found = try OpenCVObject {
            sv_cv_regions_create(
                reduced.openCV, Int32(clamping: max(1, search.delta)), least, max(least, most), search.maxVariation, $0)
        }
        var first: UnsafePointer<SVCVPixel>?
        var counts: UnsafePointer<Int32>?
        let boxes: UnsafeBufferPointer<SVCVBox> = try lent {
            sv_cv_regions_read(found.handle, &first, &counts, $0, $1, $2)
        }
        self.found = found
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

    /// Returns a region; nil unless it is within the search's limits, and new.
    private func region(
        _ pixels: UnsafeBufferPointer<SVCVPixel>, _ box: Rectangle, _ search: RegionSearch
    ) throws(VisionError) -> Region? {
        // OpenCV leaves out the outermost pixels.
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

    /// Returns the number of pixels inside a region's outer contour.
    private static func filledArea(_ pixels: UnsafeBufferPointer<SVCVPixel>, _ box: Rectangle) throws(VisionError)
        -> Double
    {
        let rest = ~mask(pixels, in: box.grown(by: 1))
        let parts = try rest.parts(connectivity: 4), outside = parts.labels[0, 0]
        return Double(rest.width * rest.height - (parts.all.first { $0.label == outside }?.area ?? 0))
    }

    /// Returns the mask of some pixels in a part of the image that contains them.
    private static func mask(_ pixels: UnsafeBufferPointer<SVCVPixel>, in part: Rectangle) -> Matrix<UInt8> {
        var mask = Matrix<UInt8>(width: part.width, height: part.height)
        let first = mask.mutableRow(0)
        for pixel in pixels { first[(Int(pixel.y) - part.y) * part.width + Int(pixel.x) - part.x] = 255 }
        return mask
    }

    // MARK: - Squares

    /// Fills a square with a region of the last search: the smallest rectangle around it becomes the inside of the square. A pixel
    /// of the mask is 255 if it belongs to the region: next to it, and nearer to its mean level than to that of its surroundings.
    /// The grey shows the part of the image, inverted if the region is brighter than its surroundings.
    /// - Returns: false if the region is too narrow.
    func fill(_ square: ShapeSquare, with index: Int) throws(VisionError) -> Bool {
        guard regions.indices.contains(index) else { return false }
        let region = regions[index], rectangle = region.rectangle
        let narrow = min(rectangle.width, rectangle.height)
        guard narrow >= 1 else { return false }
        // The region with a ring around it. The pixels at the very edge are a mixture of both sides.
        let part = region.box.grown(by: LogoTuning.ring).intersection(reduced.bounds)
        let mask = Self.mask(region.pixels, in: part), inner = try mask.dilated(side: 3)
        let outer = try inner.morphed(sv_cv_dilate, side: 3, passes: 2).subtracting(inner)
        let levels = reduced.cropped(to: part), inside = levels.mean(under: mask).x
        // It may fill the image; then nothing surrounds it.
        let around = outer.count > 0 ? levels.mean(under: outer).x : 255 - inside
        let (side, margin) = (ShapeSquare.length, ShapeSquare.margin)
        let map = AffineMap(rectangle, side: side, margin: margin)
        // The image has more detail than the reduced one, if that is needed.
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

/// Numbers by which regions are found. Pixels are those of the reduced image.
enum LogoTuning {
    /// Side of the smallest image that OpenCV's search takes, in pixels.
    static let leastSide = 3
    /// Fraction of the union of two boxes that both share, and ratio of the areas, above which two regions are the same.
    static let (sameBox, sameArea) = (0.8, 0.7)
    /// Width of the part around a region whose levels can be its surroundings'.
    static let ring = 5
}

extension Image {
    /// Maps the image to another one, of any size; its edge is repeated.
    fileprivate func warp(_ map: AffineMap, to output: Image) throws(VisionError) {
        try check { sv_cv_warp(matrix, map.rows, false, sv_cv_linear, true, output.matrix, $0) }
    }
}

extension Matrix<UInt8> {
    fileprivate func warp(_ map: AffineMap, to output: Image) throws(VisionError) {
        try check { sv_cv_warp(openCV, map.rows, false, sv_cv_linear, true, output.matrix, $0) }
    }
}
