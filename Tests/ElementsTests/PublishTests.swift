// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Foundation
import Imaging
import Publishing
import TestSupport
import Testing

/// Tests of svpublish in pipelines.
@Suite("svpublish", .serialized)
struct PublishTests {
    private let folder: TemporaryFolder
    private static let frame = TestFrame(.rgb, 64, 48, color: Color(gray: 100))

    init() throws { folder = try TemporaryFolder() }

    private func line(_ properties: String) throws -> Pipeline {
        try pipeline(
            "appsrc name=in format=time caps=\(Self.frame.caps()) ! svpublish name=p \(properties) ! fakesink name=sink sync=false async=false"
        )
    }

    /// Pushes a frame, 40 ms after the last frame. It has a face with this id; 0 for no face.
    private func push(_ face: Int32, _ number: Int, into line: Pipeline) throws {
        let buffer = try Self.frame.buffer(at: UInt64(number) * 40_000_000)
        if face != 0 {
            try buffer.addRegion(
                "face", id: face, [4, 8, 16, 12], parameter: "detection, label=(string)face, confidence=(double)0.5;")
        }
        try line.push(buffer, into: "in")
    }

    private func tables(_ name: String = "out") throws -> [[String: Any]] {
        try tables(in: String(decoding: contents(of: folder.file(name)), as: UTF8.self))
    }

