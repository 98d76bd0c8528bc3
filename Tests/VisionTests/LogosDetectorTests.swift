// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Foundation
import Imaging
import Scenes
import Testing
import Vision

/// `SWIFTVISION_FULL=1` searches 300 frames with the logo and 300 without. The numbers of the algorithm were chosen on
/// seeds in the millions.
@Suite("Logos: detection")
struct LogosDetectorTests {
    private static let count = ProcessInfo.processInfo.environment["SWIFTVISION_FULL"] == nil ? 10 : 300

    @Test("The logo is found in any turn, size, tilt and light, before letters and shapes")
    func found() throws {
        let detector = try LogoDetector(settings: LogoSettings(), templates: [try Self.template.get()])
        var missed: [UInt64] = []
        for seed in 0..<UInt64(Self.count) {
            let scene = try LogoScene(seed: seed)
            let match = try detector.matches(in: scene.plane.image).first
            let truth = try #require(scene.truth)
            if (match?.box.intersectionOverUnion(truth) ?? 0) < 0.5 { missed.append(seed) }
        }
        #expect(missed.count * 100 <= 5 * Self.count, "\(missed)")
        if Self.count >= 300 { print("logos: \(Self.count - missed.count) of \(Self.count) found; missed: \(missed)") }
    }

    @Test("Nothing is found where there is none")
    func absent() throws {
        let detector = try LogoDetector(settings: LogoSettings(), templates: [try Self.template.get()])
        let wrong = try (0..<UInt64(Self.count)).filter { seed in
            let scene = try LogoScene(seed: 5000 + seed, hasLogo: false)
            return try withExtendedLifetime(scene) { try !detector.matches(in: scene.plane.image).isEmpty }
        }
        #expect(wrong.count * 100 <= Self.count, "\(wrong)")
        if Self.count >= 300 { print("logos: \(wrong.count) false of \(Self.count)") }
    }

    @Test("A bright template finds dark logos, and the reverse; smaller scenes do, too")
    func polarity() throws {
        for isBright in [false, true] {
            let detector = try LogoDetector(
                settings: LogoSettings(), templates: [try drawnTemplate(isBright: isBright)])
            for seed in 0..<UInt64(4) {
                let plane = OwnedImage(.gray8)
                plane.resize(width: 321, height: 241)
                let frame = FrameImage(plane.image)
                Backdrop(seed: seed, width: 321, height: 241).draw(on: frame)
                let pose = LogoPose(
                    center: Point(160, 120), size: 70, turn: Double(seed) * 100, tilt: 20, tiltDirection: 70,
                    frameHeight: 241)
                pose.draw(on: frame, isBright: seed % 2 == 0)
                let match = try #require(try detector.matches(in: plane.image).first)
                #expect(match.box.intersectionOverUnion(Box(pose.rectangle)) >= 0.8)
                #expect(match.confidence >= 0.78 && match.confidence <= 1)
                let region = try #require(try detector.matches(in: plane.image, usesKeypoints: false).first)
                #expect((region.distance ?? .infinity) < 0.3 && region.source == .regions)
            }
        }
    }

    @Test("The smallest distance wins without verification, and keypoints verify, too")
    func verification() throws {
        let plane = OwnedImage(.gray8)
        plane.resize(width: 640, height: 480)
        let frame = FrameImage(plane.image)
        frame.fill(frame.bounds, color: 0xFFC8_C8C8)
        let pose = LogoPose(center: Point(320, 240), size: 250, turn: 20, frameHeight: 480)
        pose.draw(on: frame)
        for verification in [LogoSettings.Verification.none, .shape, .orb] {
            var settings = LogoSettings()
            settings.verification = verification
            let detector = try LogoDetector(settings: settings, templates: [try Self.template.get()])
            let match = try #require(try detector.matches(in: plane.image).first, "\(verification)")
            #expect(match.box.intersectionOverUnion(Box(pose.rectangle)) >= 0.8)
            #expect(match.confidence > 0.6)
        }
        var settings = LogoSettings()
        settings.maxDistance = 0
        let strict = try LogoDetector(settings: settings, templates: [try Self.template.get()])
        // The limit applies to regions, not to keypoints.
        #expect(try strict.matches(in: plane.image, usesKeypoints: false).isEmpty)
    }

    // MARK: - Templates

    /// Draws three quarters of a ring, to be told from the drawn logo.
    private func hook(on plane: OwnedImage, at center: Point, size: Double) {
        let frame = FrameImage(plane.image)
        let width = 0.22 * size
        frame.line(from: center, to: Point(center.x, center.y - 0.4 * size), width: width, color: 0xFF00_0000)
        frame.line(
            from: center, to: Point(center.x + 0.35 * size, center.y + 0.1 * size), width: width, color: 0xFF00_0000)
        frame.circle(
            Point(center.x - 0.2 * size, center.y + 0.22 * size), radius: 0.2 * size, lineWidth: 0.12 * size,
            color: 0xFF00_0000)
    }

    private func plain(_ width: Int, _ height: Int, _ color: Color = 0xFFD0_D0D0) -> OwnedImage {
        let plane = OwnedImage(.gray8)
        plane.resize(width: width, height: height)
        FrameImage(plane.image).fill(plane.image.bounds, color: color)
        return plane
    }

