// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Drawing
@testable import ElementKit
import Elements
import Foundation
import Imaging
import Scenes
import TestScope
import TestSupport
import Testing

/// Frames with the drawn logo, and pictures from which to learn it.
struct DrawnLogo {
    let folder: TemporaryFolder
    let template: String
    let width = 241
    let height = 181
    let pose = LogoPose(
        center: Point(120, 90), size: 80, turn: 70, tilt: 20, tiltDirection: 30, frameHeight: 181)

    init() throws {
        folder = try TemporaryFolder()
        let logo = try Self.draw(124, 124) { SceneLogo.draw(on: $0) }
        template = try folder.write(logo, "emblem.png")
    }

    static func draw(_ width: Int, _ height: Int, _ body: (FrameImage) -> Void) throws -> TestFrame {
        var picture = TestFrame(.bgra, width, height, color: Color(gray: 200))
        try picture.bytes.withUnsafeMutableBytes { bytes in
            let base = try required(bytes.baseAddress, "no bytes")
            body(FrameImage(Image(base: base, width: width, height: height, stride: 4 * width, format: .bgra)))
        }
        return picture
    }

    func frame(hasLogo: Bool = true) throws -> TestFrame {
        try Self.draw(width, height) { frame in
            Backdrop(seed: 4, width: width, height: height).draw(on: frame)
            if hasLogo { pose.draw(on: frame) }
        }
    }

    /// Returns a harness in which each frame waits for its logos unless told otherwise; it counts as a live source.
    func harness(_ properties: [(String, String)] = []) throws -> Harness {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        return try Harness(
            "svlogodetect", [("template", template), ("mode", "sync")] + properties, like: frame())
    }
}

extension [Detection] {
    /// Returns whether this is the logo, where it was drawn.
    fileprivate func show(_ pose: LogoPose) -> Bool {
        guard count == 1, let box = first?.box else { return false }
        let common = box.intersection(pose.rectangle)
        let shared = Double(common.width * common.height)
        let other = pose.rectangle
        return shared / (Double(box.width * box.height + other.width * other.height) - shared) > 0.7
    }
}

@Suite("svlogodetect")
struct LogoDetectTests {
    // MARK: - Frames

