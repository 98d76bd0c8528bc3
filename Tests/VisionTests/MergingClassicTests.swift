// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCVCheck
import Imaging
import Testing
import Vision

@Suite("Merging: the classic preset")
struct MergingClassicTests {
    /// A face whose picture is its box, with any pixels.
    private struct Source {
        let picture: FacePicture
        let pixels: [UInt8]
        let channels: Int
        let points: [Float]

        init(_ format: PixelFormat, _ width: Int, _ height: Int, _ points: [Double], species: Species, seed: UInt8)
            throws
        {
            let canvas = Canvas(FrameFormat(format), width: width, height: height, padding: 0, seed: seed)
            var dice = Dice(seed: UInt64(seed) + 1)
            let image = try #require(canvas.frame.packed)
            for y in 0..<height {
                for x in 0..<image.rowBytes { image.row(y)[x] = UInt8(truncatingIfNeeded: dice.next() >> 40) }
            }
            pixels = (0..<height).flatMap { y in (0..<image.rowBytes).map { image.row(y)[$0] } }
            channels = format.bytesPerPixel
            picture = try canvas.picture(
                FacePoints(
                    species: species, box: Box(x: 0, y: 0, width: Double(width), height: Double(height)),
                    leftEye: Point(points[0], points[1]), rightEye: Point(points[2], points[3]),
                    nose: Point(points[4], points[5])))
            // OpenCV has the centre of the first pixel at 0, we at a half.
            self.points = points.map { Float($0 - 0.5) }
        }
    }

    /// Returns OpenCV's merge of two faces when it is called directly; see COpenCVCheck.h.
    private func openCV(_ a: Source, _ b: Source, size: Int) throws -> (pixels: [UInt8], channels: Int) {
        var output = [UInt8](repeating: 0, count: 4 * size)
        let channels = a.pixels.withUnsafeBufferPointer { first in
            b.pixels.withUnsafeBufferPointer { second in
                func face(_ source: Source, _ pixels: UnsafeBufferPointer<UInt8>) -> SVCheckFace {
                    let (image, p) = (source.picture.image, source.points)
                    return SVCheckFace(
                        pixels: pixels.baseAddress, width: Int32(image.width), height: Int32(image.height),
                        channels: Int32(source.channels), points: (p[0], p[1], p[2], p[3], p[4], p[5]))
                }
                return sv_check_merge(face(a, first), face(b, second), &output, output.count)
            }
        }
        try #require(channels > 0)
        return (output, Int(channels))
    }

    @Test(
        "the hybrid equals OpenCV's, whatever the formats and whichever is bigger",
        arguments: [PixelFormat.gray8, .bgr, .bgra], [PixelFormat.gray8, .bgr, .bgra])
    func hybrid(_ one: PixelFormat, _ other: PixelFormat) throws {
        // Smaller, equal, larger, and one whose points are rotated and sheared.
        let shapes: [(Int, Int, [Double])] = [
            (40, 36, [12, 14, 28, 14, 20, 22]), (64, 56, [19.3, 22.4, 44.7, 22.9, 32.2, 34]),
            (91, 77, [30, 41, 60, 25, 52, 50]),
        ]
        for (index, shape) in shapes.enumerated() {
            let a = try Source(one, shape.0, shape.1, shape.2, species: .human, seed: UInt8(index))
            let b = try Source(other, 64, 56, [20, 23, 43, 22, 31, 35], species: index == 1 ? .human : .cat, seed: 7)
            let merged = try FaceMerger().hybrid(of: a.picture, and: b.picture, .classic)
            let hybrid = try #require(merged)
            let bigger = index == 2 ? a : b
            let (pixels, channels) = try openCV(a, b, size: bigger.picture.image.width * bigger.picture.image.height)
            #expect(hybrid.image.bounds == bigger.picture.image.bounds)
            #expect(hybrid.hasAlpha == (channels == 4) && hybrid.isGray == (channels == 1))
            #expect(hybrid.face.three == bigger.picture.face.three)
            #expect(hybrid.face.species == (index == 1 ? .human : nil))
            var worst = 0
            for y in 0..<hybrid.image.height {
                for x in 0..<hybrid.image.width {
                    let ours = hybrid.image.row(y) + 4 * x
                    let theirs = (y * hybrid.image.width + x) * channels
                    for channel in 0..<(channels == 4 ? 4 : 3) {
                        let right = pixels[theirs + (channels == 1 ? 0 : channel)]
                        worst = max(worst, abs(Int(ours[channel]) - Int(right)))
                    }
                }
            }
            #expect(worst <= 1, "\(one.name) \(other.name) \(index)")
        }
    }

