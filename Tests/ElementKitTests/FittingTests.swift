// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import TestSupport
import Testing

@Suite("Fitting pictures")
struct FittingTests {
    private func rectangles(_ fit: Fit, _ width: Int, _ height: Int, in frame: (Int, Int)) -> [Rectangle] {
        let (source, destination) = fit.rectangles(
            FrameShape(PixelSize(width: width, height: height)),
            in: FrameShape(PixelSize(width: frame.0, height: frame.1)))
        return [source, destination]
    }

    private func rectangle(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Rectangle {
        Rectangle(x: x, y: y, width: width, height: height)
    }

    @Test("cover cuts off equally on two sides")
    func cover() {
        // If the image is twice as wide as high, the centre half covers a square.
        #expect(rectangles(.cover, 200, 100, in: (50, 50)) == [rectangle(50, 0, 100, 100), rectangle(0, 0, 50, 50)])
        // A portrait image of 300x900 covers 16:9 with 300 · 9/16 = 168.75 rows, rounded to 169. The first row is
        // (900 − 169) / 2.
        #expect(rectangles(.cover, 300, 900, in: (160, 90)) == [rectangle(0, 365, 300, 169), rectangle(0, 0, 160, 90)])
        #expect(rectangles(.cover, 40, 30, in: (80, 60)) == [rectangle(0, 0, 40, 30), rectangle(0, 0, 80, 60)])
    }

    @Test("contain leaves two sides free, equally")
    func contain() {
        #expect(rectangles(.contain, 200, 100, in: (50, 50)) == [rectangle(0, 0, 200, 100), rectangle(0, 12, 50, 25)])
        #expect(rectangles(.contain, 100, 200, in: (50, 50)) == [rectangle(0, 0, 100, 200), rectangle(12, 0, 25, 50)])
        #expect(rectangles(.contain, 300, 900, in: (160, 90)) == [rectangle(0, 0, 300, 900), rectangle(65, 0, 30, 90)])
        #expect(rectangles(.contain, 40, 30, in: (80, 60)) == [rectangle(0, 0, 40, 30), rectangle(0, 0, 80, 60)])
    }

    @Test("The alignment selects the visible part of a covered image, and the place of a contained image")
    func alignment() {
        let (wide, high) = (shape(400, 200, 1, 1), shape(200, 400, 1, 1))
        let (square, tiny) = (shape(100, 100, 1, 1), shape(1, 1, 1, 1))
        for (align, first, middle, place) in [
            (0.0, 0, 0, 0), (0.25, 50, -25, 12), (0.5, 100, -50, 25), (1, 200, -100, 50), (-3, 0, 0, 0),
            (9, 200, -100, 50), (.nan, 0, 0, 0), (.infinity, 200, -100, 50),
        ] {
            let (across, down) = (Fit.Alignment(x: align), Fit.Alignment(y: align))
            #expect(Fit.cover.rectangles(wide, in: square, at: across).source == rectangle(first, 0, 200, 200))
            #expect(Fit.cover.rectangles(high, in: square, at: down).source == rectangle(0, first, 200, 200))
            #expect(Fit.cover.fullBounds(wide, in: square, at: across) == rectangle(middle, 0, 200, 100))
            #expect(Fit.cover.fullBounds(high, in: square, at: down) == rectangle(0, middle, 100, 200))
            #expect(Fit.contain.rectangles(high, in: square, at: across).destination == rectangle(place, 0, 50, 100))
            #expect(Fit.contain.fullBounds(wide, in: square, at: down) == rectangle(0, place, 100, 50))
            // The other direction has no free space.
            #expect(Fit.cover.rectangles(wide, in: square, at: down).source == rectangle(100, 0, 200, 200))
            #expect(Fit.stretch.fullBounds(wide, in: square, at: across) == rectangle(0, 0, 100, 100))
            #expect(Fit.cover.fullBounds(wide, in: tiny, at: across).width == 2)
        }
    }

    private func shape(_ width: Int, _ height: Int, _ numerator: Int32, _ denominator: Int32) -> FrameShape {
        FrameShape(PixelSize(width: width, height: height), PixelAspect(numerator, denominator))
    }

    @Test("Shapes are compared as they are shown, not in pixels")
    func pixelAspect() {
        let (wide, screen) = (shape(720, 576, 64, 45), shape(640, 480, 1, 1))
        // 720x576 with pixels of 64/45 is 16:9.
        #expect(Fit.contain.rectangles(wide, in: screen).destination == rectangle(0, 60, 640, 360))
        #expect(Fit.cover.rectangles(wide, in: screen).source == rectangle(90, 0, 540, 576))
        #expect(Fit.cover.fullBounds(wide, in: screen) == rectangle(-106, 0, 853, 480))
        #expect(Fit.stretch.rectangles(wide, in: screen).destination == rectangle(0, 0, 640, 480))
        // A square image has the same width as 405 pixels of these frames.
        #expect(Fit.contain.rectangles(shape(100, 100, 1, 1), in: wide).destination == rectangle(157, 0, 405, 576))
        #expect(Fit.cover.rectangles(shape(100, 100, 1, 1), in: wide).source == rectangle(0, 22, 100, 56))
        // Frames of the same shape fill the whole output, with any pixel aspect ratio.
        for other in [shape(1024, 576, 1, 1), shape(1920, 1080, 1, 1), shape(512, 576, 2, 1)] {
            for fit in Fit.allCases {
                #expect(fit.rectangles(wide, in: other) == (wide.size.bounds, other.size.bounds))
                #expect(fit.fullBounds(wide, in: other) == other.size.bounds)
            }
        }
    }

    @Test("Pixel aspect ratios that are none, or absurd, count as square")
    func absurdAspects() {
        let absurd: [(Int32, Int32)] = [
            (0, 1), (1, 0), (0, 0), (-4, 3), (4, -3), (1, .max), (.max, 1), (.min, .max), (17, 1), (1, 17),
        ]
        for (numerator, denominator) in absurd { #expect(PixelAspect(numerator, denominator) == .square) }
        #expect(PixelAspect(.max, .max) == .square)
        #expect(PixelAspect(16, 1).ratio == 16 && PixelAspect(1, 16).ratio == 0.0625)
    }

    @Test("Square pixels show a frame in its shape, with no fewer columns and rows than it has")
    func squared() {
        #expect(shape(720, 576, 64, 45).squared == PixelSize(width: 1024, height: 576))
        #expect(shape(720, 480, 8, 9).squared == PixelSize(width: 720, height: 540))
        #expect(shape(176, 144, 128, 117).squared == PixelSize(width: 193, height: 144))
        #expect(shape(7, 5, 1, 1).squared == PixelSize(width: 7, height: 5))
        // With square pixels, this image would need too much memory.
        #expect(shape(20_000, 20_000, 2, 1).squared == PixelSize(width: 20_000, height: 20_000))
        #expect(shape(720, 576, 64, 45).size(in: PixelAspect(2, 1)) == PixelSize(width: 512, height: 576))
        #expect(FrameShape.zero.squared == .zero)
    }

    @Test("stretch takes all and fills all")
    func stretch() {
        #expect(rectangles(.stretch, 200, 100, in: (50, 51)) == [rectangle(0, 0, 200, 100), rectangle(0, 0, 50, 51)])
    }

    @Test("Extreme shapes keep at least a pixel and stay inside", arguments: Fit.allCases)
    func extremes(_ fit: Fit) {
        let lengths = [1, 2, 3, 7, 16384, 100_000_000]
        for width in lengths {
            for height in lengths {
                for frame in [(1, 1), (1, 16384), (16384, 1), (641, 359)] {
                    for (one, other) in [(1, 1), (16, 1), (1, 16), (64, 45)] as [(Int32, Int32)] {
                        let target = shape(frame.0, frame.1, other, one)
                        let (source, destination) = fit.rectangles(shape(width, height, one, other), in: target)
                        for (part, size) in [(source, (width, height)), (destination, frame)] {
                            #expect(!part.isEmpty)
                            #expect(part.intersection(rectangle(0, 0, size.0, size.1)) == part)
                        }
                        #expect(!fit.fullBounds(shape(width, height, one, other), in: target).isEmpty)
                    }
                }
            }
        }
        #expect(rectangles(.contain, 10000, 1, in: (100, 100))[1] == rectangle(0, 49, 100, 1))
        #expect(rectangles(.cover, 10000, 1, in: (100, 100))[0] == rectangle(4999, 0, 1, 1))
    }
}

@Suite("Converting pictures")
struct ConvertingTests {
    init() { #expect(GStreamer.isReady) }

    private func picture(_ frame: TestFrame, hasAlpha: Bool) throws -> Picture {
        let size = PixelSize(width: frame.width, height: frame.height)
        let made = Picture(frame.format, size: size, hasAlpha: hasAlpha) { image in
            for y in 0..<image.height {
                for x in 0..<image.rowBytes { image.row(y)[x] = frame.bytes[y * image.rowBytes + x] }
            }
        }
        return try #require(made)
    }

    private func format(_ format: PixelFormat) throws -> VideoFormat {
        try #require(VideoFormat(format, size: PixelSize(width: 1, height: 1)))
    }

    private func fullBounds(_ frame: TestFrame) -> Rectangle { Rectangle(width: frame.width, height: frame.height) }

    @Test("In its own size a picture only changes its format", arguments: PixelFormat.all.filter { !$0.isGray })
    func formats(_ target: PixelFormat) throws {
        let drawn = TestFrame(.bgra, 9, 5, seed: 40).map { _, _, pixel in Array(pixel.prefix(3)) + [255] }
        let converted = try picture(drawn, hasAlpha: false).converted(
            fullBounds(drawn), to: PixelSize(width: 9, height: 5), like: format(target))
        #expect(converted.pixelFormat == target)
        let result = try frame(converted)
        let colors = TestFrame(.bgra, 9, 5) { x, y in result.color(x, y).with(opacity: 1).pixel(.bgra) }
        #expect(colors == drawn)
    }

    @Test("Grey stays grey of the same value when the stream is grey")
    func gray() throws {
        let drawn = TestFrame(.bgra, 16, 16) { x, y in Color(gray: UInt8(y * 16 + x)).pixel(.bgra) }
        let converted = try picture(drawn, hasAlpha: false).converted(
            fullBounds(drawn), to: PixelSize(width: 16, height: 16), like: format(.gray8))
        let expected = TestFrame(.gray8, 16, 16) { x, y in [UInt8(y * 16 + x)] }
        let distance = try frame(converted).distance(to: expected)
        #expect(try #require(distance) <= 1)
    }

    @Test("A part is cut out exactly")
    func crop() throws {
        let drawn = TestFrame(.rgb, 20, 12, seed: 41)
        let part = Rectangle(x: 5, y: 3, width: 8, height: 7)
        let converted = try picture(drawn, hasAlpha: false).converted(
            part, to: PixelSize(width: 8, height: 7), like: format(.rgb))
        #expect(try frame(converted) == drawn.part(5, 3, 8, 7))
    }

    @Test("One colour stays that colour in any size", arguments: [(3, 2), (40, 31), (1, 1), (7, 100)])
    func plain(_ width: Int, _ height: Int) throws {
        let color = Color(red: 200, green: 100, blue: 50)
        let drawn = TestFrame(.bgra, 10, 10, color: color)
        let converted = try picture(drawn, hasAlpha: false).converted(
            fullBounds(drawn), to: PixelSize(width: width, height: height), like: format(.bgra))
        let expected = TestFrame(.bgra, width, height, color: color)
        let distance = try frame(converted).distance(to: expected)
        #expect(try #require(distance) <= 1)
    }

    @Test("Hidden colours do not bleed into edges", arguments: [(40, 40), (11, 11), (64, 20)])
    func bleeding(_ width: Int, _ height: Int) throws {
        // The foreground is an opaque red square on transparent green.
        let red = Color(red: 255, green: 0, blue: 0)
        let hidden = Color(red: 0, green: 255, blue: 0, alpha: 0)
        let drawn = TestFrame(.bgra, 20, 20) { x, y in
            ((5..<15).contains(x) && (5..<15).contains(y) ? red : hidden).pixel(.bgra)
        }
        let source = try picture(drawn, hasAlpha: true)
        let size = PixelSize(width: width, height: height)
        let result = try frame(source.converted(fullBounds(drawn), to: size, like: format(.bgra)))
        let plane = try source.alpha(fullBounds(drawn), to: size)
        let alpha = try frame(#require(plane))
        var edges = 0
        for y in 0..<height {
            for x in 0..<width where alpha[x, y][0] > 8 {
                let color = result.color(x, y)
                #expect(color.green <= 8 && color.blue <= 8 && color.red >= 240, "\(color) at \(x), \(y)")
                if alpha[x, y][0] < 250 { edges += 1 }
            }
        }
        #expect(edges > 0)
        #expect(alpha[width / 2, height / 2] == [255])
        #expect(alpha[0, 0] == [0])
    }

    @Test("Luma is that of Rec. 601, times alpha")
    func luma() throws {
        let colors = [
            Color(gray: 255), Color(gray: 0), Color(red: 255, green: 0, blue: 0), Color(red: 0, green: 255, blue: 0),
            Color(red: 0, green: 0, blue: 255), Color(gray: 255, alpha: 128), Color(gray: 100, alpha: 0),
        ]
        let drawn = TestFrame(.bgra, colors.count, 1) { x, _ in colors[x].pixel(.bgra) }
        let luma = try frame(
            picture(drawn, hasAlpha: true).luma(fullBounds(drawn), to: PixelSize(width: colors.count, height: 1)))
        // 0.299, 0.587 and 0.114 times 255.
        for (value, expected) in zip(luma.bytes, [255, 0, 76, 150, 29, 128, 0]) {
            #expect(abs(Int(value) - expected) <= 1, "\(luma.bytes)")
        }
    }
}