    private func tables(in text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    /// Returns the numbers of the frames to which the messages refer.
    private func frames(_ tables: [[String: Any]]) -> [Int] {
        tables.map { ($0["timestamp"] as? Int ?? -1) / 40_000_000 }
    }

    private func event(_ line: Pipeline, _ name: String) throws -> Fields {
        while true {
            let message = try #require(line.bus.wait(GST_MESSAGE_ELEMENT), "there is no message \(name)")
            if let fields = Fields(message.structure), fields.name == "svpublish", fields.text("event") == name {
                return fields
            }
        }
    }

    private func stats(_ line: Pipeline) throws -> [String: Any] {
        let text = try #require(line.element("p").text("stats"))
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    // MARK: - Which frames

    @Test(
        "when= says which frames there are messages about",
        arguments: [
            ("objects", [1, 2, 3, 4, 5]), ("on-change", [1, 3, 5]), ("interval interval=80000000", [0, 2, 4]),
            ("every-frame", [0, 1, 2, 3, 4, 5]),
        ]) func when(_ words: String, _ expected: [Int]) throws
    {
        let line = try line("file-path=\(folder.file("out")) when=\(words)")
        try line.play()
        for (number, face) in [0, 7, 7, 8, 8, 0].enumerated() { try push(Int32(face), number, into: line) }
        try line.end("in")
        try line.finish()
        let found = try tables()
        #expect(frames(found) == expected)
        for table in found {
            #expect(table["resolution"] as? [String: Int] == ["width": 64, "height": 48])
            let objects = try #require(table["objects"] as? [[String: Any]])
            #expect(objects.allSatisfy { $0["x"] as? Int == 4 && $0["roi_type"] as? String == "face" })
            #expect(table["count"] as? Int == objects.count)
        }
        let stats = try stats(line)
        #expect(stats["frames"] as? Int == 6 && stats["messages"] as? Int == expected.count)
        #expect(stats["acknowledged"] as? Int == expected.count && stats["waiting"] as? Int == 0)
    }

    @Test(
        "when=objects sends one message without objects when the last one has left, and none at the end of the stream")
    func emptied() throws {
        let line = try line("file-path=\(folder.file("out"))")
        try line.play()
        for (number, face) in [0, 0, 7, 0, 0, 0, 8, 9, 0, 7].enumerated() { try push(Int32(face), number, into: line) }
        try line.end("in")
        try line.finish()
        let found = try tables()
        #expect(frames(found) == [2, 3, 6, 7, 8, 9])
        #expect(found.map { ($0["objects"] as? [Any])?.count } == [1, 0, 1, 1, 0, 1])
        #expect(found.map { $0["count"] as? Int } == [1, 0, 1, 1, 0, 1])
        #expect(found.allSatisfy { $0["version"] as? Int == 1 })
    }

    @Test("schema=deepstream numbers the frames, and source and tags are in each message of the other one")
    func schemas() throws {
        for (words, name) in [
            ("schema=deepstream source=cam1", "a"), ("source=cam1 tags={\\\"site\\\":\\\"lab\\\"}", "b"),
        ] {
            let line = try line("file-path=\(folder.file(name)) \(words)")
            try line.play()
            for (number, face) in [0, 7, 7].enumerated() { try push(Int32(face), number, into: line) }
            try line.end("in")
            try line.finish()
        }
        let minimal = try tables("a")
        #expect(
            minimal.map { $0["id"] as? Int } == [1, 2] && minimal.allSatisfy { $0["sensorId"] as? String == "cam1" })
        #expect(minimal[0]["objects"] as? [String] == ["7|4|8|20|20|face"])
        for table in try tables("b") {
            #expect(table["source"] as? String == "cam1" && table["tags"] as? [String: String] == ["site": "lab"])
        }
    }

    @Test(
        "Tags that are no table, and addresses that cannot be, are errors at the start, without a password",
        arguments: [
            "tags=[1]", "tags={", "method=mqtt", "method=mqtt address=tcp://cam:secret@host",
            "method=kafka address=cam:secret@host:9092",
            "method=mqtt address=tcp://host topic=a/+", "file-path=/no/such/folder/a",
        ]) func wrong(_ words: String) throws
    {
        let line = try line(words)
        #expect(line.set(GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(line.bus.pending(GST_MESSAGE_ERROR).first)
        #expect(!error.text.isEmpty && !(error.text + error.details).contains("secret"))
    }

    @Test("A password over a connection without TLS is a warning at the start")
    func exposure() throws {
        let password = try folder.write(Array("secret-7\n".utf8), "password")
        for (words, isWarned) in [
            ("method=mqtt address=tcp://127.0.0.1:1", true), ("method=kafka address=127.0.0.1:1", true),
            ("method=kafka address=ssl://127.0.0.1:1", false), ("method=mqtt address=ssl://127.0.0.1:1", false),
        ] {
            let line = try line("\(words) username=cam password-file=\(password)")
            line.set(GST_STATE_PAUSED)
            let warnings = line.bus.pending(GST_MESSAGE_WARNING).filter { $0.text.contains("unencrypted") }
            #expect(warnings.count == (isWarned ? 1 : 0), "\(words)")
            #expect(warnings.allSatisfy { !($0.text + $0.details).contains("secret") && $0.text.contains("ssl://") })
        }
    }

    // MARK: - The state of the stream

    /// An event that ends a stream.
    enum Ending: CaseIterable {
        case end, stop, error, errorAndEnd, childError

        var state: String { self == .end || self == .stop ? "stopped" : "failed" }
    }

    /// Two frames are 100 s apart, so that the stream does not stall, even if the test is slow.
    @Test(
        "A stream has stopped after its end or a stop, and has failed after an error, which may come from within a bin",
        arguments: Ending.allCases)
    func states(_ ending: Ending) throws {
        let line = try pipeline(
            "appsrc name=in format=time caps=\(Self.frame.caps(rate: "1/100")) ! bin.( svpublish name=p source=cam1"
                + " file-path=\(folder.file("out")) stats-file=\(folder.file("stats")) stats-interval=1000000000000000 )"
                + " ! fakesink name=sink sync=false async=false")
        try line.play()
        for number in 0..<2 { try push(7, number * 2500, into: line) }
        func fail(_ name: String) throws {
            let element = try line.element(name)
            gst_element_message_full(
                element.element, GST_MESSAGE_ERROR, gst_resource_error_quark(),
                Int32(GST_RESOURCE_ERROR_READ.rawValue), g_strdup("the camera is gone"), nil, "", "", 0)
        }
        func note() throws -> [String: Any] { try #require(try tables("stats").first) }
        switch ending {
        case .end: break
        case .stop: #expect(eventually { (try? tables().count) == 2 })
        case .error, .errorAndEnd: try fail("in")
        case .childError: try fail("p")
        }
        if ending.state == "failed" { #expect(eventually { (try? note()["state"] as? String) == "failed" }) }
        if ending == .end || ending == .errorAndEnd {
            try line.end("in")
            #expect(line.bus.wait(GST_MESSAGE_EOS) != nil)
        }
        line.set(GST_STATE_NULL)
        let note = try note()
        #expect(note["state"] as? String == ending.state && note["source"] as? String == "cam1")
        #expect(try stats(line)["state"] as? String == ending.state)
        #expect(note["frames"] as? Int == 2 && note["frame_age"] as? Double != nil)
    }

    @Test("The notes about the state are as their schema says, with a name of any characters")
    func notes() throws {
        let schema = try JSONSchema("stream-state.schema.json")
        let line = try line(
            "file-path=\(folder.file("out")) stats-file=\(folder.file("stats")) stats-interval=50000000")
        try line.element("p").set("source", value: "cam \"1\"\n\\ \u{1B}[2J\u{9B}żółć")
        try line.play()
        #expect(eventually { ((try? contents(of: folder.file("stats"))) ?? []).isEmpty == false })
        #expect(try schema.error(in: contents(of: folder.file("stats"))) == nil)
        try push(7, 0, into: line)
        try line.end("in")
        try line.finish()
        line.set(GST_STATE_NULL)
        let note = try contents(of: folder.file("stats"))
        #expect(try schema.error(in: note) == nil, "\(String(decoding: note, as: UTF8.self))")
        #expect(note.dropLast().allSatisfy { $0 >= 0x20 })
        #expect(try tables("stats").first?["source"] as? String == "cam \"1\"\n\\ \u{1B}[2J\u{9B}żółć")
        #expect(try schema.error(in: StateNote.lost("cam1")) == nil)
        let mistakes = [("stopped", "away"), ("\"version\":1", "\"version\":2"), ("frames", "pictures")]
        for (member, replacement) in mistakes {
            let bad = String(decoding: note, as: UTF8.self).replacing(member, with: replacement)
            #expect(try schema.error(in: Array(bad.utf8)) != nil, "\(member)")
        }
    }

    @Test("A stream that is paused does not become stalled, and one whose frames do not come does")
    func pause() throws {
        let line = try line(
            "file-path=\(folder.file("out")) stats-file=\(folder.file("stats")) stats-interval=50000000")
        func note() -> [String: Any] { (try? tables("stats").last) ?? [:] }
        try line.play()
        try push(7, 0, into: line)
        line.set(GST_STATE_PAUSED)
        #expect(eventually { note()["frame_age"] as? Double ?? 0 > 2.6 })
        #expect(note()["state"] as? String == "playing")
        try line.play()
        #expect(eventually { note()["state"] as? String == "stalled" })
        try push(7, 1, into: line)
        #expect(eventually { note()["state"] as? String == "playing" })
    }

    // MARK: - Files

    @Test("%t is the time of the start in UTC, and a list is whole")
    func startTime() throws {
        let line = try line("file-path=\(folder.path)/%t.json file-format=json when=every-frame")
        try line.play()
        for number in 0..<3 { try push(0, number, into: line) }
        try line.end("in")
        try line.finish()
        let name = try #require(folder.names.first)
        #expect(name.range(of: #"^\d{8}T\d{6}Z\.json$"#, options: .regularExpression) != nil, "\(name)")
        let list = try JSONSerialization.jsonObject(with: Data(contents(of: folder.file(name)))) as? [[String: Any]]
        #expect(frames(list ?? []) == [0, 1, 2])
    }

    @Test("Kinds and sources that are no UTF-8 are mended, and none ends its line")
    func hostile() throws {
        let line = try line("file-path=\(folder.file("out"))")
        let source: [UInt8] = Array("a\u{22}\n".utf8) + [0xFF, 0xC3, 0x28, 0]
        source.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                var value = GValue()
                g_value_init(&value, String.valueType)
                g_value_set_string(&value, text.baseAddress)
                if let object = try? line.element("p").object { g_object_set_property(object, "source", &value) }
                g_value_unset(&value)
            }
        }
        try line.play()
        let buffer = try Self.frame.buffer(at: 0)
        let kind: [CChar] = Array("k\"\n\u{2028}".utf8).map { CChar(bitPattern: $0) } + [-1, -2, 0]
        _ = gst_buffer_add_video_region_of_interest_meta(buffer.pointer, kind, 1, 2, 3, 4)
        try line.push(buffer, into: "in")
        try line.end("in")
        try line.finish()
        let found = try tables()
        #expect(found.count == 1)
        #expect(found.first?["source"] as? String == "a\"\n\\xFF\\xC3(")
        let objects = found.first?["objects"] as? [[String: Any]]
        #expect(objects?.first?["roi_type"] as? String == "k\"\n\u{2028}\u{FFFD}\u{FFFD}")
    }

    // MARK: - A pipe that nobody reads

    /// Creates a named pipe of 4 KB and opens a reader. A message with the tags of these tests is larger than the pipe.
    private func pipe(_ name: String = "pipe") throws -> (path: String, reader: Int32) {
        let path = folder.file(name)
        mkfifo(path, 0o600)
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        try #require(reader >= 0)
        // F_SETPIPE_SZ
        _ = fcntl(reader, 1031, 4096)
        return (path, reader)
    }

    private static let tags = "tags={\\\"p\\\":\\\"\(String(repeating: "x", count: 20_000))\\\"}"

    /// Returns true if a part of the first message is in the pipe.
    private func isFull(_ reader: Int32) -> Bool {
        var descriptor = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) == 1
    }