    @Test("The logo is in the metadata with its name, and with drawing off no byte changes")
    func found() throws {
        let logo = try DrawnLogo()
        let picture = try logo.frame()
        let harness = try logo.harness([("draw", "false")])
        let kept = try picture.buffer()
        #expect(harness.push(kept) == GST_FLOW_OK)
        let result = try harness.pull()
        #expect(gst_buffer_peek_memory(result.pointer, 0) == gst_buffer_peek_memory(kept.pointer, 0))
        #expect(kept.regions.isEmpty)
        let found = result.detections(picture.width, picture.height)
        #expect(found.show(logo.pose))
        #expect(try harness.shown(result) == picture)
        #expect(result.wasSearched(for: "logo"))
        let detection = try #require(found.first)
        #expect(detection.type == "logo" && detection.label == "logo" && detection.id > 0)
        let answer = try #require(detection.classifications.first)
        #expect(answer.name == "logo" && answer.label == "emblem" && answer.labelID == 1)
        let (confidence, distance) = (try #require(answer.confidence), try #require(answer.distance))
        #expect(confidence >= 0.78 && confidence <= 1 && confidence == detection.confidence)
        #expect(distance >= 0 && distance <= 0.3)
    }

    @Test("Where several logos are looked for, the name is written at the box")
    func names() throws {
        let logo = try DrawnLogo()
        let other = try logo.folder.write(
            DrawnLogo.draw(124, 124) { $0.disc(Point(62, 62), radius: 40, color: .black) }, "disc.png")
        let picture = try logo.frame()
        func green(_ properties: [(String, String)]) throws -> Int {
            // The disc is a plain shape.
            let harness = try logo.harness(properties + [("force", "true")])
            #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
            let result = try harness.pull()
            let found = result.detections(picture.width, picture.height).filter { $0.name == "emblem" }
            #expect(found.count == 1)
            let shown = try harness.shown(result)
            return (0..<picture.height).reduce(0) { count, y in
                count + (0..<picture.width).count { shown[$0, y][0..<3] == [0, 255, 0] }
            }
        }
        let box = try green([])
        // A label of letters 11 pixels high has some hundred pixels of ground.
        #expect(try green([("templates", other)]) > box + 200)
        #expect(try green([("template", "none"), ("templates", "\(logo.template), \(other)")]) > box + 200)
        #expect(try green([("template", "none"), ("templates", logo.template)]) == box)
    }

    @Test("A green box round the logo, a red frame round the picture without one")
    func drawn() throws {
        let logo = try DrawnLogo()
        let harness = try logo.harness()
        let (picture, empty) = (try logo.frame(), try logo.frame(hasLogo: false))
        #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
        let result = try harness.pull()
        let box = try #require(result.detections(picture.width, picture.height).first).box
        let shown = try harness.shown(result)
        // Outside of the logo, by a line's width of 1 pixel.
        #expect(shown.color(box.x - 2, box.y - 2) == Color(red: 0, green: 255, blue: 0))
        #expect(shown.color(box.x + box.width + 1, box.y + box.height / 2) == Color(red: 0, green: 255, blue: 0))
        #expect(shown.color(0, 0) == picture.color(0, 0))
        harness.flush()
        #expect(harness.push(try empty.buffer()) == GST_FLOW_OK)
        let without = try harness.pull()
        #expect(without.detections(picture.width, picture.height).isEmpty)
        let framed = try harness.shown(without)
        for (x, y) in [(0, 0), (240, 0), (0, 180), (240, 180), (120, 0), (0, 90)] {
            #expect(framed.color(x, y) == Color(red: 255, green: 0, blue: 0))
        }
        #expect(framed.color(100, 100) == empty.color(100, 100))
    }

    @Test("Formats", arguments: TestScope.some(FrameFormat.all.map(\.name), oneIn: 3, offset: 1))
    func formats(_ format: String) throws {
        let logo = try DrawnLogo()
        let picture = try logo.frame()
        let number = FrameFormat.all.firstIndex { $0.name == format } ?? 0
        for draw in [false, true] where draw || TestScope.runs(number, oneIn: 4) {
            let line = try pipeline(
                "appsrc name=in format=time caps=\(picture.caps()) ! videoconvert ! video/x-raw,format=\(format) "
                    + "! svlogodetect template=\(logo.template) draw=\(draw) name=l ! fakesink")
            let source = try FrameProbe(line.pad("l", "sink"))
            let result = try FrameProbe(line.pad("l", "src"))
            try line.play()
            try line.push(picture, into: "in", at: 0)
            try line.end("in")
            try line.finish()
            let (before, after) = (try #require(source.frames.first), try #require(result.frames.first))
            #expect(after.buffer.detections(picture.width, picture.height).show(logo.pose), "\(format) \(draw)")
            #expect((before.bytes == after.bytes) == !draw)
        }
    }

    @Test("fps writes the rate from the second frame on")
    func rate() throws {
        let logo = try DrawnLogo()
        let picture = try logo.frame()
        let harness = try logo.harness([("draw", "false"), ("fps", "true")])
        var isWritten: [Bool] = []
        for number in 0..<2 {
            #expect(harness.push(try picture.buffer(at: UInt64(number) * 40_000_000)) == GST_FLOW_OK)
            isWritten.append(try harness.shown(try harness.pull()) != picture)
        }
        #expect(isWritten == [false, true])
    }

    @Test("regions writes the number of regions after a search")
    func regions() throws {
        let logo = try DrawnLogo()
        let picture = try logo.frame()
        let harness = try logo.harness([("draw", "false"), ("regions", "true")])
        #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
        #expect(try harness.shown(try harness.pull()) != picture)
    }

    @Test("A plain shape as the only logo is an error that names force, and force=true uses it")
    func force() throws {
        let logo = try DrawnLogo()
        let disc = try DrawnLogo.draw(124, 124) { frame in
            frame.disc(Point(62, 62), radius: 40, color: .black)
        }
        let plain = try logo.folder.write(disc, "disc.png")
        for isForced in [false, true] {
            let line = try pipeline(
                "videotestsrc num-buffers=2 ! svlogodetect template=\(plain) force=\(isForced) ! fakesink")
            let change = line.set(GST_STATE_PLAYING)
            #expect((change == GST_STATE_CHANGE_FAILURE) == !isForced)
            if !isForced {
                let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
                #expect(error.isError(GST_RESOURCE_ERROR_SETTINGS))
                #expect(error.text.contains("force=true"), "\(error.text)")
            } else {
                try line.finish()
            }
        }
    }

    @Test("Frames of a pixel or a few: nothing, and no harm", arguments: [1, 2, 3, 5, 16])
    func small(_ side: Int) throws {
        let logo = try DrawnLogo()
        let frame = TestFrame(.rgb, side, side, seed: 3)
        let harness = try Harness(
            "svlogodetect", [("template", logo.template), ("mode", "sync"), ("draw", "false")], like: frame)
        #expect(try harness.process(frame) == frame)
    }

    // MARK: - Stream

    @Test("Messages, one track, and a new one after a flush")
    func messages() throws {
        let logo = try DrawnLogo()
        let harness = try logo.harness([("draw", "false"), ("interval", "1")])
        let (picture, empty) = (try logo.frame(), try logo.frame(hasLogo: false))
        for (number, frame) in [empty, picture, picture, empty].enumerated() {
            #expect(harness.push(try frame.buffer(at: UInt64(number) * 40_000_000)) == GST_FLOW_OK)
            _ = try harness.pull()
        }
        harness.flush()
        #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
        let messages = harness.bus.pending(GST_MESSAGE_ELEMENT).compactMap { Fields($0.structure) }
        #expect(messages.map { $0.structures("objects")?.count } == [1, 0, 1])
        let first = try #require(messages.first?.structures("objects")?.first)
        #expect(messages.first?.name == "svlogodetect" && first.name == "logo")
        #expect(first.text("logo") == "emblem" && first.double("logo_confidence") != nil)
        #expect(messages.first?.uint64("timestamp") == 40_000_000)
        #expect(messages.last?.structures("objects")?.first?.int("id") != first.int("id"))
    }

    @Test("async: every frame goes on at once, and the logo comes later")
    func async() throws {
        let logo = try DrawnLogo()
        let picture = try logo.frame()
        let harness = try logo.harness([("draw", "false"), ("mode", "async")])
        var finds: [Bool] = []
        _ = try eventually { number in
            #expect(harness.push(try picture.buffer(at: UInt64(number) * 40_000_000)) == GST_FLOW_OK)
            finds.append(try harness.pull().detections(picture.width, picture.height).show(logo.pose))
            return finds.last == true
        }
        #expect(finds.first == false && finds.last == true)
    }

    @Test("Without tracks every frame is searched, whatever the interval; beside the stream the logo comes and stays")
    func untracked() throws {
        let logo = try DrawnLogo()
        let picture = try logo.frame()
        let properties = [("draw", "false"), ("track", "false"), ("interval", "5")]
        let harness = try logo.harness(properties)
        for number in 0..<4 {
            #expect(harness.push(try picture.buffer(at: UInt64(number) * 40_000_000)) == GST_FLOW_OK)
            let result = try harness.pull()
            #expect(result.detections(picture.width, picture.height).show(logo.pose) && result.wasSearched(for: "logo"))
        }
        let beside = try logo.harness(properties + [("mode", "async")])
        var number: UInt64 = 0
        func isShown() throws -> Bool {
            number += 1
            #expect(beside.push(try picture.buffer(at: number * 40_000_000)) == GST_FLOW_OK)
            let result = try beside.pull()
            #expect(!result.wasSearched(for: "logo"))
            return result.detections(picture.width, picture.height).show(logo.pose)
        }
        #expect(try eventually(isShown))
        for _ in 0..<5 { #expect(try isShown()) }
    }

    @Test("A logo without keypoints is an error with verify=orb, or a warning if there are other logos")
    func noKeypoints() throws {
        let logo = try DrawnLogo()
        let ring = try DrawnLogo.draw(124, 124) { frame in
            frame.circle(Point(62, 62), radius: 40, lineWidth: 18, color: 0xFF00_0000)
        }
        let plain = try logo.folder.write(ring, "ring.png")
        let line = try pipeline("videotestsrc num-buffers=3 ! svlogodetect verify=orb template=\(plain) ! fakesink")
        #expect(line.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
        #expect(error.isError(GST_RESOURCE_ERROR_SETTINGS))
        #expect(error.text.contains("ring") && error.text.contains("verify=shape"), "\(error.text)")

        let picture = try logo.frame()
        let harness = try logo.harness([("draw", "false"), ("templates", logo.folder.path)])
        harness.element.set("verify", "orb")
        for number in 0..<3 {
            harness.element.set("min-likeness", value: 0.7 + 0.02 * Double(number))
            #expect(harness.push(try picture.buffer(at: UInt64(number) * 40_000_000)) == GST_FLOW_OK)
            _ = try harness.pull()
        }
        // One warning for each verification, not for each frame or each change of other properties.
        let warnings = harness.bus.pending(GST_MESSAGE_WARNING)
        #expect(warnings.count == 2 && warnings.allSatisfy { $0.text.contains("ring") }, "\(warnings.map(\.text))")
        #expect(warnings.contains { $0.text.contains("verify=shape") })
        harness.element.set("verify", "shape")
        #expect(harness.push(try picture.buffer(at: 200_000_000)) == GST_FLOW_OK)
        #expect(try harness.pull().detections(picture.width, picture.height).contains { [$0].show(logo.pose) })
    }

    @Test("Another template, a folder of them, and none while playing")
    func templates() throws {
        let logo = try DrawnLogo()
        let picture = try logo.frame()
        // A window with nine panes, which is nowhere in the frame.
        let window = try DrawnLogo.draw(100, 100) { frame in
            frame.fill(Rectangle(x: 10, y: 10, width: 80, height: 80), color: 0xFF00_0000)
            for pane in 0..<9 {
                frame.fill(
                    Rectangle(x: 17 + pane % 3 * 24, y: 17 + pane / 3 * 24, width: 18, height: 18), color: 0xFFFF_FFFF)
            }
        }
        let other = try logo.folder.write(window, "window.png")
        try logo.folder.write(Array("no picture".utf8), "notes.txt")
        let harness = try logo.harness([("draw", "false"), ("interval", "1")])
        var number: UInt64 = 0
        func names(until count: Int) throws -> [String] {
            var names: [String] = []
            _ = try eventually {
                number += 1
                #expect(harness.push(try picture.buffer(at: number * 40_000_000)) == GST_FLOW_OK)
                let found = try harness.pull().detections(picture.width, picture.height)
                names = found.flatMap(\.classifications).map(\.label)
                return names.count == count
            }
            return names
        }
        #expect(try names(until: 1) == ["emblem"])
        harness.element.set("template", value: other)
        #expect(try names(until: 0).isEmpty)
        harness.element.set("templates", value: logo.folder.path)
        #expect(try names(until: 1) == ["emblem"])
        harness.element.set("templates", value: "/no/such/folder")
        #expect(try names(until: 1) == ["emblem"])
        var warning = harness.bus.wait(GST_MESSAGE_WARNING)
        // Earlier warnings are about the quality of templates.
        while let text = warning?.text, !text.contains("/no/such/folder") {
            warning = harness.bus.wait(GST_MESSAGE_WARNING)
        }
        #expect(warning != nil)
        harness.element.set("templates", value: "none")
        #expect(try names(until: 0).isEmpty)
    }

    // MARK: - Errors

    @Test(
        "What cannot be learned is an error at start, with the path and what to do",
        arguments: [
            ("", "Set template"), ("template=/no/such/logo.png", "/no/such/logo.png"),
            ("template=PLAIN", "no stable region"), ("template=TEXT", "not a supported image"),
            ("template=FOLDER", "folder"),
            ("templates=/no/such/folder", "/no/such/folder"), ("templates=EMPTY", "no image in this folder"),
        ])
    func errors(_ property: String, _ words: String) throws {
        let (folder, empty) = (try TemporaryFolder(), try TemporaryFolder())
        let plain = try folder.write(TestFrame(.bgra, 60, 50, color: Color(gray: 128)), "plain.png")
        let text = try folder.write(Array("hello".utf8), "text.png")
        let properties = property.replacingOccurrences(of: "PLAIN", with: plain)
            .replacingOccurrences(of: "TEXT", with: text).replacingOccurrences(of: "FOLDER", with: folder.path)
            .replacingOccurrences(of: "EMPTY", with: empty.path)
        let line = try pipeline("videotestsrc num-buffers=3 ! svlogodetect \(properties) ! fakesink")
        #expect(line.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
        #expect(error.text.contains(words), "\(error.text)")
    }

    @Test("Properties at random while playing: no harm")
    func random() throws {
        let logo = try DrawnLogo()
        let picture = try logo.frame()
        let harness = try logo.harness()
        var random = SystemRandomNumberGenerator()
        for number in 0..<25 {
            let element = harness.element
            element.set("scale", value: Double.random(in: 0...1, using: &random))
            element.set("delta", value: UInt32.random(in: 1...100, using: &random))
            element.set("min-area", value: Double.random(in: 0...0.01, using: &random))
            element.set("max-area", value: Double.random(in: 0...1, using: &random))
            element.set("max-variation", value: Double.random(in: 0...1, using: &random))
            element.set("max-holes-difference", value: UInt32.random(in: 0...100, using: &random))
            for name in ["hull", "rectangle", "skeleton", "contour"] {
                element.set("\(name)-tolerance", value: Double.random(in: 0...1, using: &random))
            }
            element.set("max-distance", value: Double.random(in: 0...4, using: &random))
            element.set("min-likeness", value: Double.random(in: 0...1, using: &random))
            element.set("verify", ["none", "shape", "orb"].randomElement(using: &random) ?? "none")
            element.set("track", value: Bool.random(using: &random))
            for name in ["fps", "regions", "force"] { element.set(name, value: Bool.random(using: &random)) }
            element.set("mode", ["sync", "async", "auto"].randomElement(using: &random) ?? "auto")
            #expect(harness.push(try picture.buffer(at: UInt64(number) * 40_000_000)) == GST_FLOW_OK)
            let boxes = try harness.pull().detections(picture.width, picture.height).map(\.box)
            #expect(boxes.allSatisfy { Rectangle(width: 241, height: 181).intersection($0) == $0 })
        }
    }
}

@Suite("svtestscene: logo")
struct LogoSceneTests {
    @Test("One logo, whatever the count, told as truth; a count of 0 leaves the wall")
    func truth() throws {
        for (count, expected) in [("2", 1), ("1", 1), ("0", 0)] {
            let harness = try SceneHarness([("scene", "logo"), ("count", count)], width: 161, height: 121)
            let result = try harness.process()
            let truth = result.truth(161, 121)
            #expect(truth.map(\.type) == Array(repeating: "truth/logo", count: expected))
            #expect(truth.allSatisfy { $0.landmarks == nil && $0.confidence == 1 })
            // The wall hides the previous content of the frame.
            #expect(Set(TestFrame.memory(of: result)).count > 10)
        }
    }

    @Test("What svtestscene draws, svlogodetect finds through stock converters, by the picture of the pipeline logo")
    func together() throws {
        let picture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../pipelines/logo.png").standardized.path
        let line = try pipeline(
            "videotestsrc num-buffers=12 ! video/x-raw,format=I420,width=320,height=240,framerate=10/1 "
                + "! svtestscene scene=logo ! svlogodetect template=\(picture) draw=false ! videoconvert "
                + "! video/x-raw,format=RGB ! videoscale ! video/x-raw,width=160,height=120 ! fakesink name=end")
        let result = try FrameProbe(line.pad("end", "sink"))
        try line.play()
        try line.finish()
        #expect(result.frames.count == 12)
        for frame in result.frames {
            let truth = try #require(frame.buffer.truth(160, 120).first)
            let found = try #require(frame.buffer.detections(160, 120).first)
            let common = truth.box.intersection(found.box)
            let shared = Double(common.width * common.height)
            let all = Double(truth.box.width * truth.box.height + found.box.width * found.box.height) - shared
            #expect(shared / all >= 0.5)
            #expect(found.classifications.first?.label == "logo")
        }
    }
}
