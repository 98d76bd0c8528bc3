// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Foundation
import Imaging
import TestSupport
import Testing

@Suite("svfilter: filters-file")
struct FilterFileTests {
    private let gray = TestFrame(.bgra, 6, 4, color: Color(gray: 100, alpha: 200))
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("look.filters")
    }

    private func write(_ text: String) throws { try folder.write(Array(text.utf8), "look.filters") }

    private func harness(_ properties: [(String, String)] = []) throws -> Harness {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        return try Harness("svfilter", [("filters-file", path)] + properties, like: gray)
    }

    /// Processes frames until a frame has this level. The element checks the file five times per second.
    private func reaches(_ harness: Harness, _ level: Double) throws -> Bool {
        try eventually { try harness.process(gray).color(0, 0).red == level }
    }

    @Test("The chain may go over several lines, with comments, and goes before filters")
    func chain() throws {
        try write("# twice as bright\nexposure\r\n  ev=1\n# and back\n   # indented\n| invert\n")
        let harness = try harness([("filters", "exposure ev=-1")])
        #expect(try harness.process(gray).color(0, 0).red == 55)
        harness.element.set("filters-file", "none")
        #expect(try reaches(harness, 50))
    }

    @Test("The file is read again when it changes, or is replaced")
    func changes() throws {
        try write("invert")
        let harness = try harness()
        #expect(try harness.process(gray).color(0, 0).red == 155)
        try write("exposure ev=1")
        #expect(try reaches(harness, 200))
        // Editors replace a file in this way.
        let other = try folder.write(Array("exposure ev=-1".utf8), "other")
        #expect(rename(other, path) == 0)
        #expect(try reaches(harness, 50))
        unlink(path)
        // In this time, the element checks the file twice.
        for _ in 0..<100 {
            #expect(try harness.process(gray).color(0, 0).red == 50)
            g_usleep(5000)
        }
        try write("")
        #expect(try reaches(harness, 100))
        #expect(harness.bus.pending(GST_MESSAGE_WARNING).isEmpty)
    }

    @Test("What is wrong in it is a warning with file and line, once, and the last chain stays")
    func mistake() throws {
        try write("invert")
        let harness = try harness()
        #expect(try harness.process(gray).color(0, 0).red == 155)
        try write("# a comment\ninvert\n  | exposre ev=1\n")
        var warnings: [Message] = []
        _ = try eventually {
            let level = try harness.process(gray).color(0, 0).red
            #expect(level == 155)
            warnings += harness.bus.pending(GST_MESSAGE_WARNING)
            return !warnings.isEmpty
        }
        #expect(
            warnings.map(\.text) == [
                "\(path), line 3, character 5: unknown filter \"exposre\". Did you mean \"exposure\"?"
            ])
        try write("exposure ev=1")
        #expect(try reaches(harness, 200))
        #expect(harness.bus.pending(GST_MESSAGE_WARNING).isEmpty)
    }

    @Test(
        "At the start that is an error",
        arguments: [
            ("invert |\n", "line 2, character 1: a filter name is missing"),
            ("invert\n| hue angle=200", "line 2, character 13: angle must be between -180 and 180"),
            ("\u{FF}", ""),
        ])
    func start(_ text: String, _ message: String) throws {
        if message.isEmpty { try folder.write([0x69, 0xFF], "look.filters") } else { try write(text) }
        let pipeline = try pipeline("videotestsrc num-buffers=2 ! svfilter filters-file=\(path) ! fakesink")
        #expect(pipeline.set(GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(pipeline.bus.pending(GST_MESSAGE_ERROR).first)
        #expect(
            error.text
                == (message.isEmpty
                    ? "cannot read \"\(path)\": not UTF-8 text. Save the file as UTF-8." : "\(path), \(message)"))
    }

    @Test("A file that is not there is an error with its path")
    func missing() throws {
        let pipeline = try pipeline("videotestsrc num-buffers=2 ! svfilter filters-file=\(path) ! fakesink")
        #expect(pipeline.set(GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(pipeline.bus.pending(GST_MESSAGE_ERROR).first)
        #expect(error.text == "cannot read \"\(path)\": no such file")
        #expect(error.isError(GST_RESOURCE_ERROR_NOT_FOUND))
    }

    @Test("set-parameter works on it")
    func parameter() throws {
        try write("exposure ev=1")
        let harness = try harness()
        #expect(try harness.process(gray).color(0, 0).red == 200)
        #expect(harness.element.ask("set-parameter", "exposure.ev", -1.0) == true)
        #expect(try harness.process(gray).color(0, 0).red == 50)
    }
}
