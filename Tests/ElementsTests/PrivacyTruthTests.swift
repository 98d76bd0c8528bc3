// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Foundation
@testable import ElementKit
@testable import Elements
import Imaging
import TestSupport
import Testing

/// Compares the hidden areas of drawn scenes with the positions of the heads. With `SWIFTVISION_FULL=1`, there are more
/// and longer scenes, and each detector is tested with each recogniser.
@Suite("svoverlay: no head is seen that is to be hidden", .serialized)
struct PrivacyTruthTests {
    private static let isFull = ProcessInfo.processInfo.environment["SWIFTVISION_FULL"] != nil
    private static let frames = isFull ? 300 : 9
    private static let seeds = isFull ? 0..<3 : 0..<1
    /// Detectors of humans: cascades, and the network if its file exists.
    private static let detectors =
        ["detector=cascade"] + (realNetwork.map { ["detector=network model=\($0)"] } ?? [])
    /// Recognisers of drawn people: patterns, and the network if its file exists. The network cannot distinguish drawn
    /// people.
    private static let recognisers =
        [("algorithm=lbph", true)] + (realEmbedding.map { [("embedding-model=\($0)", false)] } ?? [])
    private static let people = (#filePath.split(separator: "Tests/").first.map { "\($0)" } ?? "") + "pipelines/people"
    private let size = PixelSize(width: 640, height: 360)

    /// The visible heads in the frames of a stream.
    private struct Seen {
        var frames = 0
        /// `exposed`: frames in which a part of a head was visible that must be hidden. `outsideOvals`: frames in which
        /// a part would be visible if the hidden area were an ellipse.
        var exposed: [Int] = []
        var outsideOvals: [Int] = []
        /// Frames in which the face that must stay visible was visible.
        var spared: [Int] = []
    }

    /// - Parameter spared: the name of the person who must stay visible.
    private func watch(
        _ scene: String, by detector: String, _ hiding: String, sparing spared: String? = nil,
        recognisedBy recogniser: String = ""
    ) throws -> Seen {
        let recognising =
            spared.map { _ in "! svfacerecognize people=\(Self.people) \(recogniser) draw=false message=none" } ?? ""
        let line = try pipeline(
            "videotestsrc pattern=gradient num-buffers=\(Self.frames) "
                + "! video/x-raw,format=BGRA,width=\(size.width),height=\(size.height),framerate=30/1 "
                + "! svtestscene \(scene) ! svfacedetect \(detector) draw=false mode=sync interval=1 message=none \(recognising) "
                + "! svoverlay \(hiding) hide-style=black boxes=false landmarks=false labels=false "
                + "! appsink name=out sync=false max-buffers=4")
        try line.play()
        var seen = Seen()
        var boxes = SteadyBoxes()
        while let sample = try line.pull() {
            let meta = DetectionMeta(buffer: sample.buffer.pointer, size: size)
            let faces = meta.detections.filter { $0.isFace && !$0.type.isTruth }
            let areas = boxes.steady(faces).flatMap { Cover.Area.areas(of: $0) }.map(\.bounds)
            let shown = sample.frame
            func isBlack(_ point: Point) -> Bool { shown.color(Int(point.x), Int(point.y)) == .black }
            var (isExposed, isOutside) = (false, false)
            for head in meta.detections(truth: true) {
                // If boxes are exact, the hair outside of them is not hidden.
                let points = head.points(withHair: !detector.contains("network")).filter {
                    size.bounds.contains(Int($0.x), Int($0.y))
                }
                let isSpared = head.classifications.contains { $0.name == "person" && $0.label == spared }
                if isSpared {
                    if points.contains(where: { !isBlack($0) }) { seen.spared.append(seen.frames) }
                } else {
                    if points.contains(where: { !isBlack($0) }) { isExposed = true }
                    if points.contains(where: { point in !areas.contains { $0.ovalContains(point) } }) {
                        isOutside = true
                    }
                }
            }
            if isExposed { seen.exposed.append(seen.frames) }
            if isOutside { seen.outsideOvals.append(seen.frames) }
            seen.frames += 1
        }
        return seen
    }

    @Test("Faces and cats with their ears", arguments: ["faces", "cats", "both", "people"], seeds)
    func everybody(_ scene: String, _ seed: Int) throws {
        for detector in Self.detectors {
            let seen = try watch("scene=\(scene) count=3 seed=\(seed)", by: detector, "hide=face")
            let what = "\(detector) \(scene) \(seed)"
            #expect(seen.frames == Self.frames)
            #expect(seen.exposed.isEmpty, "\(what): \(seen.exposed.count) \(seen.exposed.prefix(9))")
            #expect(
                seen.outsideOvals.isEmpty, "\(what): \(seen.outsideOvals.count) \(seen.outsideOvals.prefix(9))")
        }
    }

