// SPDX-License-Identifier: LGPL-2.1-or-later
// Three-dimensional colour tables (LUTs) with tetrahedral interpolation.

extension RowKernels {
    /// For each colour of a tile, finds the four lattice points of the tetrahedron that contains the colour. The points
    /// are on a path from the first to the last corner of the lattice cell. The path first follows the axis on which
    /// the colour has the largest fraction, and at the end the axis with the smallest fraction. A fraction is the
    /// position of the colour within the cell, 0…1.
    /// - Parameters:
    ///   - tile: the planes of red, green and blue, `plane` floats apart.
    ///   - size: the number of lattice points along each axis, 2…255.
    ///   - scale: a factor and a summand for red, then for green, then for blue. They map levels to 0…1.
    ///   - corners: the indices of the four lattice points of each pixel, in four rows of `plane` elements.
    ///   - weights: the weights of the four lattice points of each pixel, in four rows of `plane` elements.
    @inline(never)
    package func findCorners(
        _ tile: UnsafePointer<Float>, plane: Int, size: Int, scale: UnsafePointer<Float>,
        corners: UnsafeMutablePointer<UInt32>, weights: UnsafeMutablePointer<Float>, count: Int
    ) {
        let last = Float(Int32(truncatingIfNeeded: size &- 1))
        let width = UInt32(truncatingIfNeeded: size)
        let (green, blue) = (width, width &* width)
        let end = 1 &+ green &+ blue
        var i = 0
        while i < count {
            let r = cell(limited(tile[i]) * scale[0] + scale[1], last)
            let g = cell(limited(tile[i &+ plane]) * scale[2] + scale[3], last)
            let b = cell(limited(tile[i &+ 2 &* plane]) * scale[4] + scale[5], last)
            let first = r.index &+ g.index &* green &+ b.index &* blue
            let (redOverGreen, redOverBlue) = (r.fraction >= g.fraction, r.fraction >= b.fraction)
            let greenOverBlue = g.fraction >= b.fraction
            let longest = redOverGreen ? (redOverBlue ? 1 : blue) : (greenOverBlue ? green : blue)
            let shortest = redOverGreen ? (greenOverBlue ? blue : green) : (redOverBlue ? blue : 1)
            let (low, high) = (lesser(r.fraction, g.fraction), greater(r.fraction, g.fraction))
            let maximum = greater(high, b.fraction)
            let minimum = lesser(low, b.fraction)
            let middle = r.fraction + g.fraction + b.fraction - maximum - minimum
            corners[i] = first
            corners[i &+ plane] = first &+ longest
            corners[i &+ 2 &* plane] = first &+ end &- shortest
            corners[i &+ 3 &* plane] = first &+ end
            weights[i] = 255 * (1 - maximum)
            weights[i &+ plane] = 255 * (maximum - middle)
            weights[i &+ 2 &* plane] = 255 * (middle - minimum)
            weights[i &+ 3 &* plane] = 255 * minimum
            i &+= 1
        }
    }
}

/// Returns the index of the lattice cell that contains the coordinate `value` (0…1), and the position within this cell
/// (0…1).
@inline(__always)
private func cell(_ value: Float, _ last: Float) -> (index: UInt32, fraction: Float) {
    let position = lesser(greater(0, value), 1) * last
    // The last lattice point belongs to the last cell. For a coordinate on the border between two cells, the result is
    // the lower cell with the fraction 1, or the upper cell with the fraction 0. Both results are correct.
    let index = greater(lesser(position, last - 1) - 0.5, 0) + roundingBias
    return (index.bitPattern & 0xFF, position - (index - roundingBias))
}

extension RowKernels {
    /// Interpolates between the colours of the lattice points from `findCorners`.
    /// - Parameters:
    ///   - lattice: size³ colours of four floats, 0…1. The fourth float is unused. The index of red changes fastest.
    ///   - mixed: scratch memory for four floats per pixel.
    ///   - tile: three planes, `plane` floats apart. The rows of `corners` and `weights` are also `plane` elements
    ///     apart.
    @inline(never)
    package func mixCorners(
        _ lattice: UnsafePointer<Float>, corners: UnsafePointer<UInt32>, weights: UnsafePointer<Float>,
        mixed: UnsafeMutablePointer<Float>, into tile: UnsafeMutablePointer<Float>, plane: Int, count: Int
    ) {
        var i = 0
        while i < count {
            let a = lattice + 4 &* Int(truncatingIfNeeded: corners[i])
            let b = lattice + 4 &* Int(truncatingIfNeeded: corners[i &+ plane])
            let c = lattice + 4 &* Int(truncatingIfNeeded: corners[i &+ 2 &* plane])
            let d = lattice + 4 &* Int(truncatingIfNeeded: corners[i &+ 3 &* plane])
            let (first, second) = (weights[i], weights[i &+ plane])
            let (third, fourth) = (weights[i &+ 2 &* plane], weights[i &+ 3 &* plane])
            let to = mixed + 4 &* i
            var k = 0
            while k < 4 {
                to[k] = a[k] * first + b[k] * second + (c[k] * third + d[k] * fourth)
                k &+= 1
            }
            i &+= 1
        }
        i = 0
        while i < count {
            tile[i] = mixed[4 &* i]
            tile[i &+ plane] = mixed[4 &* i &+ 1]
            tile[i &+ 2 &* plane] = mixed[4 &* i &+ 2]
            i &+= 1
        }
    }
}
