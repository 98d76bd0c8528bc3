// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Five features that identify a shape. They do not change if the image is stretched or rotated by right angles.
///
/// The smallest enclosing rectangle of the shape is mapped to a square, in which the features are measured. The mapping
/// is affine, so the mapping does not change ratios of areas.
package struct ShapeFeatures: Sendable, Hashable {
    package var holes: Int
    /// Area divided by the area of the convex hull.
    package var hullRatio: Double
    /// Area divided by the area of the smallest enclosing rectangle.
    package var rectangleRatio: Double
    /// Length of the skeleton (Zhang-Suen) divided by the area, in pixels of a square of 64 × 64 pixels.
    package var skeletonRatio: Double
    /// Area divided by the area inside of the largest contour, which includes holes.
    package var contourRatio: Double

    /// Maximum differences between the features of two shapes that match.
    package struct Tolerances: Sendable, Hashable {
        package var holes = 2
        package var hullRatio = 0.12
        package var rectangleRatio = 0.2
        package var skeletonRatio = 0.03
        package var contourRatio = 0.12

        package init() {}
    }

    package func isNear(_ other: ShapeFeatures, _ tolerances: Tolerances) -> Bool {
        abs(holes - other.holes) <= tolerances.holes && abs(hullRatio - other.hullRatio) <= tolerances.hullRatio
            && abs(rectangleRatio - other.rectangleRatio) <= tolerances.rectangleRatio
            && abs(skeletonRatio - other.skeletonRatio) <= tolerances.skeletonRatio
            && abs(contourRatio - other.contourRatio) <= tolerances.contourRatio
    }

    /// Returns the sum of the absolute differences between the ratios. Holes do not count.
    package func distance(to other: ShapeFeatures) -> Double {
        abs(hullRatio - other.hullRatio) + abs(rectangleRatio - other.rectangleRatio)
            + abs(skeletonRatio - other.skeletonRatio) + abs(contourRatio - other.contourRatio)
    }
}

/// A shape after its smallest enclosing rectangle was mapped to a square.
struct ShapeSquare {
    /// `side`: side of the square, in pixels. `margin`: width of the empty margin around the square, in pixels.
    static let side = 64
    static let margin = 4
    static let length = side + 2 * margin
    /// Holes with an area of fewer pixels are noise, so they are filled.
    private static let smallestHole = 8

    let mask = OwnedImage(.gray8, width: length, height: length)
    /// Grey pixels of the square, in which the shape is dark on a bright background; empty if they are not needed.
    let gray: OwnedImage
    static let grayLength = 3 * length

    init(hasGray: Bool = false) {
        let length = hasGray ? Self.grayLength : 0
        gray = OwnedImage(.gray8, width: length, height: length)
    }

    /// Measures all features except `skeletonRatio`, which takes the longest and becomes 0. Removes all parts except
    /// the largest part from the mask. The result is nil if the mask is empty.
    func measure() throws(VisionError) -> ShapeFeatures? {
        guard let shape = try largestShape() else { return nil }
        return ShapeFeatures(
            holes: shape.holes, hullRatio: shape.area / shape.hullArea,
            rectangleRatio: shape.area / Double(Self.side * Self.side), skeletonRatio: 0,
            contourRatio: shape.area / shape.filledArea)
    }

    /// Measures the largest part of the mask, in pixels. All other parts are removed from the mask, and small holes are
    /// filled.
    private func largestShape() throws(VisionError) -> (area: Double, filledArea: Double, hullArea: Double, holes: Int)?
    {
        // Shapes have 8-connectivity, as in OpenCV's contours, so holes have 4-connectivity.
        let parts = try (Matrix(mask.image) > 127).parts(connectivity: 8)
        guard var largest = parts.all.first else { return nil }
        for part in parts.all where part.area > largest.area { largest = part }
        var shape = Matrix<UInt8>(width: Self.length + 2, height: Self.length + 2)
        shape.paste(parts.mask { $0.label == largest.label }, x: 1, y: 1)
        let gaps = try (~shape).parts(connectivity: 4), outside = gaps.labels[0, 0]
        let holes = gaps.all.filter { $0.label != outside && $0.area >= Self.smallestHole }
        shape = shape | gaps.mask { $0.label != outside && $0.area < Self.smallestHole }
        for y in 0..<Self.length { mask.image.row(y).update(from: shape.row(y + 1) + 1, count: Self.length) }
        let area = Double(shape.count)
        return (area, area + Double(holes.reduce(0) { $0 + $1.area }), RowEnds(shape).hullArea, holes.count)
    }

    /// Length of the skeleton divided by the area, in pixels of the square.
    var skeletonRatio: Double {
        let image = mask.image
        var pixels: [Bool] = []
        pixels.reserveCapacity(image.width * image.height)
        for y in 0..<image.height {
            let row = image.row(y)
            for x in 0..<image.width { pixels.append(row[x] > 127) }
        }
        let area = pixels.count { $0 }
        guard area > 0 else { return 0 }
        return Skeleton(thinning: pixels, width: image.width).length / Double(area)
    }
}

extension ShapeFeatures {
    /// Measures the features of the shape in a mask, whose pixels are above 127.
    package init(ofMask mask: Image) throws(VisionError) {
        let square = ShapeSquare()
        let shape = Matrix(mask) > 127
        guard let rectangle = try RowEnds(shape).smallestRectangle() else {
            throw VisionError(description: "the mask has no region")
        }
        guard min(rectangle.width, rectangle.height) >= 1 else {
            throw VisionError(description: "the region is too narrow")
        }
        let side = ShapeSquare.length
        let warped = try shape.warped(
            AffineMap(rectangle, side: side, margin: ShapeSquare.margin), width: side, height: side, sv_cv_linear)
        let opaque = warped > 127
        withExtendedLifetime(opaque) {
            for y in 0..<side { square.mask.image.row(y).update(from: opaque.row(y), count: side) }
        }
        guard var features = try square.measure() else { throw VisionError(description: "the mask has no region") }
        features.skeletonRatio = square.skeletonRatio
        self = features
    }
}
