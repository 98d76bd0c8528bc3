// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCVCheck
import Drawing
import Filters
import Imaging
import Testing
import Vision
import KernelTypes

@Suite("Edges")
struct EdgesTests {
    private static let kernels = Processor.kernelSets
    private static let thresholds: [(low: Double, high: Double)] = [
        (10, 50), (100, 200), (300, 90), (0, 0), (1000.5, 3000), (40_000, 1_000_000),
    ]

    /// Draws shapes and noise. The padding of the rows contains noise, too.
    private static func picture(_ width: Int, _ height: Int, grain: UInt64) -> (bytes: [UInt8], stride: Int) {
        var state: UInt64 = 88_172_645_463_325_252 &+ grain
        let stride = width + 5
        var bytes = [UInt8](repeating: 0, count: stride * height)
        for y in 0..<height {
            for x in 0..<stride {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                let block = ((x >> 4) ^ (y >> 3)) & 1 == 0 ? 60 : 130
                let ring = (x * x + 3 * y * y) / 300 % 50
                bytes[y * stride + x] = UInt8(clamping: block + ring + (grain > 0 ? Int(state % grain) : 0))
            }
        }
        return (bytes, stride)
    }

    /// Returns the number of pixels where the edges of this project and of OpenCV differ.
    private static func differences(
        _ finder: EdgeFinder, _ picture: (bytes: [UInt8], stride: Int), _ width: Int, _ height: Int,
        _ settings: EdgeFinder.Settings
    ) throws -> (wrong: Int, edges: Int) {
        var (bytes, expected) = (picture.bytes, [UInt8](repeating: 0, count: width * height))
        let status = sv_check_canny(
            bytes, Int32(width), Int32(height), picture.stride, 0, settings.low, settings.high,
            settings.aperture.rawValue, settings.isEuclidean ? 1 : 0, &expected)
        #expect(status == 0)
        try bytes.withUnsafeMutableBytes { memory in
            let base = try #require(memory.baseAddress)
            finder.find(
                in: Image(base: base, width: width, height: height, stride: picture.stride, format: .gray8), settings)
        }
        var wrong = 0
        for y in 0..<height {
            for x in 0..<width where finder.isEdge(x: x, y: y) != (expected[y * width + x] != 0) { wrong += 1 }
        }
        return (wrong, expected.filter { $0 != 0 }.count)
    }

    @Test(
        "The very edges that OpenCV finds", arguments: SobelAperture.allCases, kernels.indices)
    func openCV(_ aperture: SobelAperture, _ set: Int) throws {
        let finder = EdgeFinder(kernels: Self.kernels[set])
        var edges = 0
        for (width, height) in [(1, 1), (2, 3), (5, 1), (1, 9), (64, 7), (65, 33), (127, 40)] {
            for grain in [0, 12, 90] as [UInt64] {
                let picture = Self.picture(width, height, grain: grain)
                for (low, high) in Self.thresholds {
                    for isEuclidean in [false, true] {
                        let settings = EdgeFinder.Settings(
                            low: low, high: high, aperture: aperture, isEuclidean: isEuclidean)
                        let result = try Self.differences(finder, picture, width, height, settings)
                        #expect(result.wrong == 0, "\(width)x\(height) \(grain) \(settings)")
                        edges += result.edges
                    }
                }
            }
        }
        #expect(edges > 10_000)
    }

