// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels for tiles. A tile is a part of a row in floats: planes of red, green and blue, `plane` floats apart. The
// range is 0…255, as in bytes. Between two colour filters, values may exceed this range.
//
// A pixel has four samples. The samples are bytes in the order of the frame. Between two passes, the samples may be
// 16-bit integers in the same order. The unit of a 16-bit sample is 1/256 of a byte level (0…65280).

package import KernelTypes

/// Returns `value` limited to 0…255. For NaN, returns 0.
@inline(__always)
func limited(_ value: Float) -> Float { lesser(greater(0, value), 255) }

/// Returns `value`, rounded and limited to 0…255, as an integer.
@inline(__always)
func rounded(_ value: Float) -> UInt32 { (limited(value) + roundingBias).bitPattern & 255 }

/// A pixel of four samples as one integer. The first sample is in the lowest bits. The protocol does not inherit from
/// an integer protocol of the standard library. Otherwise, the compiler would emit weak symbols for conformances, which
/// are not allowed here (see Rows.swift).
protocol PixelWord {
    static func & (a: Self, b: Self) -> Self
    static func | (a: Self, b: Self) -> Self
    static prefix func ~ (a: Self) -> Self
    init(_ pixels: UnsafeRawPointer, _ index: Int)
    /// Creates a pixel in which the sample at `index` (0…3) is the rounded level. All other samples are 0.
    init(level: Float, at index: UInt32)
    /// Creates a pixel in which all bits of the sample at `index` are 1. All other bits are 0.
    init(maskAt index: UInt32)
    func put(_ index: Int, _ pixels: UnsafeMutableRawPointer)
    func level(at index: UInt32) -> Float
}

extension UInt32: PixelWord {
    @inline(__always)
    init(_ pixels: UnsafeRawPointer, _ index: Int) { self = word(index, pixels) }

    @inline(__always)
    init(level: Float, at index: UInt32) { self = rounded(level) &<< (index &* 8) }

    @inline(__always)
    init(maskAt index: UInt32) { self = 255 &<< (index &* 8) }

    @inline(__always)
    func put(_ index: Int, _ pixels: UnsafeMutableRawPointer) {
        pixels.storeBytes(of: littleEndian, toByteOffset: 4 &* index, as: UInt32.self)
    }

    @inline(__always)
    func level(at index: UInt32) -> Float { float((self &>> (index &* 8)) & 255) }
}

extension UInt64: PixelWord {
    @inline(__always)
    init(_ pixels: UnsafeRawPointer, _ index: Int) {
        self = UInt64(littleEndian: pixels.loadUnaligned(fromByteOffset: 8 &* index, as: UInt64.self))
    }

    @inline(__always)
    init(level: Float, at index: UInt32) {
        let sample = (limited(level) * 256 + roundingBias).bitPattern & 0xFFFF
        self = UInt64(truncatingIfNeeded: sample) &<< UInt64(truncatingIfNeeded: index &* 16)
    }

    @inline(__always)
    init(maskAt index: UInt32) { self = 0xFFFF &<< UInt64(truncatingIfNeeded: index &* 16) }

    @inline(__always)
    func put(_ index: Int, _ pixels: UnsafeMutableRawPointer) {
        pixels.storeBytes(of: littleEndian, toByteOffset: 8 &* index, as: UInt64.self)
    }

    @inline(__always)
    func level(at index: UInt32) -> Float {
        float(UInt32(truncatingIfNeeded: self &>> UInt64(truncatingIfNeeded: index &* 16)) & 0xFFFF) * (1 / 256)
    }
}

extension RowKernels {
    /// Converts pixels to floats in a tile.
    /// - Parameters:
    ///   - tile: the planes of red, green and blue.
    ///   - plane: the number of floats from a plane to the next plane.
    ///   - offsets: the indices of the colours in a pixel.
    @inline(never)
    package func loadTile(
        _ pixels: UnsafeRawPointer, sixteenBit: Bool, into tile: UnsafeMutablePointer<Float>, plane: Int,
        offsets: ChannelOffsets, count: Int
    ) {
        @inline(__always) func load<Word: PixelWord>(_: Word.Type) {
            var i = 0
            while i < count {
                let word = Word(pixels, i)
                tile[i] = word.level(at: offsets.red)
                tile[i &+ plane] = word.level(at: offsets.green)
                tile[i &+ 2 &* plane] = word.level(at: offsets.blue)
                i &+= 1
            }
        }
        if sixteenBit { load(UInt64.self) } else { load(UInt32.self) }
    }

