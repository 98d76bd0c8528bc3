// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing

@testable import Vision

@Suite("Faces: scene changes")
struct FacesSceneChangeTests {
    /// Returns a part of a texture of random squares. The part begins at (`x`, `y`).
    private func texture(seed: Int, x: Int, y: Int) -> GrayPicture {
        let picture = GrayPicture(width: 480, height: 320, level: 0)
        for row in 0..<320 {
            for column in 0..<480 {
                let (cellX, cellY) = ((column + x) / 16, (row + y) / 16)
                let hash = (cellX &* 73_856_093) ^ (cellY &* 19_349_663) ^ (seed &* 83_492_791)
                picture[column, row] = UInt8(truncatingIfNeeded: (hash &* 2_654_435_761) >> 16)
            }
        }
        return picture
    }

    private func change(_ detector: SceneChangeDetector, _ picture: GrayPicture) throws -> SceneChangeDetector.Change {
        try withExtendedLifetime(picture) { try detector.change(picture.image) }
    }

    @Test("A fast pan is not a cut, in any direction", arguments: [(24, 0), (0, 16), (24, 16), (24, -16)])
    func pan(x: Int, y: Int) throws {
        let detector = SceneChangeDetector()
        #expect(try change(detector, texture(seed: 1, x: 96, y: 96)) == .cut)
        for frame in 1..<6 {
            #expect(try change(detector, texture(seed: 1, x: 96 + x * frame, y: 96 + y * frame)) == .moved)
        }
    }

    @Test("A frame of another texture is a cut, and a frame that does not change is still")
    func cut() throws {
        let detector = SceneChangeDetector()
        for seed in 1..<8 {
            #expect(try change(detector, texture(seed: seed, x: 96, y: 96)) == .cut)
            #expect(try change(detector, texture(seed: seed, x: 96, y: 96)) == .still)
        }
    }
}
