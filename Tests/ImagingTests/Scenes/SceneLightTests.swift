// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Scenes
import Testing

@Suite("Scenes: light on paper")
struct SceneLightTests {
    private static let (width, height) = (420, 420)

    /// Draws an image without motion in BGRA.
    private static func picture(
        _ kind: Scene.Kind, count: Int, seed: UInt64 = 1, _ light: SceneLight
    ) -> (picture: Picture, entities: [SceneEntity]) {
        let picture = Picture(.bgra, width: width, height: height)
        let scene = Scene(kind, count: count, seed: seed, speed: 0, width: width, height: height)
        return (picture, ScenePainter(scene).draw(on: FrameImage(picture.image), at: 0, light: light))
    }

    /// The paper without objects.
    private let paper = SceneLightTests.picture(.coins, count: 0, SceneLight()).picture

    /// Returns the light of a pixel, as a fraction of the light on paper without shadows.
    private func share(_ picture: Picture, _ x: Int, _ y: Int) -> Double {
        Double(picture[x, y][1]) / Double(paper[x, y][1])
    }

    @Test(
        "a hard shadow is the thing's silhouette, moved by its share of the thing's size, a common factor darker",
        arguments: [(0.5, 0.0), (0.3, 135), (0.9, 250), (1, 45)])
    func shadow(length: Double, angle: Double) throws {
        // A coin is a circle with the width of its box.
        let seed = try #require(
            (0..<40 as Range<UInt64>).first { seed in
                let scene = Scene(.coins, count: 1, seed: seed, width: Self.width, height: Self.height)
                return scene.entities(at: 0).first?.object == .goldCoin
            })
        let (picture, entities) = Self.picture(
            .coins, count: 1, seed: seed, SceneLight(shadow: length, angle: angle))
        let (plain, others) = Self.picture(.coins, count: 1, seed: seed, SceneLight())
        #expect(entities == others)
        let box = try #require(entities.first).rectangle
        try #require(abs(box.width - box.height) <= 1)
        let (x, y, radius) = (
            Double(box.x) + Double(box.width) / 2, Double(box.y) + Double(box.height) / 2, Double(box.width) / 2
        )
        let (sine, cosine) = sineAndCosine(degrees: angle)
        func distance(_ column: Int, _ row: Int, _ shift: Double) -> Double {
            let (dx, dy) = (Double(column) + 0.5 - x - shift * cosine, Double(row) + 0.5 - y - shift * sine)
            return (dx * dx + dy * dy).squareRoot()
        }
        var shaded = 0
        for row in 0..<Self.height {
            for column in 0..<Self.width {
                let (here, there) = (distance(column, row, 0), distance(column, row, 2 * radius * length))
                if here < radius - 3 {
                    // A coin is slightly transparent: it shows 1/255 of the pixels below.
                    let levels = zip(picture[column, row], plain[column, row])
                    #expect(levels.allSatisfy { abs(Int($0) - Int($1)) <= 1 })
                } else if here > radius + 3, there > radius + 3 {
                    #expect(picture[column, row] == paper[column, row])
                } else if here > radius + 3, there < radius - 3 {
                    shaded += 1
                    for channel in 0..<3 {
                        let paper = Double(paper[column, row][channel])
                        #expect(abs(Double(picture[column, row][channel]) - 0.55 * paper) < 1.5)
                    }
                }
            }
        }
        #expect(shaded > 1000)
    }

    @Test("where shadows meet, the paper is no darker", arguments: [Scene.Kind.coins, .things])
    func overlap(kind: Scene.Kind) {
        var darkest = 1.0
        for seed in 1...4 as ClosedRange<UInt64> {
            let (picture, entities) = Self.picture(kind, count: 9, seed: seed, SceneLight(shadow: 1, angle: 200))
            for y in stride(from: 0, to: Self.height, by: 3) {
                for x in stride(from: 0, to: Self.width, by: 3) {
                    let isPaper = entities.allSatisfy {
                        $0.rectangle.intersection(Rectangle(x: x - 3, y: y - 3, width: 7, height: 7)).isEmpty
                    }
                    if isPaper { darkest = min(darkest, share(picture, x, y)) }
                }
            }
        }
        #expect(abs(darkest - 0.55) < 0.01)
    }

    @Test("light falls off from one corner to the opposite one, on paper and things")
    func falloff() {
        let (picture, _) = Self.picture(.things, count: 0, SceneLight(angle: 45, falloff: 0.4))
        let (last, middle) = (Self.width - 1, Self.width / 2)
        for (x, y, expected) in [(0, 0, 1), (last, 0, 0.8), (0, last, 0.8), (last, last, 0.6), (middle, middle, 0.8)] {
            #expect(abs(share(picture, x, y) - expected) < 0.01)
        }
        let upwards = Self.picture(.things, count: 0, SceneLight(angle: 270, falloff: 0.5)).picture
        #expect(abs(share(upwards, 5, 0) - 0.5) < 0.01 && abs(share(upwards, 5, last) - 1) < 0.01)
        let (lit, entities) = Self.picture(.things, count: 4, SceneLight(shadow: 0.2, falloff: 0.4))
        let plain = Self.picture(.things, count: 4, SceneLight(shadow: 0.2)).picture
        for entity in entities {
            let (x, y) = (
                entity.rectangle.x + entity.rectangle.width / 2, entity.rectangle.y + entity.rectangle.height / 2
            )
            let light = 1 - 0.4 * (Double(x + y + 1) / Double(2 * Self.width))
            #expect(abs(Double(lit[x, y][1]) - light * Double(plain[x, y][1])) < 2)
        }
    }

    @Test("one painter takes one light after another, and numbers that are none")
    func changes() {
        let scene = Scene(.things, count: 4, seed: 1, speed: 0, width: Self.width, height: Self.height)
        let painter = ScenePainter(scene)
        let light = SceneLight(shadow: 0.5, angle: 10, falloff: 0.5)
        for each in [
            light, SceneLight(), SceneLight(falloff: 0.5), SceneLight(angle: 90, falloff: 0.5), SceneLight(), light,
        ] {
            let picture = Picture(.bgra, width: Self.width, height: Self.height)
            painter.draw(on: FrameImage(picture.image), at: 0, light: each)
            #expect(picture.bytes == Self.picture(.things, count: 4, each).picture.bytes)
        }
        #expect(SceneLight(shadow: .nan, angle: .infinity, falloff: -3) == SceneLight(angle: 0))
        #expect(SceneLight(shadow: 7, falloff: .infinity) == SceneLight(shadow: 1, falloff: 1))
    }
}
