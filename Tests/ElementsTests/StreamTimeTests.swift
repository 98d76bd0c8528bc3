// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Foundation
import Imaging
import Scenes
import TestSupport
import Testing

/// The timestamps of a stream with 25 fps.
enum Stamps: String, CaseIterable, Sendable {
    case all, someMissing, none, goingBack, repeatingQuickly, outOfOrder, standing

    /// Returns the timestamp of a frame in nanoseconds.
    func timestamp(of number: Int) -> UInt64? {
        let frames: Int? =
            switch self {
            case .all: number
            case .someMissing: number.isMultiple(of: 3) ? nil : number
            case .none: nil
            // The jump of a transport stream after 26 hours.
            case .goingBack: number < 17 ? number + 2_386_000 : number - 17
            case .repeatingQuickly: number % 10
            case .outOfOrder: number ^ 1
            case .standing: 0
            }
        return frames.map { UInt64($0) * 40 * GStreamer.millisecond }
    }

    /// With these timestamps, the positions of all frames in the stream are known or can be computed.
    static let withPosition: [Stamps] = [.all, .someMissing, .none]
}

/// Tests all properties that depend on time, in streams with missing or wrong timestamps. The results must be the same
/// as with right timestamps.
@Suite("Streams with and without timestamps")
struct StreamTimeTests {
    private static let gray = TestFrame(.bgra, 8, 6, color: Color(gray: 100))

    private func harness(_ factory: String, _ properties: [(String, String)], like frame: TestFrame) throws -> Harness {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        return try Harness(factory, properties, like: frame)
    }

    /// Sends frames, and returns the results of `body` for the output frames.
    private func outcomes<Outcome>(
        _ count: Int, of harness: Harness, _ stamps: Stamps, _ input: (Int) throws -> Buffer,
        _ body: (Buffer) throws -> Outcome
    ) throws -> [Outcome] {
        try (0..<count).map { number in
            let buffer = try input(number)
            buffer.pointer.pointee.pts = stamps.timestamp(of: number).map { GstClockTime($0) } ?? .max
            return try body(harness.process(giving: buffer.reference))
        }
    }

    /// Sends equal frames, and returns the first pixel of each output frame.
    private func pixels(
        _ count: Int, _ factory: String, _ properties: [(String, String)], _ stamps: Stamps, _ frame: TestFrame = gray
    ) throws -> [[UInt8]] {
        let harness = try harness(factory, properties, like: frame)
        return try outcomes(count, of: harness, stamps, { _ in try frame.buffer() }, { try harness.shown($0)[0, 0] })
    }

    /// Returns the indices of the true elements of `outcomes`.
    private func frames(_ outcomes: [Bool]) -> [Int] { outcomes.indices.filter { outcomes[$0] } }

    private func isTold(_ event: String, by harness: Harness) -> Bool {
        harness.bus.pending(GST_MESSAGE_ELEMENT).contains { Fields($0.structure)?.text("event") == event }
    }

    // MARK: - Intervals

    @Test("svblend captures a frame every 400 ms", arguments: Stamps.allCases)
    func capture(_ stamps: Stamps) throws {
        let harness = try harness("svblend", [("mode", "difference"), ("capture-every", "400000000")], like: Self.gray)
        let captured = try outcomes(35, of: harness, stamps, { _ in try Self.gray.buffer() }) { _ in
            isTold("captured", by: harness)
        }
        #expect(frames(captured) == [0, 10, 20, 30])
    }

