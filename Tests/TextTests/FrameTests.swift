// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging
import Testing
import Text

@Suite("Texts on frames")
struct FrameTests {
    private static let formats: [FrameFormat] = [.i420, .nv12, .yuy2, .init(.rgb), .init(.gray8)]

    @Test("text stands where it was asked for, all else is untouched", arguments: formats)
    func place(format: FrameFormat) throws {
        let stamp = try #require(painter("Sans 14px").stamp("Ag 7", color: white, outline: 1))
        // On black, the levels are the premultiplied levels, and alpha is the coverage.
        let samples = stamp.drawn(on: 0).map { (level: Double($0[0]), alpha: Double($0[3]) / 255) }
        for (left, top) in [(10, 8), (11, 9), (-7, -5), (50, 28)] {
            let canvas = Canvas(format, width: 71, height: 41, value: 100)
            stamp.draw(on: canvas.frame, x: left, y: top)
            var worst = 0.0
            for y in 0..<canvas.height {
                for x in 0..<canvas.width {
                    var right = 100.0
                    if stamp.bounds.intersection(Rectangle(x: x - left, y: y - top, width: 1, height: 1)).isEmpty {
                        #expect(canvas[x, y].allSatisfy { $0 == 100 }, "\(x) \(y)")
                    } else {
                        let (level, alpha) = samples[(y - top) * stamp.bounds.width + x - left]
                        // Luma with limited range has black at 16 and white at 235.
                        right = 100 * (1 - alpha) + (format.isYUV ? 16 * alpha + 219 * level / 255 : level)
                    }
                    worst = canvas[x, y].reduce(worst) { max($0, abs(Double($1) - right)) }
                }
            }
            #expect(worst < 2.5)
            // Two pixels share a chroma sample, so at most one pixel outside of the stamp may change.
            let reach = Rectangle(
                x: left - 1, y: top - 1, width: stamp.bounds.width + 2, height: stamp.bounds.height + 2)
            let changed = canvas.changed
            #expect(!changed.isEmpty && changed.intersection(reach) == changed)
        }
    }

    @Test("a label's box lies behind its text", arguments: formats)
    func label(format: FrameFormat) throws {
        let stamp = try #require(painter("Sans 14px").stamp("Ag 7", color: white))
        let canvas = Canvas(format, width: 90, height: 60, value: 100)
        let box = canvas.frame.label(
            stamp, at: Rectangle(x: 12, y: 40, width: 30, height: 15), margin: 3, color: 0x80_00_00_00)
        #expect(
            box
                == Rectangle(
                    x: 12, y: 40 - stamp.bounds.height - 6, width: stamp.bounds.width + 6,
                    height: stamp.bounds.height + 6))
        // 100 + (black − 100) · 128 / 255
        let ground = format.isYUV ? 58 : 50
        for (x, y) in [(box.x, box.y), (box.x + box.width - 1, box.y + box.height - 1), (box.x + 1, box.y + 4)] {
            #expect(canvas[x, y].allSatisfy { abs(Int($0) - ground) <= 1 })
        }
        #expect(canvas[box.x - 1, box.y][0] == 100 && canvas[box.x, box.y + box.height][0] == 100)
        let light = format.isYUV ? 230 : 250
        let bright = (0..<60).flatMap { y in (0..<90).map { (x: $0, y: y) } }.filter { canvas[$0.x, $0.y][0] > light }
        let isWithin = bright.allSatisfy {
            $0.x >= box.x + 3 && $0.y >= box.y + 3 && $0.x < box.x + box.width - 3 && $0.y < box.y + box.height - 3
        }
        #expect(bright.count > 10 && isWithin)
    }
}
