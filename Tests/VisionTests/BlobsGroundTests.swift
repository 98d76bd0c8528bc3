// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCVCheck
import Drawing
import Foundation
import Imaging
import TestScope
import Testing
import Vision

@Suite("Blobs: shadows and grounds")
struct BlobsGroundTests {
    private func detector(_ change: (inout BlobSettings) -> Void = { _ in }) -> BlobDetector {
        var settings = BlobSettings()
        change(&settings)
        return BlobDetector(settings: settings)
    }

    /// Returns a scene with a hard shadow. The distance of the shadow is at most the size of the object.
    private func hard(_ thing: Thing, seed: UInt64) throws -> PaperScene {
        var random = SeededRandom(seed)
        var scene = SVCheckScene()
        (scene.width, scene.height) = (1280, 720)
        scene.size = 720 * random.between(0.1, 0.5)
        scene.x = random.between(scene.size, 1280 - scene.size)
        scene.y = random.between(scene.size / 2 + 8, 712 - scene.size / 2)
        scene.angle = random.between(0, 360)
        let white = random.between(195, 225)
        scene.paper = (white * 0.96, white, white * 1.02)
        scene.grain = 1.5
        let (way, direction) = (scene.size * random.between(0, 1), random.between(0, 2 * .pi))
        (scene.shadowX, scene.shadowY) = (way * cos(direction), way * sin(direction))
        scene.shadowBlur = scene.size * 0.01
        scene.shadow = random.between(0.3, 0.6)
        scene.light = (1, 1, 1)
        scene.gradient = random.between(0, 0.15)
        scene.noise = random.between(1, 5)
        scene.seed = random.next()
        return try PaperScene(thing, scene)
    }

    @Test(
        "hard shadows do not belong to coins and beans", .enabled(if: RealData.isPresent, RealData.absence))
    func hardShadows() throws {
        let detector = detector()
        var wrong: [String] = []
        let count = TestScope.choose(24, all: 60)
        for index in 0..<count {
            let thing = Thing.known[index % Thing.known.count]
            let scene = try hard(thing, seed: UInt64(70_000 + index))
            let blob = try detector.blobs(in: scene.picture).first
            let overlap = blob?.box.intersectionOverUnion(scene.truth) ?? 0
            if overlap < 0.8 { wrong.append("\(thing.name) \(index): \(overlap)") }
        }
        #expect(wrong.count * 20 <= count, "\(wrong)")
    }

    @Test("shadows are kept when asked; a grey thing alone is no shadow", arguments: [true, false])
    func kept(isKept: Bool) throws {
        let video = AnyFrame(FrameFormat(.bgra), width: 640, height: 480)
        video.frame.disc(Point(330, 260), radius: 60, color: 0xFF_86_84_81)
        let detector = detector { $0.shadows = isKept ? .keep : .remove }
        let alone = Box(center: Point(330, 260), width: 120, height: 120)
        #expect(try #require(video.blobs(detector).first).box.intersectionOverUnion(alone) > 0.9)
        video.frame.disc(Point(280, 230), radius: 60, color: 0xFF_30_30_A0)
        let blobs = try video.blobs(detector)
        #expect(blobs.count == 1)
        let thing = Box(center: Point(280, 230), width: 120, height: 120)
        let both = Box(x: 220, y: 170, width: 170, height: 150)
        #expect(try #require(blobs.first).box.intersectionOverUnion(isKept ? both : thing) > 0.85)
    }

    /// The centres of the coins in stills/coins.png, measured in the image.
    private static let places: [[Double]] = [
        [45, 54], [101, 56], [156, 51], [216, 51], [276, 53], [335, 44], [46, 124], [103, 126],
        [154, 127], [206, 125], [271, 119], [337, 125], [44, 197], [102, 196], [155, 198], [213, 193],
        [274, 194], [347, 187], [46, 260], [114, 266], [173, 262], [244, 264], [301, 263], [358, 268],
    ]
    private static let coins: [Point] = places.map { Point($0[0], $0[1]) }

    private static func shows(_ box: Box, _ coin: Point) -> Bool {
        let (x, y) = (box.x + box.width / 2 - coin.x, box.y + box.height / 2 - coin.y)
        let sides: ClosedRange<Double> = 30...72
        return hypot(x, y) < 8 && sides.contains(box.width) && sides.contains(box.height)
    }

    @Test("24 old coins on dark, uneven ground", .enabled(if: RealData.isPresent, RealData.absence))
    func oldCoins() throws {
        let picture = try #require(RealData.png("stills/coins.png"))
        for picture in [picture, picture.converted(to: .gray8)] {
            let blobs = try detector { $0.ground = .uneven }.blobs(in: picture)
            let right = Self.coins.count { coin in blobs.contains { Self.shows($0.box, coin) } }
            #expect(right >= 23 && blobs.count - right <= 1, "\(right) of \(blobs.count)")
        }
    }

    @Test("a lamp's spot and dark corners are no things; things that touch are two", arguments: [200.0, 45])
    func light(level: Double) throws {
        let picture = ColorPicture(width: 640, height: 480)
        let things: [(center: Point, radius: Double)] = [
            (Point(150, 330), 50), (Point(249, 330), 50), (Point(420, 200), 30),
        ]
        let ground = SIMD3<Double>(level, level, level * 0.96)
        let own: SIMD3<Double> = level > 100 ? [40, 60, 120] : [200, 150, 120]
        for y in 0..<480 {
            for x in 0..<640 {
                let pixel = Point(Double(x), Double(y))
                let distance: Double = hypot(pixel.x - 400, pixel.y - 170) / 200
                let isThing = things.contains { hypot(pixel.x - $0.center.x, pixel.y - $0.center.y) < $0.radius }
                let lamp: Double = 0.5 + 0.5 * exp(-distance * distance)
                picture.set(x, y, (isThing ? own : ground) * lamp)
            }
        }
        let blobs = try detector { $0.ground = .uneven }.blobs(in: picture)
        #expect(blobs.count == 3, "\(blobs.map(\.box))")
        for thing in things {
            let box = Box(center: thing.center, width: 2 * thing.radius, height: 2 * thing.radius)
            #expect(blobs.contains { $0.box.intersectionOverUnion(box) > 0.8 })
        }
    }

