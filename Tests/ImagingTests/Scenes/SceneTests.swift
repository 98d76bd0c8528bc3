// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging
import Scenes
import TestScope
import Testing

@Suite("Scenes")
struct SceneTests {
    private static let seeds: [UInt64] = [0, 1, 2, 7, .max]

    private func times(_ count: Int) -> [Double] { (0..<count).map { Double($0) * 0.37 - 3 } }

    @Test("repeatable for a seed, whatever was asked before")
    func repeatable() {
        let scene = Scene(.both, count: 4, seed: 5, width: 1280, height: 720)
        let again = Scene(.both, count: 4, seed: 5, width: 1280, height: 720)
        let other = Scene(.both, count: 4, seed: 6, width: 1280, height: 720)
        let forwards = times(20).map { scene.entities(at: $0) }
        let backwards = times(20).reversed().map { again.entities(at: $0) }
        #expect(forwards == backwards.reversed())
        #expect(forwards != times(20).map { other.entities(at: $0) })
        #expect(scene.entities(at: 0).map(\.id) == [1, 2, 3, 4])
        #expect(scene.entities(at: 0).map(\.kind) == [.human, .cat, .human, .cat])
    }

    @Test("truth is in the frame, sizes and tilts are bounded, nobody hides another", arguments: seeds)
    func bounds(seed: UInt64) {
        for (width, height, count) in [(1280, 720, 4), (320, 240, 3), (1921, 1081, 12), (200, 130, 1), (640, 480, 1)] {
            let scene = Scene(.both, count: count, seed: seed, width: width, height: height)
            for time in times(30) {
                let entities = scene.entities(at: time)
                #expect(entities.count == count)
                for entity in entities {
                    let box = entity.rectangle
                    #expect(box.x >= 0 && box.y >= 0)
                    #expect(box.x + box.width <= width && box.y + box.height <= height)
                    #expect(box.width == box.height && box.width >= 59 && box.width <= 310)
                    #expect(abs(entity.tilt) <= (entity.kind == .human ? 12 : 8))
                    for point in [entity.leftEye, entity.rightEye, entity.nose, entity.mouthLeft, entity.mouthRight] {
                        #expect(point.x > Double(box.x) && point.x < Double(box.x + box.width))
                        #expect(point.y > Double(box.y) && point.y < Double(box.y + box.height))
                    }
                    // The line through the eyes has the tilt of the entity. The tangent is computed from its series.
                    let slope = (entity.rightEye.y - entity.leftEye.y) / (entity.rightEye.x - entity.leftEye.x)
                    let angle = entity.tilt * .pi / 180
                    #expect(abs(slope - (angle + angle * angle * angle / 3)) < 0.001)
                    for other in entities where other.id != entity.id {
                        #expect(entity.rectangle.intersection(other.rectangle).isEmpty)
                    }
                }
            }
        }
    }

