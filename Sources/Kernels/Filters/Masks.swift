// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels for masks. A mask has one float per pixel of a row. The float depends on the position of the pixel.

@inline(__always)
private func share(_ value: Float) -> Float { lesser(greater(0, value), 1) }

extension RowKernels {
    /// Computes a radial mask. The mask rises from 0 near the centre to 1 far from the centre.
    /// - Parameters:
    ///   - mask: `count` floats.
    ///   - x: the horizontal distance of the first pixel from the centre, in pixels.
    ///   - y: the vertical distance of the row from the centre, in pixels.
    ///   - slope, offset: t is distance · slope + offset, limited to 0…1. The distance is from the pixel to the centre.
    ///   - smoothness: with 0, the mask is t. With 1, the mask is t² (3 − 2t). Other values interpolate between t and
    ///     t² (3 − 2t).
    @inline(never)
    package func fillRadialMask(
        _ mask: UnsafeMutablePointer<Float>, x: Float, y: Float, slope: Float, offset: Float, smoothness: Float,
        count: Int
    ) {
        let ySquared = y * y
        var i = 0
        var column: Int32 = 0
        while i < count {
            let dx = x + Float(column)
            let t = share(plus(offset, plus(ySquared, dx, dx).squareRoot(), slope))
            mask[i] = plus(t, smoothness, plus(-t, t * t, plus(3, -2, t)))
            i &+= 1
            column &+= 1
        }
    }

    /// Computes the sum of two plane waves across the image, limited to 0…1.
    ///
    /// For a wave cos(ax + by) with the constants a and b: cos(ax + by) = cos(ax) cos(by) − sin(ax) sin(by). So all
    /// rows can use the same tables of cos(ax) and sin(ax).
    /// - Parameters:
    ///   - mask: `count` floats.
    ///   - waves: four tables of `width` floats: cosine and sine of the first wave for each column, then cosine and
    ///     sine of the second wave.
    ///   - row: the factors of the four tables in the current row, and a constant term.
    @inline(never)
    package func fillWaveMask(
        _ mask: UnsafeMutablePointer<Float>, waves: UnsafePointer<Float>, width: Int, row: UnsafePointer<Float>,
        count: Int
    ) {
        let (first, second, third, fourth, offset) = (row[0], row[1], row[2], row[3], row[4])
        var i = 0
        while i < count {
            let one = waves[i] * first + waves[i &+ width] * second
            let two = waves[i &+ 2 &* width] * third + waves[i &+ 3 &* width] * fourth
            mask[i] = share(one + two + offset)
            i &+= 1
        }
    }
}
