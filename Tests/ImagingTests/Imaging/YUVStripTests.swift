// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import KernelTypes
import Testing

/// All matrices and ranges.
let colorimetries: [Colorimetry] = [.bt601, .bt709, .bt2020].flatMap { matrix in
    [false, true].map { Colorimetry(matrix, isFullRange: $0) }
}

/// Converts between luma and chroma (0…255) and red, green and blue (0…1), as in ITU-R BT.601-7, BT.709-6 and
/// BT.2020-2.
struct ColorEquations {
    let kr, kb: Double
    let black, lumaRange, chromaRange: Double

    init(_ colorimetry: Colorimetry) {
        (kr, kb) =
            switch colorimetry.matrix {
            case .bt601: (0.299, 0.114)
            case .bt709: (0.2126, 0.0722)
            case .bt2020: (0.2627, 0.0593)
            }
        (black, lumaRange, chromaRange) = colorimetry.isFullRange ? (0, 255, 255) : (16, 219, 224)
    }

    func color(_ y: Double, _ u: Double, _ v: Double) -> RGB {
        let luma = (y - black) / lumaRange
        let (blue, red) = ((u - 128) / chromaRange * 2 * (1 - kb), (v - 128) / chromaRange * 2 * (1 - kr))
        let green = -(kr * red + kb * blue) / (1 - kr - kb)
        func clipped(_ value: Double) -> Double { max(0, min(1, luma + value)) }
        return (clipped(red), clipped(green), clipped(blue))
    }

    func samples(_ color: RGB) -> (y: Double, u: Double, v: Double) {
        let luma = kr * color.red + (1 - kr - kb) * color.green + kb * color.blue
        return (
            black + lumaRange * luma, 128 + chromaRange * (color.blue - luma) / (2 * (1 - kb)),
            128 + chromaRange * (color.red - luma) / (2 * (1 - kr))
        )
    }
}

@Suite("YUV strips")
struct YUVStripTests {
    @Test("colours are those of the equations", arguments: colorimetries, Processor.kernelSets.indices)
    func colors(colorimetry: Colorimetry, set: Int) {
        let strip = YUVStrip(kernels: Processor.kernelSets[set])
        let equations = ColorEquations(colorimetry)
        let video = Video(.y444, width: 256, height: 1, colorimetry: colorimetry)
        var worst = 0.0
        for u in stride(from: 0, through: 255, by: 15) {
            for v in stride(from: 0, through: 255, by: 15) {
                for x in 0..<256 {
                    (video["Y", x, 0], video["U", x, 0], video["V", x, 0]) = (UInt8(x), UInt8(u), UInt8(v))
                }
                video.frame.forEachStrip(of: video.frame.bounds) { part in
                    strip.load(part, of: video.frame)
                    for x in 0..<256 {
                        let right = equations.color(Double(x), Double(u), Double(v))
                        for (channel, value) in [right.red, right.green, right.blue].enumerated() {
                            let found = Double(strip.colors(0)[x + channel * YUVStrip.plane])
                            worst = max(worst, abs(found - 255 * value))
                        }
                    }
                }
            }
        }
        #expect(worst <= 0.57)
    }

    @Test("samples are those of the equations", arguments: colorimetries, Processor.kernelSets.indices)
    func samples(colorimetry: Colorimetry, set: Int) {
        let strip = YUVStrip(kernels: Processor.kernelSets[set])
        let equations = ColorEquations(colorimetry)
        let video = Video(.y444, width: 256, height: 1, colorimetry: colorimetry)
        var worst = 0.0
        for green in stride(from: 0, through: 255, by: 15) {
            for blue in stride(from: 0, through: 255, by: 15) {
                video.frame.forEachStrip(of: video.frame.bounds) { part in
                    for x in 0..<256 {
                        for (channel, value) in [x, green, blue].enumerated() {
                            strip.colors(0)[x + channel * YUVStrip.plane] = UInt8(value)
                        }
                    }
                    strip.store(part, into: video.frame, masked: false)
                }
                for x in 0..<256 {
                    let right = equations.samples((Double(x) / 255, Double(green) / 255, Double(blue) / 255))
                    for (letter, value) in [("Y" as Character, right.y), ("U", right.u), ("V", right.v)] {
                        worst = max(worst, abs(Double(video[letter, x, 0] ?? 0) - min(255, value)))
                    }
                }
            }
        }
        #expect(worst <= 0.57)
    }

