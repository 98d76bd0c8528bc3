// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging
import TestScope
import Testing

/// A shape and the expected coverage of each pixel.
private struct Drawing: CustomTestStringConvertible, Sendable {
    let name: String
    /// Tolerance of the coverage, 0…1. At slanted edges, the coverage is computed from the distance to the edge.
    var tolerance = 0.0
    let draw: @Sendable (FrameImage, Color) -> Void
    /// Returns true if a point is inside of the shape.
    let contains: @Sendable (Double, Double) -> Bool

    var testDescription: String { name }

    static func distance(_ x: Double, _ y: Double, _ a: (Double, Double), _ b: (Double, Double)) -> Double {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1)
        let square = dx * dx + dy * dy
        let t = square > 0 ? max(0, min(1, ((x - a.0) * dx + (y - a.1) * dy) / square)) : 0
        let (ex, ey) = (x - a.0 - t * dx, y - a.1 - t * dy)
        return (ex * ex + ey * ey).squareRoot()
    }

    static func line(_ a: (Double, Double), _ b: (Double, Double), _ width: Double) -> Drawing {
        Drawing(name: "line \(a) \(b) \(width)", tolerance: 0.13) {
            $0.line(from: Point(a.0, a.1), to: Point(b.0, b.1), width: width, color: $1)
        } contains: {
            distance($0, $1, a, b) <= width / 2
        }
    }

    static func box(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Drawing {
        Drawing(name: "box \(x) \(y) \(width) \(height)") {
            $0.fill(Rectangle(x: x, y: y, width: width, height: height), color: $1)
        } contains: {
            $0 > Double(x) && $1 > Double(y) && $0 < Double(x + width) && $1 < Double(y + height)
        }
    }

    static func outline(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ line: Int) -> Drawing {
        let all = box(x, y, width, height)
        let hole = box(x + line, y + line, width - 2 * line, height - 2 * line)
        return Drawing(name: "outline \(x) \(y) \(width) \(height) \(line)") {
            $0.outline(Rectangle(x: x, y: y, width: width, height: height), lineWidth: line, color: $1)
        } contains: {
            all.contains($0, $1) && !(width > 2 * line && height > 2 * line && hole.contains($0, $1))
        }
    }

    /// Returns a rectangle with dashed sides. The upper and lower sides have the full width.
    static func dashed(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ line: Int, _ dash: Int) -> Drawing {
        let outline = outline(x, y, width, height, line)
        return Drawing(name: "dashed \(outline.name) \(dash)") {
            $0.outline(Rectangle(x: x, y: y, width: width, height: height), lineWidth: line, dash: dash, color: $1)
        } contains: { column, row in
            let (dx, dy) = (column - Double(x), row - Double(y))
            let isSide = dy > Double(line) && dy < Double(height - line)
            return outline.contains(column, row) && Int((isSide ? dy : dx) / Double(dash)) % 2 == 0
        }
    }

    static func circle(_ x: Double, _ y: Double, _ radius: Double, _ line: Double) -> Drawing {
        Drawing(name: "circle \(x) \(y) \(radius) \(line)", tolerance: 0.13) {
            $0.circle(Point(x, y), radius: radius, lineWidth: line, color: $1)
        } contains: {
            abs(distance($0, $1, (x, y), (x, y)) - radius) <= line / 2
        }
    }

    static func disc(_ x: Double, _ y: Double, _ radius: Double) -> Drawing {
        Drawing(name: "disc \(x) \(y) \(radius)", tolerance: 0.09) {
            $0.disc(Point(x, y), radius: radius, color: $1)
        } contains: {
            distance($0, $1, (x, y), (x, y)) <= radius
        }
    }

    static let all = [
        box(3, 2, 7, 5), box(0, 0, 1, 1), box(-4, -4, 9, 100), box(4, 4, 8, 4), box(12, 7, 3, 1),
        outline(2, 1, 20, 13, 1), outline(5, 3, 17, 9, 3), outline(1, 1, 4, 9, 2), outline(-2, -3, 40, 30, 4),
        dashed(2, 1, 20, 13, 1, 3), dashed(-7, -5, 33, 21, 3, 4), dashed(5, 3, 17, 9, 2, 1), dashed(1, 1, 22, 4, 2, 5),
        line((3, 4), (20, 4), 2), line((7.5, -2), (7.5, 50), 1), line((2, 3), (22, 15), 3),
        line((30, 1), (-9, 13), 1.5),
        line((9, 9), (9, 9), 6), line((1, 1), (30, 4.5), 0.5), line((4, 16), (6, 1), 4),
        circle(12, 8, 6.5, 2), circle(13.3, 9.7, 11, 1), circle(0, 0, 9, 3), circle(12, 8, 3, 8),
        disc(11, 9, 5), disc(14.2, 7.9, 2.5), disc(25, 15, 8),
        Drawing(name: "ellipse", tolerance: 0.05) {
            $0.ellipse(Point(12.4, 8.1), halfAxes: Point(9, 3.5), angle: 30, color: $1)
        } contains: { x, y in
            // cos 30° = 0.8660254, sin 30° = 0.5. The rotation is clockwise on a display.
            let (dx, dy) = (x - 12.4, y - 8.1)
            let (u, v) = (0.8660254 * dx + 0.5 * dy, -0.5 * dx + 0.8660254 * dy)
            return (u / 9) * (u / 9) + (v / 3.5) * (v / 3.5) <= 1
        },
        Drawing(name: "triangle", tolerance: 0.05) {
            $0.polygon([Point(3, 1.5), Point(22, 6), Point(8, 15)], color: $1)
        } contains: { x, y in
            func side(_ a: (Double, Double), _ b: (Double, Double)) -> Bool {
                (b.0 - a.0) * (y - a.1) - (b.1 - a.1) * (x - a.0) > 0
            }
            return side((3, 1.5), (22, 6)) && side((22, 6), (8, 15)) && side((8, 15), (3, 1.5))
        },
    ]

    /// Returns the coverage of a pixel, computed from 16 x 16 points.
    func coverage(_ x: Int, _ y: Int) -> Double {
        var hits = 0
        for i in 0..<256 {
            let (dx, dy) = ((Double(i % 16) + 0.5) / 16, (Double(i / 16) + 0.5) / 16)
            if contains(Double(x) + dx, Double(y) + dy) { hits += 1 }
        }
        return Double(hits) / 256
    }
}

