// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Scenes
import Testing
@testable import Vision

/// OpenCV cannot warp images with a side of 32767 pixels or more. Line-scan cameras and panoramas produce such frames.
@Suite("Frames with very long sides")
struct WideFrameTests {
    /// Returns a plain frame with an image in a part of it.
    private func frame(_ picture: Image, at x: Int, width: Int, isUpright: Bool = false) -> OwnedImage {
        let frame = OwnedImage(.gray8)
        frame.resize(
            width: isUpright ? picture.width : width, height: isUpright ? width : picture.height)
        fill(frame.image, color: Color(98, 98, 98))
        let place = Rectangle(
            x: isUpright ? 0 : x, y: isUpright ? x : 0, width: picture.width, height: picture.height)
        frame.image.cropped(to: place).copy(from: picture)
        return frame
    }

    @Test("A patch is cut as from a smaller frame, inside, at the edge and beyond", arguments: [false, true])
    func patch(isUpright: Bool) throws {
        let part = OwnedImage(.gray8)
        part.resize(width: 200, height: 200)
        var random = SeededRandom(4)
        for y in 0..<200 { for x in 0..<200 { part.image.row(y)[x] = UInt8(truncatingIfNeeded: random.next() >> 8) } }
        let (long, start) = (40_000, 39_800)
        let frame = frame(part.image, at: start, width: long, isUpright: isUpright)
        for (x, y, size, degrees) in [
            (100.0, 100.0, 60.0, 0.0), (120.5, 90.25, 90, 30), (190, 60, 70, -20), (195, 199, 80, 10),
            (240, 100, 60, 0),
        ] {
            let (cut, expected) = (OwnedImage(.gray8), OwnedImage(.gray8))
            let center = isUpright ? Point(x, Double(start) + y) : Point(Double(start) + x, y)
            try cut.cut(from: frame.image, center: center, size: size, degrees: degrees, side: 48)
            try expected.cut(from: part.image, center: Point(x, y), size: size, degrees: degrees, side: 48)
            // OpenCV rounds positions to 1/32 pixel. The rounding error depends on the distance from 0.
            for (one, other) in zip(cut.image.bytes, expected.image.bytes) {
                #expect(abs(Int(one) - Int(other)) <= 16, "\(x) \(y) \(size) \(degrees)")
            }
        }
    }

    @Test("A patch that shows nearly all of a frame is reduced first")
    func wholePatch() throws {
        let frame = OwnedImage(.gray8)
        frame.resize(width: 40_000, height: 60)
        for y in 0..<60 { for x in 0..<40_000 { frame.image.row(y)[x] = x < 20_000 ? 40 : 200 } }
        let cut = OwnedImage(.gray8)
        try cut.cut(from: frame.image, center: Point(20_000, 30), size: 40_000, side: 40)
        #expect(cut.image.row(20)[5] == 40 && cut.image.row(20)[34] == 200)
    }

    @Test("A logo is found far to the right, and followed there", .timeLimit(.minutes(2)))
    func logo() throws {
        let picture = OwnedImage(.gray8)
        picture.resize(width: 320, height: 240)
        let truth = try #require(
            ScenePainter(Scene(.logo, count: 1, seed: 3, width: 320, height: 240))
                .draw(on: FrameImage(picture.image), at: 0).first
        ).rectangle
        let frame = frame(picture.image, at: 33_500, width: 34_000)
        // `minArea` is relative to the frame, and the logo is a small part of the frame.
        var settings = LogoSettings()
        settings.minArea = 0.0001
        let tracker = try LogoTracker(settings: settings, templates: [try drawnTemplate()]) { 1 }
        let expected = Box(
            x: Double(truth.x + 33_500), y: Double(truth.y), width: Double(truth.width), height: Double(truth.height))
        for number in 0..<3 {
            let logos = try tracker.logos(in: frame.image, frame: number)
            #expect(logos.count == 1 && (logos.first?.box.intersectionOverUnion(expected) ?? 0) > 0.6)
        }
    }

    @Test("A face is found far to the right, and followed there", .timeLimit(.minutes(2)))
    func face() throws {
        let scene = DrawnScene(width: 300, height: 200, level: 98)
        scene.draw(.human, center: Point(150, 100), size: 110, tilt: 0)
        let frame = withExtendedLifetime(scene) { self.frame(scene.picture.image, at: 33_500, width: 34_000) }
        var settings = FaceSettings.balanced
        settings.species = [.human]
        settings.human.minSize = 0.4
        let tracker = try FaceTracker(settings: settings, library: CascadeLibrary()) { 1 }
        for number in 0..<3 {
            let faces = try tracker.faces(in: frame.image, frame: number)
            let face = try #require(faces.first)
            #expect(faces.count == 1)
            #expect(abs(face.box.center.x - 33_650) < 20 && abs(face.box.center.y - 100) < 20)
            // The next frame differs from this frame in a few pixels.
            frame.image.row(0)[number] = 0
        }
    }
}
