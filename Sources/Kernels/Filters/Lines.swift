// SPDX-License-Identifier: LGPL-2.1-or-later
// Filters along lines of pixels: blurs. Sixteen lines are filtered at once, so that all arithmetic is on 64 lanes side by
// side: those lines' four samples, pixel after pixel. Lanes are floats in a 16-bit sample's unit, 0…65280. Around a
// line there is room for `margin` pixels before it and after it.

/// Lines that are filtered together.
@inline(__always)
var linesAtOnce: Int { 16 }

/// Floats of one pixel of all these lines.
@inline(__always)
var lanes: Int { 64 }

// MARK: - Lines from pictures, and back

/// Layout of lines in a picture: pixel t of line j is at `base` + t · `step` + (j + shifts[t]) · `lineStep`.
struct LinePlace {
    let base: UnsafeMutableRawPointer
    let step: Int
    let lineStep: Int
    let shifts: UnsafePointer<Int32>
    let limit: Int

    /// Line `first` of those at pixel t.
    @inline(__always)
    func first(_ first: Int, _ t: Int) -> Int { first &+ Int(truncatingIfNeeded: shifts[t]) }

    @inline(__always)
    func pixel(_ t: Int, _ line: Int) -> UnsafeMutableRawPointer { base + (t &* step &+ line &* lineStep) }
}

extension RowKernels {
    /// Collects sixteen lines of pixels: sixteen words of the first pixels, and so on.
    /// - Parameters:
    ///   - picture: see `LinePlace`; `step` and `lineStep` are in bytes.
    ///   - shifts: `length` numbers.
    ///   - first: the first of the lines.
    ///   - limit: number of lines in the picture; before and after them, the outermost ones are repeated.
    @inline(never)
    package func gatherLines(
        _ picture: UnsafeMutableRawPointer, sixteenBit: Bool, step: Int, lineStep: Int, shifts: UnsafePointer<Int32>,
        first: Int, limit: Int, length: Int, into words: UnsafeMutableRawPointer
    ) {
        let place = LinePlace(base: picture, step: step, lineStep: lineStep, shifts: shifts, limit: limit)
        @inline(__always) func gather<Word: PixelWord>(_: Word.Type) {
            var t = 0
            while t < length {
                let line = place.first(first, t)
                let to = t &* linesAtOnce
                var j = 0
                if line >= 0, line &+ linesAtOnce <= limit {
                    let from = place.pixel(t, line)
                    while j < linesAtOnce {
                        Word(from + j &* lineStep, 0).put(to &+ j, words)
                        j &+= 1
                    }
                } else {
                    while j < linesAtOnce {
                        Word(place.pixel(t, inside(line &+ j, limit)), 0).put(to &+ j, words)
                        j &+= 1
                    }
                }
                t &+= 1
            }
        }
        if sixteenBit { gather(UInt64.self) } else { gather(UInt32.self) }
    }

    /// Puts sixteen lines of pixels of 16-bit samples where `gatherLines` takes them from. Lines outside of the picture are
    /// skipped.
    /// - Parameter mask: the bits of a pixel that are replaced.
    @inline(never)
    package func scatterLines(
        _ words: UnsafeRawPointer, mask: UInt64, into picture: UnsafeMutableRawPointer, step: Int, lineStep: Int,
        shifts: UnsafePointer<Int32>, first: Int, limit: Int, length: Int
    ) {
        let place = LinePlace(base: picture, step: step, lineStep: lineStep, shifts: shifts, limit: limit)
        var t = 0
        while t < length {
            let line = place.first(first, t)
            let from = t &* linesAtOnce
            var j = line < 0 ? 0 &- line : 0
            let end = limit &- line < linesAtOnce ? limit &- line : linesAtOnce
            while j < end {
                let to = place.pixel(t, line &+ j)
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
    /// Transposes blocks of sixteen pixels of 16-bit samples of sixteen lines: from all lines' first pixels, all lines' second ones,
    /// and so on to the first line's pixels, the second line's, and so on.
    /// - Parameter count: of blocks.
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
    /// Converts samples to lanes.
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

    /// Converts lanes to samples, rounded.
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