    /// Reads until this number of messages has arrived.
    private func read(_ reader: Int32, _ count: Int) throws -> [Int] {
        var (bytes, lines): ([UInt8], Int) = ([], 0)
        var part = [UInt8](repeating: 0, count: 4096)
        let isThere = eventually {
            while case let length = Glibc.read(reader, &part, part.count), length > 0 {
                bytes += part[..<length]
                lines += part[..<length].count { $0 == UInt8(ascii: "\n") }
            }
            return lines >= count
        }
        #expect(isThere, "\(bytes.count) bytes")
        return frames(try tables(in: String(decoding: bytes, as: UTF8.self)))
    }

    @Test(
        "A full queue drops the oldest that wait, or the newest",
        arguments: [("drop-oldest", [0, 8, 9]), ("drop-newest", [0, 1, 2])])
    func drops(_ overflow: String, _ expected: [Int]) throws {
        let (path, reader) = try pipe()
        defer { close(reader) }
        let line = try line("file-path=\(path) when=every-frame queue-size=3 overflow=\(overflow) \(Self.tags)")
        let sink = FrameProbe(try line.pad("sink", "sink"))
        try line.play()
        try push(0, 0, into: line)
        #expect(eventually { isFull(reader) })
        for number in 1..<10 { try push(0, number, into: line) }
        // The stream does not wait for the reader.
        #expect(eventually { sink.frames.count == 10 })
        #expect(try event(line, "dropped").uint64("count") ?? 0 > 0)
        try line.end("in")
        #expect(try read(reader, 3) == expected)
        try line.finish()
        let stats = try stats(line)
        #expect(stats["messages"] as? Int == 10 && stats["dropped"] as? Int == 7 && stats["acknowledged"] as? Int == 3)
    }