    @Test("sizes differ, and every actor moves smoothly")
    func motion() {
        let scene = Scene(.faces, count: 4, seed: 3, width: 1280, height: 720)
        #expect(Set(scene.entities(at: 0).map(\.rectangle.width)).count > 2)
        for id in 0..<4 {
            let path = (0..<300).map { scene.entities(at: Double($0) / 30)[id].nose }
            for (a, b) in zip(path, path.dropFirst()) { #expect(abs(a.x - b.x) < 12 && abs(a.y - b.y) < 12) }
            let xs = path.map(\.x)
            #expect((xs.max() ?? 0) - (xs.min() ?? 0) > 100)
        }
        let still = Scene(.faces, count: 2, seed: 3, speed: 0, width: 1280, height: 720)
        #expect(still.entities(at: 0) == still.entities(at: 77))
        // At twice the speed, the path is the same, but it takes half the time.
        let quick = Scene(.faces, count: 4, seed: 3, speed: 2, width: 1280, height: 720)
        #expect(quick.entities(at: 1.25) == scene.entities(at: 2.5))
    }

    @Test("as many actors as fit")
    func small() {
        func count(_ width: Int, _ height: Int, _ count: Int) -> Int {
            Scene(.both, count: count, width: width, height: height).entities(at: 0).count
        }
        #expect([count(1, 1, 3), count(95, 300, 1), count(97, 109, 5), count(194, 109, 5)] == [0, 0, 1, 2])
        #expect([count(-5, .max, 3), count(.min, .min, 3), count(640, 480, 0), count(640, 480, .min)] == [0, 0, 0, 0])
        #expect(count(.max, .max, 3) == 3)
        #expect(count(640, 480, .max) <= 6 * 5)
    }

    @Test("times and speeds that are no numbers")
    func senseless() {
        for speed in [Double.nan, .infinity, -.infinity, 1e300, -3] {
            let scene = Scene(.cats, count: 2, seed: 1, speed: speed, width: 640, height: 480)
            for time in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 0] {
                for entity in scene.entities(at: time) {
                    let box = entity.rectangle
                    #expect(box.x >= 0 && box.x + box.width <= 640 && box.y >= 0 && box.y + box.height <= 480)
                }
            }
        }
    }

    @Test("what is drawn is where the truth says, on every format", arguments: FrameFormat.all)
    func truth(format: FrameFormat) {
        let video = Video(format, width: 641, height: 361, padding: 5)
        for seed in Self.seeds.prefix(TestScope.choose(1, all: 2)) {
            let painter = ScenePainter(Scene(.both, count: 4, seed: seed, width: 641, height: 361))
            for time in [0, 1.7] {
                video.frame.fill(video.frame.bounds, color: 0xFF_30_50_90)
                let before = video.bytes
                let entities = painter.draw(on: video.frame, at: time)
                #expect(entities == painter.scene.entities(at: time))
                let luma = Picture(.gray8, width: 641, height: 361)
                video.frame.copyLuma(into: luma.image)
                func level(_ x: Double, _ y: Double) -> Double {
                    let level = Double(luma[Int(x), Int(y)][0])
                    return format.isYUV ? (level - 16) * 255 / 219 : level
                }
                /// Returns the darkest pixel near a position. In the smallest faces, lines are thin.
                func darkest(_ x: Double, _ y: Double) -> Double {
                    (0..<9).map { level(x + Double($0 % 3) - 1, y + Double($0 / 3) - 1) }.min() ?? 255
                }
                for entity in entities {
                    let eyes = (
                        darkest(entity.leftEye.x, entity.leftEye.y), darkest(entity.rightEye.x, entity.rightEye.y)
                    )
                    let between = level(
                        (entity.leftEye.x + entity.rightEye.x) / 2, (entity.leftEye.y + entity.rightEye.y) / 2)
                    #expect(eyes.0 < 90 && eyes.1 < 90 && between > 100, "\(entity) \(eyes) \(between)")
                    // A mouth is darker than the skin below its corner or the fur next to it.
                    let size = Double(entity.rectangle.width)
                    let mouth = darkest(
                        (entity.mouthLeft.x + entity.mouthRight.x) / 2, (entity.mouthLeft.y + entity.mouthRight.y) / 2)
                    let cheek = level(entity.mouthLeft.x - size * 0.08, entity.mouthLeft.y - size * 0.1)
                    #expect(mouth < cheek - 20, "\(entity)")
                    #expect(abs(level(entity.nose.x, entity.nose.y) - 128) < 110)
                }
                // The check of all bytes takes long.
                if seed == 0, time == 0 { #expect(video.isIntactAround(before)) }
                // No entity reaches the corners of the frame.
                for letter in video.letters {
                    let corner = original(video, before)[letter, 0, 0]
                    #expect(video[letter, 0, 0] == corner)
                }
            }
        }
    }

    private func original(_ video: Video, _ bytes: [[UInt8]]) -> Video {
        Video(video.frame.format, width: video.whole.width, height: video.whole.height, like: video, bytes)
    }
}