    @Test("Several logos: each is found by its own template")
    func several() throws {
        let picture = plain(200, 200)
        hook(on: picture, at: Point(100, 100), size: 150)
        let templates = [try Self.template.get(), try LogoTemplate(picture.image, name: "hook")]
        let detector = try LogoDetector(settings: LogoSettings(), templates: templates)
        let scene = plain(640, 480)
        hook(on: scene, at: Point(150, 240), size: 130)
        let pose = LogoPose(center: Point(460, 200), size: 120, turn: 50, frameHeight: 480)
        pose.draw(on: FrameImage(scene.image))
        let matches = try detector.matches(in: scene.image)
        #expect(matches.map(\.template) == [0, 1])
        #expect(matches.first.map { $0.box.intersectionOverUnion(Box(pose.rectangle)) } ?? 0 > 0.8)
        #expect(matches.last.map { abs($0.box.center.x - 150) } ?? 100 < 30)
    }

    @Test("A template without any stable region: an error that says so")
    func unstable() throws {
        for (width, height) in [(1, 1), (2, 2), (3, 40), (200, 150)] {
            let picture = plain(width, height)
            let error = #expect(throws: TemplateError.self) { _ = try LogoTemplate(picture.image, name: "plain") }
            #expect(error?.description.contains("no stable region") == true)
        }
        // A slope from black to white has no region that is stable between two levels.
        let slope = plain(256, 100)
        for y in 0..<100 {
            for x in 0..<256 { slope.image.row(y)[x] = UInt8(x) }
        }
        #expect(throws: TemplateError.self) { _ = try LogoTemplate(slope.image, name: "slope") }
    }

    @Test("Keypoints do not verify what has none, or such as look alike: an error with the numbers and the way out")
    func plainLogos() throws {
        let shapes: [(FrameImage) -> Void] = [
            { $0.circle(Point(100, 100), radius: 60, lineWidth: 30, color: 0xFF00_0000) },
            { $0.fill(Rectangle(x: 40, y: 40, width: 120, height: 120), color: 0xFF00_0000) },
            { frame in
                for box in [(80, 40, 40, 120), (40, 80, 120, 40)] {
                    frame.fill(Rectangle(x: box.0, y: box.1, width: box.2, height: box.3), color: 0xFF00_0000)
                }
            },
        ]
        for shape in shapes {
            let picture = plain(200, 200, 0xFFFF_FFFF)
            shape(FrameImage(picture.image))
            let template = try LogoTemplate(picture.image, name: "plain")
            var settings = LogoSettings()
            settings.verification = .orb
            let error = #expect(throws: TemplateError.self) {
                _ = try LogoDetector(settings: settings, templates: [try Self.template.get(), template])
            }
            let words = [
                "plain: verify=orb needs at least 12 distinct keypoints", "this logo has 0", "Use verify=shape",
            ]
            for text in words { #expect(error?.description.contains(text) == true, "\(error?.description ?? "")") }
            // Its outline suffices to find it.
            settings.verification = .shape
            settings.maxArea = 0.9
            let detector = try LogoDetector(settings: settings, templates: [template])
            #expect(try detector.matches(in: picture.image).count == 1)
        }
    }

    @Test("A logo on a transparent ground, a bright one or a dark one, that fills its picture")
    func transparent() throws {
        let expected = try Self.template.get().features
        for level in [UInt8(20), 240] {
            let picture = OwnedImage(.bgra, width: 176, height: 176)
            let mark = plain(248, 248)
            SceneLogo.draw(on: FrameImage(mark.image))
            for y in 0..<176 {
                let (row, from) = (picture.image.row(y), mark.image.row(y + 36))
                for x in 0..<176 {
                    for channel in 0..<3 { row[4 * x + channel] = level }
                    row[4 * x + 3] = from[x + 36] < 128 ? 255 : 0
                }
            }
            let template = try LogoTemplate(picture.image, name: "cut out")
            #expect(template.features.holes == 3)
            #expect(template.features.distance(to: expected) < 0.03, "\(template.features)")
        }
    }

    // MARK: - Edges

    @Test("Frames of any size, and settings that make no sense: no harm", arguments: [1, 2, 3, 7, 30])
    func small(side: Int) throws {
        let plane = plain(side, side + 1)
        for y in 0..<side + 1 {
            for x in 0..<side { plane.image.row(y)[x] = UInt8(truncatingIfNeeded: x * 97 + y * 31) }
        }
        for scale in [0, 0.5, 1, 7, .nan, -1] {
            var settings = LogoSettings()
            settings.scale = scale
            settings.minArea = scale
            settings.maxDistance = .infinity
            settings.delta = -4
            settings.tolerances.hullRatio = .nan
            settings.minLikeness = 0
            let detector = try LogoDetector(settings: settings, templates: [try Self.template.get()])
            for match in try detector.matches(in: plane.image) {
                #expect(match.box.width <= Double(side) && match.box.height <= Double(side + 1))
            }
        }
    }

    private static let template = Result { try drawnTemplate() }
}