    @Test(
        "every set of kernels computes the same, whatever fits into its vectors", arguments: FrameFormat.allYUV,
        colorimetries)
    func sets(format: FrameFormat, colorimetry: Colorimetry) {
        for width in [1, 2, 15, 31, 33, 64, 97, 130, 1061] {
            let video = Video(format, width: width, height: 3, padding: 5, colorimetry: colorimetry)
            var results: [(colors: [UInt8], samples: [UInt8])] = []
            for kernels in Processor.kernelSets {
                video.fillAtRandom(seed: UInt64(width))
                let (strip, before) = (YUVStrip(kernels: kernels), video.bytes)
                var colors: [UInt8] = []
                video.frame.forEachStrip(of: video.frame.bounds) { part in
                    strip.load(part, of: video.frame)
                    for row in 0..<part.rowCount {
                        for channel in 0..<3 {
                            let bytes = strip.colors(row) + channel * YUVStrip.plane
                            colors += UnsafeBufferPointer(start: bytes, count: part.width)
                            // Store other colours than the loaded colours, including extreme values.
                            for x in 0..<part.width { bytes[x] = x % 7 == 0 ? 255 : bytes[x] &* 5 &+ UInt8(x & 255) }
                        }
                    }
                    strip.store(part, into: video.frame, masked: false)
                }
                #expect(video.isIntactAround(before))
                results.append((colors, video.bytes.flatMap { $0 }))
            }
            #expect(results.allSatisfy { $0 == results[0] }, "\(width)")
        }
    }

    @Test("levels become the nearest bytes", arguments: Processor.kernelSets.indices)
    func levels(set: Int) {
        let strip = YUVStrip(kernels: Processor.kernelSets[set])
        let tilePlane = 120
        let special: [Float] = [.nan, .infinity, -.infinity, -1e30, 1e30, -0.4, 0.5, 1.5, 254.5, 255.4]
        let levels = (0..<3 * tilePlane).map { index in
            index % 11 < special.count ? special[index % 11] : Float(index) * 0.73 - 4
        }
        for count in [1, 31, 32, 67, 120] {
            let row = strip.colors(1)
            for channel in 0..<3 { row[channel * YUVStrip.plane + count] = 77 }
            strip.storeLevels(levels, tilePlane: tilePlane, into: row, count: count)
            for channel in 0..<3 {
                for x in 0..<count {
                    let level = levels[channel * tilePlane + x]
                    // Halves are rounded to the even number.
                    let expected = level > 0 ? UInt8(min(255, level).rounded(.toNearestOrEven)) : 0
                    #expect(row[channel * YUVStrip.plane + x] == expected, "\(level)")
                }
                #expect(row[channel * YUVStrip.plane + count] == 77)
            }
        }
    }

    @Test("grey stays grey", arguments: colorimetries)
    func gray(colorimetry: Colorimetry) {
        let strip = YUVStrip()
        let video = Video(.nv12, width: 512, height: 2, colorimetry: colorimetry)
        for x in 0..<512 {
            for y in 0..<2 { (video["Y", x, y], video["U", x, y], video["V", x, y]) = (UInt8(x / 2), 128, 128) }
        }
        let before = video.bytes
        video.frame.forEachStrip(of: video.frame.bounds) { part in
            strip.load(part, of: video.frame)
            for x in 0..<512 {
                let colors = strip.colors(1) + x
                #expect(colors[0] == colors[YUVStrip.plane] && colors[0] == colors[2 * YUVStrip.plane])
            }
            strip.store(part, into: video.frame, masked: false)
        }
        // Luma outside of black and white is clipped.
        for x in 0..<512 where colorimetry.isFullRange || 32..<470 ~= x {
            #expect(video["Y", x, 1].map { abs(Int($0) - x / 2) <= 1 } == true)
            #expect(video["U", x, 1] == 128 && video["V", x, 1] == 128)
        }
        #expect(video.isIntactAround(before))
    }

    @Test("strips cover a part and what shares its chroma, once", arguments: FrameFormat.allYUV, [false, true])
    func strips(format: FrameFormat, isInterlaced: Bool) {
        for crop in [
            Rectangle(width: 1061, height: 13), Rectangle(x: 3, y: 1, width: 1041, height: 11),
            Rectangle(x: 2, y: 5, width: 1040, height: 1),
        ] {
            let whole = FrameImage(
                format, width: 1061, height: 13, planes: Video(format, width: 1061, height: 13).whole.planes,
                isInterlaced: isInterlaced)
            let frame = whole.cropped(to: crop)
            for part in [
                frame.bounds, Rectangle(x: 1023, y: 2, width: 2, height: 3), Rectangle(x: 5, y: 7, width: 1, height: 1),
            ] {
                var seen: [Int: Int] = [:]
                frame.forEachStrip(of: part) { strip in
                    #expect(strip.width <= YUVStrip.width && strip.width > 0)
                    for row in 0..<strip.rowCount {
                        #expect(crop.y..<crop.y + crop.height ~= strip.row(row))
                        for x in strip.x..<strip.x + strip.width { seen[2048 * strip.row(row) + x, default: 0] += 1 }
                    }
                }
                #expect(seen.values.allSatisfy { $0 == 1 })
                let visible = frame.bounds.intersection(part)
                for y in visible.y..<visible.y + max(0, visible.height) {
                    for x in visible.x..<visible.x + max(0, visible.width) {
                        #expect(seen[2048 * (y + crop.y) + x + crop.x] == 1)
                    }
                }
                // At most the neighbours with common chroma samples: one column on each side, and the rows of one
                // pattern.
                #expect(seen.count <= (part.width + 2) * (part.height + (isInterlaced ? 6 : 2)))
            }
        }
    }
}
