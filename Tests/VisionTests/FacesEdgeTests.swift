// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import TestScope
import Testing
import Vision

/// Tests with extreme settings and images. They must not crash the process.
@Suite("Faces: extremes")
struct FacesEdgeTests {
    private static let presets = [FaceSettings.classic, .fast, .balanced, .accurate]

    private func noise(width: Int, height: Int, seed: UInt64) -> GrayPicture {
        let scene = DrawnScene(width: width, height: height, level: 128)
        scene.addNoise(128, seed: seed)
        return scene.picture
    }

    @Test("frames of one pixel, and smaller than any face", arguments: presets.indices)
    func small(preset: Int) throws {
        for equalize in FaceSettings.Equalization.allCases {
            var settings = Self.presets[preset]
            settings.equalize = equalize
            let tracker = try FaceTracker(settings: settings, library: CascadeLibrary()) { 1 }
            var frame = 0
            for (width, height) in [(1, 1), (1, 1), (2, 1), (1, 300), (300, 1), (7, 5), (19, 19), (20, 20), (24, 24)] {
                #expect(try tracker.faces(in: noise(width: width, height: height, seed: 1), frame: frame).isEmpty)
                frame += 1
            }
            let empty = GrayPicture(width: 0, height: 0)
            #expect(try tracker.faces(in: empty, frame: frame).isEmpty)
        }
    }

    @Test("a frame smaller than the smallest face")
    func smallerThanAFace() throws {
        let scene = DrawnScene(width: 200, height: 200, level: 98)
        scene.draw(.human, center: Point(100, 100), size: 110, tilt: 0)
        for var settings in Self.presets {
            settings.human.minSize = 1
            settings.cat.minSize = 1
            let tracker = try FaceTracker(settings: settings, library: CascadeLibrary()) { 1 }
            #expect(try tracker.faces(in: scene.picture, frame: 0).isEmpty)
        }
    }

    @Test("faces half out of the picture")
    func halfOut() throws {
        for settings in Self.presets {
            let tracker = try FaceTracker(settings: settings, library: CascadeLibrary()) { 1 }
            for frame in 0..<24 {
                let angle = Double(frame) * .pi / 12
                let scene = DrawnScene(width: 320, height: 240, level: 98)
                scene.draw(
                    .human, center: Point(160 + 160 * cos(angle), 120 + 120 * sin(angle)), size: 120, tilt: 0)
                for face in try tracker.faces(in: scene.picture, frame: frame) {
                    #expect(face.box.overlap(Box(x: 0, y: 0, width: 320, height: 240)) > 0)
                }
            }
        }
    }

    @Test("settings that make no sense")
    func settings() throws {
        let scene = DrawnScene(width: 200, height: 160, level: 98)
        scene.draw(.human, center: Point(100, 80), size: 110, tilt: 0)
        let numbers = [Double.nan, .infinity, -.infinity, 0, -1, 1e-300, 1e300, 1.0000001]
        let counts = [Int.min, -1, 0, 1, Int.max]
        for (step, number) in numbers.enumerated() {
            for (base, preset) in Self.presets.enumerated() where TestScope.runs(step + base, oneIn: 2) {
                let count = counts[(step + base) % counts.count]
                var settings = preset
                settings.scale = number
                settings.human = .init(scaleFactor: number, minNeighbors: count, minSize: number)
                settings.cat = .init(scaleFactor: number, minNeighbors: count, minSize: number)
                settings.eye = .init(scaleFactor: number, minNeighbors: count, minSize: number)
                settings.maxFaces = count
                settings.interval = count
                settings.threads = min(count, 2)
                settings.region = Rectangle(x: count, y: count, width: Int.max, height: count)
                // With a scale factor below 1.1, a search of the whole image takes too long.
                if settings.sanitized.human.scaleFactor < 1.1 { settings.region = Rectangle(width: 60, height: 60) }
                let tracker = try FaceTracker(settings: settings, library: CascadeLibrary()) { 1 }
                for frame in [0, 1, Int.max, Int.min, 5] {
                    for face in try tracker.faces(in: scene.picture, frame: frame) {
                        #expect(face.box.x.isFinite && face.box.width.isFinite && face.confidence.isFinite)
                        #expect(face.leftEye.x.isFinite && face.nose.y.isFinite && face.mouthRight.x.isFinite)
                    }
                }
            }
        }
    }

