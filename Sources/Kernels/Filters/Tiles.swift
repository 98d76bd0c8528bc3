// Tiles: pieces of rows in real numbers. A tile is a plane of floats for each of red, green and blue, `plane` floats
// apart; 0…255 is the range of a byte, and between colour filters values may lie outside of it.
//
// Pictures between two passes are wide: a pixel is four 16-bit numbers in the places of the frame's bytes, in 1/256 of
// a byte's level (0…65280).

package import KernelTypes

/// Returns the position of a channel in a pixel's bytes, as the bits by which it is shifted.
@inline(__always)
func shift(_ place: UInt32) -> UInt32 { place &* 8 }

@inline(__always)
func wideShift(_ place: UInt32) -> UInt64 { UInt64(truncatingIfNeeded: place &* 16) }

/// Returns `value` clipped to 0…255; 0 for what is not a number.
@inline(__always)
func limited(_ value: Float) -> Float { lesser(greater(0, value), 255) }

/// Returns the nearest byte, in the low bits.
@inline(__always)
func rounded(_ value: Float) -> UInt32 { (limited(value) + roundingBias).bitPattern & 255 }

/// Returns the nearest multiple of 1/256, as a wide sample.
@inline(__always)
func roundedWide(_ value: Float) -> UInt64 {
    UInt64(truncatingIfNeeded: (limited(value) * 256 + roundingBias).bitPattern & 0xFFFF)
}

@inline(__always)
func channel(_ pixel: UInt32, _ shift: UInt32) -> Float { float((pixel &>> shift) & 255) }

@inline(__always)
func channel(_ pixel: UInt64, _ shift: UInt64) -> Float {
    float(UInt32(truncatingIfNeeded: pixel &>> shift) & 0xFFFF) * (1 / 256)
}

@inline(__always)
func pixel(_ pixels: UnsafeRawPointer, _ index: Int) -> UInt32 {
    UInt32(littleEndian: pixels.loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self))
}

@inline(__always)
func widePixel(_ pixels: UnsafeRawPointer, _ index: Int) -> UInt64 {
    UInt64(littleEndian: pixels.loadUnaligned(fromByteOffset: 8 &* index, as: UInt64.self))
}

extension RowKernels {
    /// Reads pixels of four bytes as a tile.
    /// - Parameters:
    ///   - tile: the red plane; green and blue follow.
    ///   - plane: floats from one plane to the next.
    ///   - offsets: where the colours are in a pixel.
    @inline(never)
    package func loadTile(
        _ pixels: UnsafeRawPointer, into tile: UnsafeMutablePointer<Float>, plane: Int, offsets: ChannelOffsets,
        count: Int
    ) {
        let (r, g, b) = (shift(offsets.red), shift(offsets.green), shift(offsets.blue))
        var i = 0
        while i < count {
            let word = pixel(pixels, i)
            tile[i] = channel(word, r)
            tile[i &+ plane] = channel(word, g)
            tile[i &+ 2 &* plane] = channel(word, b)
            i &+= 1
        }
    }

    /// Reads wide pixels as a tile.
    @inline(never)
    package func loadWideTile(
        _ pixels: UnsafeRawPointer, into tile: UnsafeMutablePointer<Float>, plane: Int, offsets: ChannelOffsets,
        count: Int
    ) {
        let (r, g, b) = (wideShift(offsets.red), wideShift(offsets.green), wideShift(offsets.blue))
        var i = 0
        while i < count {
            let word = widePixel(pixels, i)
            tile[i] = channel(word, r)
            tile[i &+ plane] = channel(word, g)
            tile[i &+ 2 &* plane] = channel(word, b)
            i &+= 1
        }
    }

    /// Reads one channel of wide pixels as a plane.
    @inline(never)
    package func loadWidePlane(
        _ pixels: UnsafeRawPointer, into plane: UnsafeMutablePointer<Float>, place: UInt32, count: Int
    ) {
        let from = wideShift(place)
        var i = 0
        while i < count {
            plane[i] = channel(widePixel(pixels, i), from)
            i &+= 1
        }
    }

    /// Writes a tile into pixels of four bytes, clipped and rounded; the fourth byte stays.
    @inline(never)
    package func storeTile(
        _ tile: UnsafePointer<Float>, plane: Int, into pixels: UnsafeMutableRawPointer, offsets: ChannelOffsets,
        count: Int
    ) {
        let (r, g, b) = (shift(offsets.red), shift(offsets.green), shift(offsets.blue))
        let colors = (255 &<< r) | (255 &<< g) | (255 &<< b) as UInt32
        var i = 0
        while i < count {
            let old = pixel(pixels, i) & ~colors
            let word = old | (rounded(tile[i]) &<< r) | (rounded(tile[i &+ plane]) &<< g)
            put(word | (rounded(tile[i &+ 2 &* plane]) &<< b), i, pixels)
            i &+= 1
        }
    }

