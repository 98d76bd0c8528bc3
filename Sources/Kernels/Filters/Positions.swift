// SPDX-License-Identifier: LGPL-2.1-or-later
// Positions of the pixels that a warp reads. The kernels compute the positions for a part of a row, while the
// parameters of the warp change. For images of up to 8192 x 8192 pixels, the positions differ by less than 0.1 pixel
// from the exact formulas in the module `Filters`.
//
// Positions are in pixels from the top left corner of the image. The centre of the top left pixel is at (½, ½). A
// position with y = NaN shows no pixel.

package import KernelTypes

/// The positions that belong to adjacent pixels of a row.
private struct PositionRow {
    let xs: UnsafeMutablePointer<Float>
    let ys: UnsafeMutablePointer<Float>
    let count: Int

    /// Replaces each position by the result of `change`. The coordinates in `change` are relative to a centre.
    @inline(__always)
    func move(around centerX: Float, _ centerY: Float, _ change: (_ dx: Float, _ dy: Float) -> (x: Float, y: Float)) {
        var i = 0
        while i < count {
            let moved = change(xs[i] - centerX, ys[i] - centerY)
            xs[i] = centerX + moved.x
            ys[i] = centerY + moved.y
            i &+= 1
        }
    }

    /// Multiplies the distance of each position from a centre by the result of `factor`. The argument of `factor` is
    /// the square of this distance.
    @inline(__always)
    func scale(around centerX: Float, _ centerY: Float, _ factor: (_ square: Float) -> Float) {
        move(around: centerX, centerY) { dx, dy in
            let factor = factor(plus(dy * dy, dx, dx))
            return (dx * factor, dy * factor)
        }
    }
}

extension RowKernels {
    /// Sets positions to the centres of `count` pixels of a row.
    /// - Parameters:
    ///   - column: the x of the first pixel's centre.
    ///   - row: the y of the row's centre.
    @inline(never)
    package func fillPositions(
        _ xs: UnsafeMutablePointer<Float>, _ ys: UnsafeMutablePointer<Float>, column: Float, row: Float, count: Int
    ) {
        var i: Int32 = 0
        let end = Int32(truncatingIfNeeded: count)
        while i < end {
            xs[Int(truncatingIfNeeded: i)] = column + Float(i)
            ys[Int(truncatingIfNeeded: i)] = row
            i &+= 1
        }
    }

    /// Replaces positions in the result of a warp by the positions in the input.
    /// - Parameter p: 16 numbers. For `projective`, the eight coefficients of the projection, then zeros. For other
    ///   kinds, the x and y of the centre, then the parameters in the order in which the code reads them.
    @inline(never)
    package func movePositions(
        _ kind: WarpKind, _ xs: UnsafeMutablePointer<Float>, _ ys: UnsafeMutablePointer<Float>,
        parameters p: UnsafePointer<Double>, count: Int
    ) {
        let row = PositionRow(xs: xs, ys: ys, count: count)
        let (x, y) = (Float(p[0]), Float(p[1]))
        let (second, third, fourth) = (Float(p[2]), Float(p[3]), Float(p[4]))
        switch kind {
        case .pinch:
            // Multiply the distance from the centre by r^(−amount · (1 − r)), where r is this distance divided by the
            // radius.
            let (slope, amount) = (second, third)
            row.scale(around: x, y) { square in
                let r = square.squareRoot() * slope
                let factor = powerOfTwo((r - 1) * amount * logarithmOfTwo(greater(r, 1e-6)))
                return r < 1 ? factor : 1
            }
        case .bump:
            // Multiply the distance from the centre by 1 − amount · (1 − r²)², where r is this distance divided by the
            // radius.
            let (slope, amount) = (second, third)
            row.scale(around: x, y) { square in
                let rest = 1 - square * slope
                return rest > 0 ? 1 - amount * rest * rest : 1
            }
        case .twirl:
            // Rotate by `turns` · (1 − r)² full turns, where r is the distance from the centre divided by the radius.
            let (slope, turns) = (second, third)
            row.move(around: x, y) { dx, dy in
                let rest = greater(1 - plus(dy * dy, dx, dx).squareRoot() * slope, 0)
                let (sine, cosine) = sineAndCosine(turns: turns * rest * rest)
                return (dx * cosine - dy * sine, dx * sine + dy * cosine)
            }
        case .lens:
            let (slope, k1, k2, scale) = (second, third, fourth, Float(p[5]))
            row.scale(around: x, y) { square in
                let s = square * slope
                return plus(1, s, plus(k1, k2, s)) * scale
            }
        case .ripple:
            let (amplitude, frequency, phase) = (second, third, fourth)
            row.scale(around: x, y) { square in
                let distance = greater(square.squareRoot(), 1e-6)
                return plus(1, amplitude, sineAndCosine(turns: plus(phase, distance, frequency)).sine / distance)
            }
        case .kaleidoscope: row.reflect(p)
        case .projective: row.project(p)
        }
    }
}

