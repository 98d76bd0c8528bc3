// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCVCheck
import Testing
import Vision

/// Compares the presets `classic` with direct calls of OpenCV.
@Suite("Blobs: classic")
struct BlobsClassicTests {
    private func openCVBoxes(_ picture: ColorPicture, scale: Double, stdDevs: Double) throws -> [Box] {
        var found = [SVCheckRectangle](repeating: SVCheckRectangle(), count: 1000)
        let count = sv_check_blobs(
            picture.pixels, Int32(picture.width), Int32(picture.height), picture.stride, scale, stdDevs, &found, 1000)
        try #require(count >= 0 && count <= 1000)
        return found.prefix(Int(count)).map { Box($0) }
    }

    @Test("its numbers")
    func numbers() {
        let settings = BlobSettings.classic
        #expect(settings.model == .frameMean)
        #expect(settings.erodeKernel == 0.005 && settings.erodeIterations == 8 && settings.minSize == 0.05)
        #expect(ClassifierSettings.classic.algorithm == .classic && ClassifierSettings.classic.histogramBins == 32)
    }

    @Test("boxes are exactly OpenCV's", arguments: [(0.5, 1.0), (1, 1), (0.5, 0.6), (0.25, 1.5), (1, 0.8)])
    func boxes(scale: Double, stdDevs: Double) throws {
        var settings = BlobSettings.classic
        settings.scale = scale
        settings.stdDevs = stdDevs
        settings.maxBlobs = 1000
        let detector = BlobDetector(settings: settings)
        var count = 0
        try PaperScene.each(Thing.drawn, count: 6, seed: 31) { scene in
            let expected = try openCVBoxes(scene.picture, scale: scale, stdDevs: stdDevs)
            let boxes = try detector.blobs(in: scene.picture).map(\.box)
            #expect(Set(boxes) == Set(expected) && boxes.count == expected.count, "\(scene.thing.name)")
            count += boxes.count
        }
        #expect(count >= 4)
    }

    @Test("its own numbers are those of BeanCounter")
    func presets() throws {
        let detector = BlobDetector(settings: .classic)
        let scene = try PaperScene(Thing.drawn[0], seed: 3)
        let expected = try openCVBoxes(scene.picture, scale: 0.5, stdDevs: 1)
        #expect(try Set(detector.blobs(in: scene.picture).map(\.box)) == Set(expected))
        #expect(!expected.isEmpty)
    }

    @Test("distances are OpenCV's, and the mean over keypoints is what counts", arguments: [0.98, 0.5])
    func distances(histogramWeight: Double) throws {
        var settings = ClassifierSettings.classic
        settings.histogramWeight = histogramWeight
        let classifier = BlobClassifier(settings: settings)
        let things = Thing.drawn.filter { ["star", "button", "penny", "nut", "rings"].contains($0.name) }
        for thing in things { try classifier.learn(try BlobPicture(thing.picture), as: thing.name) }
        let detector = BlobDetector(settings: BlobSettings())
        try PaperScene.each(things, count: things.count, seed: 77) { scene in
            let blob = try #require(try detector.blobs(in: scene.picture).first)
            let distances = try classifier.distances(of: try BlobPicture(blob, in: scene.picture))
            #expect(distances.values.count == things.count)
            let start = scene.picture.pixels + Int(blob.box.y) * scene.picture.stride + Int(blob.box.x) * 4
            for (index, thing) in things.enumerated() {
                var histograms = 0.0
                var sum = 0.0
                var count: Int32 = 0
                let status = sv_check_distance(
                    start, Int32(blob.box.width), Int32(blob.box.height), scene.picture.stride, thing.picture.pixels,
                    Int32(thing.picture.width), Int32(thing.picture.height), thing.picture.stride, &histograms, &sum,
                    &count)
                try #require(status == 0 && count > 0)
                let expected = histogramWeight * histograms + (1 - histogramWeight) * sum / Double(count)
                let distance = try #require(distances.values[index + 1])
                #expect(abs(distance - expected) < 1e-4)
            }
            // The answer is the nearest label, even if its distance is large.
            let nearest = try #require(distances.values.min { $0.value < $1.value })
            let answer = try classifier.classify(blob, in: scene.picture.frame)
            #expect(answer.label == nearest.key && answer.distance == nearest.value)
            #expect(answer.name == things[nearest.key - 1].name)
        }
    }
}