    /// Writes a tile into wide pixels, clipped and rounded; the fourth sample stays.
    @inline(never)
    package func storeWideTile(
        _ tile: UnsafePointer<Float>, plane: Int, into pixels: UnsafeMutableRawPointer, offsets: ChannelOffsets,
        count: Int
    ) {
        let (r, g, b) = (wideShift(offsets.red), wideShift(offsets.green), wideShift(offsets.blue))
        let colors = (0xFFFF &<< r) | (0xFFFF &<< g) | (0xFFFF &<< b) as UInt64
        var i = 0
        while i < count {
            let old = widePixel(pixels, i) & ~colors
            let word = old | (roundedWide(tile[i]) &<< r) | (roundedWide(tile[i &+ plane]) &<< g)
            putWide(word | (roundedWide(tile[i &+ 2 &* plane]) &<< b), i, pixels)
            i &+= 1
        }
    }

    /// Writes a plane into one channel of wide pixels, clipped and rounded; the other samples stay.
    @inline(never)
    package func storeWidePlane(
        _ plane: UnsafePointer<Float>, into pixels: UnsafeMutableRawPointer, place: UInt32, count: Int
    ) {
        let to = wideShift(place)
        var i = 0
        while i < count {
            let old = widePixel(pixels, i) & ~(0xFFFF &<< to)
            putWide(old | (roundedWide(plane[i]) &<< to), i, pixels)
            i &+= 1
        }
    }
}

@inline(__always)
func putWide(_ word: UInt64, _ index: Int, _ pixels: UnsafeMutableRawPointer) {
    pixels.storeBytes(of: word.littleEndian, toByteOffset: 8 &* index, as: UInt64.self)
}

// MARK: - Grey, and the fourth byte

extension RowKernels {
    /// Converts grey bytes to pixels of four bytes, the grey in the first three, and 255 in the fourth.
    @inline(never)
    package func spreadGray(_ bytes: UnsafePointer<UInt8>, into pixels: UnsafeMutableRawPointer, count: Int) {
        var i = 0
        while i < count {
            put(UInt32(truncatingIfNeeded: bytes[i]) &* 0x1_0101 | 0xFF00_0000, i, pixels)
            i &+= 1
        }
    }

    /// Writes Rec.601 luma of a tile as grey bytes, clipped and rounded. The channels are clipped first, as those of a
    /// picture in colour would be.
    @inline(never)
    package func storeGray(
        _ tile: UnsafePointer<Float>, plane: Int, into bytes: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        while i < count {
            let color = RGB(red: tile[i], green: tile[i &+ plane], blue: tile[i &+ 2 &* plane])
            bytes[i] = UInt8(truncatingIfNeeded: rounded(luma(color.limited)))
            i &+= 1
        }
    }
}

/// Rec.601 luma.
@inline(__always)
func luma(_ color: RGB) -> Float { plus(plus(0.299 * color.red, 0.587, color.green), 0.114, color.blue) }

extension RowKernels {
    /// Replaces the bits of `mask` in pixels of four bytes by those of others.
    @inline(never)
    package func mergePixels(
        _ pixels: UnsafeRawPointer, into output: UnsafeMutableRawPointer, mask: UInt32, count: Int
    ) {
        var i = 0
        while i < count {
            put((pixel(output, i) & ~mask) | (pixel(pixels, i) & mask), i, output)
            i &+= 1
        }
    }

    /// Replaces the bits of `mask` in wide pixels by those of others.
    @inline(never)
    package func mergeWidePixels(
        _ pixels: UnsafeRawPointer, into output: UnsafeMutableRawPointer, mask: UInt64, count: Int
    ) {
        var i = 0
        while i < count {
            putWide((widePixel(output, i) & ~mask) | (widePixel(pixels, i) & mask), i, output)
            i &+= 1
        }
    }

    /// Replaces the bits of `mask` in pixels of four bytes by those of wide ones, rounded.
    @inline(never)
    package func mergeNarrowed(
        _ widePixels: UnsafeRawPointer, into output: UnsafeMutableRawPointer, mask: UInt32, count: Int
    ) {
        var i = 0
        while i < count {
            let wide = widePixel(widePixels, i) &+ 0x0080_0080_0080_0080
            let low = UInt32(truncatingIfNeeded: wide >> 8) & 255 | UInt32(truncatingIfNeeded: wide >> 16) & 0xFF00
            let high =
                UInt32(truncatingIfNeeded: wide >> 24) & 0xFF_0000 | UInt32(truncatingIfNeeded: wide >> 32)
                & 0xFF00_0000
            put((pixel(output, i) & ~mask) | ((low | high) & mask), i, output)
            i &+= 1
        }
    }

    /// Replaces the bits of `mask` in wide pixels by those of pixels of four bytes.
    @inline(never)
    package func mergeWidened(
        _ pixels: UnsafeRawPointer, into output: UnsafeMutableRawPointer, mask: UInt64, count: Int
    ) {
        var i = 0
        while i < count {
            let word = UInt64(truncatingIfNeeded: pixel(pixels, i))
            let low = (word & 255) << 8 | (word & 0xFF00) << 16
            let high = (word & 0xFF_0000) << 24 | (word & 0xFF00_0000) << 32
            putWide((widePixel(output, i) & ~mask) | ((low | high) & mask), i, output)
            i &+= 1
        }
    }
}