    @Test("in the frame: where the face is the bigger one, its box becomes OpenCV's hybrid and nothing else changes")
    func inPlace() throws {
        let (width, height) = (120, 100)
        let box = Rectangle(x: 30, y: 20, width: 64, height: 60)
        let canvas = Canvas(FrameFormat(.bgr), width: width, height: height, seed: 3)
        let frame = try #require(canvas.frame.packed)
        let before = canvas.colors
        let face = try Source(.bgr, 64, 60, [20, 23, 43, 22, 31, 35], species: .human, seed: 5)
        for y in 0..<60 { for x in 0..<192 { frame.row(y + 20)[x + 90] = face.pixels[y * 192 + x] } }
        let partner = try Source(.bgr, 40, 36, [12, 14, 28, 14, 20, 22], species: .cat, seed: 2)
        var target = face.picture.face
        target.box = Box(x: 30, y: 20, width: 64, height: 60)
        for path in [\FacePoints.leftEye, \.rightEye, \.nose] {
            target[keyPath: path].x += 30
            target[keyPath: path].y += 20
        }
        let drawn = try FaceMerger().replace([(target, partner.picture)], on: canvas.frame, at: 0, .classic)
        #expect(drawn.first??.three == target.three && drawn.first??.species == nil)

        let (pixels, _) = try openCV(face, partner, size: 64 * 60)
        let after = canvas.colors
        var worst = 0.0
        for y in 0..<height {
            for x in 0..<width {
                let index = y * width + x
                guard x >= box.x, y >= box.y, x < box.x + box.width, y < box.y + box.height else {
                    #expect(after[index] == before[index])
                    continue
                }
                // The partner covers the centre completely; what it does not reach is black in the hybrid.
                guard x > box.x + 8, x < box.x + 48, y > box.y + 10, y < box.y + 48 else { continue }
                let start = 3 * ((y - box.y) * 64 + x - box.x)
                for channel in 0..<3 {
                    worst = max(worst, abs(after[index][channel] - Double(pixels[start + 2 - channel])))
                }
            }
        }
        #expect(worst <= 1)
        // The partner's left eye is 12 from its left edge and ends up at 20: beyond about 3.5 nothing of it remains.
        #expect(
            after[(box.y + 25) * width + box.x] == SIMD3(face.pixels[64 * 75..<64 * 75 + 3].reversed().map(Double.init))
        )
    }

    @Test("in the frame: a bigger partner's hybrid is carried onto the face")
    func carried() throws {
        // Pictures of one colour each: the product is known everywhere.
        let canvas = Canvas(FrameFormat(.bgrx), width: 160, height: 120)
        canvas.fill { _, _ in SIMD3(200, 100, 50) }
        let photo = Canvas(FrameFormat(.bgr), width: 300, height: 300)
        photo.fill { _, _ in SIMD3(128, 255, 102) }
        let partner = try photo.picture(.drawn(60, 60, size: 180))
        let face = FacePoints.drawn(40, 30, size: 50, degrees: 10)
        let drawn = try FaceMerger().replace([(face, partner)], on: canvas.frame, at: 0, .classic)
        #expect(drawn.first??.three == face.three)
        let colors = canvas.colors
        func color(at point: Point) -> SIMD3<Double> { colors[Int(point.y) * 160 + Int(point.x)] }
        for point in face.three { #expect(color(at: point) == SIMD3(100, 100, 20)) }
        // Just inside and outside of the rotated box.
        let (middle, c, s) = (face.box.center, 0.98481, 0.17365)
        for (u, v) in [(-1.0, 0.0), (1, 0), (0, -1), (0, 1)] {
            let (dx, dy) = (c * u - s * v, s * u + c * v)
            #expect(color(at: Point(middle.x + 22 * dx, middle.y + 22 * dy)) == SIMD3(100, 100, 20))
            #expect(color(at: Point(middle.x + 28 * dx, middle.y + 28 * dy)) == SIMD3(200, 100, 50))
        }
    }
}
