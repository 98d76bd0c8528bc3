// SPDX-License-Identifier: LGPL-2.1-or-later
// Conversions between three-byte and four-byte pixels. The kernels convert four pixels at once: three words of 32 bits
// contain four three-byte pixels.

extension RowKernels {
    /// Converts three-byte pixels to four-byte pixels.
    /// - Parameters:
    ///   - pixels: `count` pixels of three bytes.
    ///   - output: `count` pixels of four bytes. The fourth byte of each pixel is undefined.
    @inline(never)
    package func widenPixels(_ pixels: UnsafeRawPointer, into output: UnsafeMutableRawPointer, count: Int) {
        var i = 0
        while i &+ 4 <= count {
            let (first, second, third) = (word(0, pixels + 3 &* i), word(1, pixels + 3 &* i), word(2, pixels + 3 &* i))
            let to = output + 4 &* i
            put(first, 0, to)
            put((first >> 24) | (second << 8), 1, to)
            put((second >> 16) | (third << 16), 2, to)
            put(third >> 8, 3, to)
            i &+= 4
        }
        while i < count {
            copyPixel(from: pixels + 3 &* i, to: output + 4 &* i)
            i &+= 1
        }
    }

    /// Converts four-byte pixels to three-byte pixels. This is the inverse of `widenPixels`.
    /// - Parameters:
    ///   - pixels: `count` pixels of four bytes.
    ///   - output: `count` pixels of three bytes.
    @inline(never)
    package func narrowPixels(_ pixels: UnsafeRawPointer, into output: UnsafeMutableRawPointer, count: Int) {
        var i = 0
        while i &+ 4 <= count {
            let from = pixels + 4 &* i
            let (second, third) = (word(1, from) & 0xFF_FFFF, word(2, from) & 0xFF_FFFF)
            let to = output + 3 &* i
            put((word(0, from) & 0xFF_FFFF) | (second << 24), 0, to)
            put((second >> 8) | (third << 16), 1, to)
            put((third >> 16) | (word(3, from) << 8), 2, to)
            i &+= 4
        }
        while i < count {
            copyPixel(from: pixels + 4 &* i, to: output + 3 &* i)
            i &+= 1
        }
    }
}

@inline(__always)
func word(_ index: Int, _ pointer: UnsafeRawPointer) -> UInt32 {
    UInt32(littleEndian: pointer.loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self))
}

@inline(__always)
func put(_ word: UInt32, _ index: Int, _ pointer: UnsafeMutableRawPointer) {
    pointer.storeBytes(of: word.littleEndian, toByteOffset: 4 &* index, as: UInt32.self)
}

@inline(__always)
func copyPixel(from: UnsafeRawPointer, to: UnsafeMutableRawPointer) {
    to.storeBytes(of: from.load(as: UInt8.self), as: UInt8.self)
    to.storeBytes(of: from.load(fromByteOffset: 1, as: UInt8.self), toByteOffset: 1, as: UInt8.self)
    to.storeBytes(of: from.load(fromByteOffset: 2, as: UInt8.self), toByteOffset: 2, as: UInt8.self)
}
