// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Imaging
import TestSupport
import Testing

@Suite("svoverlay: soundness")
struct OverlayLiveTests {
    /// Returns random regions, as other elements may add them to a buffer.
    private static func anything(_ random: inout Random, count: Int) -> [(type: String, box: [UInt32])] {
        let numbers: [UInt32] = [0, 1, 2, 7, 20, 63, 64, 65, 500, 70_000, 0x7FFF_FFFF, 0x8000_0000, .max]
        let types = [
            "face", "cat-face", "truth/face", "blob", "car", "", "שלום", "👩‍👩‍👧", String(repeating: "long ", count: 3000),
            "a\nb\u{0}c", "\u{202E}\u{2067}",
        ]
        return (0..<count).map { _ in
            (
                types.randomElement(using: &random) ?? "",
                (0..<4).map { _ in numbers.randomElement(using: &random) ?? 0 }
            )
        }
    }

    private static let parameters = [
        landmarks(["1e300", "-1e300", "nan", "0", "1", "1", "0", "1e18", "5", "-7"]),
        landmarks(["1e9", "0", "1e300", "0", "-1e20", "1", "0", "0", "5", "-7"]),
        landmarks(["0.5", "0.5", "-0.5", "1.5", "0", "1", "1e5", "0", "0", "-1e5"]),
        "detection, label=(string)\"\", confidence=(double)1e300;",
        "detection, confidence=(double)-inf, label_id=(int)7;",
        "detection, label=(int)5, confidence=(string)much;", "person, label=(string)\"   \", confidence=(double)-3;",
        "person, label=(string)Ada, attribute_name=(string)\"\";",
    ]

    private static func landmarks(_ places: [String]) -> String {
        let names = ["left_eye", "right_eye", "nose", "mouth_left", "mouth_right"].flatMap { ["\($0)_x", "\($0)_y"] }
        return "landmarks, " + zip(names, places).map { "\($0)=(double)\($1)" }.joined(separator: ", ") + ";"
    }

    @Test(
        "Regions of any kind, in frames of any size and format",
        arguments: ["BGRA", "RGB", "GRAY8", "I420", "NV21", "UYVY"])
    func anything(_ format: String) throws {
        var random = Random(seed: 5)
        for (width, height) in [(1, 1), (2, 3), (16, 8), (65, 33), (64, 64)] {
            for way in [[], ["blur-faces"], ["pixelate-faces"]] {
                let line = try pipeline(
                    "appsrc name=in format=time caps=\(TestFrame(.gray8, width, height, seed: 0).caps())"
                        + " ! videoconvert ! video/x-raw,format=\(format)"
                        + " ! svoverlay truth=true fps=true \(way.map { $0 + "=true" }.joined()) name=o ! fakesink")
                let result = try FrameProbe(line.pad("o", "src"))
                try line.play()
                for number in 0..<3 {
                    let frame = TestFrame(.gray8, width, height, seed: UInt64(number))
                    let buffer = try frame.buffer(at: UInt64(number) * 40_000_000)
                    try buffer.addRegion("face", id: 1, [0, 0, 9, 9], parameter: "object_id, id=(int)1;")
                    for (id, thing) in Self.anything(&random, count: 40).enumerated() {
                        try buffer.addRegion(
                            thing.type, id: Int32(id), thing.box,
                            parameter: Self.parameters.randomElement(using: &random) ?? "")
                    }
                    try line.push(buffer, into: "in")
                }
                try line.end("in")
                try line.finish()
                #expect(result.frames.count == 3)
            }
        }
    }

    @Test("Thousands of regions")
    func thousands() throws {
        let frame = TestFrame(.bgra, 64, 48, seed: 6)
        for properties in [[], nothingDrawn + [("pixelate-faces", "true")]] {
            let harness = try overlayHarness(properties, like: frame)
            let things = (0..<2000).map { number in
                Detection.face(Rectangle(x: number % 60, y: number % 44, width: 4, height: 4), id: Int32(number + 1))
            }
            #expect(try harness.process(frame, things, searched: ["face"]) != frame)
        }
    }

    @Test("Properties at random from threads while it plays")
    func random() throws {
        let frame = TestFrame(.bgra, 160, 120, seed: 7)
        let harness = try overlayHarness(like: frame)
        let element = harness.element
        let threads = (0..<2).map { seed in
            BackgroundThread { round in
                var random = Random(seed: UInt64(seed) &* 1000 &+ UInt64(round))
                let switches = [
                    "boxes", "landmarks", "labels", "confidence", "ids", "fps", "blur-faces", "pixelate-faces", "truth",
                ]
                switch random.next() % 4 {
                case 0: element.set("line-width", value: UInt32(random.next() % 101))
                case 1:
                    let texts = ["face=red", "face=rot", "none", "a=#1", "face=#10ff0000"]
                    element.set("colors", value: texts.randomElement(using: &random) ?? "")
                case 2:
                    let fonts = ["Sans 9", "none", "Serif Bold 30px", "\u{1}"]
                    element.set("font-desc", value: fonts.randomElement(using: &random) ?? "")
                default: element.set(switches.randomElement(using: &random) ?? "", value: random.next() % 2 == 0)
                }
                g_usleep(100)
            }
        }
        let things = [
            Detection.face(Rectangle(x: 40, y: 30, width: 50, height: 60)),
            .face(Rectangle(width: 20, height: 20), id: 2, type: "truth/face"),
        ]
        for number in 0..<60 {
            let buffer = try frame.buffer(with: things, searched: ["face"], at: UInt64(number) * 40_000_000)
            #expect(harness.push(buffer) == GST_FLOW_OK)
            _ = try harness.pull()
        }
        for thread in threads { thread.stop() }
        #expect(harness.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("States up and down a hundred times", .timeLimit(.minutes(2)))
    func states() throws {
        let line = try pipeline(
            "videotestsrc ! video/x-raw,width=160,height=120 ! svtestscene count=1 ! svoverlay truth=true fps=true "
                + "! fakesink")
        for round in 0..<100 {
            try line.reach(round % 2 == 0 ? GST_STATE_PAUSED : GST_STATE_READY)
        }
        try line.reach(GST_STATE_NULL)
    }
}