    @Test("overflow=block waits for room, and loses nothing")
    func block() throws {
        let (path, reader) = try pipe()
        defer { close(reader) }
        let line = try line("file-path=\(path) when=every-frame queue-size=3 overflow=block \(Self.tags)")
        let sink = FrameProbe(try line.pad("sink", "sink"))
        try line.play()
        for number in 0..<10 { try push(0, number, into: line) }
        try line.end("in")
        // Three messages are in the queue, and the fourth frame waits in the element.
        #expect(eventually { sink.frames.count == 3 })
        usleep(100_000)
        #expect(sink.frames.count == 3)
        #expect(try read(reader, 10) == Array(0..<10))
        try line.finish()
        #expect(try stats(line)["dropped"] as? Int == 0)
    }

    @Test("A stop while overflow=block waits is not held up")
    func blockedStop() throws {
        let (path, reader) = try pipe()
        defer { close(reader) }
        let line = try line("file-path=\(path) when=every-frame queue-size=1 overflow=block \(Self.tags)")
        try line.play()
        for number in 0..<3 { try push(0, number, into: line) }
        #expect(eventually { isFull(reader) })
        // Below READY, the pipeline drops its messages.
        line.set(GST_STATE_READY)
        #expect(try event(line, "lost-messages").uint64("count") == 1)
    }

