// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels that halve and double the size of images, for wide blurs. A wide blur hides the loss of detail. Both kernels
// use the binomial weights 1 5 10 10 5 1. These weights remove almost all frequencies that an image of half the size
// cannot represent.
//
// A 64-bit integer contains the four 16-bit samples of a pixel. The code rounds each term of a sum down. The rounding
// error is too small to change the levels of bytes.

package import KernelTypes

@inline(__always)
private func half(_ pixel: UInt64) -> UInt64 { (pixel >> 1) & 0x7FFF_7FFF_7FFF_7FFF }

@inline(__always)
private func quarter(_ pixel: UInt64) -> UInt64 { (pixel >> 2) & 0x3FFF_3FFF_3FFF_3FFF }

@inline(__always)
private func eighth(_ pixel: UInt64) -> UInt64 { (pixel >> 3) & 0x1FFF_1FFF_1FFF_1FFF }

@inline(__always)
private func sixteenth(_ pixel: UInt64) -> UInt64 { (pixel >> 4) & 0x0FFF_0FFF_0FFF_0FFF }

/// Returns (10 first + 5 second + third) / 16.
@inline(__always)
private func weighted(_ first: UInt64, _ second: UInt64, _ third: UInt64) -> UInt64 {
    half(first) &+ eighth(first) &+ quarter(second) &+ sixteenth(second) &+ sixteenth(third)
}

@inline(__always)
private func mean(_ a: UInt64, _ b: UInt64) -> UInt64 { half(a) &+ half(b) }

extension RowKernels {
    /// Computes a row of 16-bit samples as the weighted mean of six rows, with the weights 1 5 10 10 5 1.
    /// - Parameter rows: rows of pixels with byte or 16-bit samples.
    @inline(never)
    package func reduceDown(_ rows: SixRows, sixteenBit: Bool, into output: UnsafeMutableRawPointer, count: Int) {
        var i = 0
        if sixteenBit {
            while i < count {
                let inner = mean(UInt64(rows.third, i), UInt64(rows.fourth, i))
                let middle = mean(UInt64(rows.second, i), UInt64(rows.fifth, i))
                weighted(inner, middle, mean(UInt64(rows.first, i), UInt64(rows.last, i))).put(i, output)
                i &+= 1
            }
        } else {
            @inline(__always) func sum(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> UInt16 {
                wide(a.load(fromByteOffset: i, as: UInt8.self)) &+ wide(b.load(fromByteOffset: i, as: UInt8.self))
            }
            let output = output.assumingMemoryBound(to: UInt16.self)
            while i < 4 &* count {
                let (inner, middle) = (sum(rows.third, rows.fourth), sum(rows.second, rows.fifth))
                output[i] = (10 &* inner &+ 5 &* middle &+ sum(rows.first, rows.last)) << 3
                i &+= 1
            }
        }
    }

    /// Computes each output pixel from six input pixels of a row. Output pixel i uses the input pixels 2i … 2i + 5.
    /// - Parameter row: 2 · `count` + 4 pixels.
    @inline(never)
    package func reduceAcross(_ row: UnsafeRawPointer, into output: UnsafeMutableRawPointer, count: Int) {
        var i = 0
        while i < count {
            let k = 2 &* i
            let first = mean(UInt64(row, k &+ 2), UInt64(row, k &+ 3))
            let second = mean(UInt64(row, k &+ 1), UInt64(row, k &+ 4))
            weighted(first, second, mean(UInt64(row, k), UInt64(row, k &+ 5))).put(i, output)
            i &+= 1
        }
    }

    /// Computes an output row as the weighted mean of three input rows. `first` is the nearest input row, and `third`
    /// is the farthest.
    @inline(never)
    package func enlargeDown(
        _ first: UnsafeRawPointer, _ second: UnsafeRawPointer, _ third: UnsafeRawPointer,
        into output: UnsafeMutableRawPointer, count: Int
    ) {
        var i = 0
        while i < count {
            weighted(UInt64(first, i), UInt64(second, i), UInt64(third, i)).put(i, output)
            i &+= 1
        }
    }

    /// Computes two output pixels from each input pixel and its two neighbours.
    /// - Parameters:
    ///   - row: `count` + 2 pixels. The kernel uses the first and the last pixel only as neighbours.
    ///   - output: 2 · `count` pixels.
    @inline(never)
    package func enlargeAcross(_ row: UnsafeRawPointer, into output: UnsafeMutableRawPointer, count: Int) {
        var i = 0
        while i < count {
            let (before, here, behind) = (UInt64(row, i), UInt64(row, i &+ 1), UInt64(row, i &+ 2))
            weighted(here, before, behind).put(2 &* i, output)
            weighted(here, behind, before).put(2 &* i &+ 1, output)
            i &+= 1
        }
    }
}
