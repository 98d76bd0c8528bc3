// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
@testable import Elements
import Imaging
import TestSupport
import Testing

@Suite("svoverlay: labels, colours, frame rate")
struct OverlayLabelTests {
    private let frame = TestFrame(.bgra, 400, 150, color: Color(red: 10, green: 20, blue: 30))
    private let box = Rectangle(x: 60, y: 50, width: 80, height: 60)
    private let onlyLabels = [("boxes", "false"), ("landmarks", "false")]

    private func labelled(
        _ detections: [Detection], _ properties: [(String, String)] = [], at place: TestFrame? = nil
    ) throws -> TestFrame {
        let frame = place ?? frame
        return try overlayHarness(onlyLabels + properties, like: frame).process(frame, detections)
    }

    private func blob(_ label: String? = nil, id: Int32 = 0, _ confidence: Double? = nil) -> Detection {
        Detection(type: "blob", id: id, box: box, label: label, confidence: confidence)
    }

    @Test("With angles, a label also has the direction of a face if that is known; one closed eye is named")
    func faceDetails() throws {
        var face = Detection.face(box)
        var settings = Overlay.Settings()
        #expect(!face.caption(settings).contains("yaw"))
        settings.angles = true
        #expect(!face.caption(settings).contains("yaw"))
        face.landmarks?.pose = HeadPose(roll: -3.6, yaw: 20.2, pitch: 0.4)
        #expect(face.caption(settings).hasSuffix("93% #1 roll -4° yaw 20° pitch 0°"))
        for (closed, words) in [
            (ClosedEyes(left: true, right: false), "left eye closed"),
            (ClosedEyes(left: false, right: true), "right eye closed"),
        ] {
            face.landmarks?.closedEyes = closed
            #expect(face.caption(settings).contains(words))
        }
        for same in [ClosedEyes(left: true, right: true), ClosedEyes(left: false, right: false)] {
            face.landmarks?.closedEyes = same
            #expect(!face.caption(settings).contains("eye"))
        }
    }

    // MARK: - Position

    @Test("A label stands above its box, at the left; below or within where there is no room")
    func places() throws {
        for (y, expected) in [(50, 0..<50), (0, 60..<100), (5, 65..<100), (95, 50..<95)] {
            let thing = Detection(type: "blob", id: 3, box: Rectangle(x: 60, y: y, width: 80, height: 60))
            let change = try labelled([thing]).change(from: frame)
            #expect(change.x == 60 && change.width > 20 && change.height > 10)
            #expect(expected.contains(change.y) && expected.contains(change.y + change.height - 1), "\(y) \(change)")
        }
        let full = Detection(type: "blob", id: 3, box: Rectangle(width: 400, height: 150))
        #expect(try labelled([full]).change(from: frame).y == 0)
        let right = Detection(type: "blob", id: 3, box: Rectangle(x: 390, y: 50, width: 10, height: 60))
        let change = try labelled([right]).change(from: frame)
        #expect(change.x + change.width == 400 && change.width > 20)
    }

    @Test("Neighbours' labels keep clear of each other")
    func neighbours() throws {
        let things = (0..<5).map { number in
            Detection(
                type: "blob", id: 0, box: Rectangle(x: 20 + number * 30, y: 50, width: 25, height: 40),
                label: "a long name")
        }
        let all = try labelled(things)
        // The first two labels, above and below, are drawn as without other labels. The third label is inside its box.
        let alone = try things.map { try labelled([$0]) }
        #expect(all.part(20, 0, 30, 50) == alone[0].part(20, 0, 30, 50))
        let below = try labelled(Array(things.prefix(2))).change(from: alone[0])
        #expect(below.y >= 90 && below.height == alone[1].change(from: frame).height)
    }