    @Test("All but one: no stranger, and nobody who resembles her", arguments: ["people", "doubles"], seeds)
    func allButOne(_ scene: String, _ seed: Int) throws {
        let names = Self.isFull ? ["Ada", "Ben"] : ["Ada"]
        for (detector, name) in Self.detectors.flatMap({ detector in names.map { (detector, $0) } }) {
            for (recogniser, tellsApart) in Self.recognisers
            where Self.isFull || Self.detectors.count == 1 || tellsApart == (detector == Self.detectors.first) {
                let seen = try watch(
                    "scene=\(scene) count=6 seed=\(seed)", by: detector, "hide=face spare=\(name)", sparing: name,
                    recognisedBy: recogniser)
                let what = "\(detector) \(recogniser) \(scene) \(seed) \(name)"
                #expect(seen.frames == Self.frames)
                #expect(seen.exposed.isEmpty, "\(what): \(seen.exposed.count) \(seen.exposed.prefix(9))")
                guard tellsApart else { continue }
                #expect((seen.spared.first ?? -1) >= 2)
                #expect(seen.spared.count > Self.frames / 4, "\(what): \(seen.spared.count)")
            }
        }
    }
}

extension Detection {
    /// Returns points on the outline of a drawn head, from the ground truth: the face and the ears. Cats also have
    /// whiskers, and humans have hair if `withHair` is true.
    fileprivate func points(withHair: Bool) -> [Point] {
        guard let landmarks else { return [] }
        let isCat = type == Kind.catFace.truth
        // The box is a square. In units of a portrait, it has this side.
        let scale = Double(box.width) / (isCat ? 198 : 206)
        let (dx, dy) = (landmarks.rightEye.x - landmarks.leftEye.x, landmarks.rightEye.y - landmarks.leftEye.y)
        let length = max(1e-9, (dx * dx + dy * dy).squareRoot())
        let (cosine, sine) = (dx / length, dy / length)
        // The offset from the point between the eyes to the origin of the portrait. Turning and nodding change it only
        // slightly.
        let down = isCat ? 10.0 : 14
        let middle = Point(
            (landmarks.leftEye.x + landmarks.rightEye.x) / 2, (landmarks.leftEye.y + landmarks.rightEye.y) / 2)
        func pixel(_ x: Double, _ y: Double) -> Point {
            Point(
                middle.x + scale * (cosine * x - sine * (y + down)), middle.y + scale * (sine * x + cosine * (y + down))
            )
        }
        func ellipse(_ y: Double, _ width: Double, _ height: Double) -> [Point] {
            (0..<24).map { step in
                let (sine, cosine) = sineAndCosine(degrees: 15 * Double(step))
                return pixel(width * cosine, y + height * sine)
            }
        }
        let sides = [-1.0, 1]
        guard isCat else {
            let curls = [(126.0, -20.0), (92, -109), (26, -146)]
            let face = ellipse(6, 76, 118) + ellipse(6, 60, 100) + sides.map { pixel(93 * $0, 6) }
            let hair = ellipse(-8, 113, 133) + sides.flatMap { side in curls.map { pixel(side * $0.0, $0.1) } }
            return withHair ? face + hair : face
        }
        let ears = [(60.0, -155.0), (52, -120), (76, -40), (20, -70), (95, 27), (95, 57)]
        return ellipse(0, 106, 114) + ellipse(0, 50, 60)
            + sides.flatMap { side in ears.map { pixel(side * $0.0, $0.1) } }
    }
}

extension Rectangle {
    fileprivate func ovalContains(_ point: Point) -> Bool {
        let (a, b) = (Double(width) / 2, Double(height) / 2)
        let (u, v) = ((point.x - Double(x) - a) / a, (point.y - Double(y) - b) / b)
        return u * u + v * v < 1
    }
}
