// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import TestSupport
import Testing
import Vision

@Suite("Networks: vectors of faces")
struct EmbeddingNetworkTests {
    /// Returns the colour of a square of 4x4 pixels.
    private func color(_ x: Int, _ y: Int) -> [UInt8] {
        [UInt8((x * 37 + y * 11) % 256), UInt8((x * 5 + y * 59) % 256), UInt8((x * 101 + y * 7) % 256)]
    }

    private func face(_ format: PixelFormat) -> OwnedImage {
        let face = OwnedImage(format, width: 112, height: 112)
        for y in 0..<112 {
            for x in 0..<112 {
                let pixel = face.image.row(y) + x * format.bytesPerPixel
                let color = color(x / 4, y / 4)
                (pixel[format.red], pixel[format.green], pixel[format.blue]) = (color[0], color[1], color[2])
            }
        }
        return face
    }

    /// Returns the value that the small network computes for a square.
    private func value(_ x: Int, _ y: Int) -> Double {
        let (mean, deviation) = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
        let sum = (0..<3).reduce(0.0) { sum, index in
            let level = (Double(color(x, y)[index]) / 255 - mean[index]) / deviation[index]
            return sum + Double(SmallEmbedding.weights[index]) * level
        }
        let bent = 2 * sum + 0.5
        return min(4, bent < 0 ? bent / 4 : bent)
    }

    @Test(
        "A vector is the normalised sum over the image and its mirror image",
        arguments: [PixelFormat.rgb, .bgr, .bgrx], [true, false])
    func sum(_ format: PixelFormat, isTransposed: Bool) throws {
        let network = try EmbeddingNetwork(bytes: SmallEmbedding.file(isTransposed: isTransposed))
        #expect(network.dimension == 3)
        let face = face(format)
        let vector = try withExtendedLifetime(face) { try network.embedding(of: face.image) }
        let sums = zip(SmallEmbedding.squares, SmallEmbedding.bias).map { square, bias in
            value(square.x, square.y) + value(27 - square.x, square.y) + 2 * Double(bias)
        }
        let length = sums.reduce(0) { $0 + $1 * $1 }.squareRoot()
        for (found, sum) in zip(vector, sums) { #expect(abs(Double(found) - sum / length) < 1e-5, "\(vector) \(sums)") }
    }

    @Test("Grey images count as colours, and other sizes are scaled")
    func forms() throws {
        let network = try EmbeddingNetwork(bytes: SmallEmbedding.file())
        let (gray, large) = (OwnedImage(.gray8, width: 112, height: 112), OwnedImage(.rgb, width: 224, height: 224))
        for y in 0..<224 {
            for x in 0..<224 {
                let level = UInt8((x / 8 * 9 + y / 8 * 3) % 256)
                if y < 112, x < 112 { gray.image.row(y)[x] = UInt8((x / 4 * 9 + y / 4 * 3) % 256) }
                for channel in 0..<3 { large.image.row(y)[3 * x + channel] = level }
            }
        }
        let vectors = try [gray, large].map { image in
            try withExtendedLifetime(image) { try network.embedding(of: image.image) }
        }
        for (a, b) in zip(vectors[0], vectors[1]) { #expect(abs(a - b) < 1e-5) }
    }

    @Test(
        "A batch of any size in the file is accepted",
        arguments: [[], [0, 3, 112, 112], [8, 3, 112, 112], [1, 3, 0, 0]])
    func batch(_ sizes: [Int]) throws {
        #expect(try EmbeddingNetwork(bytes: SmallEmbedding.file(input: sizes)).dimension == 3)
    }

    @Test("Other networks are refused with the reason")
    func refused() throws {
        for (bytes, reason) in [
            (SmallEmbedding.file(input: [1, 3, 160, 160]), "the input is 1x3x160x160, not 1x3x112x112"),
            (SmallEmbedding.file(input: [1, 112, 112, 3]), "the input is 1x112x112x3"),
            (SmallEmbedding.file(first: "LSTM"), "node 0: unsupported operator \"LSTM\""),
            (SmallNetwork.file(), "expected one vector of 2 to 4096 numbers"),
            (Array("text".utf8), "malformed or truncated ONNX file"),
        ] {
            let error = try #require(throws: FaceModelError.self) { try EmbeddingModel(bytes, path: "a/b.onnx") }
            #expect("\(error)".contains(reason) && "\(error)".contains("such as MobileFaceNet.onnx"), "\(error)")
            #expect("\(error)".contains("cannot use \"a/b.onnx\": not a face recognition network"), "\(error)")
        }
    }
}
