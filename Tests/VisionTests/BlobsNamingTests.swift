// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCVCheck
import Foundation
import Imaging
import TestScope
import Testing
@testable import Vision

/// Tests of naming blobs in frames of all formats.
@Suite("Blobs: naming")
struct BlobsNamingTests {
    private static let things = Thing.drawn.filter { ["star", "button", "penny", "nut"].contains($0.name) }

    private func trained(
        _ things: [Thing] = things, _ settings: ClassifierSettings = ClassifierSettings()
    ) throws -> BlobClassifier {
        let classifier = BlobClassifier(settings: settings)
        let detector = BlobDetector(settings: BlobSettings())
        try PaperScene.each(things, count: things.count, seed: 790) { scene in
            let blob = try #require(try detector.blobs(in: scene.picture).first)
            try classifier.learn(try BlobPicture(blob, in: scene.picture), as: scene.thing.name)
        }
        return classifier
    }

    @Test("plain things are told by their colours")
    func plain() throws {
        let names = ["kidney bean", "white bean", "black bean", "pea"]
        let things = Thing.drawn.filter { names.contains($0.name) }
        let classifier = try trained(things)
        let detector = BlobDetector(settings: BlobSettings())
        try PaperScene.each(things + Self.things, count: 16, seed: 740) { scene in
            let blob = try #require(try detector.blobs(in: scene.picture).first)
            let answer = try classifier.classify(blob, in: scene.picture.frame)
            #expect(answer.name == (names.contains(scene.thing.name) ? scene.thing.name : "unidentified"))
        }
    }

    @Test("grey, and channels in any order, with padding", arguments: [PixelFormat.gray8, .rgb, .argb, .bgra])
    func formats(format: PixelFormat) throws {
        let classifier = try trained()
        let detector = BlobDetector(settings: BlobSettings())
        try PaperScene.each(Self.things, count: 2, seed: 700) { scene in
            let picture = scene.picture.converted(to: format, padding: 5)
            let blob = try #require(try detector.blobs(in: picture).first)
            #expect(blob.box.intersectionOverUnion(scene.truth) > 0.85)
            let answer = try withExtendedLifetime(picture) { try classifier.classify(blob, in: picture.frame) }
            #expect(answer.name == scene.thing.name)
        }
    }

