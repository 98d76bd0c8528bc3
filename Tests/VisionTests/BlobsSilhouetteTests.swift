// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Testing
import Vision

/// Tests of naming objects that only differ in outline, or in outline and colour. Each object is learned from one clean
/// image. With `SWIFTVISION_FULL=1`, there are more scenes, and the results are printed.
@Suite("Blobs: silhouettes")
struct BlobsSilhouetteTests {
    private typealias Kind = (name: String, parts: [[Point]])

    private static let isFull = ProcessInfo.processInfo.environment["SWIFTVISION_FULL"] != nil

    /// The numbers of scenes, by the name of the object.
    private struct Tally: CustomStringConvertible {
        var scenes: [String: Int] = [:]
        var right: [String: Int] = [:]
        var named = 0
        var wrong: [String] = []

        var total: Int { scenes.values.reduce(0, +) }
        var share: Double { Double(right.values.reduce(0, +)) / Double(max(1, total)) }
        /// The minimum fraction of right names among the objects.
        var least: Double { scenes.map { Double(right[$0.key] ?? 0) / Double($0.value) }.min() ?? 0 }

        var description: String { "\(right.values.reduce(0, +)) right, \(named) named of \(total); wrong: \(wrong)" }
    }

    /// Returns a clean image of an object. By default, it is black on white.
    private func training(
        _ kind: Kind, color: SIMD3<Double> = [0, 0, 0], ground: SIMD3<Double> = [255, 255, 255]
    ) throws -> BlobPicture {
        var scene = SilhouetteScene()
        (scene.color, scene.ground) = (color, ground)
        var random = SeededRandom(1)
        return try BlobPicture(scene.picture(kind.parts, &random))
    }

    private func trained(_ kinds: [Kind], _ settings: ClassifierSettings = ClassifierSettings()) throws
        -> BlobClassifier
    {
        let classifier = BlobClassifier(settings: settings)
        for kind in kinds { try classifier.learn(try training(kind), as: kind.name) }
        return classifier
    }

    /// - Parameter smallest: smaller objects do not count, in pixels.
    private func run(
        _ shown: [Kind], count: Int, seed: UInt64, smallest: Double = 0, _ classifier: BlobClassifier
    ) throws -> Tally {
        var tally = Tally()
        for index in 0..<count {
            let kind = shown[index % shown.count]
            var random = SeededRandom(seed &+ UInt64(index))
            let scene = SilhouetteScene(&random)
            guard 2 * scene.unit >= smallest else { continue }
            let picture = scene.picture(kind.parts, &random)
            let answer = try classifier.classify(try BlobPicture(scene.blob(kind.parts), in: picture))
            let name = classifier.labels.contains(kind.name) ? kind.name : "unidentified"
            tally.scenes[kind.name, default: 0] += 1
            if answer.label != 0 { tally.named += 1 }
            if answer.name == name {
                tally.right[kind.name, default: 0] += 1
            } else {
                tally.wrong.append("\(kind.name) of \(Int(2 * scene.unit)) pixels: \(answer.name) \(answer.distance)")
            }
        }
        return tally
    }

    @Test("ten kinds in any turn and size")
    func known() throws {
        let tally = try run(Silhouettes.tuned, count: Self.isFull ? 600 : 30, seed: 1, try trained(Silhouettes.tuned))
        #expect(tally.share >= 0.97 && tally.least >= (Self.isFull ? 0.9 : 0.6), "\(tally)")
        if Self.isFull { print("silhouettes:", tally) }
    }

    @Test("ten more kinds, which nothing was tuned with, alone and with the others")
    func more() throws {
        let more = UnseenSilhouettes.all, all = Silhouettes.tuned + more
        let count = Self.isFull ? 600 : 20
        let tallies = [
            try run(more, count: count, seed: 8001, try trained(more)),
            try run(all, count: count, seed: 9001, try trained(all)),
        ]
        for tally in tallies {
            #expect(tally.share >= (Self.isFull ? 0.97 : 0.9) && tally.least >= (Self.isFull ? 0.9 : 0.5), "\(tally)")
        }
        let unknown = try run(more, count: Self.isFull ? 200 : 10, seed: 10_001, try trained(Silhouettes.tuned))
        #expect(unknown.named * 100 <= unknown.total * 3, "\(unknown)")
        if Self.isFull { print("silhouettes, more:", tallies, unknown) }
    }

