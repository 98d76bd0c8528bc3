// SPDX-License-Identifier: LGPL-2.1-or-later
// Row kernels that split, join, replace, narrow and widen samples.

package import KernelTypes

extension RowKernels {
    /// Splits pairs of bytes into two rows.
    /// - Parameters:
    ///   - pairs: 2 × `count` bytes.
    ///   - first: receives the first byte of each pair, `count` bytes.
    ///   - second: receives the second byte of each pair, `count` bytes.
    @inline(never)
    package func splitPairs(
        _ pairs: UnsafeRawPointer, into first: UnsafeMutablePointer<UInt8>, _ second: UnsafeMutablePointer<UInt8>,
        count: Int
    ) {
        var i = 0
        while i < count {
            let pair = UInt16(littleEndian: pairs.loadUnaligned(fromByteOffset: 2 &* i, as: UInt16.self))
            first[i] = narrow(pair)
            second[i] = narrow(pair >> 8)
            i &+= 1
        }
    }

    /// Joins bytes into pairs. This is the inverse of `splitPairs`.
    @inline(never)
    package func joinPairs(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, into pairs: UnsafeMutableRawPointer, count: Int
    ) {
        var i = 0
        while i < count {
            pairs.storeBytes(
                of: (wide(first[i]) | (wide(second[i]) << 8)).littleEndian, toByteOffset: 2 &* i, as: UInt16.self)
            i &+= 1
        }
    }

    /// Replaces all bytes that have a weight above 0.
    /// - Parameters:
    ///   - bytes: `count` bytes, changed in place.
    ///   - others: `count` bytes. Each byte replaces the byte at the same index.
    ///   - weights: `count` weights.
    @inline(never)
    package func replace(
        _ bytes: UnsafeMutablePointer<UInt8>, by others: UnsafePointer<UInt8>, where weights: UnsafePointer<UInt8>,
        count: Int
    ) {
        var i = 0
        while i < count {
            let mask: UInt8 = weights[i] == 0 ? 0 : 255
            bytes[i] ^= (bytes[i] ^ others[i]) & mask
            i &+= 1
        }
    }

    /// Combines the weights of the pixels that share a chroma sample. If one of these weights is above 0, the output
    /// byte is above 0.
    /// - Parameters:
    ///   - first: `count` weights. If `doubled` is true, 2 × `count` weights.
    ///   - second: as many weights as `first`. May be the same as `first`.
    ///   - doubled: true if two adjacent pixels share a chroma sample.
    ///   - output: `count` bytes.
    @inline(never)
    package func joinWeights(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, doubled: Bool,
        into output: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        if doubled {
            let (firsts, seconds) = (UnsafeRawPointer(first), UnsafeRawPointer(second))
            while i < count {
                let a = firsts.loadUnaligned(fromByteOffset: 2 &* i, as: UInt16.self)
                let both = a | seconds.loadUnaligned(fromByteOffset: 2 &* i, as: UInt16.self)
                output[i] = narrow(both | (both >> 8))
                i &+= 1
            }
        } else {
            while i < count {
                output[i] = first[i] | second[i]
                i &+= 1
            }
        }
    }
}

extension RowKernels {
    /// Joins red, green and blue samples into four-byte pixels.
    /// - Parameters:
    ///   - red: `count` bytes.
    ///   - green: `count` bytes.
    ///   - blue: `count` bytes.
    ///   - offsets: the byte positions of the colours in a pixel, all different. The fourth byte becomes 255.
    ///   - pixels: `count` pixels.
    @inline(never)
    package func joinColors(
        _ red: UnsafePointer<UInt8>, _ green: UnsafePointer<UInt8>, _ blue: UnsafePointer<UInt8>,
        offsets: ChannelOffsets, into pixels: UnsafeMutableRawPointer, count: Int
    ) {
        let (toRed, toGreen, toBlue) = ((offsets.red & 3) &* 8, (offsets.green & 3) &* 8, (offsets.blue & 3) &* 8)
        let filled = ~((UInt32(255) &<< toRed) | (UInt32(255) &<< toGreen) | (UInt32(255) &<< toBlue))
        var i = 0
        while i < count {
            let (r, g) = (
                UInt32(truncatingIfNeeded: red[i]) &<< toRed, UInt32(truncatingIfNeeded: green[i]) &<< toGreen
            )
            put(r | g | (UInt32(truncatingIfNeeded: blue[i]) &<< toBlue) | filled, i, pixels)
            i &+= 1
        }
    }

    /// Converts 10-bit samples to bytes, rounded to the nearest integer.
    /// - Parameters:
    ///   - words: `count` little-endian 16-bit words.
    ///   - shift: the number of bits by which the kernel shifts words to the right.
    ///   - bytes: `count` bytes.
    @inline(never)
    package func narrowWords(
        _ words: UnsafeRawPointer, shift: UInt16, into bytes: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let half = UInt16(1) &<< (shift &- 1)
        var i = 0
        while i < count {
            let word = UInt16(littleEndian: words.loadUnaligned(fromByteOffset: 2 &* i, as: UInt16.self))
            let rounded = (word < 65535 &- half ? word &+ half : 65535) &>> shift
            bytes[i] = narrow(rounded > 255 ? 255 : rounded)
            i &+= 1
        }
    }

    /// Converts bytes to 10-bit samples. If the weight of a byte is 0, the sample at the same index does not change.
    /// - Parameters:
    ///   - bytes: `count` bytes.
    ///   - shift: the number of bits by which the kernel shifts bytes to the left.
    ///   - weights: `count` bytes.
    ///   - words: `count` little-endian 16-bit words.
    @inline(never)
    package func widenBytes(
        _ bytes: UnsafePointer<UInt8>, shift: UInt16, where weights: UnsafePointer<UInt8>,
        into words: UnsafeMutableRawPointer, count: Int
    ) {
        var i = 0
        while i < count {
            let old = UInt16(littleEndian: words.loadUnaligned(fromByteOffset: 2 &* i, as: UInt16.self))
            let mask: UInt16 = weights[i] == 0 ? 0 : 65535
            let new = old ^ ((old ^ (wide(bytes[i]) &<< shift)) & mask)
            words.storeBytes(of: new.littleEndian, toByteOffset: 2 &* i, as: UInt16.self)
            i &+= 1
        }
    }
}
