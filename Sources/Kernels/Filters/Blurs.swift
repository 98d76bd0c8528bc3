// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels that blur lines of pixels in lanes (see Lines.swift).

extension RowKernels {
    /// Repeats the first pixel before each line, and the last pixel after each line.
    /// - Parameter margin: the number of repeated pixels at each end of a line.
    @inline(never)
    package func extendLanes(_ values: UnsafeMutablePointer<Float>, length: Int, margin: Int) {
        let last = values + (length &- 1) &* lanes
        var k = 1
        while k <= margin {
            var l = 0
            while l < lanes {
                values[l &- k &* lanes] = values[l]
                last[l &+ k &* lanes] = last[l]
                l &+= 1
            }
            k &+= 1
        }
    }

    /// Applies a symmetric filter. `weights[0]` is the weight of the centre pixel. `weights[k]` is the weight of the
    /// two pixels at the distance k, up to `reach`.
    /// - Parameters:
    ///   - values: the floats of sixteen lines (see Lines.swift) with `length` pixels each, and a margin of `reach`
    ///     pixels at both ends.
    ///   - reach: 5 or 9.
    ///   - weights: `reach` + 1 weights.
    ///   - output: the filtered lines, without margins. Must not overlap `values`.
    @inline(never)
    package func blur(
        _ values: UnsafePointer<Float>, length: Int, reach: Int, weights w: UnsafePointer<Float>,
        into output: UnsafeMutablePointer<Float>
    ) {
        let (w0, w1, w2, w3, w4, w5) = (w[0], w[1], w[2], w[3], w[4], w[5])
        let count = length &* lanes
        @inline(__always) func near(_ l: Int) -> Float {
            let near = plus(plus(w0 * values[l], w1, pair(values, l, 1)), w2, pair(values, l, 2))
            return plus(plus(plus(near, w3, pair(values, l, 3)), w4, pair(values, l, 4)), w5, pair(values, l, 5))
        }
        var l = 0
        if reach == 5 {
            while l < count {
                output[l] = near(l)
                l &+= 1
            }
        } else {
            let (w6, w7, w8, w9) = (w[6], w[7], w[8], w[9])
            while l < count {
                let far = plus(plus(w6 * pair(values, l, 6), w7, pair(values, l, 7)), w8, pair(values, l, 8))
                output[l] = near(l) + plus(far, w9, pair(values, l, 9))
                l &+= 1
            }
        }
    }
}

/// Returns the sum of the value `distance` pixels before `index` and the value `distance` pixels after `index`.
@inline(__always)
private func pair(_ values: UnsafePointer<Float>, _ index: Int, _ distance: Int) -> Float {
    values[index &- distance &* lanes] + values[index &+ distance &* lanes]
}

extension RowKernels {
    /// Computes a weighted mean of pixels. Pixels at a distance of up to `reach` have the weight 1. The two pixels at
    /// the distance `reach` + 1 have the weight `share`. The time does not depend on `reach`. Sums of up to 255 samples
    /// are exact.
    /// - Parameters:
    ///   - values: the floats of sixteen lines (see Lines.swift) with `length` pixels each.
    ///   - share: 0…1.
    ///   - sums: scratch memory for the floats of one position in all lines.
    ///   - output: the filtered lines. Must not overlap `values`.
    @inline(never)
    package func blurByBox(
        _ values: UnsafePointer<Float>, length: Int, reach: Int, share: Float, sums: UnsafeMutablePointer<Float>,
        into output: UnsafeMutablePointer<Float>
    ) {
        let scale = 1 / (1 + 2 * (Float(Int32(truncatingIfNeeded: reach)) + share))
        var l = 0
        while l < lanes {
            sums[l] = 0
            l &+= 1
        }
        var k = 0 &- reach
        // Start with the sum of the pixels −1 − reach to −1 + reach. For pixel 0, the main loop then adds the pixel
        // +reach and subtracts the pixel −reach − 1.
        while k <= reach {
            let row = values + inside(k &- 1, length) &* lanes
            l = 0
            while l < lanes {
                sums[l] += row[l]
                l &+= 1
            }
            k &+= 1
        }
        var t = 0
        while t < length {
            let old = values + inside(t &- reach &- 1, length) &* lanes
            let new = values + inside(t &+ reach, length) &* lanes
            let next = values + inside(t &+ reach &+ 1, length) &* lanes
            let to = output + t &* lanes
            l = 0
            while l < lanes {
                let sum = sums[l] + (new[l] - old[l])
                sums[l] = sum
                to[l] = (sum + share * (old[l] + next[l])) * scale
                l &+= 1
            }
            t &+= 1
        }
    }
}
