// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Five numbers that identify a shape, invariant to rotation of its picture by right angles and to stretching.
///
/// The smallest rectangle around the shape is mapped to a square by a perspective transform; what is measured there
/// hardly depends on the viewpoint. The ratios of areas do not depend on the transform at all.
package struct ShapeFeatures: Sendable, Hashable {
    package var holes: Int
    /// Ratio of its area to that of its convex hull.
    package var hullRatio: Double
    /// Ratio of its area to that of the smallest rectangle around it.
    package var rectangleRatio: Double
    /// Ratio of the length of its skeleton (Zhang-Suen) to its area, in a square of 64 pixels.
    package var skeletonRatio: Double
    /// Ratio of its area to that of its largest contour, which encloses the holes, too.
    package var contourRatio: Double

    /// Maximum differences of features.
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

    /// Returns the sum of the ratios' differences.
    package func distance(to other: ShapeFeatures) -> Double {
        abs(hullRatio - other.hullRatio) + abs(rectangleRatio - other.rectangleRatio)
            + abs(skeletonRatio - other.skeletonRatio) + abs(contourRatio - other.contourRatio)
    }
}

/// A shape in its normal position: the smallest rectangle around it is a square.
struct ShapeSquare {
    /// Side of the square in pixels, and the width of the empty margin around it.
    static let side = 64
    static let margin = 4
    static let length = side + 2 * margin
    /// Area of the smallest hole in pixels; smaller ones are noise, and are filled.
    private static let smallestHole = 8

    let mask = OwnedImage(.gray8, width: length, height: length)
    /// Pixels of the square, as if the shape were dark on a bright background; empty if they are not needed.
    let gray: OwnedImage
    static let grayLength = 3 * length

    init(hasGray: Bool = false) {
        let length = hasGray ? Self.grayLength : 0
        gray = OwnedImage(.gray8, width: length, height: length)
    }

    /// Measures all features but the skeleton's, which takes the longest. Specks beside the shape vanish.
    func measure() throws(VisionError) -> ShapeFeatures? {
        guard let shape = try largestShape() else { return nil }
        return ShapeFeatures(
            holes: shape.holes, hullRatio: shape.area / shape.hullArea,
            rectangleRatio: shape.area / Double(Self.side * Self.side), skeletonRatio: 0,
            contourRatio: shape.area / shape.filledArea)
    }

    /// Measures the largest part of the mask in pixels. All others are removed from the mask, and small holes are filled.
    private func largestShape() throws(VisionError) -> (area: Double, filledArea: Double, hullArea: Double, holes: Int)?
    {
        // Connected by eight neighbours, as contours are; the inside is connected by four.
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

    /// Ratio of the skeleton's length to the area, in pixels of the square.
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
    /// Measures the features of the one shape in a mask, whose pixels are above 127.
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
        let found = try shape.warped(
            AffineMap(rectangle, side: side, margin: ShapeSquare.margin), width: side, height: side, sv_cv_linear)
        for y in 0..<side { square.mask.image.row(y).update(from: (found > 127).row(y), count: side) }
        guard var features = try square.measure() else { throw VisionError(description: "the mask has no region") }
        features.skeletonRatio = square.skeletonRatio
        self = features
    }
}
