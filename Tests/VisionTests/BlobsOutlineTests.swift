// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing
@testable import Vision

/// Outlines that come from other elements, which may be any.
@Suite("Blobs: outlines of no use")
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
}
