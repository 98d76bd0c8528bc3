// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels for filters that fill blocks or windows of pixels with one colour.

extension RowKernels {
    @inline(never)
    package func addPlane(_ plane: UnsafePointer<Float>, to sums: UnsafeMutablePointer<Float>, count: Int) {
        var i = 0
        while i < count {
            sums[i] += plane[i]
            i &+= 1
        }
    }

    /// Replaces the values in each block of a row by the mean of the block.
    /// - Parameters:
    ///   - sums: `count` sums of columns, replaced by means.
    ///   - rows: the number of values in each sum.
    ///   - block: the width of a block in columns, at least 1. The last block may be narrower.
    @inline(never)
    package func averageBlocks(
        _ sums: UnsafeMutablePointer<Float>, rows: Int, block: Int, count: Int
    ) {
        var start = 0
        while start < count {
            let limit = start &+ block < count ? start &+ block : count
            var sum: Float = 0
            var i = start
            while i < limit {
                sum += sums[i]
                i &+= 1
            }
            let mean = sum / Float(Int32(truncatingIfNeeded: (limit &- start) &* rows))
            i = start
            while i < limit {
                sums[i] = mean
                i &+= 1
            }
            start = limit
        }
    }

    /// Computes the Kuwahara filter. Each pixel is a corner of four windows. The pixel gets the mean colour of the
    /// window whose luma has the smallest variance.
    /// - Parameters:
    ///   - windows: for each of the four windows, four planes of `plane` floats: the means of red, green and blue, and
    ///     the mean of luma² / 255.
    ///   - output: three planes, `plane` floats apart.
    @inline(never)
    package func kuwahara(
        _ windows: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, plane: Int, count: Int
    ) {
        var i = 0
        while i < count {
            var best = window(windows + i, plane)
            best = calmer(best, window(windows + (i &+ 4 &* plane), plane))
            best = calmer(best, window(windows + (i &+ 8 &* plane), plane))
            best = calmer(best, window(windows + (i &+ 12 &* plane), plane))
            output[i] = best.color.red
            output[i &+ plane] = best.color.green
            output[i &+ 2 &* plane] = best.color.blue
            i &+= 1
        }
    }
}

@inline(__always)
private func window(_ planes: UnsafePointer<Float>, _ plane: Int) -> (color: RGB, variance: Float) {
    let color = RGB(red: planes[0], green: planes[plane], blue: planes[2 &* plane])
    let light = luma(color)
    return (color, planes[3 &* plane] * 255 - light * light)
}

@inline(__always)
private func calmer(_ a: (color: RGB, variance: Float), _ b: (color: RGB, variance: Float)) -> (
    color: RGB, variance: Float
) {
    let first = a.variance <= b.variance
    return (
        RGB(
            red: first ? a.color.red : b.color.red, green: first ? a.color.green : b.color.green,
            blue: first ? a.color.blue : b.color.blue), first ? a.variance : b.variance
    )
}
