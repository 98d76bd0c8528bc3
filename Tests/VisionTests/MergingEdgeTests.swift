// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing
import Vision
import KernelTypes

@Suite("Merging: edges, swapping, pairs and pictures")
struct MergingEdgeTests {
    private static let styles: [MergeSettings] = [.smooth, .classic]

    private func textured(_ format: FrameFormat, _ width: Int, _ height: Int) -> Canvas {
        let canvas = Canvas(format, width: width, height: height)
        canvas.fill { x, y in SIMD3(Double(50 + (x * 3) % 150), Double(60 + (y * 5) % 120), Double((x + y) % 200)) }
        return canvas
    }

    private func partner(_ size: Int = 80, species: Species = .cat) throws -> FacePicture {
        try textured(FrameFormat(.bgr), size + 20, size + 20)
            .picture(.drawn(10, 8, size: Double(size), species: species))
    }

    @Test("points that make no map, and faces outside of the frame, draw nothing", arguments: styles)
    func nothing(settings: MergeSettings) throws {
        let partner = try partner()
        let canvas = textured(.nv12, 100, 80)
        let before = canvas.bytes
        let good = FacePoints.drawn(20, 10, size: 50)
        var faces: [FacePoints] = []
        for number in [Double.nan, .infinity, -.infinity, 1e300, -1e9] {
            for path in [\FacePoints.leftEye.x, \.leftEye.y, \.rightEye.x, \.nose.y] {
                var face = good
                face[keyPath: path] = number
                faces.append(face)
            }
        }
        for change in [
            { $0.rightEye = $0.leftEye }, { $0.nose = $0.leftEye }, { $0.nose = Point(44, 30) },
            { $0.nose = Point(60, 30) },
            {
                $0.leftEye = $0.nose; $0.rightEye = $0.nose
            },
        ] as [(inout FacePoints) -> Void] {
            var face = good
            change(&face)
            faces.append(face)
        }
        faces += [
            .drawn(-200, 10, size: 50), .drawn(20, 300, size: 50), .drawn(150, -90, size: 50),
            .drawn(9e5, 9e5, size: 50),
            .drawn(20, 10, size: 1), .drawn(20, 10, size: 0), .drawn(20, 10, size: -0.0),
        ]
        for face in faces {
            let drawn = try FaceMerger().replace([(face, partner)], on: canvas.frame, at: 0, settings)
            #expect(drawn == [nil], "\(face)")
            #expect(FacePicture(copying: canvas.frame, face: face) == nil)
        }
        #expect(canvas.bytes == before)
    }

    @Test("boxes that make no sense are no obstacle", arguments: styles)
    func boxes(settings: MergeSettings) throws {
        let partner = try partner()
        for box in [
            Box(x: 0, y: 0, width: 0, height: 0), Box(x: .nan, y: 1, width: 2, height: 3),
            Box(x: -900, y: -900, width: 10, height: 10), Box(x: -1e300, y: 0, width: 1e300, height: .infinity),
            Box(x: 40, y: 30, width: -20, height: 5), Box(x: -5000, y: -5000, width: 10000, height: 10000),
            Box(x: 44, y: 32, width: 1, height: 1),
        ] {
            let canvas = textured(.i420, 100, 80)
            var face = FacePoints.drawn(20, 10, size: 50, track: 1)
            face.box = box
            let drawn = try FaceMerger().replace([(face, partner)], on: canvas.frame, at: 0, settings)
            #expect(drawn.first??.three == face.three)
        }
    }

