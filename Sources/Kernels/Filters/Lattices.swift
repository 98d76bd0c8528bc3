// SPDX-License-Identifier: LGPL-2.1-or-later
// Tables of colours.

extension RowKernels {
    /// Finds the tetrahedron of a lattice's points around each colour of a tile: the path from the first corner of its
    /// cell to the last goes along the longest of its three distances first, along the shortest last.
    /// - Parameters:
    ///   - tile: the red plane; green and blue follow, each `plane` floats on.
    ///   - size: points along an edge of the lattice, 2…255.
    ///   - scale: factor and summand for red, green and blue that turn levels into 0…1.
    ///   - corners: for each pixel the indices of four points, in rows of `plane`.
    ///   - weights: for each pixel the weights of those, likewise.
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
            let (redOverGreen, redOverBlue) = (r.rest >= g.rest, r.rest >= b.rest)
            let greenOverBlue = g.rest >= b.rest
            let longest = redOverGreen ? (redOverBlue ? 1 : blue) : (greenOverBlue ? green : blue)
            let shortest = redOverGreen ? (greenOverBlue ? blue : green) : (redOverBlue ? blue : 1)
            let (low, high) = (lesser(r.rest, g.rest), greater(r.rest, g.rest))
            let most = greater(high, b.rest)
            let least = lesser(low, b.rest)
            let middle = r.rest + g.rest + b.rest - most - least
            corners[i] = first
            corners[i &+ plane] = first &+ longest
            corners[i &+ 2 &* plane] = first &+ end &- shortest
            corners[i &+ 3 &* plane] = first &+ end
            weights[i] = 255 * (1 - most)
            weights[i &+ plane] = 255 * (most - middle)
            weights[i &+ 2 &* plane] = 255 * (middle - least)
            weights[i &+ 3 &* plane] = 255 * least
            i &+= 1
        }
    }
}

/// Returns the cell of the lattice that a coordinate of 0…1 is in, and how far into it.
@inline(__always)
private func cell(_ value: Float, _ last: Float) -> (index: UInt32, rest: Float) {
    let place = lesser(greater(0, value), 1) * last
    // The last point belongs to the last cell. The rest may also be 1 in the cell before.
    let index = greater(lesser(place, last - 1) - 0.5, 0) + roundingBias
    return (index.bitPattern & 0xFF, place - (index - roundingBias))
}

extension RowKernels {
    /// Mixes the colours of the corners that were found.
    /// - Parameters:
    ///   - lattice: size³ colours of four floats, 0…1, the fourth without meaning; red runs fastest.
    ///   - mixed: scratch for four floats a pixel.
    ///   - tile: three planes, `plane` floats apart, as are the rows of corners and weights.
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
