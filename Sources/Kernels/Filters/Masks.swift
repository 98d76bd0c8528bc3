// SPDX-License-Identifier: LGPL-2.1-or-later
// Masks: a number for each pixel of a row, from its place in the picture.

@inline(__always)
private func share(_ value: Float) -> Float { lesser(greater(0, value), 1) }

extension RowKernels {
    /// Computes a mask that goes from 0 near a centre to 1 far from it.
    /// - Parameters:
    ///   - mask: `count` floats.
    ///   - x: the first pixel's distance from the centre, to the right; the next ones are 1 farther.
    ///   - y: the row's distance from the centre.
    ///   - slope, offset: the mask is distance · slope + offset, 0…1.
    ///   - smoothness: 1 for t² (3 − 2t) of that, 0 for t itself.
    @inline(never)
    package func fillRadialMask(
        _ mask: UnsafeMutablePointer<Float>, x: Float, y: Float, slope: Float, offset: Float, smoothness: Float,
        count: Int
    ) {
        let ySquared = y * y
        var i = 0
        var place: Int32 = 0
        while i < count {
            let dx = x + Float(place)
            let t = share(plus(offset, plus(ySquared, dx, dx).squareRoot(), slope))
            mask[i] = plus(t, smoothness, plus(-t, t * t, plus(3, -2, t)))
            i &+= 1
            place &+= 1
        }
    }

    /// Computes the sum of two waves that run across the picture, 0…1.
    ///
    /// cos(ax + by) is cos(ax) cos(by) − sin(ax) sin(by), so tables of a row's cosines and sines suffice for all rows.
    /// - Parameters:
    ///   - mask: `count` floats.
    ///   - waves: for each pixel of the row a cosine and a sine of the first wave, then of the second, each in a row of
    ///     `width` floats.
    ///   - row: factors of those in this row, and as a fifth number a summand.
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
