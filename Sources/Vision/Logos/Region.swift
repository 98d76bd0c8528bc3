// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Lower and upper limit.
struct Limits: Sendable {
    var (least, most): (Double, Double)

    func contains(_ value: Double) -> Bool { value >= least && value <= most }
}

/// Parameters of the search for maximally stable extremal regions (Matas, Chum, Urban, Pajdla, 2002), and limits of the results.
struct RegionSearch: Sendable {
    /// Number of levels over which a region is compared with itself, and the maximum change of its area between them.
    var delta: Int
    var maxVariation: Double
    /// Factor by which the image is reduced before it is searched, at most 1.
    var scale: Double
    /// Limits of a region's area, as fractions of the image's.
    var area: Limits
    /// True if regions that touch the image's edge are left out.
    var skipsEdge = false
    /// Limits of the ratios of a region's area to that of the smallest rectangle around it, of its convex hull, and of its outer
    /// contour.
    var rectangleRatio = Limits(least: 0, most: 2)
    var hullRatio = Limits(least: 0, most: 2)
    var contourRatio = Limits(least: 0, most: 2)
}

/// The first and the last pixel of each row of a region.
struct RowEnds {
    private let top: Int
    private var (first, last): ([Int32], [Int32])

    init(_ pixels: UnsafeBufferPointer<SVCVPixel>, _ box: Rectangle) {
        top = box.y
        first = [Int32](repeating: .max, count: box.height)
        last = [Int32](repeating: .min, count: box.height)
        for pixel in pixels {
            let row = Int(pixel.y) - top
            first[row] = min(first[row], pixel.x)
            last[row] = max(last[row], pixel.x)
        }
    }

    /// Of the pixels of a mask that are not 0.
    init(_ mask: Matrix<UInt8>) {
        top = 0
        first = [Int32](repeating: .max, count: mask.height)
        last = [Int32](repeating: .min, count: mask.height)
        for y in 0..<mask.height {
            let row = mask.row(y)
            for x in 0..<mask.width where row[x] != 0 {
                first[y] = min(first[y], Int32(x))
                last[y] = max(last[y], Int32(x))
            }
        }
    }

    /// The outermost corners of those pixels on each line between rows, from the top and from the left: they include all corners of
    /// the region's convex hull. A pixel covers 0…1.
    var corners: [SVCVPixel] {
        var corners: [SVCVPixel] = []
        corners.reserveCapacity(2 * first.count + 2)
        for line in 0...first.count {
            let above = max(0, line - 1), below = min(first.count - 1, line)
            guard above <= below else { continue }
            let left = min(first[above], first[below]), right = max(last[above], last[below])
            guard left <= right else { continue }
            let y = Int32(clamping: top + line)
            corners += [SVCVPixel(x: left, y: y), SVCVPixel(x: right + 1, y: y)]
        }
        return corners
    }

    /// Area of the region's convex hull.
    var hullArea: Double { corners.map { Point(Double($0.x), Double($0.y)) }.sortedHullArea }

    /// Returns the smallest rectangle around the region; nil without pixels.
    func smallestRectangle() throws(VisionError) -> SVCVRotatedRectangle? {
        let corners = corners
        guard !corners.isEmpty else { return nil }
        var rectangle = SVCVRotatedRectangle()
        try check { sv_cv_smallest_rectangle(corners, Int32(clamping: corners.count), &rectangle, $0) }
        return rectangle
    }
}

extension AffineMap {
    /// Maps a rectangle, in an image reduced by `scale`, to the inside of a square.
    /// - Parameters:
    ///   - scale: pixels of the reduced image per pixel that is mapped.
    ///   - side: the square's side with its margins, in pixels.
    init(_ rectangle: SVCVRotatedRectangle, scale: Point = Point(1, 1), side: Int, margin: Int) {
        func place(_ corner: SVCVPoint) -> Point { Point(corner.x / scale.x - 0.5, corner.y / scale.y - 0.5) }
        let (corners, inner) = (rectangle.corners, Double(side - 2 * margin))
        // The corners become those at the lower left, the upper left and the upper right.
        let (low, start, end) = (place(corners.0), place(corners.1), place(corners.2))
        let (right, down) = (end - start, low - start)
        let toImage = AffineMap(xx: right.x, xy: down.x, x0: start.x, yx: right.y, yy: down.y, y0: start.y)
        let first = Double(margin) - 0.5
        self = AffineMap(xx: inner, x0: first, yy: inner, y0: first) * toImage.inverse
    }
}
