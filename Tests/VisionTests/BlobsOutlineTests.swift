// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Testing
@testable import Vision

/// Tests of exact outlines of objects in images, and of outlines from other elements, which may have any shape.
@Suite("Blobs: outlines")
struct BlobsOutlineTests {
    private func plainPicture() throws -> BlobPicture {
        let gray = GrayPicture(width: 40, height: 40, level: 200)
        return try withExtendedLifetime(gray) { try BlobPicture(gray.image, hasAlpha: false) }
    }

    @Test(
        "An outline that encloses nothing, or lies outside the picture, is an error in words",
        arguments: [
            ([], "the outline is outside the image"),
            ([Point(20, 20), Point(20, 20), Point(20, 20)], "the outline has no extent"),
            ([Point(300, 300), Point(340, 300), Point(320, 340)], "the outline is outside the image"),
        ])
    func outline(_ outline: [Point], _ problem: String) throws {
        let picture = try plainPicture()
        let error = #expect(throws: VisionError.self) { _ = try CutOut(picture, coarse: outline) }
        #expect(error?.description == problem)
    }

    @Test("A line has an extent, but no appearance")
    func line() throws {
        let picture = try plainPicture()
        let outline = try CutOut(picture, coarse: [Point(10, 20), Point(30, 20)]).outline
        let error = #expect(throws: VisionError.self) { _ = try QueryAppearance(picture, outline) }
        #expect(error?.description == "the outline has no area")
        #expect(throws: VisionError.self) { _ = try TrainedAppearance(picture, outline, .orb) }
    }

    // MARK: Holes

    /// Returns the outline of a rectangular tile (160 × 80 pixels) on a plain background.
    /// - Parameter color: returns the colour at an offset from the centre of the tile, in pixels.
    private func tile(_ color: (_ x: Double, _ y: Double) -> SIMD3<Double>) throws -> Outline {
        let picture = ColorPicture(width: 240, height: 160)
        for y in 0..<160 {
            for x in 0..<240 {
                let (right, down) = (Double(x) - 119.5, Double(y) - 79.5)
                let isTile = abs(right) < 80 && abs(down) < 40
                picture.set(x, y, isTile ? color(right, down) : [160, 174, 184])
            }
        }
        // The coarse outline is slightly too large.
        let coarse = [Point(38, 38), Point(202, 38), Point(202, 122), Point(38, 122)]
        let blob = try withExtendedLifetime(picture) { try BlobPicture(picture.image, hasAlpha: false) }
        return try CutOut(blob, coarse: coarse).outline
    }

    @Test("Black pips on a tile that is a little lighter than the ground are a pattern of the whole tile")
    func paleTile() throws {
        let outline = try tile { x, y in
            let pips = [(-60.0, -22.0), (-60, 22), (-30, 0), (0, -22), (0, 22), (30, 0), (60, -22), (60, 22)]
            return pips.contains { hypot(x - $0.0, y - $0.1) < 10 } ? [8, 8, 10] : [176, 202, 215]
        }
        #expect(abs(outline.area - 12_800) < 400 && outline.silhouette.holes.isEmpty)
    }

    @Test("A gap is a hole if it shows the ground")
    func hole() throws {
        let outline = try tile { x, y in hypot(x, y) < 20 ? [160, 174, 184] : [40, 30, 120] }
        #expect(outline.silhouette.holes.count == 1 && abs(outline.area - 12_800) < 400)
        let pale = try tile { x, y in hypot(x, y) < 20 ? [180, 194, 204] : [40, 30, 120] }
        #expect(pale.silhouette.holes.isEmpty)
    }

    @Test("An outline that is not round, or has a hole, identifies an object without its pattern")
    func characteristic() throws {
        func known(_ label: Int, _ color: @escaping (Double, Double) -> SIMD3<Double>?) throws -> KnownObject {
            let picture = ColorPicture(width: 160, height: 160)
            for y in 0..<160 {
                for x in 0..<160 {
                    picture.set(x, y, color(Double(x) - 79.5, Double(y) - 79.5) ?? [190, 190, 190])
                }
            }
            let photo = try withExtendedLifetime(picture) { try BlobPicture(photo: picture.image, hasAlpha: false) }
            return try KnownObject(photo, outline: try #require(photo.outline), label: label, sizePer10000: nil, .none)
        }
        func isRed(_ x: Double, _ y: Double) -> Bool { abs(x) < 40 && abs(y) < 30 }
        var objects = KnownObjects()
        objects.add(try known(1) { x, y in isRed(x, y) ? [20, 20, 180] : nil })
        objects.add(try known(2) { x, y in hypot(x, y) < 40 && hypot(x, y) > 16 ? [70, 70, 70] : nil })
        objects.add(try known(3) { x, y in hypot(x, y) < 40 ? [150, 60, 20] : nil })
        objects.add(try known(4) { x, y in abs(x) < 60 && abs(y) < 15 ? [30, 120, 30] : nil })
        #expect((0..<4).map(objects.isIdentifiedByOutline) == [false, true, false, true])
        // If the images of a label have the same pattern (`agreement` 0.9), the label requires the pattern.
        objects.add(try known(4) { x, y in abs(x) < 60 && abs(y) < 15 ? [30, 120, 30] : nil }, agreement: 0.9)
        #expect((0..<5).map(objects.isIdentifiedByOutline) == [false, true, false, false, false])
        // Each colour differs from all other colours.
        #expect((0..<4).allSatisfy { objects.colorEvidence($0) == 1 })
        objects.add(try known(5) { x, y in hypot(x / 2, y) < 20 ? [20, 20, 180] : nil })
        #expect(objects.colorEvidence(0) < 0.1 && objects.colorEvidence(1) == 1)
        // A strip that is only slightly brighter than the background.
        objects.add(try known(6) { x, y in abs(x) < 60 && abs(y) < 15 ? [206, 206, 206] : nil })
        #expect(!objects.isIdentifiedByOutline(6) && objects.colorEvidence(6) < 0.4)
    }
}
