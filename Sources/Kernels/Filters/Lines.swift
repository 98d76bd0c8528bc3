// Filters along lines of pixels: blurs. Sixteen lines are filtered at once, so that all arithmetic is on 64 lanes side by
// side: those lines' four samples, pixel after pixel. Lanes are floats in a wide sample's unit, 0…65280. Around a
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
    /// Collects sixteen lines of pixels of four bytes: sixteen words of the first pixels, and so on.
    /// - Parameters:
    ///   - picture: see `LinePlace`; `step` and `lineStep` are in bytes.
    ///   - shifts: `length` numbers.
    ///   - first: the first of the lines.
    ///   - limit: number of lines in the picture; before and after them, the outermost ones are repeated.
    @inline(never)
    package func gatherLines(
        _ picture: UnsafeMutableRawPointer, step: Int, lineStep: Int, shifts: UnsafePointer<Int32>, first: Int,
        limit: Int,
        length: Int, into words: UnsafeMutablePointer<UInt32>
    ) {
        let place = LinePlace(base: picture, step: step, lineStep: lineStep, shifts: shifts, limit: limit)
        var t = 0
        while t < length {
            let line = place.first(first, t)
            let to = words + t &* linesAtOnce
            var j = 0
            if line >= 0, line &+ linesAtOnce <= limit {
                let from = place.pixel(t, line)
                while j < linesAtOnce {
                    to[j] = from.loadUnaligned(fromByteOffset: j &* lineStep, as: UInt32.self)
                    j &+= 1
                }
            } else {
                while j < linesAtOnce {
                    to[j] = place.pixel(t, inside(line &+ j, limit)).loadUnaligned(as: UInt32.self)
                    j &+= 1
                }
            }
            t &+= 1
        }
    }

    /// Collects sixteen lines of wide pixels in the same way.
    @inline(never)
    package func gatherWideLines(
        _ picture: UnsafeMutableRawPointer, step: Int, lineStep: Int, shifts: UnsafePointer<Int32>, first: Int,
        limit: Int,
        length: Int, into words: UnsafeMutablePointer<UInt64>
    ) {
        let place = LinePlace(base: picture, step: step, lineStep: lineStep, shifts: shifts, limit: limit)
        var t = 0
        while t < length {
            let line = place.first(first, t)
            let to = words + t &* linesAtOnce
            var j = 0
            while j < linesAtOnce {
                to[j] = place.pixel(t, inside(line &+ j, limit)).loadUnaligned(as: UInt64.self)
                j &+= 1
            }
            t &+= 1
        }
    }

    /// Puts sixteen lines of wide pixels where `gatherLines` takes them from. Lines outside of the picture are skipped.
    /// - Parameter mask: the bits of a pixel that are replaced.
    @inline(never)
    package func scatterWideLines(
        _ words: UnsafePointer<UInt64>, mask: UInt64, into picture: UnsafeMutableRawPointer, step: Int, lineStep: Int,
        shifts: UnsafePointer<Int32>, first: Int, limit: Int, length: Int
    ) {
        let place = LinePlace(base: picture, step: step, lineStep: lineStep, shifts: shifts, limit: limit)
        var t = 0
        while t < length {
            let line = place.first(first, t)
            let from = words + t &* linesAtOnce
            var j = line < 0 ? 0 &- line : 0
            let end = limit &- line < linesAtOnce ? limit &- line : linesAtOnce
            while j < end {
                let to = place.pixel(t, line &+ j)
                putWide((widePixel(to, 0) & ~mask) | (UInt64(littleEndian: from[j]) & mask), 0, to)
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
    /// Transposes blocks of sixteen wide pixels of sixteen lines: from all lines' first pixels, all lines' second ones,
    /// and so on to the first line's pixels, the second line's, and so on.
    /// - Parameter count: of blocks.
    @inline(never)
    package func turnBlocks(_ blocks: UnsafePointer<UInt64>, into output: UnsafeMutablePointer<UInt64>, count: Int) {
        var (from, to) = (blocks, output)
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

    /// Writes rows of up to sixteen pixels of four bytes below each other.
    /// - Parameters:
    ///   - pixels: sixteen for each row.
    ///   - mask: the bits of a pixel that are replaced.
    ///   - picture: the first row's first pixel.
    ///   - stride: bytes from one row to the next.
    ///   - count: pixels of a row, 1…16.
    @inline(never)
    package func mergeColumn(
        _ pixels: UnsafeRawPointer, mask: UInt32, into picture: UnsafeMutableRawPointer, stride: Int, count: Int,
        rows: Int
    ) {
        var y = 0
        while y < rows {
            let (from, to) = (pixels + y &* (4 &* linesAtOnce), picture + y &* stride)
            var x = 0
            if count == linesAtOnce {
                while x < linesAtOnce {
                    put((pixel(to, x) & ~mask) | (pixel(from, x) & mask), x, to)
                    x &+= 1
                }
            } else {
                while x < count {
                    put((pixel(to, x) & ~mask) | (pixel(from, x) & mask), x, to)
                    x &+= 1
                }
            }
            y &+= 1
        }
    }

    /// Writes rows of wide pixels in the same way.
    @inline(never)
    package func mergeWideColumn(
        _ pixels: UnsafeRawPointer, mask: UInt64, into picture: UnsafeMutableRawPointer, stride: Int, count: Int,
        rows: Int
    ) {
        var y = 0
        while y < rows {
            let (from, to) = (pixels + y &* (8 &* linesAtOnce), picture + y &* stride)
            var x = 0
            if count == linesAtOnce {
                while x < linesAtOnce {
                    putWide((widePixel(to, x) & ~mask) | (widePixel(from, x) & mask), x, to)
                    x &+= 1
                }
            } else {
                while x < count {
                    putWide((widePixel(to, x) & ~mask) | (widePixel(from, x) & mask), x, to)
                    x &+= 1
                }
            }
            y &+= 1
        }
    }
}

// MARK: - Lanes from samples, and back

extension RowKernels {
    /// Converts bytes to lanes.
    @inline(never)
    package func fillLanes(_ output: UnsafeMutablePointer<Float>, bytes: UnsafePointer<UInt8>, count: Int) {
        var i = 0
        while i < count {
            output[i] = Float(Int32(truncatingIfNeeded: bytes[i])) * 256
            i &+= 1
        }
    }

    /// Converts wide samples to lanes.
    @inline(never)
    package func fillLanes(_ output: UnsafeMutablePointer<Float>, samples: UnsafePointer<UInt16>, count: Int) {
        var i = 0
        while i < count {
            output[i] = Float(Int32(truncatingIfNeeded: samples[i]))
            i &+= 1
        }
    }
}

@inline(__always)
private func limitedSample(_ value: Float) -> Float { lesser(greater(0, value), 65280) }

extension RowKernels {
    /// Converts lanes to wide samples, rounded.
    @inline(never)
    package func storeLanes(_ lanes: UnsafePointer<Float>, samples: UnsafeMutablePointer<UInt16>, count: Int) {
        var i = 0
        while i < count {
            samples[i] = UInt16(truncatingIfNeeded: (limitedSample(lanes[i]) + roundingBias).bitPattern)
            i &+= 1
        }
    }

    /// Converts lanes to bytes, rounded.
    @inline(never)
    package func storeLanes(_ lanes: UnsafePointer<Float>, bytes: UnsafeMutablePointer<UInt8>, count: Int) {
        var i = 0
        while i < count {
            bytes[i] = UInt8(truncatingIfNeeded: (limitedSample(lanes[i]) * (1 / 256) + roundingBias).bitPattern)
            i &+= 1
        }
    }
}
