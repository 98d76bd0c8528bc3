// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Scenes
import Testing

@Suite("Scenes: things")
struct SceneThingsTests {
    @Test("twenty kinds with names and numbers; each comes once before one comes again; seeds choose")
    func kinds() {
        let things = SceneObject.things
        #expect(things.count == 20)
        #expect(Set(things.map(\.label)).count == 20)
        #expect(things.map(\.number) == Array(1...20))
        #expect(SceneObject.coins.map(\.number) == Array(1...6))
        #expect(Set(things).isDisjoint(with: SceneObject.coins))
        func shown(_ seed: UInt64, _ count: Int) -> [SceneObject?] {
            Scene(.things, count: count, seed: seed, width: 2400, height: 1600).entities(at: 0).map(\.object)
        }
        #expect(Set(shown(1, 20).compactMap(\.self)) == Set(things))
        #expect(shown(1, 25).count == 25 && shown(1, 6) == Array(shown(1, 6)))
        #expect(Set((0..<8).map { shown($0, 6) }).count == 8)
    }

    @Test("nobody hides another or leaves the frame; turns and sizes differ")
    func places() {
        var (turns, sizes) = (Set<Int>(), [Double]())
        for seed in 0..<12 as Range<UInt64> {
            for (width, height, count) in [(1280, 720, 6), (640, 480, 4), (320, 240, 1), (2400, 1600, 20)] {
                let scene = Scene(.things, count: count, seed: seed, width: width, height: height)
                for time in [0, 2.2, 7] {
                    let entities = scene.entities(at: time)
                    #expect(entities.count == count)
                    for entity in entities {
                        let box = entity.rectangle
                        #expect(box.x >= 0 && box.y >= 0 && box.width > 0 && box.height > 0)
                        #expect(box.x + box.width <= width && box.y + box.height <= height)
                        turns.insert(Int((entity.tilt + 180) / 45))
                        sizes.append(Double(max(box.width, box.height)) / Double(height))
                        #expect(
                            entities.allSatisfy { $0.id == entity.id || $0.rectangle.intersection(box).isEmpty })
                    }
                }
            }
        }
        #expect(turns == Set(0..<8))
        #expect((sizes.min() ?? 1) < 0.1 && (sizes.max() ?? 0) > 0.5)
    }

    /// Draws an object whose shadow is to its right. Returns the object, the indices of its pixels, and the image.
    private func mask(_ object: SceneObject) throws -> (entity: SceneEntity, pixels: Set<Int>, picture: Picture) {
        let (width, height) = (900, 300)
        let scene = try #require(
            (0..<400 as Range<UInt64>).lazy.map {
                Scene(.things, count: 1, seed: $0, speed: 0, width: width, height: height)
            }
            .first { scene in
                let entity = scene.entities(at: 0).first
                return entity?.object == object && (entity?.rectangle.x ?? 900) < 400
            })
        let entity = try #require(scene.entities(at: 0).first)
        let (picture, paper) = (
            Picture(.bgra, width: width, height: height), Picture(.bgra, width: width, height: height)
        )
        ScenePainter(scene).draw(on: FrameImage(picture.image), at: 0, light: SceneLight(shadow: 1, angle: 0))
        ScenePainter(Scene(.things, count: 0, width: width, height: height)).draw(on: FrameImage(paper.image), at: 0)
        let box = entity.rectangle
        var pixels: Set<Int> = []
        for y in 0..<height {
            // The shadow does not begin before the end of the box.
            for x in 0..<box.x + box.width
            where zip(picture[x, y], paper[x, y]).contains(where: { abs(Int($0) - Int($1)) > 24 }) {
                pixels.insert(y * width + x)
            }
        }
        return (entity, pixels, picture)
    }

    @Test("the truth is the smallest box around the thing alone", arguments: SceneObject.things)
    func boxes(object: SceneObject) throws {
        let (entity, pixels, _) = try mask(object)
        let (xs, ys) = (pixels.map { $0 % 900 }, pixels.map { $0 / 900 })
        let (box, left, top) = (entity.rectangle, try #require(xs.min()), try #require(ys.min()))
        let (right, bottom) = (try #require(xs.max()) + 1, try #require(ys.max()) + 1)
        // The tolerance allows for soft edges and tips of one pixel.
        #expect(abs(left - box.x) <= 2 && abs(top - box.y) <= 2)
        #expect(abs(right - box.x - box.width) <= 2 && abs(bottom - box.y - box.height) <= 2)
    }

    @Test("a peg is a peg in red and blue; holes show the paper")
    func shapes() throws {
        func training(_ object: SceneObject) -> Picture {
            let picture = Picture(.bgra, width: 160, height: 160)
            object.draw(on: FrameImage(picture.image))
            return picture
        }
        let (red, blue, key) = (training(.redPeg), training(.bluePeg), training(.key))
        func isPaper(_ picture: Picture, _ x: Int, _ y: Int) -> Bool {
            picture[x, y][0] > 180 && picture[x, y][1] > 180 && picture[x, y][2] > 180
        }
        var same = 0
        for y in 0..<160 { for x in 0..<160 where isPaper(red, x, y) == isPaper(blue, x, y) { same += 1 } }
        #expect(same >= 160 * 160 - 60)
        // The upper lever, to the left of the spring. Red is the third byte.
        let (one, other) = (red[56, 73], blue[56, 73])
        #expect(one[2] > 150 && one[0] < 80 && other[0] > 120 && other[2] < 80)
        // The centre and the left side of the key's bow. They are at -90 and -130 of 165 units, and 165 units are 73
        // pixels.
        #expect(isPaper(key, 40, 80) && !isPaper(key, 23, 80))
    }
}
