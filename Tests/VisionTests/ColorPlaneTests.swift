// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Testing

@testable import Vision

@Suite("Reduced pictures")
struct ColorPlaneTests {
    private static let parts = [
        Rectangle(width: 97, height: 61), Rectangle(x: 2, y: 4, width: 60, height: 33),
        Rectangle(x: 3, y: 1, width: 51, height: 40),
    ]

    /// Draws waves of colours that are valid in RGB.
    private func draw(_ video: AnyFrame) throws {
        for (sample, letter) in [(FrameFormat.Sample.luma, 0), (.chromaBlue, 1), (.chromaRed, 2)] {
            let channel = try #require(video.frame.channel(sample))
            for y in 0..<channel.height {
                for x in 0..<channel.width {
                    let (u, v) = (Double(x * channel.columns), Double(y * channel.rows))
                    let level = [
                        120 + 60 * sin(u / 3) * cos(v / 4), 128 + 20 * sin(u / 25), 128 + 20 * cos(v / 22),
                    ][letter]
                    channel.row(y)[x * channel.step] = UInt8(level)
                }
            }
        }
    }

    /// Returns blue, green and red of a pixel, computed with the numbers from ITU-R BT.601.
    private func color(_ frame: FrameImage, _ x: Int, _ y: Int) throws -> [Double] {
        func level(_ sample: FrameFormat.Sample) throws -> Double {
            let channel = try #require(frame.channel(sample))
            let column = (x + frame.window.x) / channel.columns - frame.window.x / channel.columns
            let row = (y + frame.window.y) / channel.rows - frame.window.y / channel.rows
            return Double(channel.row(row)[column * channel.step])
        }
        let luma = (try level(.luma) - 16) * 255 / 219
        let (blue, red) = ((try level(.chromaBlue) - 128) * 255 / 224, (try level(.chromaRed) - 128) * 255 / 224)
        return [luma + 1.772 * blue, luma - 0.344136 * blue - 0.714136 * red, luma + 1.402 * red]
    }

    /// Returns the pixels of a row that belong to a pixel of the reduced row, and the fraction of each.
    private func shares(_ place: Int, _ scale: Double, _ length: Int) -> [(pixel: Int, share: Double)] {
        let (start, end) = (Double(place) / scale, min(Double(place + 1) / scale, Double(length)))
        return (Int(start)..<min(length, Int(end.rounded(.up)))).map { pixel in
            (pixel, (min(end, Double(pixel + 1)) - max(start, Double(pixel))) / (end - start))
        }
    }

    @Test(
        "the means of pixels, though the planes of YUV are reduced first", arguments: FrameFormat.allYUV,
        [1.0 / 3, 0.4, 0.5, 0.8])
    func means(format: FrameFormat, scale: Double) throws {
        let video = AnyFrame(format, width: 97, height: 61)
        defer { withExtendedLifetime(video) {} }
        try draw(video)
        let plane = ColorPlane()
        for part in Self.parts {
            let frame = video.frame.cropped(to: part)
            try plane.fill(frame, reducedBy: scale)
            let image = plane.image
            #expect(image.width == Int((Double(part.width) * scale).rounded(.toNearestOrEven)))
            #expect(image.height == Int((Double(part.height) * scale).rounded(.toNearestOrEven)))
            let colors = try (0..<part.height).map { y in try (0..<part.width).map { x in try color(frame, x, y) } }
            var (worst, sum) = (0.0, 0.0)
            for y in 0..<image.height {
                for x in 0..<image.width {
                    var mean = [0.0, 0, 0]
                    for (row, down) in shares(y, scale, part.height) {
                        for (column, across) in shares(x, scale, part.width) {
                            for place in 0..<3 { mean[place] += down * across * colors[row][column][place] }
                        }
                    }
                    for place in 0..<3 {
                        let difference = abs(Double(image.row(y)[3 * x + place]) - mean[place])
                        worst = max(worst, difference)
                        sum += difference
                    }
                }
            }
            #expect(worst < 3, "\(part)")
            #expect(sum / Double(3 * image.width * image.height) < 1, "\(part)")
        }
    }
}
