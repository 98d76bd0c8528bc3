// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing
import Vision

@Suite("Faces: the minimum size")
struct FacesSizeTests {
    private func scene(_ size: Double) -> GrayPicture {
        let scene = DrawnScene(width: 480, height: 360, level: 98)
        scene.draw(.human, center: Point(240, 180), size: size, tilt: 0)
        return scene.picture
    }

    private func settings(_ minimum: Double, track: Bool) -> FaceSettings {
        var settings = FaceSettings.balanced
        (settings.human.minSize, settings.cat.minSize, settings.track) = (minimum, minimum, track)
        settings.minReportedSize = minimum
        return settings
    }

    @Test("A face below the minimum is not reported, one above it is", arguments: [true, false])
    func limit(track: Bool) throws {
        for (size, isReported) in [(70.0, false), (85, false), (125, true), (160, true)] {
            // The minimum is 0.3 of the image height of 360 pixels, that is 108 pixels.
            let tracker = try FaceTracker(settings: settings(0.3, track: track), library: CascadeLibrary()) { 1 }
            let faces = try tracker.faces(in: scene(size), frame: 0)
            #expect(faces.count == (isReported ? 1 : 0), "\(size)")
            #expect(faces.allSatisfy { Rectangle($0.box).width >= 108 })
        }
    }

    @Test("Presets set no limit to what is reported")
    func presets() {
        for preset in [FaceSettings.classic, .fast, .balanced, .accurate] { #expect(preset.minReportedSize == 0) }
    }
}