extension PositionRow {
    /// Folds the plane into one sector by reflections at lines through the centre. The first reflection is at the first
    /// mirror line. Each further reflection is at another line. The angle between this line and the first mirror line
    /// is half as large as for the previous line.
    /// - Parameter p: the centre, the cosine and the sine of the first mirror line's angle, and then the sine and the
    ///   cosine of the angle between each of five other lines and the first mirror line. If both numbers are 0, there
    ///   is no reflection.
    @inline(__always)
    fileprivate func reflect(_ p: UnsafePointer<Double>) {
        let (cosine, sine) = (Float(p[2]), Float(p[3]))
        let (s1, c1, s2, c2) = (Float(p[4]), Float(p[5]), Float(p[6]), Float(p[7]))
        let (s3, c3, s4, c4) = (Float(p[8]), Float(p[9]), Float(p[10]), Float(p[11]))
        let (s5, c5) = (Float(p[12]), Float(p[13]))
        @inline(__always) func mirror(_ u: Float, _ v: Float, _ sine: Float, _ cosine: Float) -> (Float, Float) {
            let beyond = 2 * greater(v * cosine - u * sine, 0)
            return (plus(u, beyond, sine), plus(v, -beyond, cosine))
        }
        @inline(__always) func reflect(_ change: (_ u: Float, _ v: Float) -> (Float, Float)) {
            move(around: Float(p[0]), Float(p[1])) { dx, dy in
                let v = dy * cosine - dx * sine
                let (u, w) = change(plus(dx * cosine, dy, sine), greater(v, -v))
                return (u * cosine - w * sine, plus(u * sine, w, cosine))
            }
        }
        // For up to eight mirror lines, three of the five reflections are enough.
        if s4 == 0 && c4 == 0 {
            reflect { u, v in
                var (u, v) = mirror(u, v, s1, c1)
                (u, v) = mirror(u, v, s2, c2)
                return mirror(u, v, s3, c3)
            }
        } else {
            reflect { u, v in
                var (u, v) = mirror(u, v, s1, c1)
                (u, v) = mirror(u, v, s2, c2)
                (u, v) = mirror(u, v, s3, c3)
                (u, v) = mirror(u, v, s4, c4)
                return mirror(u, v, s5, c5)
            }
        }
    }

    /// Maps positions by a projection. Computes with doubles: near the horizon, where the divisor is 0, the rounding
    /// errors of floats would move positions by several pixels.
    @inline(__always)
    fileprivate func project(_ p: UnsafePointer<Double>) {
        let (a, b, c, d, e, f, g, h) = (p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7])
        var i = 0
        while i < count {
            let (x, y) = (Double(xs[i]), Double(ys[i]))
            let depth = g * x + h * y + 1
            let scale = 1 / depth
            let size = depth < 0 ? -depth : depth
            xs[i] = Float((a * x + b * y + c) * scale)
            // A position with y = NaN shows no pixel. Add 0 or NaN to y: if y were replaced on a condition, the
            // compiler would use slow conditional stores.
            ys[i] = Float((d * x + e * y + f) * scale) + (size > 1e-9 ? 0 : .nan)
            i &+= 1
        }
    }
}

/// Returns the nearest integer to a number of −2²²…2²².
@inline(__always)
private func nearestInteger(_ value: Float) -> Float { (value + 12_582_912) - 12_582_912 }

/// Returns the sine and cosine of a number of full turns, with an error below 10⁻⁶ for up to 16 turns. The series are
/// Taylor series for at most an eighth of a turn.
@inline(__always)
private func sineAndCosine(turns: Float) -> (sine: Float, cosine: Float) {
    let biased = 4 * turns + 12_582_912
    let quarters = biased - 12_582_912
    let angle = (turns - 0.25 * quarters) * (2 * .pi)
    let square = angle * angle
    let sine = plus(
        angle, angle * square,
        plus(-1 / 6, square, plus(1 / 120, square, plus(-1 / 5040, square, 1 / 362_880))))
    let cosine = plus(
        1, square, plus(-1 / 2, square, plus(1 / 24, square, plus(-1 / 720, square, 1 / 40320))))
    let quadrant = biased.bitPattern
    let isSwapped = quadrant & 1 == 1
    let (first, second) = (isSwapped ? cosine : sine, isSwapped ? sine : cosine)
    // The quadrants are 0…3. The sine is negative in the quadrants 2 and 3, and the cosine in the quadrants 1 and 2.
    let (down, left) = ((quadrant & 2) << 30, ((quadrant &+ 1) & 2) << 30)
    return (Float(bitPattern: first.bitPattern ^ down), Float(bitPattern: second.bitPattern ^ left))
}

/// Returns the logarithm of a positive number to the base 2. Writes the number as m · 2ⁿ, where m is between √½ and √2,
/// and uses the series of the inverse hyperbolic tangent of (m − 1) / (m + 1).
@inline(__always)
private func logarithmOfTwo(_ value: Float) -> Float {
    let half: UInt32 = 0x3F35_04F3  // √½
    let exponent = Int32(truncatingIfNeeded: value.bitPattern &- half) >> 23
    let m = Float(bitPattern: value.bitPattern &- UInt32(truncatingIfNeeded: exponent) << 23)
    let t = (m - 1) / (m + 1)
    let square = t * t
    let series = plus(1, square, plus(1 / 3, square, plus(1 / 5, square, plus(1 / 7, square, 1 / 9))))
    return plus(Float(exponent), t * 2.885_390_1, series)
}

