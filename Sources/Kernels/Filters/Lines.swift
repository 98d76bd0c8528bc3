// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels for blurs along lines of pixels. The kernels filter sixteen lines at once. A pixel has four samples, so all
// arithmetic runs on 64 adjacent lanes. Lanes are floats with the values of 16-bit samples, 0…65280. Before and after
// each line, the memory has a margin of `margin` pixels.

@inline(__always)
var linesAtOnce: Int { 16 }

/// Number of floats per position in a line: four samples of sixteen lines.
@inline(__always)
var lanes: Int { 64 }

// MARK: - Lines from pictures, and back

/// The addresses of sixteen lines in an image. Pixel t of line j is at `base` + t · `step` + (j + shifts[t]) ·
/// `lineStep`. So `shifts[t]` is the offset of pixel t across the lines.
struct LineLayout {
    let base: UnsafeMutableRawPointer
    let step: Int
    let lineStep: Int
    let shifts: UnsafePointer<Int32>
    let limit: Int

    /// Returns the index of the image row (or column) that contains pixel t of the line with the index `first`.
    @inline(__always)
    func first(_ first: Int, _ t: Int) -> Int { first &+ Int(truncatingIfNeeded: shifts[t]) }

    @inline(__always)
    func pixel(_ t: Int, _ line: Int) -> UnsafeMutableRawPointer { base + (t &* step &+ line &* lineStep) }
}

extension RowKernels {
    /// Collects sixteen lines of pixels. The output contains the first pixels of all sixteen lines, then the second
    /// pixels of all lines, and so on.
    /// - Parameters:
    ///   - picture: see `LineLayout`. `step` and `lineStep` are in bytes.
    ///   - shifts: for each of `length` pixels of a line, its offset in rows (or columns) of the image.
    ///   - first: the index of the first of the sixteen lines.
    ///   - limit: the number of rows (or columns) of the image. Outside of the image, the kernel repeats the first and
    ///     the last of them.
    @inline(never)
    package func gatherLines(
        _ picture: UnsafeMutableRawPointer, sixteenBit: Bool, step: Int, lineStep: Int, shifts: UnsafePointer<Int32>,
        first: Int, limit: Int, length: Int, into words: UnsafeMutableRawPointer
    ) {
        let layout = LineLayout(base: picture, step: step, lineStep: lineStep, shifts: shifts, limit: limit)
        @inline(__always) func gather<Word: PixelWord>(_: Word.Type) {
            var t = 0
            while t < length {
                let line = layout.first(first, t)
                let to = t &* linesAtOnce
                var j = 0
                if line >= 0, line &+ linesAtOnce <= limit {
                    let from = layout.pixel(t, line)
                    while j < linesAtOnce {
                        Word(from + j &* lineStep, 0).put(to &+ j, words)
                        j &+= 1
                    }
                } else {
                    while j < linesAtOnce {
                        Word(layout.pixel(t, inside(line &+ j, limit)), 0).put(to &+ j, words)
                        j &+= 1
                    }
                }
                t &+= 1
            }
        }
        if sixteenBit { gather(UInt64.self) } else { gather(UInt32.self) }
    }

    /// Writes sixteen lines of pixels with 16-bit samples to the addresses from which `gatherLines` reads. Skips lines
    /// outside of the image.
    /// - Parameter mask: the bits of a pixel to replace.
    @inline(never)
    package func scatterLines(
        _ words: UnsafeRawPointer, mask: UInt64, into picture: UnsafeMutableRawPointer, step: Int, lineStep: Int,
        shifts: UnsafePointer<Int32>, first: Int, limit: Int, length: Int
    ) {
        let layout = LineLayout(base: picture, step: step, lineStep: lineStep, shifts: shifts, limit: limit)
        var t = 0
        while t < length {
            let line = layout.first(first, t)
            let from = t &* linesAtOnce
            var j = line < 0 ? 0 &- line : 0
            let end = limit &- line < linesAtOnce ? limit &- line : linesAtOnce
            while j < end {
                let to = layout.pixel(t, line &+ j)
                ((UInt64(to, 0) & ~mask) | (UInt64(words, from &+ j) & mask)).put(0, to)
                j &+= 1
            }
            t &+= 1
        }
    }
}

@inline(__always)
func inside(_ index: Int, _ limit: Int) -> Int {
    let positive = index < 0 ? 0 : index
    return positive < limit ? positive : limit &- 1
}

extension RowKernels {
    /// Transposes blocks of 16 x 16 pixels with 16-bit samples. The input contains the first pixels of all sixteen
    /// lines, then the second pixels of all lines, and so on. The output contains all pixels of the first line, then
    /// all pixels of the second line, and so on.
    /// - Parameter count: the number of blocks.
    @inline(never)
    package func transposeBlocks(_ blocks: UnsafeRawPointer, into output: UnsafeMutableRawPointer, count: Int) {
        var (from, to) = (blocks.assumingMemoryBound(to: UInt64.self), output.assumingMemoryBound(to: UInt64.self))
        var block = 0
        while block < count {
            var line = 0
            while line < linesAtOnce {
                var t = 0
                while t < linesAtOnce {
                    to[line &* linesAtOnce &+ t] = from[t &* linesAtOnce &+ line]
                    t &+= 1
                }
                line &+= 1
            }
            from += linesAtOnce &* linesAtOnce
            to += linesAtOnce &* linesAtOnce
            block &+= 1
        }
    }
}

// MARK: - Lanes from samples, and back

extension RowKernels {
    /// Converts bytes or 16-bit samples to floats of 0…65280.
    @inline(never)
    package func fillLanes(
        _ output: UnsafeMutablePointer<Float>, samples: UnsafeRawPointer, sixteenBit: Bool, count: Int
    ) {
        let bytes = samples.assumingMemoryBound(to: UInt8.self)
        let words = samples.assumingMemoryBound(to: UInt16.self)
        var i = 0
        if sixteenBit {
            while i < count {
                output[i] = Float(Int32(truncatingIfNeeded: words[i]))
                i &+= 1
            }
        } else {
            while i < count {
                output[i] = Float(Int32(truncatingIfNeeded: bytes[i])) * 256
                i &+= 1
            }
        }
    }

    /// Converts floats of 0…65280 to bytes or 16-bit samples, rounded to the nearest integer.
    @inline(never)
    package func storeLanes(
        _ lanes: UnsafePointer<Float>, samples: UnsafeMutableRawPointer, sixteenBit: Bool, count: Int
    ) {
        let bytes = samples.assumingMemoryBound(to: UInt8.self)
        let words = samples.assumingMemoryBound(to: UInt16.self)
        var i = 0
        if sixteenBit {
            while i < count {
                words[i] = UInt16(truncatingIfNeeded: (limitedSample(lanes[i]) + roundingBias).bitPattern)
                i &+= 1
            }
        } else {
            while i < count {
                bytes[i] = UInt8(truncatingIfNeeded: (limitedSample(lanes[i]) * (1 / 256) + roundingBias).bitPattern)
                i &+= 1
            }
        }
    }
}

@inline(__always)
private func limitedSample(_ value: Float) -> Float { lesser(greater(0, value), 65280) }
