// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

// Operations on the samples of matrices with one channel. Masks have the values 0 and 255. If the operands differ in
// size, the result has the size of the left operand. Outside of the right operand, the result is 0.
//
// The generic loops are private. If other files called these loops, debug builds would not specialize the generics, and
// the loops would be slow.

/// Calls `value(a, b)` for each pair of samples at the same position of two matrices. Returns the matrix of the
/// results.
@inline(__always)
private func pairwise<A, B, C>(_ a: Matrix<A>, _ b: Matrix<B>, _ value: (A, B) -> C) -> Matrix<C> {
    var result = Matrix<C>(sizeOf: a)
    let width = min(a.width, b.width)
    for y in 0..<min(a.height, b.height) {
        let (to, first, second) = (result.mutableRow(y), a.row(y), b.row(y))
        for x in 0..<width { to[x] = value(first[x], second[x]) }
    }
    return result
}

/// Calls `value(a)` for each sample of a matrix. Returns the matrix of the results.
@inline(__always)
private func transformed<A, B>(_ a: Matrix<A>, _ value: (A) -> B) -> Matrix<B> {
    var result = Matrix<B>(sizeOf: a)
    for y in 0..<a.height {
        let (to, from) = (result.mutableRow(y), a.row(y))
        for x in 0..<a.width { to[x] = value(from[x]) }
    }
    return result
}

extension Matrix<UInt8> {
    static func & (a: Matrix, b: Matrix) -> Matrix { pairwise(a, b) { $0 & $1 } }
    static func | (a: Matrix, b: Matrix) -> Matrix { pairwise(a, b) { $0 | $1 } }
    static prefix func ~ (a: Matrix) -> Matrix { transformed(a) { ~$0 } }

    /// Returns the mask of the pixels that are in this mask but not in `other`.
    func subtracting(_ other: Matrix) -> Matrix { pairwise(self, other) { $0 & ~$1 } }

    /// Returns the mask of the samples above `limit`.
    static func > (a: Matrix, limit: UInt8) -> Matrix { transformed(a) { $0 > limit ? 255 : 0 } }

    /// Adds the pixels of `other` to this mask. The first pixel of `other` is at (`x`, `y`) in this mask.
    mutating func unite(_ other: Matrix, x: Int, y: Int) { change(other, x, y) { $0 | $1 } }

    /// Removes the pixels of `other` from this mask. The first pixel of `other` is at (`x`, `y`) in this mask.
    mutating func remove(_ other: Matrix, x: Int, y: Int) { change(other, x, y) { $0 & ~$1 } }

    @inline(__always)
    private mutating func change(_ other: Matrix, _ x: Int, _ y: Int, _ value: (UInt8, UInt8) -> UInt8) {
        let area = bounds.intersection(Rectangle(x: x, y: y, width: other.width, height: other.height))
        guard !area.isEmpty else { return }
        for row in area.y..<area.y + area.height {
            let (to, from) = (mutableRow(row) + area.x, other.row(row - y) + (area.x - x))
            for column in 0..<area.width { to[column] = value(to[column], from[column]) }
        }
    }

    /// Number of samples that are not 0.
    var count: Int {
        var sum = 0
        for y in 0..<height {
            let row = row(y)
            for x in 0..<width &* channels { sum &+= row[x] == 0 ? 0 : 1 }
        }
        return sum
    }

    /// Returns the means of the first three channels over the pixels of a mask. If the mask is empty, returns 0. If the
    /// matrix has one channel, returns its mean three times.
    func mean(under mask: Matrix) -> SIMD3<Double> {
        var (sums, count) = (SIMD3<Int>.zero, 0)
        let (second, third) = (min(1, channels &- 1), min(2, channels &- 1))
        for y in 0..<min(height, mask.height) {
            let (row, use) = (row(y), mask.row(y))
            for x in 0..<min(width, mask.width) where use[x] != 0 {
                let pixel = row + x &* channels
                sums &+= SIMD3(Int(pixel[0]), Int(pixel[second]), Int(pixel[third]))
                count &+= 1
            }
        }
        return count > 0 ? SIMD3<Double>(sums) * (1 / Double(count)) : .zero
    }

    /// Mean and standard deviation of each channel.
    var statistics: [(mean: Double, deviation: Double)] {
        (0..<channels).map { channel in
            var (sum, squares) = (0, 0)
            for y in 0..<height {
                let row = row(y) + channel
                for x in 0..<width {
                    let level = Int(row[x &* channels])
                    sum &+= level
                    squares &+= level &* level
                }
            }
            let part = 1 / Double(max(1, width * height))
            let mean = Double(sum) * part
            return (mean, max(0, Double(squares) * part - mean * mean).squareRoot())
        }
    }

    /// The samples divided by 255, as an alpha mask with values 0…1.
    var coverage: Matrix<Float> { transformed(self) { Float($0) * (1 / 255) } }

