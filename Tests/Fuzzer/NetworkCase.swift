// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import TestSupport
import Vision

/// A case in which all readers read a random or corrupted network file. If the check accepts a file, OpenCV must accept
/// it, too.
struct NetworkCase {
    let goods: Goods
    var dice: Dice

    /// Errors that are allowed for a file that the check has accepted.
    private static let refusals = ["the outputs do not match", "expected one vector", "zero or not finite"]

    /// Runs the case, and returns the error. Returns nil if there is none.
    mutating func run() -> String? {
        let bytes = file()
        let input = dice.once(in: 2) ? NetworkInput.anySize : .square(EmbeddingNetwork.side)
        guard (try? ONNXFile(bytes, input: input)) != nil else { return nil }
        do {
            try input == .anySize ? search(bytes) : embed(bytes)
            return nil
        } catch {
            let text = "\(error)"
            return Self.refusals.contains { text.contains($0) } ? nil : "a checked network fails: \(text)"
        }
    }

    private mutating func file() -> [UInt8] {
        if dice.once(in: 2) {
            var network = RandomNetwork(dice.pick(RandomNetwork.Kind.allCases), dice)
            let bytes = network.file()
            dice = network.dice
            return dice.once(in: 3) ? dice.mutated(bytes, with: [bytes]) : bytes
        }
        guard !goods.networks.isEmpty, dice.once(in: 3) else {
            let small = goods.contents["onnx"] ?? []
            return dice.mutated(dice.pick(small), with: small)
        }
        // The nodes are at the beginning of a file, and the weights follow.
        var bytes = dice.pick(goods.networks)
        let count = dice.once(in: 4) ? bytes.count : min(bytes.count, 40_000)
        for _ in 0..<1 + dice.below(4) {
            let place = dice.below(count)
            if dice.once(in: 2) { bytes[place] ^= 1 << UInt8(dice.below(8)) } else { bytes[place] = dice.byte() }
        }
        if dice.once(in: 20) { bytes.removeLast(dice.below(bytes.count)) }
        return bytes
    }

    private mutating func image() -> OwnedImage {
        let image = OwnedImage(
            dice.pick([.gray8, .bgr, .rgb, .bgrx]), width: 1 + dice.below(80), height: 1 + dice.below(80))
        for y in 0..<image.image.height {
            for x in 0..<image.image.rowBytes { image.image.row(y)[x] = UInt8(truncatingIfNeeded: x &* y) }
        }
        return image
    }

    private mutating func search(_ bytes: [UInt8]) throws {
        let image = image()
        let network = try FaceNetwork(bytes: bytes)
        for _ in 0..<2 {
            let (width, height) = (1 + dice.below(100), 1 + dice.below(100))
            _ = try withExtendedLifetime(image) {
                try network.finds(in: image.image, width: width, height: height, minConfidence: 0)
            }
        }
    }

    private mutating func embed(_ bytes: [UInt8]) throws {
        let image = image()
        let network = try EmbeddingNetwork(bytes: bytes)
        _ = try withExtendedLifetime(image) { try network.embedding(of: image.image) }
    }
}