    /// Copies the sample at `index` of each pixel into a plane of floats. The pixels have 16-bit samples.
    @inline(never)
    package func loadPlane(
        _ pixels: UnsafeRawPointer, index: UInt32, into plane: UnsafeMutablePointer<Float>, count: Int
    ) {
        var i = 0
        while i < count {
            plane[i] = UInt64(pixels, i).level(at: index)
            i &+= 1
        }
    }

    /// Writes the colours of a tile into pixels, limited and rounded. The fourth sample of each pixel does not change.
    @inline(never)
    package func storeTile(
        _ tile: UnsafePointer<Float>, plane: Int, into pixels: UnsafeMutableRawPointer, sixteenBit: Bool,
        offsets: ChannelOffsets, count: Int
    ) {
        @inline(__always) func store<Word: PixelWord>(_: Word.Type) {
            let (r, g, b) = (offsets.red, offsets.green, offsets.blue)
            let colors = Word(maskAt: r) | Word(maskAt: g) | Word(maskAt: b)
            var i = 0
            while i < count {
                let old = Word(pixels, i) & ~colors
                let word = old | Word(level: tile[i], at: r) | Word(level: tile[i &+ plane], at: g)
                (word | Word(level: tile[i &+ 2 &* plane], at: b)).put(i, pixels)
                i &+= 1
            }
        }
        if sixteenBit { store(UInt64.self) } else { store(UInt32.self) }
    }

    /// Writes a plane of floats into the sample at `index` of each pixel, limited and rounded. The other samples of the
    /// pixels do not change. The pixels have 16-bit samples.
    @inline(never)
    package func storePlane(
        _ plane: UnsafePointer<Float>, into pixels: UnsafeMutableRawPointer, index: UInt32, count: Int
    ) {
        var i = 0
        while i < count {
            let old = UInt64(pixels, i) & ~UInt64(maskAt: index)
            (old | UInt64(level: plane[i], at: index)).put(i, pixels)
            i &+= 1
        }
    }

    /// Writes the Rec.601 luma of a tile as grey bytes, rounded. Limits the channels before it computes luma, so that
    /// the luma is the same as for a colour image.
    @inline(never)
    package func storeGray(
        _ tile: UnsafePointer<Float>, plane: Int, into bytes: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        while i < count {
            let color = RGB(red: tile[i], green: tile[i &+ plane], blue: tile[i &+ 2 &* plane])
            bytes[i] = UInt8(truncatingIfNeeded: rounded(luma(color.map { limited($0) })))
            i &+= 1
        }
    }
}

// MARK: - Colours in rows of bytes

extension RowKernels {
    /// Converts rows of red, green and blue bytes to floats in a tile.
    /// - Parameters:
    ///   - colors: the rows of red, green and blue bytes.
    ///   - colorPlane: the number of bytes from a row in `colors` to the next row.
    ///   - tile: the planes of red, green and blue.
    ///   - plane: the number of floats from a plane to the next plane.
    @inline(never)
    package func loadTile(
        colors: UnsafePointer<UInt8>, colorPlane: Int, into tile: UnsafeMutablePointer<Float>, plane: Int, count: Int
    ) {
        var channel = 0
        while channel < 3 {
            let (from, to) = (colors + channel &* colorPlane, tile + channel &* plane)
            var i = 0
            while i < count {
                to[i] = float(UInt32(truncatingIfNeeded: from[i]))
                i &+= 1
            }
            channel &+= 1
        }
    }

