// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// An image with its own memory. It has padding after each row, and guard bytes before and after the image. Padding and
/// guard bytes have a known value.
final class Picture {
    static let guardBytes = 64
    static let filler: UInt8 = 0xA5

    let image: Image
    private let memory: UnsafeMutableRawBufferPointer

    init(_ format: PixelFormat, width: Int, height: Int, padding: Int = 0) {
        let stride = width * format.bytesPerPixel + padding
        memory = .allocate(byteCount: stride * height + 2 * Self.guardBytes, alignment: 1)
        memory.initializeMemory(as: UInt8.self, repeating: Self.filler)
        guard let start = memory.baseAddress else { preconditionFailure("no memory for a picture") }
        image = Image(base: start + Self.guardBytes, width: width, height: height, stride: stride, format: format)
    }

    deinit { memory.deallocate() }

    /// All bytes, including guard bytes and padding.
    var bytes: [UInt8] { Array(memory) }

    /// Replaces all bytes by the bytes of an image with the same format, size and padding.
    func restore(_ bytes: [UInt8]) { memory.copyBytes(from: bytes) }

    /// The bytes of a pixel.
    subscript(x: Int, y: Int) -> [UInt8] {
        get {
            let start = image.row(y) + x * image.format.bytesPerPixel
            return (0..<image.format.bytesPerPixel).map { start[$0] }
        }
        set {
            let start = image.row(y) + x * image.format.bytesPerPixel
            for (offset, byte) in newValue.enumerated() { start[offset] = byte }
        }
    }

    /// True if no guard byte and no padding byte has changed.
    var isIntactAround: Bool {
        memory.indices.allSatisfy { index in
            let (row, column) = (index - Self.guardBytes).quotientAndRemainder(dividingBy: image.stride)
            let isPixel = index >= Self.guardBytes && row < image.height && column < image.rowBytes
            return isPixel || memory[index] == Self.filler
        }
    }

    func fill(_ byte: (_ x: Int, _ y: Int) -> UInt8) {
        for y in 0..<image.height {
            let row = image.row(y)
            for x in 0..<image.rowBytes { row[x] = byte(x, y) }
        }
    }

    func fillAtRandom(_ random: inout Random) {
        for y in 0..<image.height {
            let row = image.row(y)
            for x in 0..<image.rowBytes { row[x] = random.byte() }
        }
    }
}

/// Reproducible random numbers (xorshift64*). One in eight random bytes is replaced by 0 or 255.
struct Random {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }

    mutating func byte() -> UInt8 {
        let bits = next() >> 32
        switch bits & 0xF00 {
        case 0x000: return 0
        case 0x100: return 255
        default: return UInt8(truncatingIfNeeded: bits)
        }
    }
}
