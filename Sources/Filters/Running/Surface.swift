// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// A picture of our own between two passes: four bytes for a pixel, or four 16-bit samples, in the places of the
/// frame's format. It has an extra column on the right and an extra row at the bottom, for passes that mix neighbours.
final class Surface {
    let width: Int
    let height: Int
    /// Room for pixels of 16-bit samples; those of four bytes take half of it.
    let base: UnsafeMutableRawPointer

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        let count = 8 * Self.stride(width: width) * (height + 1) + 64
        base = .allocate(byteCount: count, alignment: 64)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    }

    deinit { base.deallocate() }

    /// Pixels from one row to the next, chosen so that rows do not fall on the same lines of a cache.
    static func stride(width: Int) -> Int { (width + 1 + 15) / 16 * 16 + 16 }

    /// Index of a pixel below the picture, for transparent black.
    static func emptyPixel(width: Int, height: Int) -> Int { stride(width: width) * height }

    func rows(sixteenBit: Bool) -> PixelRows {
        PixelRows(
            base: base, stride: Self.stride(width: width) * (sixteenBit ? 8 : 4),
            depth: sixteenBit ? .sixteenBit : .four)
    }
}

/// Rows of pixels in memory.
struct PixelRows {
    enum Depth: Int {
        case gray = 1
        case three = 3
        case four = 4
        case sixteenBit = 8
        /// Pixels of 16-bit samples of a picture of half the size.
        case half = -1

        var hasFourSamples: Bool { self == .four || self == .sixteenBit }
    }

    let base: UnsafeMutableRawPointer
    /// Bytes from one row to the next.
    let stride: Int
    /// Bytes of a pixel, which distinguish the kinds.
    let depth: Depth

    /// Returns a pixel's address. Pictures of half the size have no pixels of their own for those of the frame.
    func pixel(_ x: Int, _ y: Int) -> UnsafeMutableRawPointer { base + (y &* stride &+ x &* depth.rawValue) }

    /// Returns the rows from a pixel on.
    func from(_ x: Int, _ y: Int) -> PixelRows { PixelRows(base: pixel(x, y), stride: stride, depth: depth) }
}

/// Places of a pixel's channels among its four samples. Those of grey frames, and the fourth of pixels of three bytes,
/// exist only between passes.
struct SampleOffsets: Hashable {
    let colors: ChannelOffsets
    /// Place of the fourth sample.
    let alphaOrPadding: UInt32

    init(_ format: PixelFormat) {
        colors = format.isGray ? ChannelOffsets(red: 0, green: 1, blue: 2) : format.offsets
        alphaOrPadding = 6 - colors.red - colors.green - colors.blue
    }

    /// The bits of red, green and blue in a pixel of four bytes.
    var colorByteMask: UInt32 { ~(255 << (8 * alphaOrPadding)) }
    /// The same in one of 16-bit samples.
    var colorMask: UInt64 { ~(0xFFFF << (16 * UInt64(alphaOrPadding))) }

    /// Returns the values of the channels in the order of a pixel's bytes.
    func inOrder<Value>(red: Value, green: Value, blue: Value, alphaOrPadding: Value) -> [Value] {
        (0..<4).map { place in
            switch UInt32(place) {
            case colors.red: red
            case colors.green: green
            case colors.blue: blue
            default: alphaOrPadding
            }
        }
    }
}