    /// Writes a tile into rows of red, green and blue bytes, limited and rounded. This is the inverse of `loadTile`.
    @inline(never)
    package func storeTile(
        _ tile: UnsafePointer<Float>, plane: Int, intoColors colors: UnsafeMutablePointer<UInt8>, colorPlane: Int,
        count: Int
    ) {
        var channel = 0
        while channel < 3 {
            let (from, to) = (tile + channel &* plane, colors + channel &* colorPlane)
            var i = 0
            while i < count {
                to[i] = UInt8(truncatingIfNeeded: rounded(from[i]))
                i &+= 1
            }
            channel &+= 1
        }
    }

    /// Marks the pixels whose colours differ between `colors` and `before`.
    /// - Parameters:
    ///   - colors: rows of `count` red, green and blue bytes.
    ///   - before: rows of `count` red, green and blue bytes.
    ///   - plane: the number of bytes from a row to the next row.
    ///   - marks: `count` bytes: 255 if a channel of the pixel differs, else 0.
    @inline(never)
    package func markChanges(
        of colors: UnsafePointer<UInt8>, since before: UnsafePointer<UInt8>, plane: Int,
        into marks: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        while i < count {
            let (red, green) = (colors[i] ^ before[i], colors[i &+ plane] ^ before[i &+ plane])
            let changes = red | green | (colors[i &+ 2 &* plane] ^ before[i &+ 2 &* plane])
            marks[i] = changes == 0 ? 0 : 255
            i &+= 1
        }
    }
}

/// Returns the Rec.601 luma of a colour.
@inline(__always)
func luma(_ color: RGB) -> Float { plus(plus(0.299 * color.red, 0.587, color.green), 0.114, color.blue) }

extension RowKernels {
    /// Copies some samples of pixels into other pixels. If the formats differ, converts between bytes and 16-bit
    /// samples. Bytes are rounded.
    /// - Parameters:
    ///   - step: the number of bytes from an input row to the next input row.
    ///   - stride: the number of bytes from an output row to the next output row.
    ///   - mask: the samples to replace, as the bits of a pixel with 16-bit samples.
    ///   - count: the number of pixels in a row.
    @inline(never)
    package func mergePixels(
        _ pixels: UnsafeRawPointer, fromSixteenBit: Bool, step: Int, into output: UnsafeMutableRawPointer,
        toSixteenBit: Bool, stride: Int, mask: UInt64, count: Int, rows: Int
    ) {
        @inline(__always) func merge<From: PixelWord, To: PixelWord>(_ mask: To, _ converted: (From) -> To) {
            @inline(__always) func merge(_ y: Int, _ count: Int) {
                let (from, to) = (pixels + y &* step, output + y &* stride)
                var x = 0
                while x < count {
                    ((To(to, x) & ~mask) | (converted(From(from, x)) & mask)).put(x, to)
                    x &+= 1
                }
            }
            var y = 0
            while y < rows {
                // Many rows have exactly `linesAtOnce` pixels. With this constant as the count, the loop is faster.
                if count == linesAtOnce { merge(y, linesAtOnce) } else { merge(y, count) }
                y &+= 1
            }
        }
        switch (fromSixteenBit, toSixteenBit) {
        case (false, false): merge(bytes(mask)) { (pixel: UInt32) in pixel }
        case (true, true): merge(mask) { (pixel: UInt64) in pixel }
        case (true, false): merge(bytes(mask)) { (pixel: UInt64) in bytes(pixel &+ 0x0080_0080_0080_0080) }
        case (false, true):
            merge(mask) { (pixel: UInt32) in
                let word = UInt64(truncatingIfNeeded: pixel)
                let low = (word & 255) << 8 | (word & 0xFF00) << 16
                return low | (word & 0xFF_0000) << 24 | (word & 0xFF00_0000) << 32
            }
        }
    }
}

/// Returns the high byte of each of the four samples of a pixel.
@inline(__always)
private func bytes(_ pixel: UInt64) -> UInt32 {
    let low = UInt32(truncatingIfNeeded: pixel >> 8) & 255 | UInt32(truncatingIfNeeded: pixel >> 16) & 0xFF00
    let high = UInt32(truncatingIfNeeded: pixel >> 24) & 0xFF_0000
    return low | high | UInt32(truncatingIfNeeded: pixel >> 32) & 0xFF00_0000
}