    @Test("A long faint line belongs to the edge where one end of it is strong")
    func hysteresis() throws {
        // The edge is a spiral. It is weak except at its inner end.
        let side = 151
        var bytes = [UInt8](repeating: 100, count: side * side)
        var (left, top, right, bottom) = (5, 5, side - 6, side - 6)
        var (x, y) = (left, top)
        func paint(_ toX: Int, _ toY: Int) {
            while (x, y) != (toX, toY) {
                bytes[y * side + x] = 110
                x += (toX - x).signum()
                y += (toY - y).signum()
            }
        }
        while right - left > 16 {
            paint(right, top)
            paint(right, bottom)
            paint(left, bottom)
            (left, top, right, bottom) = (left + 8, top + 8, right - 8, bottom - 8)
            paint(left - 8, top)
            paint(left, top)
        }
        let end = (x, y)
        for dy in -1...1 { for dx in -1...1 { bytes[(end.1 + dy) * side + end.0 + dx] = 255 } }
        let finder = EdgeFinder()
        let settings = EdgeFinder.Settings(low: 20, high: 300)
        let strong = try Self.differences(finder, (bytes, side), side, side, settings)
        #expect(strong.wrong == 0)
        // Without the strong end, there is no edge.
        for dy in -1...1 { for dx in -1...1 { bytes[(end.1 + dy) * side + end.0 + dx] = 110 } }
        let faint = try Self.differences(finder, (bytes, side), side, side, settings)
        #expect(faint.wrong == 0 && faint.edges == 0 && strong.edges > 1500)
    }

    @Test("Settings and sizes in any order")
    func order() throws {
        let finder = EdgeFinder()
        for round in 0..<40 {
            let (width, height) = ([64, 20, 129][round % 3], [9, 30][round % 2])
            let settings = EdgeFinder.Settings(
                low: 20, high: Double(40 + round), aperture: SobelAperture.allCases[round * 7 % 3],
                isEuclidean: round % 5 < 2)
            let picture = Self.picture(width, height, grain: UInt64(round))
            #expect(try Self.differences(finder, picture, width, height, settings).wrong == 0, "\(round)")
        }
    }

    @Test("Thresholds that are no numbers count as 0")
    func noNumbers() throws {
        let finder = EdgeFinder()
        let picture = Self.picture(40, 30, grain: 3)
        var counts: [Int] = []
        for (low, high) in [(0.0, 0.0), (.nan, -1), (-.infinity, .nan)] {
            var bytes = picture.bytes
            try bytes.withUnsafeMutableBytes { memory in
                let base = try #require(memory.baseAddress)
                finder.find(
                    in: Image(base: base, width: 40, height: 30, stride: picture.stride, format: .gray8),
                    .init(low: low, high: high, isEuclidean: true))
            }
            counts.append((0..<1200).filter { finder.isEdge(x: $0 % 40, y: $0 / 40) }.count)
        }
        #expect(Set(counts).count == 1 && counts[0] > 100)
    }

    // MARK: - White balance

    @Test("The learned balance takes off some of a cast, and keeps the luma of white")
    func learned() throws {
        let picture = OwnedImage(.rgb, width: 160, height: 120)
        func balance(_ red: Double, _ blue: Double) throws -> ChannelGains {
            var state: UInt64 = 5
            for y in 0..<120 {
                let row = picture.image.row(y)
                for x in 0..<160 {
                    state = state &* 6_364_136_223_846_793_005 &+ 1
                    let light = Double(30 + (x * 3 + y * 2) % 150) + Double(state >> 60)
                    row[3 * x] = UInt8(light * red)
                    row[3 * x + 1] = UInt8(light)
                    row[3 * x + 2] = UInt8(light * blue)
                }
            }
            return try #require(try learnedBalance(of: picture.image))
        }
        guard let plain = try? balance(1, 1) else {
            print("OpenCV's xphoto is absent: the learned balance is not tested")
            return
        }
        let cool = try balance(0.7, 1.2)
        #expect(cool.red.gain / cool.blue.gain > 1.05 * plain.red.gain / plain.blue.gain)
        #expect(abs(0.299 * cool.red.gain + 0.587 * cool.green.gain + 0.114 * cool.blue.gain - 1) < 1e-9)
        let gray = OwnedImage(.gray8, width: 4, height: 4)
        #expect(try withExtendedLifetime(gray) { try learnedBalance(of: gray.image) } == nil)
    }
}