    @Test(
        "a face partly outside is what it would be in a larger frame",
        arguments: [(-20.0, 30.0), (75, 45), (30, -25), (61, -31)], [Species.human, .cat])
    func clipped(_ place: (x: Double, y: Double), species: Species) throws {
        let (x, y) = place
        let partner = try partner(species: species)
        var settings = MergeSettings.smooth
        settings.matchColors = false
        let large = textured(FrameFormat(.bgrx), 200, 180)
        let small = Canvas(FrameFormat(.bgrx), width: 100, height: 80)
        let part = large.frame.cropped(to: Rectangle(x: 50, y: 50, width: 100, height: 80))
        if let from = part.packed { small.frame.packed?.copy(from: from) }
        let guards = small.bytes.map { ($0.prefix(256), $0.suffix(256)) }
        let face = FacePoints.drawn(x, y, size: 60, degrees: 9)
        var moved = face
        for path in [\FacePoints.leftEye, \.rightEye, \.nose] {
            moved[keyPath: path].x += 50
            moved[keyPath: path].y += 50
        }
        _ = try FaceMerger().replace([(face, partner)], on: small.frame, at: 0, settings)
        _ = try FaceMerger().replace([(moved, partner)], on: large.frame, at: 0, settings)
        let (colors, all) = (small.colors, large.colors)
        // OpenCV computes in 32nds of a pixel from the region's corner. The warp between species is interpolated between
        // the nodes of a grid that starts at this corner. The texture has edges of 150 levels.
        var worst = 0.0
        for y in 0..<80 {
            for x in 0..<100 {
                let difference = colors[y * 100 + x] - all[(y + 50) * 200 + x + 50]
                worst = max(worst, (difference * difference).max())
            }
        }
        #expect(worst <= (species == .human ? 36 : 144))
        #expect(
            zip(guards, small.bytes).allSatisfy {
                $0.0.elementsEqual($1.prefix(256)) && $0.1.elementsEqual($1.suffix(256))
            })
    }

    @Test("faces of 8 pixels, partners larger than the frame, and the other way round", arguments: styles)
    func sizes(settings: MergeSettings) throws {
        for (face, size) in [(8.0, 300), (3, 20), (500, 60), (90, 8), (20000, 40)] {
            let canvas = textured(.yuy2, 120, 100)
            let target = FacePoints.drawn(60 - face / 2, 50 - face / 2, size: face)
            let drawn = try FaceMerger().replace([(target, try partner(size))], on: canvas.frame, at: 0, settings)
            #expect(drawn.first??.three == target.three && drawn.first??.species == nil)
        }
    }

    @Test("any numbers at all: nothing breaks")
    func anything() throws {
        var dice = Dice(seed: 12)
        func number() -> Double {
            switch dice.next() >> 40 & 7 {
            case 0: [Double.nan, .infinity, -1e308, 0, 1e18, -0.0][Int(dice.next() >> 33 % 6)]
            case 1: 2000 * dice.even() - 1000
            default: 120 * dice.even() - 10
            }
        }
        func point() -> Point { Point(number(), number()) }
        func face() -> FacePoints {
            FacePoints(
                track: Int(dice.next() >> 60), species: [.human, .cat, nil][Int(dice.next() >> 33 % 3)],
                box: Box(x: number(), y: number(), width: number(), height: number()), leftEye: point(),
                rightEye: point(), nose: point())
        }
        let (merger, partner) = (try FaceMerger(), try partner())
        let formats = [FrameFormat.i420, .uyvy, FrameFormat(.argb), FrameFormat(.rgb), FrameFormat(.gray8)]
        var drawn = 0
        for round in 0..<120 {
            let canvas = Canvas(
                formats[round % 5], width: 1 + Int(dice.next() >> 57), height: 1 + Int(dice.next() >> 57))
            let guards = canvas.bytes.map { ($0.prefix(256), $0.suffix(256)) }
            var settings = MergeSettings(style: round % 3 == 0 ? .classic : .smooth)
            settings.mode = BlendMode.allCases[round % BlendMode.allCases.count]
            (settings.opacity, settings.feather, settings.smoothing) = (number(), number(), number())
            settings.matchColors = round % 2 == 0
            let results = try merger.replace(
                [(face(), partner), (face(), partner)], on: canvas.frame, at: number(), settings)
            drawn += results.compactMap(\.self).count
            _ = try merger.swap(face(), face(), on: canvas.frame, at: number(), settings)
            let inset = Rectangle(x: Int(dice.next() >> 57) - 40, y: 3, width: 40, height: Int(dice.next() >> 58))
            _ = try merger.pair(face(), face(), into: inset, of: canvas.frame, at: number(), settings)
            #expect(
                zip(guards, canvas.bytes).allSatisfy {
                    $0.0.elementsEqual($1.prefix(256)) && $0.1.elementsEqual($1.suffix(256))
                })
        }
        #expect(drawn > 10)
    }

    @Test("a partner's picture that ends within the face fades out there; its transparent parts do not show")
    func partial() throws {
        let canvas = Canvas(FrameFormat(.bgrx), width: 120, height: 110)
        canvas.fill { _, _ in SIMD3(repeating: 50) }
        let photo = Canvas(FrameFormat(.bgra), width: 100, height: 100, padding: 0)
        photo.fill { _, _ in SIMD3(repeating: 250) }
        let image = try #require(photo.frame.packed)
        // Transparent from the nose's row on; cropped just right of the right eye.
        for y in 0..<100 { for x in 0..<100 { image.row(y)[4 * x + 3] = y < 50 ? 255 : 0 } }
        let own = FacePoints.drawn(20, 10, size: 66)
        let cut = try #require(
            FacePicture(copying: photo.frame.cropped(to: Rectangle(width: 72, height: 100)), face: own))
        var settings = MergeSettings.smooth
        (settings.mode, settings.matchColors, settings.feather) = (.normal, false, 0)
        _ = try FaceMerger().replace([(.drawn(20, 10, size: 66), cut)], on: canvas.frame, at: 0, settings)
        let colors = canvas.colors
        func gray(_ x: Int, _ y: Int) -> Double { colors[y * 120 + x].x }
        #expect(gray(50, 40) == 250 && gray(40, 45) == 250)
        #expect(gray(50, 52) == 50 && gray(50, 60) == 50)
        // The edge at 72 fades over a quarter of half the eyes' distance, 3.3 pixels.
        #expect(gray(67, 36) == 250 && gray(70, 36) < 220 && gray(70, 36) > 60 && gray(72, 36) == 50)
    }

    @Test("two faces take each other's place")
    func swapping() throws {
        let canvas = Canvas(.i420, width: 240, height: 120)
        let (one, other) = (FacePoints.drawn(10, 10, size: 90), FacePoints.drawn(140, 20, size: 60, species: .cat))
        canvas.fill { x, _ in x < 120 ? SIMD3(180, 60, 60) : SIMD3(60, 60, 180) }
        var settings = MergeSettings.smooth
        settings.matchColors = false
        let merger = try FaceMerger()
        #expect(try merger.swap(one, other, on: canvas.frame, at: 0, settings) == [one, other])
        let colors = canvas.colors
        func isBlue(_ point: Point) -> Bool {
            let color = colors[Int(point.y) * 240 + Int(point.x)]
            return color.z > color.x + 100
        }
        #expect(one.three.allSatisfy(isBlue) && !other.three.contains(where: isBlue))
        #expect(!isBlue(Point(5, 5)) && isBlue(Point(235, 5)))
        // With one of them outside there is nothing to swap.
        let before = canvas.bytes
        let gone = FacePoints.drawn(900, 20, size: 60)
        #expect(try merger.swap(one, gone, on: canvas.frame, at: 1, settings) == [nil, nil])
        #expect(canvas.bytes == before)
    }

    @Test("the hybrid of two faces in a rectangle, clipped to the frame", arguments: styles)
    func pairs(settings: MergeSettings) throws {
        let canvas = textured(.nv12, 240, 140)
        let (one, other) = (FacePoints.drawn(10, 10, size: 90), FacePoints.drawn(140, 20, size: 60, species: .cat))
        let before = canvas.colors
        let inset = Rectangle(x: 180, y: 90, width: 48, height: 70)
        let place = try FaceMerger().pair(one, other, into: inset, of: canvas.frame, at: 0, settings)
        let hybrid = try #require(place)
        #expect(hybrid.species == nil)
        for point in hybrid.three { #expect(point.x > 180 && point.x < 228 && point.y > 90 && point.y < 160) }
        // As in the bigger one: the nose half as far below the eyes as they are apart.
        let (eyes, nose) = (hybrid.rightEye.x - hybrid.leftEye.x, hybrid.nose.y - hybrid.leftEye.y)
        #expect(abs(nose / eyes - 0.5) < 0.01 && eyes > 8)
        let colors = canvas.colors
        var changed = 0
        for y in 0..<140 {
            for x in 0..<240 where colors[y * 240 + x] != before[y * 240 + x] {
                changed += 1
                #expect(x >= 180 && x < 228 && y >= 90)
            }
        }
        #expect(changed > 48 * 50 / 2)
        for rectangle in [
            Rectangle(width: 0, height: 9), Rectangle(x: 3, width: -4, height: 9), Rectangle(width: .max, height: .max),
        ] {
            #expect(try FaceMerger().pair(one, other, into: rectangle, of: canvas.frame, at: 0, settings) == nil)
        }
    }

    @Test("thumbnails fill their size, and a plain picture stays plain to its edges")
    func fitting() throws {
        let canvas = Canvas(FrameFormat(.bgrx), width: 300, height: 200)
        canvas.fill { _, _ in SIMD3(10, 120, 240) }
        let picture = try canvas.picture(.drawn(100, 40, size: 90))
        for (width, height) in [(40, 40), (200, 90), (9, 300)] {
            let fitted = try #require(try picture.fitted(width: width, height: height))
            #expect(fitted.image.width == width && fitted.image.height == height)
            for y in 0..<height {
                for x in 0..<width { #expect((0..<3).map { fitted.image.row(y)[4 * x + $0] } == [240, 120, 10]) }
            }
            let (eyes, nose) = (fitted.face.rightEye.x - fitted.face.leftEye.x, fitted.face.nose)
            #expect(abs(eyes / (nose.y - fitted.face.leftEye.y) - 2) < 0.001)
            #expect(abs(nose.x - Double(width) / 2) < 1)
        }
        #expect(try picture.fitted(width: 0, height: 10) == nil && picture.fitted(width: .max, height: 10) == nil)
        let merger = try FaceMerger()
        for (x, y) in [(-20, -30), (290, 190), (400, 0), (.min, .max), (.max, .min)] {
            merger.draw(picture, on: canvas.frame, x: x, y: y)
        }
        #expect(canvas.colors.allSatisfy { $0 == SIMD3(10, 120, 240) })
    }

    @Test("a smooth hybrid is the bigger picture with the smaller one in its oval")
    func picture() throws {
        let (gray, color) = (
            Canvas(FrameFormat(.gray8), width: 130, height: 130), Canvas(FrameFormat(.bgr), width: 90, height: 90)
        )
        gray.fill { _, _ in SIMD3(repeating: 200) }
        color.fill { _, _ in SIMD3(255, 102, 51) }
        let big = try gray.picture(.drawn(20, 15, size: 90))
        let small = try color.picture(.drawn(10, 10, size: 60, species: .cat))
        var settings = MergeSettings.smooth
        settings.matchColors = false
        settings.mode = .multiply
        for pair in [(big, small), (small, big)] {
            let hybrid = try #require(try FaceMerger().hybrid(of: pair.0, and: pair.1, settings))
            #expect(hybrid.face.three == big.face.three && hybrid.face.species == nil)
            #expect(!hybrid.isGray && !hybrid.hasAlpha && hybrid.image.bounds == big.image.bounds)
            let (middle, corner) = (hybrid.face.nose, hybrid.image.row(0))
            let pixel = hybrid.image.row(Int(middle.y) - 8) + 4 * Int(middle.x)
            #expect([pixel[0], pixel[1], pixel[2]] == [40, 80, 200])
            #expect([corner[0], corner[1], corner[2]] == [200, 200, 200])
        }
    }
}