    @Test("svblend saves a frame every 400 ms", arguments: Stamps.allCases)
    func snapshot(_ stamps: Stamps) throws {
        let folder = try TemporaryFolder()
        do {
            let harness = try harness(
                "svblend", [("snapshot-every", "400000000"), ("snapshot-location", folder.file("%d.png"))],
                like: Self.gray)
            func numbered(_ number: Int) throws -> Buffer {
                try TestFrame(.bgra, 8, 6, color: Color(gray: UInt8(clamping: number))).buffer()
            }
            var number = 0
            _ = try outcomes(35, of: harness, stamps, numbered) { _ in
                // A background thread writes the files, only a few at a time.
                if number.isMultiple(of: 10) { #expect(eventually { folder.names.count > number / 10 }) }
                number += 1
            }
            harness.stop()
        }
        let saved = try folder.names.map { try decodePNG(folder.file($0), as: .bgra).color(0, 0).red }
        #expect(saved == [0, 10, 20, 30])
    }

    @Test("svpublish reports a frame every 400 ms", arguments: Stamps.allCases)
    func publish(_ stamps: Stamps) throws {
        let folder = try TemporaryFolder()
        let harness = try harness(
            "svpublish",
            [
                ("file-path", folder.file("out")), ("schema", "deepstream"), ("when", "interval"),
                ("interval", "400000000"),
            ], like: Self.gray)
        _ = try outcomes(35, of: harness, stamps, { _ in try Self.gray.buffer() }, { _ in })
        harness.stop()
        let lines = try String(decoding: contents(of: folder.file("out")), as: UTF8.self).split(separator: "\n")
        let numbers = try lines.map { line in
            let fields = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return fields?["id"] as? Int
        }
        #expect(numbers == [0, 10, 20, 30])
    }

    @Test("svfacemerge takes its next step every 200 ms", arguments: Stamps.allCases)
    func select(_ stamps: Stamps) throws {
        let (picture, actors) = try Self.faces.get()
        let faces = actors.map { $0.detection(id: Int32($0.id) + 100) }
        let harness = try harness("svfacemerge", [("layout", "studio"), ("select-every", "200000000")], like: picture)
        let merged = try outcomes(25, of: harness, stamps, { _ in try picture.buffer(marked: faces) }) {
            $0.detections(picture.width, picture.height).contains { $0.type == .hybridFace }
        }
        // The sequence is: each of two faces, their hybrid face, no face.
        #expect(frames(merged) == Array(10..<15))
    }

    private static let faces = Result { try DrawnFaces(.both, count: 2).frame() }

    @Test("svfacerecognize collects a face every 400 ms", arguments: Stamps.allCases)
    func collect(_ stamps: Stamps) throws {
        let looks = try Self.looks.get()
        let harness = try harness(
            "svfacerecognize",
            [
                ("collect-name", "Ada"), ("collect-count", "100"), ("collect-difference", "0"),
                ("collect-interval", "400000000"), ("draw", "false"),
            ], like: looks[0].picture)
        let collected = try outcomes(
            35, of: harness, stamps,
            { number in
                let look = looks[number % looks.count]
                return try look.picture.buffer(marked: look.actors.map { $0.detection(id: 7) })
            },
            { _ in isTold("collecting", by: harness) })
        #expect(frames(collected) == [0, 10, 20, 30])
    }

    /// A person who looks different in each image.
    private static let looks = Result {
        let scene = DrawnFaces(.people, count: 1, width: 160, height: 160)
        return try (0..<7).map { try scene.frame(at: 0.7 * Double($0)) }
    }

    @Test("svfilter shows the next filter of its reel every 400 ms", arguments: Stamps.allCases)
    func reel(_ stamps: Stamps) throws {
        let frame = TestFrame(.bgra, 64, 48, seed: 5)
        let harness = try harness("svfilter", [("reel", "400000000")], like: frame)
        let shown = try outcomes(35, of: harness, stamps, { _ in try frame.buffer() }, { try harness.shown($0) })
        #expect(shown.indices.dropFirst().filter { shown[$0] != shown[$0 - 1] } == [10, 20, 30])
    }

    // MARK: - Delays

    @Test("svblobclassify learns what has stood still for half a second", arguments: Stamps.allCases)
    func stillness(_ stamps: Stamps) throws {
        let coins = try DrawnCoins.of(1)
        let blob = Detection(type: .blob, id: 1, box: coins.actors[0].rectangle)
        let harness = try harness(
            "svblobclassify", [("learn-label", "coin"), ("mode", "sync"), ("draw", "false")], like: coins.picture)
        let learned = try outcomes(
            20, of: harness, stamps, { _ in try coins.picture.buffer(with: [blob], searched: [.blob]) }
        ) {
            _ in isTold("learned", by: harness)
        }
        #expect(frames(learned) == [13])
    }

    @Test("svoverlay warns of a missing detector after two seconds", arguments: Stamps.allCases)
    func warning(_ stamps: Stamps) throws {
        let harness = try harness("svoverlay", [], like: Self.gray)
        let warned = try outcomes(60, of: harness, stamps, { _ in try Self.gray.buffer() }) { _ in
            !harness.bus.pending(GST_MESSAGE_WARNING).isEmpty
        }
        #expect(frames(warned) == [50])
    }

    // MARK: - Fades

    @Test("animate takes its time", arguments: Stamps.allCases)
    func animate(_ stamps: Stamps) throws {
        let reds = try pixels(60, "svtint", [("animate", "red=0->1@2s")], stamps).map { Int($0[2]) }
        #expect(reds == (0..<60).map { min(100, 2 * $0) })
    }

    @Test("A fade of svfilter takes its time", arguments: Stamps.allCases)
    func fade(_ stamps: Stamps) throws {
        let levels = try pixels(60, "svfilter", [("filters", "exposure ev=0->1@2s")], stamps).map { Double($0[0]) }
        for (number, level) in levels.enumerated() {
            #expect(abs(level - 100 * pow(2, min(1, Double(number) / 50))) <= 0.6, "\(number)")
        }
    }

    @Test("svtint's white balance takes its time", arguments: Stamps.allCases)
    func balance(_ stamps: Stamps) throws {
        let warm = TestFrame(.bgra, 8, 6, color: Color(red: 150, green: 100, blue: 50))
        let harness = try harness("svtint", [("white-balance", "gray-world")], like: warm)
        let blues = try outcomes(
            40, of: harness, stamps, { try ($0 == 0 ? Self.gray : warm).buffer() },
            { try Double(harness.shown($0)[0, 0][0]) })
        // The gain of blue changes from 1 to 2 with a time constant of a second. The change starts when the element
        // analyses the frame again.
        for number in 4..<40 {
            let expected = 50 * (2 - exp(-Double(number - 2) / 25))
            #expect(abs(blues[number] - expected) <= 2, "\(number)")
        }
    }

    // MARK: - Positions

    @Test("svtint takes the next random tint every 400 ms", arguments: Stamps.withPosition)
    func tint(_ stamps: Stamps) throws {
        let properties = [("random", "true"), ("seed", "5"), ("transition", "step"), ("interval", "400000000")]
        let tints = try pixels(35, "svtint", properties, stamps)
        #expect(tints.indices.dropFirst().filter { tints[$0] != tints[$0 - 1] } == [10, 20, 30])
    }

    @Test("svtint's random tints repeat where the position does", arguments: [Stamps.goingBack])
    func repeatedTint(_ stamps: Stamps) throws {
        let properties = [("random", "true"), ("seed", "5"), ("transition", "step"), ("interval", "400000000")]
        let (tints, stamped) = try (pixels(40, "svtint", properties, stamps), pixels(23, "svtint", properties, .all))
        #expect(Array(tints[17...]) == stamped)
    }

    @Test("svtestscene moves with the position", arguments: Stamps.withPosition)
    func scene(_ stamps: Stamps) throws {
        let scene = try SceneHarness()
        let drawn = DrawnFaces(.faces, seed: 0, width: scene.width, height: scene.height)
        for number in 0..<20 {
            let truth = try scene.truth(at: stamps.timestamp(of: number))
            #expect(truth.areTruth(of: drawn.scene.entities(at: Double(number) * 0.04)), "\(number)")
        }
    }
}