    @Test("The label's box has the colour of the type, and its letters are black or white, whichever can be read")
    func contrast() throws {
        for (color, letters) in [("yellow", UInt8(0)), ("navy", 255), ("#ffffff", 0), ("#40000000", 255)] {
            let shown = try labelled([blob()], [("colors", "blob=\(color)")])
            let change = shown.change(from: frame)
            let plain = shown.color(change.x, change.y)
            var darkest = 255.0, brightest = 0.0
            for y in change.y..<change.y + change.height {
                for x in change.x..<change.x + change.width {
                    darkest = min(darkest, shown.color(x, y).green)
                    brightest = max(brightest, shown.color(x, y).green)
                }
            }
            #expect(letters == 0 ? darkest < 40 : brightest > 215, "\(color)")
            if color == "yellow" { #expect(plain == Color(red: 255, green: 255, blue: 0)) }
            // A quarter of black.
            if color == "#40000000" { #expect(plain.red == 7 || plain.red == 8) }
        }
    }

    // MARK: - Text

    @Test("Name, answers, confidence, number")
    func words() throws {
        var person = blob("face")
        person.classifications = [Classification(name: "person", label: "Ada", confidence: 0.5)]
        #expect(try labelled([person]) == labelled([blob("Ada", 0.5)]))
        // The name has no confidence. The confidence of the detector does not refer to the name.
        person.classifications = [Classification(name: "person", label: "Ada")]
        person.confidence = 0.9
        #expect(try labelled([person]) == labelled([blob("Ada")]))
        // If the name is empty, the detector's label is shown.
        person.classifications = [Classification(name: "person", label: "", confidence: 0.5)]
        #expect(try labelled([person]) == labelled([blob("face", 0.9)]))
        // Other classifications come after the name.
        person.classifications = [Classification(name: "smile", label: "smiling")]
        let (all, name) = try (labelled([person]), labelled([blob("face")]))
        #expect(all.change(from: frame).width > name.change(from: frame).width + 30)
        #expect(try labelled([blob("face", id: 5, 0.9)], [("confidence", "false"), ("ids", "false")]) == name)
        #expect(try labelled([blob("face", id: 5)]) != name)
        #expect(try labelled([blob("face", id: -5)]) == name)
        // The label is on one line, even if the text has several lines.
        #expect(try labelled([blob("a\nb\r\nc")]) == labelled([blob("a b c")]))
    }

    @Test("A hidden face is not named, and its eyes are not marked")
    func hidden() throws {
        var face = Detection.face(box, id: 4)
        let plain = Detection(type: "face", id: 4, box: box, confidence: 0.93)
        face.label = "Ada"
        face.classifications = [Classification(name: "person", label: "Ada", confidence: 0.5)]
        for property in ["blur-faces", "pixelate-faces"] {
            for other in [[], [("boxes", "false"), ("labels", "false")]] {
                let harness = try overlayHarness([(property, "true"), ("colors", "Ada=red")] + other, like: frame)
                #expect(
                    try harness.process(frame, [face], searched: ["face"])
                        == harness.process(frame, [plain], searched: ["face"]))
            }
        }
    }

    @Test("Letters grow with the frame, and are as large as a font says")
    func font() throws {
        func height(_ width: Int, _ height: Int, _ properties: [(String, String)] = []) throws -> Int {
            let frame = TestFrame(.gray8, width, height, color: Color(gray: 0))
            return try labelled(
                [Detection(type: "blob", id: 0, box: Rectangle(x: 10, y: height / 2, width: 50, height: 50))],
                properties, at: frame
            ).change(from: frame).height
        }
        let small = try height(320, 240)
        #expect(12...20 ~= small)
        #expect(try height(640, 480) > small)
        #expect(try (Double(height(1920, 1080)) / Double(small)) > 1.9)
        #expect(try height(320, 240, [("font-desc", "Sans")]) == small)
        #expect(try height(320, 240, [("font-desc", "Sans 30px")]) > 30)
        #expect(try height(640, 480, [("font-desc", "Sans 30px")]) > 30)
        // Some font is found for any text.
        #expect(try height(320, 240, [("font-desc", "no such font, of any kind")]) > 8)
    }

    @Test("A new size of the stream, and a new font while playing")
    func changes() throws {
        let harness = try overlayHarness(onlyLabels, like: frame)
        let first = try harness.process(frame, [blob()]).change(from: frame)
        let large = TestFrame(.bgra, 1200, 900, color: Color(gray: 0))
        harness.renegotiate(like: large)
        let second = try harness.process(large, [blob()]).change(from: large)
        #expect(second.height > first.height)
        harness.element.set("font-desc", "Sans 40px")
        #expect(try harness.process(large, [blob()]).change(from: large).height > second.height)
        harness.element.set("font-desc", "none")
        #expect(try harness.process(large, [blob()]).change(from: large) == second)
    }

    // MARK: - Colours

    @Test(
        "Colours by type and label",
        arguments: [
            ("none", "yellow"), ("face=red", "red"), ("Ada=red", "red"), ("smiling=red,face=blue", "red"),
            ("Ada=blue,face=red", "blue"), (" face = #00ff00 , Ada=#80ff0000", "#80ff0000"),
            ("face=#00FF00", "#00ff00"),
            ("cat-face=red", "yellow"), ("b=red,face=DarkOliveGreen", "#556b2f"), ("face=red,face=blue", "blue"),
        ])
    func colors(_ text: String, _ expected: String) throws {
        var face = blob("face")
        face.type = "face"
        face.classifications = [
            Classification(name: "person", label: "Ada"), Classification(name: "smile", label: "smiling"),
        ]
        let values = [
            "yellow": 0xFFFF_FF00 as Color, "red": 0xFFFF_0000, "blue": 0xFF00_00FF, "#80ff0000": 0x80FF_0000,
            "#00ff00": 0xFF00_FF00, "#556b2f": 0xFF55_6B2F,
        ]
        let table = try ColorTable(text == "none" ? nil : text)
        #expect(table.color(of: face) == values[expected])
        let harness = try overlayHarness([("colors", text), ("labels", "false"), ("line-width", "1")], like: frame)
        let shown = try harness.process(frame, [face])
        let color = try #require(values[expected])
        guard color.opacity == 1 else { return }
        #expect(shown.color(58, 80) == color)
    }

    @Test("Types have colours of their own, the same each time, and truth those of what it is about")
    func usualColors() throws {
        let table = try ColorTable(nil)
        func color(_ type: Detection.Kind) -> Color { table.color(of: Detection(type: type, id: 1, box: box)) }
        #expect(color("face") == 0xFFFF_FF00)
        #expect(color("cat-face") == 0xFFFF_FFFF)
        #expect(color("blob") == 0xFF00_FF00 && color("logo") == 0xFF00_FF00)
        #expect(color("truth/cat-face") == color("cat-face") && color("truth/dog") == color("dog"))
        // The hash (FNV-1a modulo 11) of "dog" and "car" was computed by hand.
        let types = ["car", "dog", "bicycle", "tree", "", "Ω"] as [Detection.Kind]
        #expect(types.allSatisfy { color($0).opacity == 1 })
        #expect(Set(types.map(color)).count >= 4)
    }

    @Test(
        "A colour that is none: a warning that names the part, and the colours stay",
        arguments: [
            ("face=yelow", "\"face=yelow\"", "yelow"), ("cat-face=red,face", "\"face\"", "="),
            ("=red", "\"=red\"", "="),
            ("face=#12345", "\"face=#12345\"", "#12345"), ("face=#+1234567", "+1234567", "#rrggbb"),
            ("face=#ggffff", "ggffff", "#rrggbb"), ("face=red,", "\"\"", "="), ("face=", "\"face=\"", "CSS"),
            ("face=#fff", "#fff", "#rrggbb"), ("face=red;cat-face=blue", "red;cat-face=blue", "CSS"),
        ])
    func wrongColors(_ text: String, _ part: String, _ reason: String) throws {
        // The text is set at the start,
        var harness = try overlayHarness([("colors", text), ("labels", "false")], like: frame)
        func shown() throws -> Color {
            try harness.process(frame, [Detection(type: "face", id: 1, box: box)]).color(58, 80)
        }
        #expect(try shown() == Color(red: 255, green: 255, blue: 0))
        var warnings = harness.bus.pending(GST_MESSAGE_WARNING)
        #expect(warnings.count == 1)
        let words = try #require(warnings.first?.text)
        #expect(words.hasPrefix("colors:") && words.contains(part) && words.contains(reason), "\(words)")
        #expect(harness.element.text("colors") == nil)
        // and then it is set while the stream plays.
        harness = try overlayHarness([("colors", "face=lime"), ("labels", "false")], like: frame)
        #expect(try shown() == Color(red: 0, green: 255, blue: 0))
        harness.element.set("colors", value: text)
        #expect(try shown() == Color(red: 0, green: 255, blue: 0))
        #expect(try shown() == Color(red: 0, green: 255, blue: 0))
        warnings = harness.bus.pending(GST_MESSAGE_WARNING)
        #expect(warnings.count == 1 && warnings.first?.text == words)
        #expect(harness.element.text("colors") == "face=lime")
    }

    // MARK: - Frame rate

    @Test("The rate of a steady stream, of one that changes, and of hardly any")
    func rate() {
        var meter = FrameRateMeter()
        var microseconds: UInt64 = 5_000_000
        func run(_ frames: Int, every pause: UInt64) -> [String?] {
            (0..<frames).map { _ in
                microseconds += pause
                meter.frame(at: ClockTime(nanoseconds: 1000 * microseconds))
                return meter.text
            }
        }
        #expect(run(1, every: 40_000) == [nil])
        #expect(run(60, every: 40_000).last == "25.0 fps")
        // During a second, the text changes from the old rate to the new rate.
        let texts = run(50, every: 20_000).compactMap { $0 }
        #expect(texts.first == "25.0 fps")
        #expect(Set(texts).count > 3)
        #expect(run(20, every: 20_000).last == "50.0 fps")
        // Each text stays for a quarter of a second.
        let changes = zip(texts, texts.dropFirst()).filter { $0 != $1 }.count
        #expect(changes <= 4)
        #expect(run(4, every: 2_000_000).last == "0.5 fps")
        #expect(run(200, every: 33_367).last == "30.0 fps")
        #expect(run(30_000, every: 100).last == "10000.0 fps")
        #expect(run(10, every: 0).last == "10000.0 fps")
    }

    @Test("The rate is written in the corner from the second frame on")
    func rateShown() throws {
        let harness = try overlayHarness([("fps", "true")], like: frame)
        #expect(try harness.process(frame) == frame)
        var shown = frame
        let isThere = try eventually {
            shown = try harness.process(frame)
            return shown != frame
        }
        #expect(isThere)
        let change = shown.change(from: frame)
        #expect(change.x == 0 && change.y == 0 && change.width < 120 && change.height < 24)
        harness.element.set("fps", "false")
        #expect(try harness.process(frame) == frame)
    }
}