    @Test("The end of the stream waits until all is sent")
    func end() throws {
        let (path, reader) = try pipe()
        defer { close(reader) }
        let line = try line("file-path=\(path) when=every-frame flush-timeout=18446744073709551615 \(Self.tags)")
        try line.play()
        for number in 0..<5 { try push(0, number, into: line) }
        try line.end("in")
        #expect(eventually { isFull(reader) })
        usleep(200_000)
        #expect(line.bus.pending(GST_MESSAGE_EOS).isEmpty)
        #expect(try read(reader, 5) == Array(0..<5))
        try line.finish()
    }

    // MARK: - Brokers that are not there

    @Test(
        "A broker that is away is one warning, and what is lost at the end is another",
        arguments: ["mqtt address=tcp://127.0.0.1:1", "kafka address=127.0.0.1:1"])
    func nobody(_ method: String) throws {
        let line = try line(
            "method=\(method) flush-timeout=100000000 when=every-frame reconnect-interval=10000000"
                + " max-reconnect-interval=10000000")
        try line.play()
        for number in 0..<5 { try push(0, number, into: line) }
        let warning = try #require(line.bus.wait(GST_MESSAGE_WARNING))
        #expect(
            warning.text.contains("cannot deliver messages") && warning.text.contains("127.0.0.1:1"), "\(warning.text)")
        #expect(try event(line, "lost").text("reason")?.isEmpty == false)
        try line.end("in")
        let end = try #require(line.bus.wait(GST_MESSAGE_WARNING, GST_MESSAGE_EOS))
        #expect(end.text.contains("did not send 5 messages within flush-timeout"), "\(end.text)")
        try line.finish()
        line.set(GST_STATE_READY)
        let last = try #require(line.bus.wait(GST_MESSAGE_WARNING))
        #expect(last.text.contains("5 messages are lost"), "\(last.text)")
        #expect(try event(line, "lost-messages").uint64("count") == 5)
        #expect(try stats(line)["waiting"] as? Int == 5)
    }

    @Test("A queue-file that is no queue is an error at the start, and stays as it is")
    func foreignQueue() throws {
        let path = try folder.write(Array("precious\n".utf8), "a")
        let line = try line("file-path=/dev/null queue-file=\(path)")
        #expect(line.set(GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(line.bus.pending(GST_MESSAGE_ERROR).first)
        #expect(error.text.contains(path) && error.text.contains("not a queue file"), "\(error.text)")
        #expect(try contents(of: path) == Array("precious\n".utf8))
    }

    @Test("connected is told, and what is left at a stop is kept in queue-file for the next start")
    func kept() throws {
        let spool = "queue-file=\(folder.file("queue")) when=every-frame"
        let first = try line("file-path=/dev/full flush-timeout=0 \(spool)")
        try first.play()
        for number in 0..<5 { try push(0, number, into: first) }
        #expect(try event(first, "lost").text("reason")?.contains("/dev/full") == true)
        try first.end("in")
        try first.finish()
        first.set(GST_STATE_READY)
        #expect(try event(first, "kept").uint64("count") == 5)
        let second = try line("file-path=\(folder.file("out")) \(spool)")
        try second.play()
        _ = try event(second, "connected")
        for number in 5..<8 { try push(0, number, into: second) }
        try second.end("in")
        try second.finish()
        #expect(frames(try tables()) == Array(0..<8))
    }
}
