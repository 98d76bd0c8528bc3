// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// An intermediate image between two passes. A pixel has four bytes or four 16-bit samples. The channels have the same
/// order as in the frame's format. The memory has one additional column and one additional row, for passes that
/// interpolate.
final class Surface {
    let width: Int
    let height: Int
    /// Memory for pixels with 16-bit samples. Four-byte pixels use only the first half of this memory.
    let base: UnsafeMutableRawPointer

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        let count = 8 * Self.stride(width: width) * (height + 1) + 64
        base = .allocate(byteCount: count, alignment: 64)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    }

    deinit { base.deallocate() }

    /// Returns the number of pixels from the start of a row to the start of the next row. For common frame widths, this
    /// number is not a power of two, so rows do not compete for the same cache lines.
    static func stride(width: Int) -> Int { (width + 1 + 15) / 16 * 16 + 16 }

    /// Returns the index of the empty pixel: a transparent black pixel below the image.
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
        /// Pixels with 16-bit samples, in an image with half the width and height of the frame.
        case half = -1

        var hasFourSamples: Bool { self == .four || self == .sixteenBit }
    }

    let base: UnsafeMutableRawPointer
    /// Number of bytes from the start of a row to the start of the next row.
    let stride: Int
    /// The layout of a pixel. Except for `half`, the raw value is the size of a pixel in bytes.
    let depth: Depth

    /// Returns the address of a pixel. Not valid if `depth` is `half`.
    func pixel(_ x: Int, _ y: Int) -> UnsafeMutableRawPointer { base + (y &* stride &+ x &* depth.rawValue) }

    /// Returns the same rows, but starting at the pixel (`x`, `y`).
    func from(_ x: Int, _ y: Int) -> PixelRows { PixelRows(base: pixel(x, y), stride: stride, depth: depth) }
}

/// The positions of the channels among the four samples of a pixel. For grey and three-byte formats, some of these
/// samples exist only in intermediate images.
struct SampleOffsets: Hashable {
    let colors: ChannelOffsets
    let alphaOrPadding: UInt32

    init(_ format: PixelFormat) {
        colors = format.isGray ? ChannelOffsets(red: 0, green: 1, blue: 2) : format.offsets
        alphaOrPadding = 6 - colors.red - colors.green - colors.blue
    }

    /// A mask of the bits of red, green and blue in a four-byte pixel.
    var colorByteMask: UInt32 { ~(255 << (8 * alphaOrPadding)) }
    /// A mask of the bits of red, green and blue in a pixel with 16-bit samples.
    var colorMask: UInt64 { ~(0xFFFF << (16 * UInt64(alphaOrPadding))) }

    /// Returns the values of the channels in the order of a pixel's samples.
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
