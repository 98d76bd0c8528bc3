// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Files
import Foundation
import Glibc
import Imaging
import Synchronization
import TestSupport
import Testing

@Suite("Values as JSON")
struct JSONValueTests {
    @Test(
        "What is written is what another reader reads",
        arguments: [
            "", "plain", "\"quotes\" and \\back\\slashes", "line\nfeed\r\n\ttab", "\u{0}\u{1F}\u{7F}\u{85}",
            "\u{2028}\u{2029}",
            "日本 🦆 é e\u{301}", "</script>", String(repeating: "\\\"", count: 500),
        ])
    func texts(_ text: String) throws {
        let line = JSONValue.table([(text, .list([.text(text), .truth(true), .whole(-3)]))]).line
        #expect(!line.contains { $0.isNewline })
        #expect(line.unicodeScalars.allSatisfy { $0.value >= 32 && !(0x7F...0x9F ~= $0.value) })
        let read = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: [Any]]
        let values = try #require(read?[text])
        #expect(values.first as? String == text)
        #expect(values[1] as? Bool == true && values[2] as? Int == -3)
    }

    @Test("Bytes that are no UTF-8 are replaced")
    func invalidBytes() throws {
        let text = String(decoding: [0x61, 0xFF, 0xC3, 0x28] as [UInt8], as: UTF8.self)
        let read = try JSONSerialization.jsonObject(with: Data(JSONValue.list([.text(text)]).line.utf8)) as? [String]
        #expect(read == ["a\u{FFFD}\u{FFFD}("])
    }

    @Test(
        "Numbers are finite, and as exact as they are useful",
        arguments: [
            (0.1, "0.1"), (1, "1"), (-0.25, "-0.25"), (1.0 / 3, "0.333333"), (2e-9, "0"), (-1e-7, "0"),
            (1e14, "100000000000000"),
            (1e300, "1e+300"), (.nan, "null"), (.infinity, "null"), (-.infinity, "null"),
            (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
        ])
    func numbers(_ number: Double, _ expected: String) throws {
        #expect(JSONValue.real(number).line == expected)
        _ = try JSONSerialization.jsonObject(with: Data("[\(expected)]".utf8))
    }

    @Test("Times keep all their digits")
    func times() {
        #expect(JSONValue.count(.max).line == "18446744073709551615")
        #expect(JSONValue.whole(.min).line == "-9223372036854775808")
    }

    @Test("A frame's object has the names of DL Streamer's converter, and counts of each name")
    func frame() throws {
        let box = Rectangle(x: 64, y: 36, width: 320, height: 180)
        var face = Detection(type: .face, id: 7, box: box, labelID: 1, confidence: 0.93)
        face.classifications = [
            Classification(
                name: "person", label: "Ada \"A\"", labelID: 3, confidence: 0.81, modelName: "lbph", distance: 41.5),
            Classification(name: "smile", label: "smiling", labelID: 1),
        ]
        var part = Detection(type: "nose", id: 0, box: box)
        part.parent = 7
        let time = FrameTime(nil, segment: GstSegment())
        var line = JSONWriter()
        line.write([face, part, part], at: time, size: PixelSize(width: 640, height: 360), by: "f0")
        let shares = "\"bounding_box\":{\"x_min\":0.1,\"x_max\":0.6,\"y_min\":0.1,\"y_max\":0.6}"
        let nose =
            "{\"x\":64,\"y\":36,\"w\":320,\"h\":180,\"region_id\":0,\"parent_id\":7,\"roi_type\":\"nose\","
            + "\"detection\":{\(shares),\"label_id\":0,\"label\":\"nose\"}}"
        #expect(
            line.text == "{\"resolution\":{\"width\":640,\"height\":360},\"element\":\"f0\",\"objects\":["
                + "{\"x\":64,\"y\":36,\"w\":320,\"h\":180,\"region_id\":7,\"id\":7,\"roi_type\":\"face\","
                + "\"detection\":{\(shares),\"confidence\":0.93,\"label_id\":1,\"label\":\"face\"},"
                + "\"person\":{\"label\":\"Ada \\\"A\\\"\",\"model\":{\"name\":\"lbph\"},\"confidence\":0.81,\"label_id\":3,"
                + "\"distance\":41.5},\"smile\":{\"label\":\"smiling\",\"label_id\":1}},\(nose),\(nose)],"
                + "\"count\":3,\"counts\":{\"Ada \\\"A\\\"\":1,\"nose\":2},\"version\":1}")
    }
}

@Suite("Lines for programs", .serialized)
struct LineFileTests {
    private struct Line {
        let probe: Handle
        let host: ElementKit.Host<Probe.Settings>
        let bus = Bus()

        init() throws {
            probe = try makeProbe()
            gst_element_set_bus(probe.element, bus.pointer)
            host = ElementKit.Host(
                "svprobe", object: probe.object, category: DebugCategory(name: "svprobe", description: ""),
                properties: [], snapshotEvent: "snapshot")
        }