    @Test("kinds that were not learned stay unidentified")
    func unknown() throws {
        let count = Self.isFull ? 100 : 10
        let (first, second) = (Array(Silhouettes.tuned.prefix(5)), Array(Silhouettes.tuned.suffix(5)))
        let tallies = [
            try run(second, count: count, seed: 2001, try trained(first)),
            try run(first, count: count, seed: 3001, try trained(second)),
        ]
        for tally in tallies { #expect(tally.named * 100 <= tally.total * 3, "\(tally)") }
        if Self.isFull { print("silhouettes, unknown:", tallies) }
    }

    @Test("what is much like a kind that was learned is told from it, and learned as well")
    func alike() throws {
        let count = Self.isFull ? 300 : 30
        // If objects are smaller, too few details are visible.
        let unknown = try run(
            Silhouettes.alike, count: count, seed: 11_001, smallest: 100, try trained(Silhouettes.tuned))
        // If there are few silhouettes, one of them is more than 3 %.
        #expect(unknown.named <= max(1, unknown.total * 3 / 100) && unknown.total > count / 2, "\(unknown)")
        let all = Silhouettes.tuned + Silhouettes.alike
        let known = try run(all, count: count * 13 / 10, seed: 12_001, try trained(all))
        #expect(known.share >= (Self.isFull ? 0.97 : 0.9), "\(known)")
        if Self.isFull { print("silhouettes, alike:", unknown, known) }
    }

    @Test("each is recognised in the picture that it was learned from", arguments: [false, true])
    func same(onDark: Bool) throws {
        let classifier = BlobClassifier(settings: ClassifierSettings())
        let (dark, light) = (SIMD3(18.0, 20, 22), SIMD3(245.0, 245, 245))
        for kind in Silhouettes.tuned {
            let picture = try training(kind, color: onDark ? light : dark, ground: onDark ? dark : light)
            let label = try classifier.learn(picture, as: kind.name)
            let answer = try classifier.classify(picture)
            #expect(answer.name == kind.name && answer.confidence > 0.9, "\(kind.name): \(answer)")
            #expect(
                try classifier.review(picture, label: label, classifier.settings) == LessonReview(isRecognised: true))
        }
    }

    @Test("a bar is no square, whatever is known besides")
    func bar() throws {
        let bar: Kind = ("long bar", [Silhouettes.rectangle(-0.96, -0.24, 0.96, 0.24)])
        for count in 1...2 {
            let known: [Kind] = [("square", [Silhouettes.rectangle(-0.7, -0.7, 0.7, 0.7)]), Silhouettes.tuned[9]]
            let classifier = try trained(Array(known.prefix(count)))
            let answer = try classifier.classify(try training(bar))
            #expect(answer.label == 0, "\(answer)")
        }
    }

    @Test("a comb whose teeth are narrower than pixels is known, and bars of its outline are none")
    func comb() throws {
        let comb = try #require(UnseenSilhouettes.all.first { $0.name == "comb" })
        let classifier = try trained([comb])
        let tally = try run([comb], count: Self.isFull ? 300 : 12, seed: 30_001, classifier)
        #expect(tally.share >= (Self.isFull ? 0.97 : 0.9), "\(tally)")
        // A bar that includes the teeth, and a bar without them. Neither has grey pixels.
        let bars: [Kind] = [
            ("bar with teeth", [Silhouettes.rectangle(-0.98, -0.28, 0.98, 0.3)]),
            ("bar without", [Silhouettes.rectangle(-0.98, -0.28, 0.98, -0.1)]),
        ]
        let unknown = try run(bars, count: Self.isFull ? 200 : 8, seed: 31_001, classifier)
        #expect(unknown.named * 100 <= unknown.total * 3, "\(unknown)")
        if Self.isFull { print("silhouettes, comb:", tally, unknown) }
    }

    @Test("mirror images are other things")
    func mirrored() throws {
        let kind = try #require(Silhouettes.tuned.first { $0.name == "L" })
        let mirrored: Kind = ("mirrored L", [kind.parts[0].map { Point(-$0.x, $0.y) }])
        #expect(try trained([kind]).classify(try training(mirrored)).label == 0)
        let tally = try run([kind, mirrored], count: 8, seed: 4001, try trained([kind, mirrored]))
        #expect(tally.share == 1, "\(tally)")
    }