    @Test("settings are brought into their ranges")
    func sound() {
        var settings = FaceSettings.balanced
        settings.scale = 7
        settings.human = .init(scaleFactor: 1, minNeighbors: -3, minSize: .nan)
        settings.threads = -1
        settings.interval = 0
        #expect(settings.sanitized.scale == 1)
        #expect(settings.sanitized.human == .init(scaleFactor: 1.01, minNeighbors: 0, minSize: 0.25))
        #expect(settings.sanitized.threads == 0)
        #expect(settings.sanitized.interval == 1)
        for preset in Self.presets { #expect(preset.sanitized == preset) }
    }

    @Test("noise: nothing is found in it, and every frame another size")
    func sizes() throws {
        for preset in [FaceSettings.fast, .balanced] {
            let tracker = try FaceTracker(settings: preset, library: CascadeLibrary()) { 1 }
            for frame in 0..<12 {
                let picture = noise(width: 100 + 17 * frame, height: 120 + frame % 4, seed: UInt64(frame))
                #expect(try tracker.faces(in: picture, frame: frame).isEmpty)
            }
        }
    }

    @Test("padded rows give the same faces")
    func padding() throws {
        let scene = DrawnScene(width: 301, height: 203, level: 98)
        scene.draw(.human, center: Point(150, 100), size: 120, tilt: 0)
        let padded = GrayPicture(width: 301, height: 203, padding: 13, level: 255)
        for y in 0..<203 {
            for x in 0..<301 { padded[x, y] = scene.picture[x, y] }
        }
        for settings in Self.presets {
            let detector = try FaceDetector(settings: settings, library: CascadeLibrary())
            let faces = try detector.faces(in: scene.picture)
            #expect(!faces.isEmpty)
            #expect(try detector.faces(in: padded) == faces)
        }
    }

    @Test("smiles, closed eyes and mouths are looked for when asked; LBP cascades and equalisation work")
    func options() throws {
        let scene = DrawnScene(width: 320, height: 240, level: 98)
        scene.draw(.human, center: Point(160, 120), size: 150, tilt: 0)
        for preset in [FaceSettings.classic, .balanced] {
            var settings = preset
            let plain = try FaceDetector(settings: settings, library: CascadeLibrary()).faces(in: scene.picture)
            #expect(!plain.isEmpty && plain.allSatisfy { $0.smiles == nil && $0.hasClosedEyes == nil })
            settings.smile = true
            settings.eyesClosed = true
            settings.landmarks = [.eyes, .mouth]
            for face in try FaceDetector(settings: settings, library: CascadeLibrary()).faces(in: scene.picture) {
                #expect(face.smiles != nil)
                #expect(face.hasClosedEyes == nil || face.isLeftEyeFound || face.isRightEyeFound)
                #expect(face.mouthLeft.x < face.mouthRight.x)
            }
            settings.features = .lbp
            settings.equalize = .clahe
            _ = try FaceDetector(settings: settings, library: CascadeLibrary()).faces(in: scene.picture)
        }
    }

    @Test("grey of packed pictures is OpenCV's", arguments: PixelFormat.all)
    func gray(format: PixelFormat) throws {
        // An image of 37x5 pixels with padded rows. Its memory ends after the last row.
        let stride = 37 * format.bytesPerPixel + 3
        let bytes = noise(width: stride * 5, height: 1, seed: 3)
        let image = Image(base: bytes.pixels, width: 37, height: 5, stride: stride, format: format)
        let plane = OwnedImage(.gray8)
        try plane.fill(grayOf: image)
        for y in 0..<5 {
            for x in 0..<37 {
                let pixel = (0..<format.bytesPerPixel).map { Int(bytes[y * stride + x * format.bytesPerPixel + $0, 0]) }
                let expected =
                    format.isGray
                    ? pixel[0]
                    : (9798 * pixel[format.red] + 19235 * pixel[format.green] + 3735 * pixel[format.blue] + 16384) >> 15
                #expect(Int(plane.image.row(y)[x]) == expected)
            }
        }
    }
}
