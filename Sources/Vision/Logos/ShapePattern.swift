// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// A shape in normal position: it is stretched and sheared so that its pixels have the same variance in all directions.
/// If an image of a shape is stretched or sheared, as in a view from the side, the normal positions of both images
/// differ only by a rotation.
///
/// J. Flusser, T. Suk, "Pattern recognition by affine moment invariants" (1993): an affine map moves the mean of the
/// shape to the origin, and makes its covariance matrix the unit matrix.
struct ShapePattern: Sendable {
    /// `side`: number of samples along each axis. `span`: length of the axis, in standard deviations of the shape.
    private static let side = 28
    private static let span = 5.0

    /// The value of each sample after sharpening (see `sharpened`). The mean of the values is 0, and the values are
    /// normalized to a vector of length 1.
    private let values: [Float]
    /// Maps normal position to pixels of the mask; the centre of the first pixel is at (0, 0).
    let placement: AffineMap

    /// Creates a pattern; nil if the mask is empty, or if all its pixels lie on one line.
    init?(_ mask: Image) {
        guard let position = NormalPosition(mask) else { return nil }
        self.init(position, turnedBy: 0)
    }

    /// Returns the patterns of the shape at `count` rotations; empty if the mask has no pattern.
    static func turned(_ mask: Image, count: Int) -> [ShapePattern] {
        guard let position = NormalPosition(mask), count > 0 else { return [] }
        let patterns = (0..<count).compactMap {
            ShapePattern(position, turnedBy: 2 * .pi * Double($0) / Double(count))
        }
        return patterns.count == count ? patterns : []
    }

    private init?(_ position: NormalPosition, turnedBy angle: Double) {
        let (c, s) = (cos(angle), sin(angle))
        placement = position.map * AffineMap(xx: c, xy: -s, yx: s, yy: c)
        let step = Self.span / Double(Self.side)
        var values: [Float] = []
        values.reserveCapacity(Self.side * Self.side)
        for row in 0..<Self.side {
            for column in 0..<Self.side {
                let u = (Double(column) + 0.5) * step - Self.span / 2
                let v = (Double(row) + 0.5) * step - Self.span / 2
                values.append(Float(position.level(c * u - s * v, s * u + c * v)))
            }
        }
        values = Self.sharpened(values)
        let mean = values.reduce(0, +) / Float(values.count)
        let length = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }.squareRoot()
        guard length > 0 else { return nil }
        self.values = values.map { ($0 - mean) / length }
    }

    /// Subtracts the mean of the surrounding 9 × 9 samples from each sample, so that the correlation compares the edges
    /// of shapes instead of their areas.
    private static func sharpened(_ values: [Float]) -> [Float] {
        let reach = 4
        func summed(_ values: [Float], step: Int, line: Int) -> [Float] {
            var result = values
            for row in 0..<side {
                for i in 0..<side {
                    var sum: Float = 0
                    for j in max(0, i - reach)...min(side - 1, i + reach) { sum += values[row * line + j * step] }
                    result[row * line + i * step] = sum
                }
            }
            return result
        }
        let sums = summed(summed(values, step: 1, line: side), step: side, line: 1)
        let count = Float((2 * reach + 1) * (2 * reach + 1))
        return zip(values, sums).map { $0 - $1 / count }
    }

    /// Returns the correlation with another pattern, −1…1.
    func likeness(_ other: ShapePattern) -> Double {
        values.withUnsafeBufferPointer { a in
            other.values.withUnsafeBufferPointer { b in Double(dotProduct(a, b)) }
        }
    }
}

/// The map of a shape in a mask to normal position (see `ShapePattern`).
private struct NormalPosition {
    private let mean: (x: Double, y: Double)
    /// Square root of the covariance matrix, which is symmetric.
    private let root: (xx: Double, xy: Double, yy: Double)
    /// For each pixel of the mask, the sum of the 3 × 3 pixels around the pixel, so that edges are soft; 0 at the edge
    /// of the mask.
    private let soft: [Int32]
    private let width: Int
    private let height: Int

    init?(_ mask: Image) {
        var (count, sumX, sumY, squaresX, squaresY, products) = (0, 0, 0, 0, 0, 0)
        for y in 0..<mask.height {
            let row = mask.row(y)
            for x in 0..<mask.width where row[x] > 127 {
                count += 1
                sumX += x
                sumY += y
                squaresX += x * x
                squaresY += y * y
                products += x * y
            }
        }
        guard count > 0 else { return nil }
        let n = Double(count)
        mean = (Double(sumX) / n, Double(sumY) / n)
        let xx = Double(squaresX) / n - mean.x * mean.x
        let yy = Double(squaresY) / n - mean.y * mean.y
        let xy = Double(products) / n - mean.x * mean.y
        // The square root of a 2 × 2 matrix C is (C + √det C) / √(trace C + 2 √det C).
        let determinant = xx * yy - xy * xy
        guard determinant > 0 else { return nil }
        let s = determinant.squareRoot()
        let t = (xx + yy + 2 * s).squareRoot()
        guard t > 0 else { return nil }
        root = ((xx + s) / t, xy / t, (yy + s) / t)

        (width, height) = (mask.width, mask.height)
        var soft = [Int32](repeating: 0, count: width * height)
        for y in 1..<max(1, height - 1) where height > 2 {
            let (above, row, below) = (mask.row(y - 1), mask.row(y), mask.row(y + 1))
            for x in 1..<max(1, width - 1) where width > 2 {
                var sum: Int32 = 0
                for i in x - 1...x + 1 { sum &+= Int32(above[i]) &+ Int32(row[i]) &+ Int32(below[i]) }
                soft[y * width + x] = sum
            }
        }
        self.soft = soft
    }

    /// Maps normal position to pixels of the mask.
    var map: AffineMap {
        AffineMap(xx: root.xx, xy: root.xy, x0: mean.x, yx: root.xy, yy: root.yy, y0: mean.y)
    }

    /// Returns the value of `soft` at a position, by linear interpolation. (`u`, `v`) is the offset from the centre of
    /// the shape, in coordinates in which the shape has a variance of 1 in all directions.
    func level(_ u: Double, _ v: Double) -> Double {
        let x = mean.x + root.xx * u + root.xy * v
        let y = mean.y + root.xy * u + root.yy * v
        guard x >= 0, y >= 0, x < Double(width - 1), y < Double(height - 1) else { return 0 }
        let (column, row) = (Int(x), Int(y))
        let (right, down) = (x - Double(column), y - Double(row))
        return soft.withUnsafeBufferPointer { soft in
            let index = row &* width &+ column
            let above = Double(soft[index]) * (1 - right) + Double(soft[index &+ 1]) * right
            let under = Double(soft[index &+ width]) * (1 - right) + Double(soft[index &+ width &+ 1]) * right
            return above * (1 - down) + under * down
        }
    }
}
