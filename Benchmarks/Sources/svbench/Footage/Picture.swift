import Glibc

/// The size of a frame in pixels.
struct FrameSize: Codable, Hashable, CustomStringConvertible {
    let width: Int
    let height: Int

    /// Number of bytes in formats of four bytes a pixel.
    var byteCount: Int { width * height * 4 }
    var description: String { "\(width)x\(height)" }

    static let carphone = FrameSize(width: 176, height: 144)
    static let vga = FrameSize(width: 640, height: 480)
    static let hd = FrameSize(width: 1280, height: 720)
    static let fullHD = FrameSize(width: 1920, height: 1080)
}

/// Pictures with varied content: slow waves of colour, edges and grain, so that no kernel meets only one case.
///
/// A seed gives a whole set: windows that pan down over one tall picture, as a moving camera would see it.
struct Picture {
    let size: FrameSize
    let count: Int
    private let step = 41
    private let pixels: [UInt32]

    init(size: FrameSize, count: Int, seed: UInt64) {
        self.size = size
        self.count = count
        let (width, height) = (size.width, size.height + step * (count - 1))
        var random = Random(state: seed &* 0x9e37_79b9_7f4a_7c15 | 1)
        let waves = (0..<4).map { _ in Wave(length: Int(random.next() % 400) + 90, random: &random) }
        var pixels: [UInt32] = []
        pixels.reserveCapacity(width * height)
        for y in 0..<height {
            for x in 0..<width {
                let grain = UInt32(truncatingIfNeeded: random.next())
                let block = ((x >> 7) ^ (y >> 6)) & 7 == 5 ? UInt32(90) : 0
                // Red, green and blue or the reverse; the last byte is alpha, opaque as in any photograph.
                let first = waves[0][x &+ y] + waves[3][y] / 2 + block + grain & 15
                let second = waves[1][x &+ 2 &* y] + waves[3][x] / 2 + (grain >> 8) & 15
                let third = waves[2][3 &* x &+ y] + waves[3][x &+ y] / 2 + (grain >> 16) & 15
                pixels.append(min(first, 255) | min(second, 255) << 8 | min(third, 255) << 16 | 0xff00_0000)
            }
        }
        self.pixels = pixels
    }

    /// Copies picture `index` of the set, or some rows of it.
    func write(_ index: Int, rows: Range<Int>? = nil, to destination: UnsafeMutableRawPointer) {
        let rows = rows ?? 0..<size.height
        pixels.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            let row = (index % count) * step + rows.lowerBound
            memcpy(destination, start + row * size.width * 4, rows.count * size.width * 4)
        }
    }
}

/// One period of a sine of 0…170.
private struct Wave {
    private let values: [UInt32]

    init(length: Int, random: inout Random) {
        let phase = Double(random.next() % 628) / 100
        values = (0..<length).map { UInt32(85 + 85 * sin(Double($0) * 2 * .pi / Double(length) + phase)) }
    }

    subscript(position: Int) -> UInt32 { values[position % values.count] }
}

/// Marsaglia's xorshift: the same pictures in every run.
struct Random {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
