// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Testing
import Vision

/// Tests of detecting and naming silhouettes with hard shadows. The distance of a shadow is at most the size of the
/// object. Each object is learned from one clean image. With `SWIFTVISION_FULL=1`, there are more scenes, and the
/// results are printed.
@Suite("Blobs: hard shadows")
struct BlobsShadowTests {
    private typealias Kind = (name: String, parts: [[Point]])

    private static let isFull = ProcessInfo.processInfo.environment["SWIFTVISION_FULL"] != nil

    private struct Tally: CustomStringConvertible {
        var scenes = 0
        var placed = 0
        var named = 0
        var right = 0
        var missed: [String] = []

        var description: String { "\(right) right, \(named) named, \(placed) placed of \(scenes); missed: \(missed)" }
    }

    private static let unseen = UnseenSilhouettes.all.filter { $0.name != "comb" }

    private func trained(_ kinds: [Kind]) throws -> BlobClassifier {
        let classifier = BlobClassifier(settings: ClassifierSettings())
        for kind in kinds {
            var random = SeededRandom(1)
            try classifier.learn(try BlobPicture(SilhouetteScene().picture(kind.parts, &random)), as: kind.name)
        }
        return classifier
    }

    private func run(_ shown: [Kind], count: Int, seed: UInt64, _ classifier: BlobClassifier) throws -> Tally {
        let detector = BlobDetector(settings: BlobSettings())
        var tally = Tally()
        for index in 0..<count {
            let kind = shown[index % shown.count]
            var random = SeededRandom(seed &+ UInt64(index))
            let scene = SilhouetteScene(inHardLight: &random)
            let picture = scene.picture(kind.parts, &random)
            let truth = scene.box(kind.parts)
            tally.scenes += 1
            let blobs = try detector.blobs(in: picture).map { ($0, $0.box.intersectionOverUnion(truth)) }
            guard let (blob, overlap) = blobs.max(by: { $0.1 < $1.1 }), overlap > 0.3 else {
                tally.missed.append("\(kind.name) \(index): nothing")
                continue
            }
            if overlap >= 0.8 { tally.placed += 1 }
            let answer = try classifier.classify(try BlobPicture(blob, in: picture))
            if answer.label != 0 { tally.named += 1 }
            if answer.name == kind.name { tally.right += 1 }
            if answer.name != kind.name || overlap < 0.8 {
                tally.missed.append("\(kind.name) \(index): \(answer.name) \(answer.distance), \(overlap)")
            }
        }
        return tally
    }

    @Test("things get their boxes and their names beside their shadows")
    func known() throws {
        let all = Silhouettes.tuned + Self.unseen
        let tally = try run(all, count: Self.isFull ? 380 : 38, seed: 20_001, try trained(all))
        #expect(tally.right * 100 >= tally.scenes * 93 && tally.placed * 100 >= tally.scenes * 95, "\(tally)")
        if Self.isFull { print("hard shadows:", tally) }
    }

    @Test("things that were not learned get no names beside their shadows")
    func unknown() throws {
        let classifier = try trained(Silhouettes.tuned)
        let tally = try run(Self.unseen, count: Self.isFull ? 180 : 18, seed: 21_001, classifier)
        #expect(tally.named * 100 <= tally.scenes * 3, "\(tally)")
        if Self.isFull { print("hard shadows, unknown:", tally) }
    }

    @Test("a dark thing is not the shadow of its shadow", arguments: ["T", "bar", "square", "star"])
    func besides(name: String) throws {
        let kind = try #require(Silhouettes.tuned.first { $0.name == name })
        var random = SeededRandom(22_001)
        var scene = SilhouetteScene()
        (scene.width, scene.height, scene.unit) = (640, 480, 90)
        (scene.center, scene.shadow) = (Point(200, 240), Point(200, 30))
        (scene.ground, scene.color, scene.darkness) = ([192, 200, 204], [34, 32, 30], 0.45)
        (scene.blur, scene.noise, scene.penumbra) = (0.7, 1.5, 1.8)
        let blobs = try BlobDetector(settings: BlobSettings()).blobs(in: scene.picture(kind.parts, &random))
        #expect(
            blobs.contains { $0.box.intersectionOverUnion(scene.box(kind.parts)) > 0.8 }, "\(blobs.map(\.box))")
    }

    @Test("a dark object with a light print is not the shadow of its print")
    func lightPrint() throws {
        let picture = ColorPicture(width: 240, height: 160)
        for y in 0..<160 {
            for x in 0..<240 {
                let isObject = (60..<180).contains(x) && (50..<110).contains(y)
                let isPrint = (75..<135).contains(x) && (56..<104).contains(y)
                picture.set(x, y, SIMD3(repeating: isPrint ? 205 : isObject ? 57 : 190))
            }
        }
        let blobs = try BlobDetector(settings: BlobSettings()).blobs(in: picture)
        let truth = Box(x: 60, y: 50, width: 120, height: 60)
        #expect(blobs.count == 1 && blobs.allSatisfy { $0.box.intersectionOverUnion(truth) > 0.95 })
    }

    @Test("the outline of a thing is told from a short shadow's", arguments: [0.05, 0.1, 0.15])
    func short(way: Double) throws {
        let classifier = try trained(Silhouettes.tuned)
        for (index, kind) in Silhouettes.tuned.enumerated() {
            var random = SeededRandom(23_001 &+ UInt64(index))
            var scene = SilhouetteScene(&random)
            (scene.width, scene.height, scene.unit) = (1280, 720, 110)
            scene.center = Point(500, 300)
            (scene.shadow, scene.penumbra, scene.darkness) = (Point(1.6 * way * 110, 1.2 * way * 110), 2, 0.55)
            // The detector may detect the object together with its shadow.
            var both = scene
            both.center = Point(scene.center.x + scene.shadow.x / 2, scene.center.y + scene.shadow.y / 2)
            let picture = try BlobPicture(both.blob(kind.parts), in: scene.picture(kind.parts, &random))
            let answer = try classifier.classify(picture)
            #expect(answer.name == kind.name, "\(answer)")
        }
    }
}