        var warnings: [String] { bus.pending(GST_MESSAGE_WARNING).map(\.text) }
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test("Lines are appended to a file, in order, and are there when it is closed")
    func file() throws {
        let folder = try TemporaryFolder()
        let line = try Line()
        for round in 0..<2 {
            try line.host.lines.open(Assigned(folder.file("lines")))
            for number in 0..<1000 { line.host.lines.write("\(round) \(number)", line.host) }
            line.host.lines.close()
            #expect(!line.host.lines.isOpen)
        }
        let expected = (0..<2).flatMap { round in (0..<1000).map { "\(round) \($0)\n" } }.joined()
        #expect(try text(folder.file("lines")) == expected)
        #expect(line.warnings.isEmpty)
    }

    @Test("What cannot be opened is an error with the path and the reason")
    func unopened() throws {
        let folder = try TemporaryFolder()
        let line = try Line()
        for (path, reason) in [
            (folder.path, "it is a folder"), (folder.file("none/lines"), "no such folder"),
        ] {
            let error = #expect(throws: ElementError.self) { try line.host.lines.open(Assigned(path)) }
            #expect(error?.message == "cannot write \"\(path)\": \(reason)")
        }
        #expect(!line.host.lines.isOpen)
    }

    @Test("A full disk is one warning, and nothing waits for it")
    func fullDisk() throws {
        let line = try Line()
        try line.host.lines.open(Assigned("/dev/full"))
        for number in 0..<500 { line.host.lines.write("line \(number)", line.host) }
        line.host.lines.close()
        #expect(line.warnings == ["cannot write \"/dev/full\": No space left on device. The element drops lines."])
    }

    @Test("A pipe needs no reader; who comes later gets what it holds, and nobody waits for one that does not read")
    func pipe() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let line = try Line()
        try line.host.lines.open(Assigned(path))
        let begin = g_get_monotonic_time()
        let long = String(repeating: "x", count: 999)
        // The lines have 3 MB. The pipe holds 64 KB, and up to 1 MB waits in the queue.
        for _ in 0..<3000 { line.host.lines.write(long, line.host) }
        #expect(g_get_monotonic_time() - begin < 2_000_000)
        #expect(line.warnings == ["cannot write \"\(path)\": no program reads the lines. The element drops lines."])
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        var received: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        for _ in 0..<200 {
            let count = read(reader, &bytes, bytes.count)
            if count > 0 { received += bytes.prefix(count) } else { g_usleep(5000) }
            if received.count >= 1_000_000 { break }
        }
        #expect(received.count >= 1_000_000)
        let lines = received.split(separator: UInt8(ascii: "\n"))
        #expect(lines.dropLast().allSatisfy { $0.count == 999 })
        // If the reader closes the pipe, writing does not fail.
        close(reader)
        for _ in 0..<100 { line.host.lines.write(long, line.host) }
        let end = g_get_monotonic_time()
        line.host.lines.close()
        #expect(g_get_monotonic_time() - end < 3_000_000)
    }

    @Test("A reader of the standard output that leaves does not end the process")
    func standardOutput() throws {
        let line = try Line()
        var ends: [Int32] = [0, 0]
        #expect(Glibc.pipe(&ends) == 0)
        // Duplicate the descriptor of the standard output before it is replaced by the pipe.
        let kept = dup(STDOUT_FILENO)
        fflush(nil)
        dup2(ends[1], STDOUT_FILENO)
        let result = Result { try line.host.lines.open(Assigned("-")) }
        dup2(kept, STDOUT_FILENO)
        close(kept)
        close(ends[1])
        try result.get()
        line.host.lines.write("first", line.host)
        var bytes = [UInt8](repeating: 0, count: 100)
        #expect(read(ends[0], &bytes, 100) == 6 && bytes.prefix(6) == ArraySlice("first\n".utf8))
        close(ends[0])
        line.host.lines.write("second", line.host)
        line.host.lines.close()
        #expect(
            line.warnings == [
                "cannot write standard output: the program that read the lines has ended. The element drops lines."
            ])
    }

    @Test("Many threads write whole lines")
    func threads() throws {
        let folder = try TemporaryFolder()
        let line = try Line()
        try line.host.lines.open(Assigned(folder.file("lines")))
        let host = line.host
        let writers = (0..<4).map { number in
            // The number of lines is small, so that all lines have space.
            BackgroundThread { round in
                if round < 500 { host.lines.write("thread \(number) round \(round)", host) } else { g_usleep(100) }
            }
        }
        while writers.contains(where: { $0.rounds < 500 }) { g_usleep(1000) }
        for writer in writers { writer.stop() }
        host.lines.close()
        let lines = try text(folder.file("lines")).split(separator: "\n")
        for number in writers.indices {
            let own = lines.filter { $0.hasPrefix("thread \(number) ") }
            #expect(own == (0..<500).map { "thread \(number) round \($0)" })
        }
    }
}