    /// Draws a dark disc of 60 pixels on a grey background, and checks that it is the only blob.
    /// - Parameter light: returns the factors of the light at a pixel: blue, green and red.
    private func expectDiscOnly(_ light: (Int, Int) -> SIMD3<Double>) throws {
        let picture = ColorPicture(width: 1280, height: 720)
        let center = Point(500, 400)
        for y in 0..<720 {
            for x in 0..<1280 {
                let isDisc = hypot(Double(x) - center.x, Double(y) - center.y) < 60
                picture.set(x, y, (isDisc ? SIMD3(60, 60, 60) : SIMD3(170, 172, 175)) * light(x, y))
            }
        }
        let blobs = try detector().blobs(in: picture)
        #expect(blobs.count == 1, "\(blobs.map(\.box))")
        let disc = Box(center: center, width: 120, height: 120)
        #expect(try #require(blobs.first).box.intersectionOverUnion(disc) > 0.9)
    }

    /// The light of a lens with dark corners. In the corners, the light decreases by 2 · `loss`.
    private func lens(_ x: Int, _ y: Int, loss: Double) -> Double {
        let (u, v) = (Double(x) / 640 - 1, Double(y) / 360 - 1)
        return 1 - loss * (u * u + v * v)
    }

    @Test("The bright centre of a plain background is no blob", arguments: [0.25, 0.3])
    func darkCorners(loss: Double) throws {
        try expectDiscOnly { x, y in SIMD3(repeating: lens(x, y, loss: loss)) }
    }

    @Test(
        "A large sheet is a blob if its light or colour differs a little",
        arguments: [[0.85, 0.85, 0.85], [0.93, 1, 1]])
    func sheet(light: [Double]) throws {
        let picture = ColorPicture(width: 1280, height: 720)
        let light = SIMD3(light[0], light[1], light[2])
        for y in 0..<720 {
            for x in 0..<1280 {
                let isSheet = abs(x - 640) < 420 && abs(y - 360) < 236
                picture.set(x, y, SIMD3(170, 172, 175) * (isSheet ? light : SIMD3(1, 1, 1)))
            }
        }
        let blobs = try detector().blobs(in: picture)
        let sheet = Box(center: Point(640, 360), width: 840, height: 472)
        #expect(blobs.count == 1 && (blobs.first?.box.intersectionOverUnion(sheet) ?? 0) > 0.95)
    }

    @Test("Blocks of compression noise are no blobs")
    func blockNoise() throws {
        // A tenth of the blocks has another colour. So the median of the noise is almost 0.
        var random = SeededRandom(45)
        let blocks = (0..<80 * 45).map { _ in random.between(0, 1) < 0.1 ? random.between(0.97, 1) * 0.96 : 1 }
        try expectDiscOnly { x, y in
            SIMD3(blocks[y / 16 * 80 + x / 16], 1, 1) * lens(x, y, loss: 0.1)
        }
    }

    @Test("A weave that the border shows only faintly is no blob")
    func weave() throws {
        try expectDiscOnly { x, y in
            let (u, v) = (Double(x) / 640 - 1, Double(y) / 360 - 1)
            let relief = 0.01 + 0.09 * (1 - u * u) * (1 - v * v)
            return SIMD3(repeating: 1 + relief * sin(Double(x) * 2 * .pi / 90) * sin(Double(y) * 2 * .pi / 90))
        }
    }

    /// Draws discs around (500, 400) on a grey background. Each disc covers the discs before it.
    private func discs(_ discs: (x: Double, radius: Double, color: SIMD3<Double>)...) -> ColorPicture {
        let picture = ColorPicture(width: 1280, height: 720)
        for y in 0..<720 {
            for x in 0..<1280 {
                let disc = discs.last { hypot(Double(x) - $0.x, Double(y) - 400) < $0.radius }
                picture.set(x, y, disc?.color ?? SIMD3(170, 172, 175))
            }
        }
        return picture
    }

    @Test("A disc in a ring is a blob only if the ring shows the background", arguments: [1, 0.955])
    func part(light: Double) throws {
        let picture = discs(
            (500, 90, SIMD3(60, 60, 60)), (500, 66, SIMD3(170, 172, 175) * light), (500, 30, SIMD3(50, 50, 150)))
        let blobs = try detector().blobs(in: picture)
        #expect(blobs.count == (light == 1 ? 2 : 1), "\(blobs.map(\.box))")
    }

    @Test("long, thin and small things are found in their size")
    func thin() throws {
        let video = AnyFrame(FrameFormat.i420, width: 1280, height: 720)
        video.frame.fill(Rectangle(x: 300, y: 300, width: 90, height: 12), color: 0xFF_20_20_20)
        video.frame.disc(Point(800, 400), radius: 18, color: 0xFF_30_30_A0)
        let blobs = try video.blobs(detector())
        #expect(blobs.count == 2)
        #expect(blobs.contains { $0.box.intersectionOverUnion(Box(x: 300, y: 300, width: 90, height: 12)) > 0.7 })
        #expect(blobs.contains { $0.box.intersectionOverUnion(Box(x: 782, y: 382, width: 36, height: 36)) > 0.85 })
    }
}
