// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Testing
@testable import Vision

/// `SWIFTVISION_FULL=1` searches 40 frames of each condition, and 100 frames without a logo.
@Suite("Logos: as photographed")
struct LogosPhotographedTests {
    private static let isFull = ProcessInfo.processInfo.environment["SWIFTVISION_FULL"] != nil
    private static let templates = Result { try DrawnMark.allCases.map { try $0.template() } }

    private func detector() throws -> LogoDetector {
        try LogoDetector(settings: LogoSettings(), templates: try Self.templates.get())
    }

    private func isFound(_ truth: Box, _ mark: DrawnMark, in matches: [LogoMatch]) -> Bool {
        matches.contains {
            DrawnMark.allCases[$0.template] == mark && $0.box.intersectionOverUnion(truth) >= 0.5
        }
    }

    @Test(
        "Logos are found on cards, on patterns, blurred, occluded by a third, and in uneven light",
        arguments: LogoPhotograph.Condition.allCases)
    func conditions(_ condition: LogoPhotograph.Condition) throws {
        let (detector, count) = (try self.detector(), Self.isFull ? 40 : 4)
        var missed: [Int] = []
        for seed in 0..<count {
            let mark = DrawnMark.allCases[seed % 2]
            let scene = LogoPhotograph(seed: UInt64(seed))
            scene.draw(mark, condition, size: 90 + 20 * Double(seed % 4))
            let matches = try scene.matches(detector)
            if !isFound(scene.truths[0], mark, in: matches) { missed.append(seed) }
        }
        #expect(missed.count * 100 <= 15 * count, "\(missed)")
        if Self.isFull { print("logos, \(condition): \(count - missed.count) of \(count); missed: \(missed)") }
    }

    @Test("No logo is found in a frame without logos")
    func absent() throws {
        let detector = try self.detector()
        for seed in 0..<UInt64(Self.isFull ? 100 : 4) {
            #expect(try LogoPhotograph(seed: 900 + seed).matches(detector).isEmpty, "\(seed)")
        }
    }

    @Test("Two instances of a logo, and another logo, are all found")
    func instances() throws {
        let scene = LogoPhotograph(seed: 3)
        scene.draw(.badge, .card, size: 90, at: Point(90, 100))
        scene.draw(.badge, .photograph, size: 110, at: Point(350, 90))
        scene.draw(.glyph, .card, size: 100, at: Point(230, 270))
        let matches = try scene.matches(try detector())
        #expect(matches.map(\.template) == [0, 0, 1])
        for (truth, mark) in zip(scene.truths, [DrawnMark.badge, .badge, .glyph]) {
            #expect(isFound(truth, mark, in: matches))
        }
    }

    @Test(
        "Large logos, small logos, logos partly outside of the frame, and bent logos are found",
        arguments: [
            (330.0, Point(240, 180), 0.0), (56, Point(200, 150), 0), (130, Point(470, 200), 0),
            (140, Point(240, 180), 0.05),
        ])
    func limits(_ size: Double, _ center: Point, _ bend: Double) throws {
        for (index, mark) in DrawnMark.allCases.enumerated() {
            let scene = LogoPhotograph(seed: 20 + UInt64(index))
            scene.draw(mark, .card, size: size, at: center, bend: bend)
            #expect(isFound(scene.truths[0], mark, in: try scene.matches(try detector())), "\(mark)")
        }
    }

    @Test("A logo with one colour is found at 28 pixels")
    func smallest() throws {
        let scene = LogoPhotograph(seed: 21)
        scene.draw(.glyph, .card, size: 28, at: Point(200, 150))
        #expect(isFound(scene.truths[0], .glyph, in: try scene.matches(try detector())))
    }

    @Test("In another colour, a logo with one colour is found, and a logo with several colours is not")
    func colors() throws {
        for (index, mark) in DrawnMark.allCases.enumerated() {
            let scene = LogoPhotograph(seed: 40 + UInt64(index))
            scene.draw(mark, .card, size: 130)
            let image = scene.image.image
            for y in 0..<image.height {
                let row = image.row(y)
                for x in 0..<image.width {
                    // Blue, green and red change places.
                    (row[3 * x], row[3 * x + 1], row[3 * x + 2]) = (row[3 * x + 2], row[3 * x], row[3 * x + 1])
                }
            }
            let isDetected = isFound(scene.truths[0], mark, in: try scene.matches(try detector()))
            #expect(isDetected == (mark == .glyph))
        }
    }