/// Circles on frames whose pixels are not square.
@Suite("Drawing: anamorphic frames")
struct AnamorphicDrawingTests {
    @Test("Circles and discs are round as they are shown", arguments: [PixelAspect(2, 1), PixelAspect(45, 64)])
    func circles(_ aspect: PixelAspect) {
        let (center, radius, line) = (Point(60.3, 40.6), 28.0, 6.0)
        for isFilled in [false, true] {
            let picture = OwnedImage(.gray8, width: 120, height: 80)
            fill(picture.image, color: .black)
            let frame = FrameImage(
                FrameFormat(.gray8), width: 120, height: 80,
                planes: [FrameImage.Plane(base: picture.image.base, stride: picture.image.stride)], pixelAspect: aspect)
            if isFilled {
                frame.disc(center, radius: radius, color: .white)
            } else {
                frame.circle(center, radius: radius, lineWidth: line, color: .white)
            }
            for y in 0..<80 {
                for x in 0..<120 {
                    let across = (Double(x) + 0.5 - center.x) * aspect.ratio
                    let down = Double(y) + 0.5 - center.y
                    let distance = (across * across + down * down).squareRoot()
                    let inside = isFilled ? radius - distance : line / 2 - abs(distance - radius)
                    let level = picture.image.row(y)[x]
                    if inside > 1.5 { #expect(level == 255, "\(x) \(y)") }
                    if inside < -1.5 { #expect(level == 0, "\(x) \(y)") }
                }
            }
        }
    }
}

@Suite("Drawing")
struct DrawingTests {
    @Test("every shape on every format against its coverage by points", arguments: Drawing.all)
    private func shapes(drawing: Drawing) {
        let coverage = (0..<18).map { y in (0..<28).map { x in drawing.coverage(x, y) } }
        for set in Processor.kernelSets.indices { shapes(drawing, coverage, set) }
    }

    private func shapes(_ drawing: Drawing, _ coverage: [[Double]], _ set: Int) {
        for (index, format) in FrameFormat.all.enumerated() where TestScope.runs(index + set, oneIn: 2) {
            for (width, height, padding, crop) in [
                (25, 17, 0, nil), (28, 18, 5, nil), (27, 17, 2, Rectangle(x: 1, y: 1, width: 24, height: 14)),
                (28, 17, 0, Rectangle(x: 4, y: 3, width: 9, height: 9)),
            ] {
                let video = Video(format, width: width, height: height, padding: padding, crop: crop)
                expect(video, drawing, coverage, color: 0xFF_20_C0_E0, set)
            }
            let video = Video(format, width: 25, height: 17, padding: 3, colorimetry: .init(.bt709, isFullRange: true))
            expect(video, drawing, coverage, color: 0x60_F0_40_10, set)
        }
    }

    private func expect(_ video: Video, _ drawing: Drawing, _ coverage: [[Double]], color: UInt32, _ set: Int) {
        let format = video.frame.format
        video.fillAtRandom()
        let before = video.bytes
        let original = Video(format, width: video.whole.width, height: video.whole.height, like: video, before)
        var frame = video.frame
        frame.kernels = Processor.kernelSets[set]
        drawing.draw(frame, Color(argb: color))
        let alpha = Double(color >> 24) / 255
        var worst = (error: 0.0, place: "")
        for letter in video.letters {
            let paint = letter == "x" ? 0 : Samples.of(color, letter, video.frame.colorimetry)
            for y in 0..<video.frame.height {
                for x in 0..<video.frame.width {
                    guard let was = original[letter, x, y], let now = video[letter, x, y] else { continue }
                    let sharers = video.sharers(letter, x, y)
                    let mean = sharers.map { coverage[$0.y][$0.x] }.reduce(0, +) / Double(sharers.count)
                    let weight = letter == "x" ? 0 : mean * alpha
                    let right = Double(was) + (paint - Double(was)) * weight
                    let slack = 1.6 + drawing.tolerance * abs(paint - Double(was)) * alpha
                    let isSlanted = mean > 0 && mean < 1
                    let error = abs(Double(now) - right) - (isSlanted || drawing.tolerance > 0 ? slack : 1.3)
                    if error > worst.error {
                        worst = (error, "\(format.name): \(letter) at \(x) \(y): \(was) → \(now), not \(right)")
                    }
                }
            }
        }
        #expect(worst.error == 0, "\(worst.place)")
        #expect(video.isIntactAround(before))
    }

    @Test("nothing but a number, and nothing out of reach, does harm", arguments: FrameFormat.all)
    func extremes(format: FrameFormat) {
        let video = Video(format, width: 9, height: 7, padding: 1, crop: Rectangle(x: 1, y: 1, width: 7, height: 5))
        video.fillAtRandom()
        let before = video.bytes
        let frame = video.frame
        let numbers = [
            Double.nan, .infinity, -.infinity, 1e308, -1e308, 1e18, -1e18, 0, 3, -0.0, .leastNonzeroMagnitude,
        ]
        let whole = [Int.min, .min + 1, -(1 << 40), -1, 0, 1, 3, 1 << 40, .max - 1, .max]
        let picture = Picture(.argb, width: 3, height: 2)
        let stamp = Stamp(premultiplied: picture.image)
        for a in numbers {
            for b in numbers {
                frame.line(from: Point(a, b), to: Point(b, a), width: b, color: 0xFF_FF_00_00)
                frame.line(from: Point(a, 2), to: Point(3, b), width: 1, color: 0xFF_FF_00_00)
                frame.circle(Point(a, b), radius: b, lineWidth: a, color: 0xFF_FF_00_00)
                frame.disc(Point(a, b), radius: a, color: 0xFF_FF_00_00)
                frame.ellipse(
                    Point(a, 3), halfAxes: Point(b, a), angle: b, softness: abs(a) < 5 ? a : .nan, color: 0xFF_FF_00_00)
                frame.polygon(
                    [Point(a, b), Point(b, a), Point(a, 1)], softness: abs(b) < 5 ? b : .infinity * 0,
                    color: 0xFF_FF_00_00)
            }
        }
        for a in whole {
            for b in whole {
                let rectangle = Rectangle(x: a, y: b, width: b, height: a)
                let other = Rectangle(x: a, y: a, width: .max, height: b)
                for rectangle in [rectangle, other] {
                    frame.fill(rectangle, color: 0x80_FF_00_00)
                    frame.outline(rectangle, lineWidth: b, color: 0x80_FF_00_00)
                    frame.outline(rectangle, lineWidth: a, dash: b, color: 0x80_FF_00_00)
                    frame.blur(.rectangle(rectangle), radius: a)
                    frame.blur(.ellipse(rectangle))
                    frame.pixelate(.rectangle(rectangle), cells: b)
                    frame.pixelate(.ellipse(rectangle))
                    frame.label(stamp, at: rectangle, margin: a, color: 0x80_FF_00_00, avoiding: [other])
                }
                stamp.draw(on: frame, x: a, y: b)
                Stamp(premultiplied: picture.image).draw(on: frame, x: a, y: b)
            }
        }
        #expect(video.isIntactAround(before))
        let empty = frame.cropped(to: Rectangle(x: 3, y: 3, width: 0, height: 9))
        empty.fill(Rectangle(width: 9, height: 9), color: .white)
        empty.blur(.rectangle(Rectangle(width: 9, height: 9)))
        stamp.draw(on: empty, x: 0, y: 0)
        #expect(empty.isEmpty && picture.isIntactAround)
    }
}

extension Video {
    /// Creates a frame with the same layout and other bytes.
    convenience init(_ format: FrameFormat, width: Int, height: Int, like other: Video, _ bytes: [[UInt8]]) {
        self.init(format, width: width, height: height, padding: other.padding, crop: other.visiblePart)
        restore(bytes)
    }
}
