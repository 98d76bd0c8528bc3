// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// A closed interval from `least` to `most`.
struct Limits: Sendable {
    var (minimum, maximum): (Double, Double)

    func contains(_ value: Double) -> Bool { value >= minimum && value <= maximum }
}

/// Parameters of the search for maximally stable extremal regions (Matas, Chum, Urban, Pajdla, 2002), and limits of the
/// results.
struct RegionSearch: Sendable {
    /// `delta`: number of levels between the two thresholds at which the areas of a region are compared.
    /// `maxVariation`: maximum relative change of the area between these thresholds.
    var delta: Int
    var maxVariation: Double
    /// Factor by which the image is reduced before the search, at most 1.
    var scale: Double
    /// Limits of a region's area, as fractions of the image's area.
    var area: Limits
    /// True if regions that touch the image's edge are ignored.
    var skipsEdge = false
    /// Limits of ratios. `rectangleRatio`: a region's area divided by the area of its smallest enclosing rectangle,
    /// which may be rotated. `hullRatio`: divided by the area of its convex hull. `contourRatio`: divided by the area
    /// inside its outer contour.
    var rectangleRatio = Limits(minimum: 0, maximum: 2)
    var hullRatio = Limits(minimum: 0, maximum: 2)
    var contourRatio = Limits(minimum: 0, maximum: 2)
}

/// The first and the last pixel in each row of a region.
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

    /// Creates the row ends of the pixels of a mask that are not 0.
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

    /// The outermost pixel corners of each line between two rows, from top to bottom, left before right. They include
    /// all corners of the region's convex hull. The first pixel covers 0…1.
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

    /// Area of the region's convex hull, in square pixels.
    var hullArea: Double { corners.map { Point(Double($0.x), Double($0.y)) }.sortedHullArea }

    /// Returns the smallest enclosing rectangle of the region, which may be rotated; nil if the region has no pixels.
    func smallestRectangle() throws(VisionError) -> SVCVRotatedRectangle? {
        let corners = corners
        guard !corners.isEmpty else { return nil }
        var rectangle = SVCVRotatedRectangle()
        try check { sv_cv_smallest_rectangle(corners, Int32(clamping: corners.count), &rectangle, $0) }
        return rectangle
    }
}

extension AffineMap {
    /// Maps a rectangle to the inside of a square with a margin.
    /// - Parameters:
    ///   - rectangle: a rectangle in the reduced image.
    ///   - scale: the scale of the reduced image relative to the mapped image.
    ///   - side: the side of the square with its margins, in pixels.
    ///   - margin: the width of the margin, in pixels.
    init(_ rectangle: SVCVRotatedRectangle, scale: Point = Point(1, 1), side: Int, margin: Int) {
        func point(_ corner: SVCVPoint) -> Point { Point(corner.x / scale.x - 0.5, corner.y / scale.y - 0.5) }
        let (corners, inner) = (rectangle.corners, Double(side - 2 * margin))
        // The first three corners are mapped to the lower left, the upper left and the upper right corner of the
        // square.
        let (low, start, end) = (point(corners.0), point(corners.1), point(corners.2))
        let (right, down) = (end - start, low - start)
        let toImage = AffineMap(xx: right.x, xy: down.x, x0: start.x, yx: right.y, yy: down.y, y0: start.y)
        let first = Double(margin) - 0.5
        self = AffineMap(xx: inner, x0: first, yy: inner, y0: first) * toImage.inverse
    }
}
