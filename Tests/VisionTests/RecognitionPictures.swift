// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Scenes
import Testing
import Vision

/// Real faces of five people.
enum RealFaces {
    static let names = (1...5).map { "s\($0)" }

    /// Returns images of 23x28 pixels.
    /// - Parameter numbers: numbers of the images. Each person has ten images.
    static func pictures(_ numbers: ClosedRange<Int>) throws -> [(name: String, number: Int, picture: GrayPicture)] {
        let folder = try #require(RealData.folder)
        return try names.flatMap { name in
            try numbers.map { number in
                (name, number, try portableGray(folder.appendingPathComponent("orl/\(name)/\(number).pgm")))
            }
        }
    }

    /// Returns faces prepared as in OpenCV's examples: the whole image becomes a square, and its histogram is
    /// equalised.
    static func faces(_ numbers: ClosedRange<Int>) throws -> [(name: String, face: FaceSample)] {
        try pictures(numbers).map { name, _, picture in
            let (square, even) = (OwnedImage(.gray8), OwnedImage(.gray8))
            try withExtendedLifetime(picture) {
                try square.stretch(picture.image, width: FaceSample.side, height: FaceSample.side)
            }
            try even.equalize(square.image)
            let bytes = UnsafeBufferPointer(start: even.image.row(0), count: FaceSample.pixelCount)
            return (name, try withExtendedLifetime(even) { try #require(FaceSample(pixels: Array(bytes))) })
        }
    }

    static func gallery() throws -> Gallery {
        var gallery = Gallery()
        for (name, face) in try faces(1...5) { gallery.add(face, of: name) }
        return gallery
    }

    /// Returns images of 92x112 pixels of five other people, ten images per person.
    static func large() throws -> [(name: String, number: Int, picture: GrayPicture)] {
        let folder = try #require(RealData.folder)
        return try names.flatMap { name in
            try (1...10).map { number in
                (name, number, try portableGray(folder.appendingPathComponent("faces-92x112/\(name)/\(number).pgm")))
            }
        }
    }

    /// Reads a binary PGM file.
    private static func portableGray(_ file: URL) throws -> GrayPicture {
        let data = try Data(contentsOf: file)
        var numbers: [Int] = []
        var rest = data.dropFirst(2)
        while numbers.count < 3 {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            let text = String(decoding: line, as: UTF8.self)
            if !text.hasPrefix("#") { numbers += text.split(separator: " ").compactMap { Int($0) } }
        }
        return GrayPicture(bytes: rest, width: numbers[0], height: numbers[1])
    }
}

/// Drawn people. The eye positions are exact.
enum DrawnPeople {
    /// Faces of four people at ten times, in each of two scenes.
    static let scenes: [[(person: ScenePerson, face: FaceSample)]] = [0, 3].map { faces(4, seed: $0) }

    private static func faces(_ count: Int, seed: UInt64) -> [(person: ScenePerson, face: FaceSample)] {
        let (width, height) = (200 * count, 230)
        let scene = Scene(.people, count: count, seed: seed, width: width, height: height)
        let (artist, cutter) = (ScenePainter(scene), FaceCutter())
        return (0..<10).flatMap { moment in
            let picture = GrayPicture(width: width, height: height, level: 120)
            let actors = artist.draw(on: FrameImage(picture.image), at: 0.6 * Double(moment))
            return withExtendedLifetime(picture) {
                actors.compactMap { actor in
                    let face = try? cutter.sample(of: picture.image, leftEye: actor.leftEye, rightEye: actor.rightEye)
                    return face.flatMap { face in actor.person.map { ($0, face) } }
                }
            }
        }
    }
}

extension FaceSample {
    /// Returns a random face, which depends on the seed. If `other` is given, each level consists of three quarters of
    /// the level of `other` and one quarter of a random level.
    static func made(_ seed: Int, like other: FaceSample? = nil) -> FaceSample {
        var state = UInt32(truncatingIfNeeded: seed &* 7919 &+ 1)
        let pixels = (0..<pixelCount).map { index -> UInt8 in
            state = state &* 1_664_525 &+ 1_013_904_223
            let level = UInt8(state >> 24)
            guard let other else { return level }
            return UInt8((3 * Int(other.pixels[index]) + Int(level)) / 4)
        }
        return FaceSample(pixels: pixels) ?? other ?? made(seed)
    }
}
