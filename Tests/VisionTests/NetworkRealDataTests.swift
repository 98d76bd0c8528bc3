// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Testing
import Vision

/// Compares with results of ONNX Runtime 1.23 for the same pixels. The formulas of the networks' authors decode these
/// results.
@Suite(
    "Networks: real files compute what ONNX Runtime computes", .enabled(if: RealData.isPresent, RealData.absence))
struct NetworkRealDataTests {
    private func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: try #require(RealData.folder).appendingPathComponent("models/\(name)")))
    }

    struct Expected: Sendable {
        let file: String
        let confidence: Double
        /// The numbers are x, y, width and height.
        let box: [Double]
        let points: [Double]
    }

    static let faces = [
        Expected(
            file: "face_detection_yunet_2023mar.onnx", confidence: 0.9323274,
            box: [178.16728, 62.90826, 89.89951, 113.33238],
            points: [
                200.11598, 101.81963, 247.13364, 102.61931, 220.36716, 124.54451, 198.61288, 142.77433, 239.66764,
                143.63808,
            ]),
        Expected(
            file: "yunet_n_640_640.onnx", confidence: 0.93563026, box: [178.11291, 64.95203, 91.36104, 111.41469],
            points: [
                203.35107, 103.62092, 247.52102, 104.44774, 224.10404, 127.6888, 203.96224, 143.13746, 242.91315,
                143.67186,
            ]),
        Expected(
            file: "centerface.onnx", confidence: 0.9291064, box: [181.52981, 58.20198, 88.3529, 119.60914],
            points: [
                203.15388, 101.67947, 247.00718, 104.5138, 223.26491, 125.07577, 203.37789, 142.32722, 241.33489,
                144.41881,
            ]),
    ]

    @Test("A face in a photograph has the same box, points and confidence", arguments: faces)
    func face(_ expected: Expected) throws {
        let network = try FaceNetwork(bytes: try bytes(expected.file))
        let picture = try RealData.color("faces/astronaut.png")
        let finds = try withExtendedLifetime(picture) {
            try network.finds(
                in: picture.colors.image, width: picture.width, height: picture.height, minConfidence: 0.6)
        }
        let find = try #require(finds.first)
        #expect(finds.count == 1)
        #expect(abs(find.confidence - expected.confidence) < 1e-4)
        let points = find.landmarks
        let found =
            [find.box.x, find.box.y, find.box.width, find.box.height]
            + [points.leftEye, points.rightEye, points.nose, points.mouthLeft, points.mouthRight].flatMap {
                [$0.x, $0.y]
            }
        for (a, b) in zip(found, expected.box + expected.points) { #expect(abs(a - b) < 0.01, "\(a) \(b)") }
    }

    @Test("MobileFaceNet's vector of a part of a photograph is the same")
    func embedding() throws {
        let network = try EmbeddingNetwork(bytes: try bytes("MobileFaceNet.onnx"))
        #expect(network.dimension == 128)
        #expect(network.digest == "b7120c095d60094f28a4a54ba6a8bf51b297a6273fb40ef6350dfec1f63d9507")
        let picture = try RealData.color("faces/astronaut.png")
        let vector = try withExtendedLifetime(picture) {
            let part = picture.colors.image.cropped(to: Rectangle(x: 168, y: 64, width: 112, height: 112))
            return try network.embedding(of: part)
        }
        let expected: [Float] = [0.0319008, -0.0566558, 0.1385541, 0.2061302, -0.1189364, 0.1536179]
        for (a, b) in zip(vector, expected) { #expect(abs(a - b) < 1e-4, "\(a) \(b)") }
        #expect(abs(vector.reduce(0) { $0 + $1 * $1 } - 1) < 1e-5)
    }
}