    /// Returns the mask of the pixels of `box` that are inside of contours. Contours inside of other contours are
    /// holes.
    static func filled(_ contours: [Contour], _ box: Rectangle) throws(VisionError) -> Matrix {
        var result = Matrix(width: box.width, height: box.height)
        try result.fill(contours.map { $0.moved(x: -box.x, y: -box.y).pixels })
        return result
    }
}

extension Matrix<Int32> {
    /// Returns the mask of the samples that are equal to `value`.
    func mask(where value: Int32) -> Matrix<UInt8> { transformed(self) { $0 == value ? 255 : 0 } }
}

extension Matrix<Float> {
    // MARK: Arithmetic

    static func + (a: Matrix, b: Matrix) -> Matrix { pairwise(a, b) { $0 + $1 } }
    static func - (a: Matrix, b: Matrix) -> Matrix { pairwise(a, b) { $0 - $1 } }
    static func * (a: Matrix, b: Matrix) -> Matrix { pairwise(a, b) { $0 * $1 } }

    func mapped(_ value: (Float) -> Float) -> Matrix { transformed(self, value) }

    func combined(with other: Matrix, _ value: (Float, Float) -> Float) -> Matrix {
        pairwise(self, other, value)
    }

    /// The channels as separate matrices.
    var planes: [Matrix] {
        (0..<channels).map { channel in
            var plane = Matrix(sizeOf: self)
            for y in 0..<height {
                let (from, to) = (row(y) + channel, plane.mutableRow(y))
                for x in 0..<width { to[x] = from[x &* channels] }
            }
            return plane
        }
    }

    /// Creates a matrix whose channels are the given matrices. These matrices must have one channel each, and equal
    /// sizes.
    init(channels planes: [Matrix]) {
        self.init(sizeOf: planes.first ?? Matrix(), channels: planes.count)
        for (channel, plane) in planes.enumerated() where plane.bounds == bounds {
            for y in 0..<height {
                let (from, to) = (plane.row(y), mutableRow(y) + channel)
                for x in 0..<width { to[x &* channels] = from[x] }
            }
        }
    }

    // MARK: Masks

    /// Returns the mask of the samples above `limit`.
    static func > (a: Matrix, limit: Float) -> Matrix<UInt8> { transformed(a) { $0 > limit ? 255 : 0 } }
    static func >= (a: Matrix, limit: Float) -> Matrix<UInt8> { transformed(a) { $0 >= limit ? 255 : 0 } }
    static func <= (a: Matrix, limit: Float) -> Matrix<UInt8> { transformed(a) { $0 <= limit ? 255 : 0 } }
    static func < (a: Matrix, limit: Float) -> Matrix<UInt8> { transformed(a) { $0 < limit ? 255 : 0 } }

    /// Returns the mask of the samples that are at least `low` and at most `high`.
    func mask(from low: Float, to high: Float) -> Matrix<UInt8> {
        transformed(self) { ($0 >= low ? 255 : 0) & ($0 <= high ? 255 : 0) }
    }

    /// Returns the mask of the samples s for which s − o < `limit`, where o is the sample of `other` at the same
    /// position.
    func mask(minus other: Matrix, below limit: Float) -> Matrix<UInt8> {
        pairwise(self, other) { $0 - $1 < limit ? 255 : 0 }
    }

    // MARK: Statistics

    var sums: (samples: Double, squares: Double) {
        var (sum, squares) = (0.0, 0.0)
        for y in 0..<height {
            let row = row(y)
            for x in 0..<width {
                sum += Double(row[x])
                squares += Double(row[x]) * Double(row[x])
            }
        }
        return (sum, squares)
    }

    /// Returns the means of the three channels over the pixels of a mask. If the mask is empty or the matrix does not
    /// have three channels, returns 0.
    func mean(under mask: Matrix<UInt8>) -> SIMD3<Double> {
        var (sums, count) = (SIMD3<Double>.zero, 0)
        guard channels == 3 else { return sums }
        for y in 0..<min(height, mask.height) {
            let (row, use) = (row(y), mask.row(y))
            for x in 0..<min(width, mask.width) where use[x] != 0 {
                let pixel = row + 3 &* x
                sums += SIMD3(Double(pixel[0]), Double(pixel[1]), Double(pixel[2]))
                count &+= 1
            }
        }
        return count > 0 ? sums * (1 / Double(count)) : sums
    }

    /// Returns the quantile `numerator` / `denominator` of the samples at the pixels of a mask: the value below which
    /// this fraction of the samples lies. If the mask is empty, returns 0.
    /// - Parameter step: the function uses only every `step`-th sample of a row.
    func quantile(_ numerator: Int, of denominator: Int, under mask: Matrix<UInt8>, step: Int = 1) -> Float {
        var values: [Float] = []
        for y in 0..<min(height, mask.height) {
            let (row, use) = (row(y), mask.row(y))
            for x in Swift.stride(from: y % step, to: min(width, mask.width), by: step) where use[x] != 0 {
                values.append(row[x])
            }
        }
        return Vision.quantile(values, numerator, of: denominator)
    }
}
