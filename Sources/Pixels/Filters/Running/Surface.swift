internal import KernelTypes

/// A picture of our own between two passes: four bytes for a pixel, or four 16-bit samples, in the places of the
/// frame's format. It has an extra column on the right and an extra row at the bottom, for passes that mix neighbours.
final class Surface {
    let width: Int
    let height: Int
    /// Room for wide pixels; those of four bytes take half of it.
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

    /// Index of a pixel that is never written to: all its bytes are 0.
    static func emptyPixel(width: Int, height: Int) -> Int { stride(width: width) * height }

    func rows(isWide: Bool) -> PixelRows {
        PixelRows(
            base: base, stride: Self.stride(width: width) * (isWide ? 8 : 4), depth: isWide ? .wide : .four)
    }
}

/// Rows of pixels in memory.
struct PixelRows {
    enum Depth: Int {
        case gray = 1
        case three = 3
        case four = 4
        case wide = 8
        /// Wide pixels of a picture of half the size.
        case half = -1
    }

    let base: UnsafeMutableRawPointer
    /// Bytes from one row to the next.
    let stride: Int
    /// Bytes of a pixel, which distinguish the kinds.
    let depth: Depth

    /// Returns a pixel's address. Pictures of half the size have no pixels of their own for those of the frame.
    func pixel(_ x: Int, _ y: Int) -> UnsafeMutableRawPointer { base + (y &* stride &+ x &* depth.rawValue) }
}

/// Places of a pixel's channels among its four samples. Those of grey frames, and the fourth of pixels of three bytes,
/// exist only between passes.
struct ChannelPlaces: Hashable {
    let colors: ChannelOffsets
    /// Place of alpha or padding.
    let fourth: UInt32

    init(_ format: PixelFormat) {
        colors = format.isGray ? ChannelOffsets(red: 0, green: 1, blue: 2) : format.offsets
        fourth = 6 - colors.red - colors.green - colors.blue
    }

    /// The bits of the fourth byte.
    var fourthMask: UInt32 { 255 << (8 * fourth) }
    var wideFourthMask: UInt64 { 0xFFFF << (16 * UInt64(fourth)) }
}
