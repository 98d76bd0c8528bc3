// Curves and tables of colours.

/// The steps of a curve's table to one level of a byte: bytes' levels fall on entries.
@inline(__always)
private var stepsPerLevel: Float { 64 }

/// Replaces each value of a plane, clipped, by the nearest entry of a table.
/// - Parameters:
///   - table: 255 · 64 + 1 values, for 0…255 in steps of 1/64.
///   - indices: scratch for `count` indices. To find them first and look them up then is faster than both at once: the
///     one is done by vector instructions.
@inline(never)
package func applyTable(
    _ table: UnsafePointer<Float>, to plane: UnsafeMutablePointer<Float>, indices: UnsafeMutablePointer<UInt16>,
    count: Int
) {
    var i = 0
    while i < count {
        indices[i] = UInt16(truncatingIfNeeded: (limited(plane[i]) * stepsPerLevel + roundingBias).bitPattern)
        i &+= 1
    }
    i = 0
    while i < count {
        plane[i] = table[Int(truncatingIfNeeded: indices[i])]
        i &+= 1
    }
}

/// Replaces the bytes of pixels of four bytes by entries of tables.
/// - Parameter tables: four tables of 256 words, one for each byte of the pixel, each with its entry in that byte's
///   place.
@inline(never)
package func lookUpBytes(_ pixels: UnsafeMutableRawPointer, in tables: UnsafePointer<UInt32>, count: Int) {
    var i = 0
    while i < count {
        let word = Int(truncatingIfNeeded: pixel(pixels, i))
        let low = tables[word & 255] | tables[256 &+ ((word >> 8) & 255)]
        put(low | tables[512 &+ ((word >> 16) & 255)] | tables[768 &+ ((word >> 24) & 255)], i, pixels)
        i &+= 1
    }
}

/// Replaces pairs of bytes of pixels of four bytes by entries of tables: half as many steps as for bytes, in larger
/// tables.
/// - Parameter tables: two tables of 65536 entries, for the first two bytes and for the other two.
@inline(never)
package func lookUpPairs(_ pixels: UnsafeMutableRawPointer, in tables: UnsafePointer<UInt16>, count: Int) {
    var i = 0
    while i < count {
        let word = pixel(pixels, i)
        let low = UInt32(truncatingIfNeeded: tables[Int(truncatingIfNeeded: word & 0xFFFF)])
        let high = UInt32(truncatingIfNeeded: tables[65536 &+ Int(truncatingIfNeeded: word >> 16)])
        put(low | (high << 16), i, pixels)
        i &+= 1
    }
}

/// Replaces colours by those of a lattice, between whose points the tetrahedron around a colour is interpolated.
/// - Parameters:
///   - lattice: size³ colours of four floats, the fourth without meaning; red runs fastest.
///   - size: colours along an edge, at least 2.
///   - scale: what makes 0…1 of a tile's red level from it, and the offset; then of green, then of blue.
@inline(never)
package func applyLattice(
    _ lattice: UnsafePointer<Float>, size: Int, scale: UnsafePointer<Float>, to tile: UnsafeMutablePointer<Float>,
    plane: Int, count: Int
) {
    let last = Float(Int32(truncatingIfNeeded: size &- 1))
    let steps = (red: 4, green: 4 &* size, blue: 4 &* size &* size)
    var i = 0
    while i < count {
        let r = cell(limited(tile[i]) * scale[0] + scale[1], last)
        let g = cell(limited(tile[i &+ plane]) * scale[2] + scale[3], last)
        let b = cell(limited(tile[i &+ 2 &* plane]) * scale[4] + scale[5], last)
        let offset = r.index &* steps.red &+ g.index &* steps.green &+ b.index &* steps.blue
        let first = lattice + offset
        // From the first corner to the last one the way goes along the longest fraction, then the next.
        let redFirst = r.rest >= g.rest && r.rest >= b.rest
        let redLast = r.rest < g.rest && r.rest < b.rest
        let greenLast = !redLast && g.rest <= r.rest && g.rest < b.rest
        let longest = redFirst ? steps.red : g.rest >= b.rest ? steps.green : steps.blue
        let shortest = redLast ? steps.red : greenLast ? steps.green : steps.blue
        let most = greater(r.rest, greater(g.rest, b.rest))
        let least = lesser(r.rest, lesser(g.rest, b.rest))
        let middle = greater(lesser(r.rest, g.rest), lesser(greater(r.rest, g.rest), b.rest))
        let end = steps.red &+ steps.green &+ steps.blue
        let corners = (first, first + longest, first + (end &- shortest), first + end)
        let weights = (1 - most, most - middle, middle - least, least)
        tile[i] = mix(corners, weights, 0)
        tile[i &+ plane] = mix(corners, weights, 1)
        tile[i &+ 2 &* plane] = mix(corners, weights, 2)
        i &+= 1
    }
}

/// The cell of the lattice that a coordinate of 0…1 is in, and how far it is through.
@inline(__always)
private func cell(_ value: Float, _ last: Float) -> (index: Int, rest: Float) {
    let place = lesser(greater(0, value), 1) * last
    // Rounded down; the last point belongs to the last cell.
    let bias = lesser(place, last - 1) - 0.5 + roundingBias
    let rounded = bias - roundingBias
    let index = lesser(greater(0, rounded > place ? rounded - 1 : rounded), last - 1)
    return (Int(truncatingIfNeeded: (index + roundingBias).bitPattern & 0xFFFF), place - index)
}

private typealias Corners = (UnsafePointer<Float>, UnsafePointer<Float>, UnsafePointer<Float>, UnsafePointer<Float>)

@inline(__always)
private func mix(_ corners: Corners, _ weights: (Float, Float, Float, Float), _ channel: Int) -> Float {
    let low = corners.0[channel] * weights.0 + corners.1[channel] * weights.1
    return low + corners.2[channel] * weights.2 + corners.3[channel] * weights.3
}
