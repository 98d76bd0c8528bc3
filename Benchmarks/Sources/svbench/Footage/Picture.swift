// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

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
    static let large = [hd, fullHD]
}

/// Pictures with varied content: slow waves of colour, edges and grain, so that no kernel meets only one case.
///
/// A seed gives a whole set: windows that pan down over one tall picture, as a moving camera would see it.
struct Picture {
    let size: FrameSize
    let count: Int
    private let step = 41
    private let pixels: OwnedImage

    init(size: FrameSize, count: Int, seed: UInt64) {
        (self.size, self.count) = (size, count)
        let (width, height) = (size.width, size.height + step * (count - 1))
        var random = Random(state: seed &* 0x9e37_79b9_7f4a_7c15 | 1)
        /// Returns one period of a sine of 0…170.
        func wave() -> [UInt32] {
            let length = Int(random.next() % 400) + 90
            let phase = Double(random.next() % 628) / 100
            return (0..<length).map { UInt32(85 + 85 * sin(Double($0) * 2 * .pi / Double(length) + phase)) }
        }
        let waves = (0..<4).map { _ in wave() }
        func level(_ wave: Int, _ position: Int) -> UInt32 { waves[wave][position % waves[wave].count] }
        pixels = OwnedImage(.bgra, width: width, height: height)
        for y in 0..<height {
            let row: UnsafeMutablePointer<UInt32> = pixels.image.row(y).cast()
            for x in 0..<width {
                let grain = UInt32(truncatingIfNeeded: random.next())
                let block = ((x >> 7) ^ (y >> 6)) & 7 == 5 ? UInt32(90) : 0
                // Red, green and blue or the reverse; the last byte is alpha, opaque as in any photograph.
                let first = level(0, x &+ y) + level(3, y) / 2 + block + grain & 15
                let second = level(1, x &+ 2 &* y) + level(3, x) / 2 + (grain >> 8) & 15
                let third = level(2, 3 &* x &+ y) + level(3, x &+ y) / 2 + (grain >> 16) & 15
                row[x] = min(first, 255) | min(second, 255) << 8 | min(third, 255) << 16 | 0xff00_0000
            }
        }
    }

    func image(_ index: Int) -> OwnedImage {
        let image = OwnedImage(.bgra, width: size.width, height: size.height)
        write(index, to: image.image.base)
        return image
    }

    /// Copies picture `index` of the set.
    func write(_ index: Int, to destination: UnsafeMutableRawPointer) {
        memcpy(destination, pixels.image.row(index % count * step), size.byteCount)
    }
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