    @Test("the nearest descriptors are those that OpenCV finds", arguments: [1, 8, 32, 61])
    func nearest(bytes: Int) throws {
        for round in 0..<8 {
            var random = SeededRandom(UInt64(round + 1))
            let (queryCount, count) = (40 * round + 1, 30 * round + 2)
            func descriptors(_ count: Int) -> [UInt8] {
                (0..<count * bytes).map { _ in UInt8.random(in: 0...255, using: &random) }
            }
            var (queries, all) = (descriptors(queryCount), descriptors(count))
            // Some descriptors are equal. The first of them must be the result.
            all.replaceSubrange((count - 1) * bytes..<count * bytes, with: all[..<bytes])
            queries.replaceSubrange(..<bytes, with: all[..<bytes])
            var indices = [Int32](repeating: 0, count: queryCount)
            var (distances, next) = ([Float](repeating: 0, count: queryCount), [Float](repeating: 0, count: queryCount))
            try #require(
                sv_check_nearest(
                    queries, Int32(queryCount), all, Int32(count), Int32(bytes), &indices, &distances, &next) == 0)
            let found = Descriptors(bits: queries, count: queryCount, length: bytes)
                .nearest(in: Descriptors(bits: all, count: count, length: bytes))
            #expect(found.map(\.index) == indices.map { Int($0) })
            #expect(found.map(\.distance) == distances && found.map(\.next) == next)
        }
    }

    @Test("Patterns are compared only if both objects show enough of the same area")
    func commonArea() throws {
        func striped(hole: Double) throws -> (BlobPicture, Outline) {
            let picture = ColorPicture(width: 240, height: 240)
            for y in 0..<240 {
                for x in 0..<240 {
                    let distance = hypot(Double(x) - 119.5, Double(y) - 119.5)
                    let isObject = distance < 80 && distance >= hole
                    picture.set(x, y, isObject ? x / 18 % 2 == 0 ? [40, 30, 130] : [130, 50, 20] : [200, 200, 200])
                }
            }
            let blob = try withExtendedLifetime(picture) { try BlobPicture(photo: picture.image, hasAlpha: false) }
            return (blob, try CutOut(blob, coarse: try #require(blob.outline)).outline)
        }
        let (disc, ring) = (try striped(hole: 0), try striped(hole: 29))
        #expect(ring.1.silhouette.holes.count == 1)
        let query = try QueryAppearance(disc.0, disc.1)
        func correlation(_ object: (BlobPicture, Outline)) throws -> Double {
            let trained = try TrainedAppearance(object.0, object.1, .none)
            return try query.compared(to: trained, query.aligned(byContoursTo: trained), bins: 32).contours
        }
        #expect(try correlation(disc) > 0.9)
        // The stripes of the ring match, but the ring covers less than half of the disc.
        #expect(try correlation(ring) < 0.1)
    }

    @Test("where only a box is known, the outline is looked for in it")
    func boxes() throws {
        let classifier = try trained()
        let detector = BlobDetector(settings: BlobSettings())
        try PaperScene.each(Self.things, count: 4, seed: 710) { scene in
            let found = try #require(try detector.blobs(in: scene.picture).first)
            let (a, b) = (found.outline[0], found.outline[1])
            for outline in [[], [a, b], [a, b, a]] {
                let blob = Blob(box: found.box, outline: outline, area: 0, color: 0)
                let answer = try classifier.classify(blob, in: scene.picture.frame)
                #expect(answer.name == scene.thing.name, "\(outline.count)")
            }
        }
    }

    @Test("training pictures with transparent surroundings")
    func transparent() throws {
        let thing = Self.things[1]
        let cutout = ColorPicture(width: 300, height: 260)
        for y in 0..<260 {
            for x in 0..<300 {
                let (u, v) = (x - 30, y - 10)
                let isInside = hypot(Double(u) - 120, Double(v) - 120) < 118
                let pixel = cutout.pixels + y * cutout.stride + 4 * x
                // The colours of transparent parts must not matter.
                for channel in 0..<3 {
                    pixel[channel] = isInside ? thing.picture.pixels[v * thing.picture.stride + 4 * u + channel] : 0
                }
                pixel[3] = isInside ? 255 : 0
            }
        }
        let picture = try BlobPicture(cutout)
        #expect(abs(picture.box.x - 32) <= 1 && abs(picture.box.y - 12) <= 1)
        #expect(abs(picture.box.width - 236) <= 2 && abs(picture.box.height - 236) <= 2)
        let outline = try #require(picture.outline)
        #expect(outline.allSatisfy { abs(hypot($0.x - 150, $0.y - 130) - 118) < 3 })
        let classifier = BlobClassifier(settings: ClassifierSettings())
        try classifier.learn(picture, as: thing.name)
        let scene = try PaperScene(thing, seed: 720)
        let blob = try #require(try BlobDetector(settings: BlobSettings()).blobs(in: scene.picture).first)
        #expect(try classifier.classify(blob, in: scene.picture.frame).name == thing.name)
    }

    @Test("blobs and pictures that are hardly any", arguments: ClassifierSettings.Algorithm.allCases)
    func senseless(algorithm: ClassifierSettings.Algorithm) throws {
        var settings = algorithm == .classic ? ClassifierSettings.classic : ClassifierSettings()
        for features in TestScope.some(ClassifierSettings.Features.allCases, oneIn: 2) {
            settings.features = features
            let classifier = try trained(Self.things, settings)
            for (width, height) in [(1, 1), (2, 1), (1, 40), (9, 7), (64, 64)] {
                for format in [PixelFormat.bgra, .gray8] {
                    // The image has a single colour, so it has no object and no keypoints.
                    let picture = try BlobPicture(ColorPicture(width: width, height: height, format: format))
                    let answer = try classifier.classify(picture)
                    #expect(algorithm == .classic || answer.label == 0)
                    try classifier.learn(picture, as: "nothing")
                    _ = try classifier.classify(picture)
                    classifier.forget("nothing")
                }
            }
            let frame = ColorPicture(width: 80, height: 60)
            for box in [
                Box(x: 10, y: 10, width: 5, height: 5), Box(x: 70, y: 50, width: 40, height: 40),
                Box(x: -30, y: -30, width: 500, height: 500), Box(x: 79, y: 59, width: 1, height: 1),
            ] {
                for corner in [Point(.nan, 1), Point(1e300, 0), Point(2, 2)] {
                    let outline = [corner, Point(2, 2), Point(3, 1)]
                    let blob = Blob(box: box, outline: outline, area: 1, color: 0)
                    _ = try classifier.classify(blob, in: frame.frame)
                }
            }
            for box in [
                Box(x: 500, y: 500, width: 5, height: 5), Box(x: .nan, y: 0, width: .infinity, height: -4),
                Box(x: 0, y: 0, width: 0, height: 0),
            ] {
                let blob = Blob(box: box, outline: [], area: 0, color: 0)
                #expect(throws: VisionError.self) { try classifier.classify(blob, in: frame.frame) }
            }
        }
    }

    @Test("settings that make no sense")
    func settings() throws {
        let scene = try PaperScene(Self.things[0], seed: 730)
        let blob = try #require(try BlobDetector(settings: BlobSettings()).blobs(in: scene.picture).first)
        for algorithm in ClassifierSettings.Algorithm.allCases {
            for number in [Double.nan, -3, 1e300] {
                var settings = ClassifierSettings()
                settings.algorithm = algorithm
                settings.histogramBins = number > 0 ? .max : .min
                settings.histogramWeight = number
                settings.maxDistance = number
                settings.minMargin = number
                let answer = try trained(Self.things, settings).classify(blob, in: scene.picture.frame)
                #expect((0...4).contains(answer.label))
                #expect(answer.confidence >= 0 && answer.confidence <= 1)
            }
        }
    }
}