/// Returns 2 to the power of a number of −100…100.
@inline(__always)
private func powerOfTwo(_ value: Float) -> Float {
    let whole = nearestInteger(value)
    let rest = (value - whole) * 0.693_147_2
    let series = plus(
        1, rest,
        plus(1, rest, plus(1 / 2, rest, plus(1 / 6, rest, plus(1 / 24, rest, plus(1 / 120, rest, 1 / 720))))))
    let exponent = (whole + 12_582_912).bitPattern << 23
    return Float(bitPattern: series.bitPattern &+ exponent)
}

extension RowKernels {
    /// Moves positions from outside of an image into the image.
    /// - Parameter edges: how to move these positions.
    @inline(never)
    package func limitPositions(
        _ edges: WarpEdges, _ xs: UnsafeMutablePointer<Float>, _ ys: UnsafeMutablePointer<Float>, width: Float,
        height: Float, count: Int
    ) {
        switch edges {
        case .clamp: break
        case .mirror:
            fold(xs, width, count)
            fold(ys, height, count)
        case .wrap:
            wrap(xs, width, count)
            wrap(ys, height, count)
        case .transparent:
            var i = 0
            while i < count {
                let (x, y) = (xs[i], ys[i])
                let (across, down) = (greater(-x, x - width), greater(-y, y - height))
                // A position with y = NaN shows no pixel. Add 0 or NaN to y: if y were replaced on a condition, the
                // compiler would use slow conditional stores.
                ys[i] = y + (greater(across, down) > 0 ? .nan : 0)
                i &+= 1
            }
        }
        // y = NaN marks a position that shows no pixel. The order of the comparisons keeps NaN in y, and replaces NaN
        // in x by a valid coordinate.
        let (right, bottom) = (width - 0.5, height - 0.5)
        var i = 0
        while i < count {
            let x = xs[i] > 0.5 ? xs[i] : 0.5
            xs[i] = x < right ? x : right
            i &+= 1
        }
        i = 0
        while i < count {
            let y = ys[i] < 0.5 ? 0.5 : ys[i]
            ys[i] = y > bottom ? bottom : y
            i &+= 1
        }
    }

    /// Reflects values at all multiples of `size`, so that values are in 0…`size`.
    @inline(__always)
    private func fold(_ values: UnsafeMutablePointer<Float>, _ size: Float, _ count: Int) {
        let slope = 0.5 / size
        var i = 0
        while i < count {
            let value = values[i]
            let rest = value - nearestInteger(value * slope) * (2 * size)
            values[i] = rest < 0 ? -rest : rest
            i &+= 1
        }
    }

    /// Subtracts multiples of `size`, so that values are in 0…`size`.
    @inline(__always)
    private func wrap(_ values: UnsafeMutablePointer<Float>, _ size: Float, _ count: Int) {
        let slope = 1 / size
        var i = 0
        while i < count {
            let value = values[i]
            let rest = value - nearestInteger(value * slope) * size
            values[i] = rest < 0 ? rest + size : rest
            i &+= 1
        }
    }

    /// Converts positions to indices of pixels and offsets from these pixels (see Sampling.swift).
    /// - Parameters:
    ///   - xs, ys: positions that `limitPositions` has limited to an image.
    ///   - stride: the number of pixels from the start of a row to the start of the next row.
    ///   - outside: the index for positions that show no pixel.
    ///   - nearest: true for nearest-neighbour sampling. The offsets are then 0.
    @inline(never)
    package func convertPositions(
        _ xs: UnsafePointer<Float>, _ ys: UnsafePointer<Float>, stride: UInt32, outside: UInt32, nearest: Bool,
        indices: UnsafeMutablePointer<UInt32>, distances: UnsafeMutablePointer<UInt16>, count: Int
    ) {
        // Without interpolation, find the pixel that contains the position. With interpolation, find the last pixel
        // whose centre is at or before the position. So subtract half a pixel: 128/256.
        let offset: Float = nearest ? -0.5 : -128
        let kept: UInt32 = nearest ? 0 : 255
        var i = 0
        while i < count {
            let (x, y) = (xs[i], ys[i])
            let isShown = y == y
            let column = ((x * 256 + offset) + roundingBias).bitPattern & 0x7F_FFFF
            let row = ((y * 256 + offset) + roundingBias).bitPattern & 0x7F_FFFF
            let index = (row >> 8) &* stride &+ (column >> 8)
            indices[i] = isShown ? index : outside
            let distance = (column & kept) | ((row & kept) << 8)
            distances[i] = isShown ? UInt16(truncatingIfNeeded: distance) : 0
            i &+= 1
        }
    }
}
