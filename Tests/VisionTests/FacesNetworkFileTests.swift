// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import TestSupport
import Testing
@testable import Vision

@Suite("Faces: the network's file, and what is read from its outputs")
struct FacesNetworkFileTests {
    /// Returns the detections of the small network in a dark image with white pixels.
    private func finds(
        _ white: [(x: Int, y: Int)], width: Int = 96, height: Int = 64, as input: (width: Int, height: Int)? = nil,
        by file: [UInt8] = SmallNetwork.file()
    ) throws -> [FaceNetwork.Find] {
        let picture = GrayPicture(width: width, height: height, level: 90)
        for place in white { picture[place.x, place.y] = 255 }
        let network = try FaceNetwork(bytes: file)
        return try withExtendedLifetime(picture) {
            try network.finds(
                in: picture.image, width: input?.width ?? width, height: input?.height ?? height, minConfidence: 0.5)
        }
    }

    @Test("box, points and confidence by YuNet's formulas")
    func formulas() throws {
        let find = try #require(try finds([(43, 21)]).first)
        // The pixel is in column 5, row 2 of the grid. The network computes 0.1 · 255 − 18 = 7.5, and √(cls · obj) is
        // the sigmoid of 7.5.
        #expect(abs(find.confidence - 1 / (1 + exp(-7.5))) < 1e-5)
        #expect(abs(find.box.width - 16) < 1e-3 && abs(find.box.height - 24) < 1e-3)
        #expect(abs(find.box.center.x - 5.5 * 8) < 1e-3 && abs(find.box.center.y - 2.25 * 8) < 1e-3)
        let points = find.landmarks
        let expected = [Point(40, 16), Point(48, 16), Point(44, 20), Point(41, 24), Point(47, 24)]
        let found = [points.leftEye, points.rightEye, points.nose, points.mouthLeft, points.mouthRight]
        for (a, b) in zip(found, expected) { #expect(abs(a.x - b.x) < 1e-3 && abs(a.y - b.y) < 1e-3) }
    }

    @Test("box, points and confidence by CenterFace's formulas")
    func centerFormulas() throws {
        let finds = try finds([(43, 21)], by: SmallCenterFace.file())
        let find = try #require(finds.first)
        #expect(finds.count == 1)
        #expect(abs(find.confidence - 1 / (1 + exp(-7.5))) < 1e-5)
        // The centre is in column 10, row 4 of the grid. The face has 4 x 5 cells.
        #expect(abs(find.box.width - 16) < 1e-3 && abs(find.box.height - 20) < 1e-3)
        #expect(abs(find.box.center.x - 10.375 * 4) < 1e-3 && abs(find.box.center.y - 4.75 * 4) < 1e-3)
        let points = find.landmarks
        let expected = [Point(2, 5), Point(14, 5), Point(8, 10), Point(4, 15), Point(10, 15)]
        let found = [points.leftEye, points.rightEye, points.nose, points.mouthLeft, points.mouthRight]
        for (a, b) in zip(found, expected) {
            #expect(abs(a.x - find.box.x - b.x) < 1e-3 && abs(a.y - find.box.y - b.y) < 1e-3)
        }
    }

    @Test("sides that are no multiples of 32, and pictures that are enlarged, keep their coordinates")
    func sizes() throws {
        // First an image of 50x45 pixels in an input of 64x64, then the same image enlarged to 100x90 in an input of
        // 128x96.
        let small = try #require(try finds([(42, 36)], width: 50, height: 45).first)
        #expect(abs(small.box.center.x - 5.5 * 8) < 1e-3 && abs(small.box.center.y - 4.25 * 8) < 1e-3)
        let large = try finds([(40, 36), (41, 36), (40, 37), (41, 37)], width: 50, height: 45, as: (100, 90))
        let found = try #require(large.first)
        #expect(abs(found.box.width - 8) < 1e-3)
        #expect(abs(found.box.center.x - 10.5 * 4) < 1e-3 && abs(found.box.center.y - 9.25 * 4) < 1e-3)
    }

    @Test(
        "Results do not depend on the sizes of earlier images",
        arguments: [SmallNetwork.file(), SmallCenterFace.file()])
    func otherSizes(file: [UInt8]) throws {
        let network = try FaceNetwork(bytes: file)
        var confidences: [Double] = []
        for (width, height) in [(96, 64), (64, 32), (128, 96), (96, 64)] {
            let picture = GrayPicture(width: width, height: height, level: 90)
            picture[43, 21] = 255
            let finds = try withExtendedLifetime(picture) {
                try network.finds(in: picture.image, width: width, height: height, minConfidence: 0.5)
            }
            #expect(finds.count == 1, "\(width)x\(height)")
            confidences += finds.map(\.confidence)
        }
        #expect(confidences.allSatisfy { abs($0 - 1 / (1 + exp(-7.5))) < 1e-5 }, "\(confidences)")
    }

    @Test("of faces that overlap one remains, of others each")
    func overlaps() throws {
        #expect(try finds([(43, 21), (43, 29)]).count == 1, "24 pixels high, 8 apart: half of both in common")
        #expect(try finds([(43, 21), (51, 21)]).count == 2, "16 pixels wide, 8 apart: a third")
        #expect(try finds([(43, 21), (43, 37)]).count == 2, "24 pixels high, 16 apart: a fifth")
        #expect(try finds([(3, 3), (43, 21), (90, 60)]).count == 3)
        #expect(try finds([]).isEmpty)
    }

    @Test(
        "what is no such network says what was expected",
        arguments: [
            ([UInt8](), "no graph"), (Array("<?xml version=\"1.0\"?>".utf8), "ONNX file"),
            (SmallNetwork.file(boxNumbers: 5), "the outputs do not match YuNet or CenterFace"),
            (SmallCenterFace.file(pointNumbers: 8), "the outputs do not match YuNet or CenterFace"),
            (SmallEmbedding.file(), "node 7: unsupported operator \"Flatten\""),
        ])
    func refused(bytes: [UInt8], reason: String) throws {
        let error = try #require(throws: FaceModelError.self) { try FaceModel(bytes, path: "a/b.onnx") }
        let text = "\(error)"
        #expect(text.contains(reason) && text.contains("a/b.onnx") && text.contains("Use YuNet"), "\(text)")
    }

    @Test("a file that is too large, a folder, and none")
    func files() throws {
        let folder = try TemporaryFolder()
        let large = try folder.write([UInt8](repeating: 0, count: FaceModel.largestFile + 1), "large.onnx")
        #expect("\(try #require(throws: FaceModelError.self) { try FaceModel(path: large) })".contains("16 MB"))
        #expect("\(try #require(throws: FaceModelError.self) { try FaceModel(path: folder.path) })".contains("folder"))
        let missing = folder.file("none.onnx")
        #expect(throws: FaceModelError.missing(path: missing)) { try FaceModel(path: missing) }
    }

    @Test(
        "A truncated file is refused, and one with a changed byte does no harm",
        arguments: [SmallNetwork.file(), SmallCenterFace.file()])
    func spoilt(good: [UInt8]) throws {
        for count in stride(from: 0, to: good.count - 8, by: 7) {
            #expect(throws: FaceModelError.self) { try FaceModel(Array(good.prefix(count)), path: "cut") }
        }
        var random = Imaging.SeededRandom(seed: 5)
        let picture = GrayPicture(width: 40, height: 30, level: 200)
        var accepted = 0
        for place in stride(from: 0, to: good.count, by: 5) {
            var bytes = good
            bytes[place] = UInt8(truncatingIfNeeded: random.next())
            guard let network = try? FaceNetwork(bytes: bytes) else { continue }
            accepted += 1
            _ = try? withExtendedLifetime(picture) {
                try network.finds(in: picture.image, width: 40, height: 30, minConfidence: 0)
            }
        }
        #expect(accepted > 0, "weights may have any value")
    }

    @Test("the noise of a picture: what was added to it, and next to nothing of edges and slopes")
    func noiseEstimate() throws {
        var random = Imaging.SeededRandom(seed: 11)
        for deviation in [0.0, 4, 12] {
            let picture = GrayPicture(width: 160, height: 120)
            for y in 0..<120 {
                for x in 0..<160 {
                    // The sum of twelve uniform distributions from −0.5 to 0.5 has a standard deviation of 1.
                    let dice = (0..<12).reduce(0) { sum, _ in sum + random.between(-0.5, 0.5) }
                    let level = (x < 70 ? 60 : 150) + Double(y) / 4 + deviation * dice
                    picture[x, y] = UInt8(min(255, max(0, level.rounded())))
                }
            }
            let found = try withExtendedLifetime(picture) { try noise(in: picture.image) }
            #expect(abs(found - deviation) < 0.1 * deviation + 0.5, "\(found) of \(deviation)")
        }
        let tiny = GrayPicture(width: 2, height: 9)
        #expect(try withExtendedLifetime(tiny) { try noise(in: tiny.image) } == 0)
    }
}