    @Test("the same shape in two, three and four colours", arguments: 2...4, ["disc", "star"])
    func colors(count: Int, shape: String) throws {
        let kind = try #require(Silhouettes.tuned.first { $0.name == shape })
        let colors: [(name: String, bgr: SIMD3<Double>)] = [
            ("red", [40, 40, 190]), ("blue", [180, 80, 40]), ("green", [60, 150, 60]), ("black", [25, 25, 25]),
        ]
        let classifier = BlobClassifier(settings: ClassifierSettings())
        for color in colors.prefix(count) {
            try classifier.learn(try training(kind, color: color.bgr * 1.15), as: color.name)
        }
        for index in 0..<(Self.isFull ? 40 : 2 * count) {
            let color = colors[index % count]
            var random = SeededRandom(5001 &+ UInt64(index))
            let scene = SilhouetteScene(&random, color: color.bgr)
            let picture = scene.picture(kind.parts, &random)
            let answer = try classifier.classify(try BlobPicture(scene.blob(kind.parts), in: picture))
            #expect(answer.name == color.name, "\(index) \(answer) \(scene)")
        }
    }

    @Test("with size-matters the same shape in two sizes")
    func sizes() throws {
        let disc = try #require(Silhouettes.tuned.last)
        func scene(_ size: Double, _ random: inout SeededRandom) -> SilhouetteScene {
            var scene = SilhouetteScene(&random)
            scene.unit = Double(scene.height) * size / 2
            scene.center = Point(Double(scene.width) / 2, Double(scene.height) / 2)
            return scene
        }
        for matters in [true, false] {
            var settings = ClassifierSettings()
            settings.sizeMatters = matters
            let classifier = BlobClassifier(settings: settings)
            var reviews: [LessonReview] = []
            for (name, size) in [("nickel", 0.212), ("quarter", 0.238)] {
                var random = SeededRandom(6001)
                let scene = scene(size, &random)
                let picture = try BlobPicture(scene.blob(disc.parts), in: scene.picture(disc.parts, &random))
                let label = try classifier.learn(picture, as: name)
                reviews.append(try classifier.review(picture, label: label, settings))
                let stored = try #require(classifier.samples.last?.sizePer10000)
                #expect(abs(Double(stored) / 10_000 - size * 0.98) < 0.004)
            }
            #expect(reviews[0] == LessonReview(isRecognised: true))
            #expect(
                reviews[1]
                    == (matters
                        ? LessonReview(isRecognised: true)
                        : LessonReview(isRecognised: false, takenFor: "nickel", isTellableBySize: true)))
            // The images are stored in the list and read again. Then they have no frame.
            let (list, pictures) = classifier.exported()
            let read = try TrainingList(try list.propertyList(), folder: "")
            let again = BlobClassifier(settings: settings, labels: read.labelDescriptions)
            for (entry, picture) in zip(read.blobs, pictures) {
                let plain = try picture.withImage { try BlobPicture($0) }
                try again.learn(
                    plain, label: entry.label, name: entry.imageFilename, sizePer10000: entry.sizePer10000)
            }
            for (index, size) in [0.212, 0.238, 0.212, 0.238, 0.3].enumerated() {
                var random = SeededRandom(6100 &+ UInt64(index))
                let scene = scene(size, &random)
                let picture = try BlobPicture(scene.blob(disc.parts), in: scene.picture(disc.parts, &random))
                let expected =
                    matters ? (size < 0.22 ? "nickel" : size < 0.25 ? "quarter" : "unidentified") : "unidentified"
                #expect(try classifier.classify(picture).name == expected, "\(size)")
                #expect(try again.classify(picture).name == expected, "\(size)")
            }
        }
    }

    @Test("what is not known for sure has less confidence")
    func confidence() throws {
        let classifier = try trained(Silhouettes.tuned)
        var sure: [Double] = []
        for index in 0..<10 {
            var random = SeededRandom(7001 &+ UInt64(index))
            var scene = SilhouetteScene(&random)
            scene.noise = 1
            let kind = Silhouettes.tuned[index]
            let picture = try BlobPicture(scene.blob(kind.parts), in: scene.picture(kind.parts, &random))
            sure.append(try classifier.classify(picture).confidence)
        }
        #expect(sure.sorted()[5] > 0.65 && sure.allSatisfy { $0 <= 1 }, "\(sure)")
    }
}