    @Test("A tracked logo keeps its id and its box while it moves and is occluded")
    func tracking() throws {
        var ids = Set<Int>()
        var last = 0
        let tracker = try LogoTracker(settings: LogoSettings(), templates: try Self.templates.get()) {
            last += 1
            return last
        }
        for number in 0..<6 {
            let scene = LogoPhotograph(seed: 7)
            let center = Point(180 + 6 * Double(number), 170)
            scene.draw(.badge, number < 3 ? .photograph : .occluded, size: 120, at: center)
            let (gray, image) = (OwnedImage(.gray8), scene.image.image)
            try gray.fill(grayOf: image)
            let logos = try tracker.logos(in: gray.image, of: FrameImage(image), frame: number)
            withExtendedLifetime((gray, scene)) {}
            #expect(isFound(scene.truths[0], .badge, in: logos), "\(number)")
            ids.formUnion(logos.map(\.id))
        }
        #expect(ids == [1])
    }

    // MARK: - Quality of templates

    private func plainTemplate(_ draw: (Int, Int) -> Bool) throws -> LogoTemplate {
        let picture = OwnedImage(.bgra, width: 160, height: 160)
        for y in 0..<160 {
            for x in 0..<160 where draw(x - 80, y - 80) { picture.image.row(y)[4 * x + 3] = 255 }
        }
        defer { withExtendedLifetime(picture) {} }
        return try LogoTemplate(picture.image, name: "plain")
    }

    @Test("A plain shape is useless as a template, and the problem names the shape")
    func plain() throws {
        let disc = try plainTemplate { $0 * $0 + $1 * $1 < 3600 }
        #expect(disc.quality.isUseless && disc.quality.problem?.contains("disc") == true, "\(disc.quality)")
        let square = try plainTemplate { max(abs($0), abs($1)) < 60 }
        #expect(square.quality.isUseless, "\(square.quality)")
    }

    // MARK: - Round logos

    private typealias Sign = @Sendable (Int, Int) -> Bool

    /// Returns a disc with a sign. The side of the image is 160 pixels, and the radius of the disc is 70 pixels.
    private func roundLogo(_ disc: [UInt8], _ ink: [UInt8], _ sign: Sign) -> OwnedImage {
        let picture = OwnedImage(.bgra, width: 160, height: 160)
        for y in 0..<160 {
            for x in 0..<160 where (x - 80) * (x - 80) + (y - 80) * (y - 80) < 4900 {
                for (channel, value) in ((sign(x - 80, y - 80) ? ink : disc) + [255]).enumerated() {
                    picture.image.row(y)[4 * x + channel] = value
                }
            }
        }
        return picture
    }

    /// Returns the number of logos that are found if `logo` is reduced to 120 pixels in front of `background`.
    private func count(of logo: OwnedImage, on background: UInt8, _ detector: LogoDetector) throws -> Int {
        let (scene, gray) = (OwnedImage(.bgr, width: 320, height: 240), OwnedImage(.gray8))
        for y in 0..<240 {
            for x in 0..<320 {
                let (u, v) = ((x - 100) * 4 / 3, (y - 60) * 4 / 3)
                let from = (0..<160).contains(u) && (0..<160).contains(v) ? logo.image.row(v) + 4 * u : nil
                for channel in 0..<3 {
                    let value = from.flatMap { $0[3] > 127 ? $0[channel] : nil }
                    scene.image.row(y)[3 * x + channel] = value ?? background
                }
            }
        }
        try gray.fill(grayOf: scene.image)
        defer { withExtendedLifetime((scene, gray)) {} }
        return try detector.matches(in: gray.image, colors: FrameImage(scene.image)).count
    }

    private static let arrow: Sign = { x, y in
        x < 10 ? x > -45 && abs(y) < 12 : x < 45 && abs(y) < 45 - x
    }
    private static let bars: Sign = { x, y in abs(y - 25) < 10 && abs(x) < 45 || abs(y + 25) < 10 && abs(x) < 20 }

    @Test("The disc of a round logo counts less than its sign: the logo is found on a background of its colour")
    func round() throws {
        let (white, dark, blue): ([UInt8], [UInt8], [UInt8]) = ([235, 235, 235], [60, 40, 30], [190, 80, 30])
        for (disc, ink) in [(white, dark), (blue, white)] {
            let logo = roundLogo(disc, ink, Self.arrow)
            let template = try LogoTemplate(logo.image, name: "arrow")
            let weights = template.look.edges.map(\.weight), outline = template.look.outlineCount
            #expect(weights[..<outline].reduce(0, +) < 0.5 * Double(outline))
            #expect(weights[outline...].reduce(0, +) > 0.8 * Double(weights.count - outline))
            #expect(!template.quality.isUseless)
            let detector = try LogoDetector(settings: LogoSettings(), templates: [template])
            for background in [UInt8(130), 235] { #expect(try count(of: logo, on: background, detector) == 1) }
            // Another sign on the same disc.
            #expect(try count(of: roundLogo(disc, ink, Self.bars), on: 130, detector) == 0)
        }
    }

    @Test("A distinctive logo has no problem, and is learned fast", arguments: DrawnMark.allCases)
    func good(_ mark: DrawnMark) throws {
        let quality = try mark.template().quality
        #expect(!quality.isUseless && quality.confusion < LogoTuning.poorConfusion, "\(quality)")
    }
}
