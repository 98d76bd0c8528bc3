// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Foundation
import Imaging
import TestSupport
import Testing

@testable import ElementKit
@testable import Elements

/// Tests of the metrics of svwebsink and svpublish.
@Suite("Metrics", .serialized)
struct MetricsTests {
    private let folder: TemporaryFolder
    private static let frame = TestFrame(.rgb, 64, 48, color: Color(gray: 100))
    private static let detection = "detection, label=(string)Grace, confidence=(double)0.5;"

    init() throws { folder = try TemporaryFolder() }

    /// Returns the values of metrics, keyed by their names with labels. Checks the format of each line.
    private func values(_ text: String) throws -> [String: UInt64] {
        let sample =
            #"^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[a-z]+="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z]+="(?:[^"\\\n]|\\[\\"n])*")*\})? \d+$"#
        var types: [String: String] = [:]
        var values: [String: UInt64] = [:]
        #expect(text.hasSuffix("\n"))
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ", maxSplits: 3)
            if line.hasPrefix("# TYPE ") {
                #expect(types[String(words[2])] == nil && ["counter", "gauge"].contains(words[3]), "\(line)")
                types[String(words[2])] = String(words[3])
            } else if line.hasPrefix("# HELP ") {
                #expect(words.count == 4, "\(line)")
            } else {
                #expect(line.range(of: sample, options: .regularExpression) != nil, "\(line)")
                let space = try #require(line.lastIndex(of: " "))
                let key = String(line[..<space])
                let type = types[String(key.prefix { $0 != "{" })]
                #expect(type == (key.contains("_total") ? "counter" : "gauge"), "\(line)")
                #expect(values[key] == nil, "\(line)")
                values[key] = try #require(UInt64(line[line.index(after: space)...]))
            }
        }
        return values
    }

    private func line(_ sink: String, publish: String = "") throws -> Pipeline {
        try pipeline(
            "appsrc name=in format=time caps=\(Self.frame.caps()) ! svpublish name=p \(publish) ! \(sink)")
    }

    private func port(_ line: Pipeline) throws -> Int {
        while true {
            let message = try #require(line.bus.wait(GST_MESSAGE_ELEMENT))
            if let fields = Fields(message.structure), fields.name == "svwebsink", let port = fields.int("port") {
                return port
            }
        }
    }

    private func metrics(_ port: Int) throws -> [String: UInt64] {
        let response = try WebClient(port).ask("/metrics", ["Authorization: Bearer tea-time"])
        #expect(response.status == 200)
        return try values(response.text)
    }

    /// Pushes a frame with two faces, one of which has the name of a person, and with an object named `a "cup"`.
    private func push(_ number: Int, into line: Pipeline) throws {
        let buffer = try Self.frame.buffer(at: UInt64(number) * 40_000_000)
        try buffer.addRegion("face", id: 1, [4, 8, 16, 12], parameter: Self.detection)
        try buffer.addRegion("face", id: 2, [24, 8, 16, 12], parameter: "person, label=(string)Ada;")
        try buffer.addRegion(
            "blob", id: 3, [4, 28, 16, 12], parameter: "blob-class, label=(string)\"a\\ \\\"cup\\\"\";")
        try line.push(buffer, into: "in")
    }

    @Test("svwebsink serves the numbers of its pipeline, without names of persons")
    func served() throws {
        let web = "svwebsink name=w port=0 key=tea-time metrics=true sync=false"
        let first = try line(web, publish: "file-path=\(folder.file("a")) when=every-frame")
        let other = try line(web, publish: "file-path=\(folder.file("b"))")
        for line in [first, other] { try line.play() }
        let (port, otherPort) = (try self.port(first), try self.port(other))
        for number in 0..<5 { try push(number, into: first) }
        #expect(
            eventually { (try? metrics(port)["swiftvision_detections_total{label=\"face\"}"]) == 10 })
        // svpublish updates its statistics once per second.
        try first.end("in")
        #expect(first.bus.wait(GST_MESSAGE_EOS) != nil)
        let all = try metrics(port)
        #expect(all["swiftvision_frames_total{element=\"w\"}"] == 5)
        #expect(all["swiftvision_frames_total{element=\"p\"}"] == 5)
        #expect(all["swiftvision_queue_messages{element=\"p\"}"] == 0)
        #expect(all["swiftvision_lost_messages_total{element=\"p\"}"] == 0)
        #expect(all["swiftvision_reconnects_total{element=\"p\"}"] == 0)
        #expect(all["swiftvision_detections_total{label=\"face\"}"] == 10)
        #expect(all["swiftvision_detections_total{label=\"a \\\"cup\\\"\"}"] == 5)
        #expect(all["swiftvision_events_total{element=\"p\",event=\"connected\"}"] == 1)
        #expect(!all.keys.contains { $0.contains("Ada") || $0.contains("Grace") })
        // The other pipeline of this process has had no frames.
        let unrelated = try metrics(otherPort)
        #expect(!unrelated.keys.contains { $0.contains("detections") })
        #expect(unrelated["swiftvision_frames_total{element=\"w\"}"] == 0)
    }

    @Test("Without metrics=true, svwebsink has no metrics")
    func off() throws {
        let line = try line("svwebsink port=0 key=tea-time", publish: "file-path=\(folder.file("a"))")
        try line.play()
        let response = try WebClient(port(line)).ask("/metrics", ["Authorization: Bearer tea-time"])
        #expect(response.status == 404)
    }

    @Test("Late frames and events are counted; a flush does not reduce the count")
    func counted() throws {
        let line = try line(
            "fakesink name=s sync=false async=false",
            publish: "file-path=\(folder.file("a")) stats-file=\(folder.file("m")) stats-format=prometheus "
                + "source=\"Front door\"")
        try line.play()
        let sink = try line.element("s")
        for dropped in [3, 5, 2] as [guint64] {
            let message = gst_message_new_qos(sink.object.cast(), 0, 0, 0, 0, 0)
            gst_message_set_qos_stats(message, GST_FORMAT_BUFFERS, 9, dropped)
            gst_element_post_message(sink.element, message)
        }
        // An element of another plugin, whose message is not an event of this plugin.
        let structure = gst_structure_from_string("foreign, event=(string)Ada;", nil)
        gst_element_post_message(sink.element, gst_message_new_element(sink.object.cast(), structure))
        try push(0, into: line)
        try line.end("in")
        try line.finish()
        line.set(GST_STATE_NULL)
        let all = try values(String(decoding: contents(of: folder.file("m")), as: UTF8.self))
        let source = "source=\"Front door\""
        #expect(all["swiftvision_late_frames_total{\(source),element=\"s\"}"] == 7)
        #expect(all["swiftvision_events_total{\(source),element=\"p\",event=\"connected\"}"] == 1)
        #expect(all["swiftvision_frames_total{\(source),element=\"p\"}"] == 1)
        #expect(all["swiftvision_detections_total{\(source),label=\"face\"}"] == 2)
        #expect(all.keys.allSatisfy { $0.contains(source) })
        #expect(!all.keys.contains { $0.contains("Ada") || $0.contains("Grace") })
    }

    @Test("A pause does not reduce the number of frames")
    func pause() throws {
        let line = try line(
            "svwebsink name=w port=0 key=tea-time metrics=true sync=false",
            publish: "file-path=\(folder.file("a")) stats-file=\(folder.file("m")) stats-format=prometheus "
                + "stats-interval=50000000 source=s")
        try line.play()
        let port = try port(line)
        func frames() -> (served: UInt64?, written: UInt64?) {
            let text = String(decoding: (try? contents(of: folder.file("m"))) ?? [], as: UTF8.self)
            let file = text.isEmpty ? nil : try? values(text)
            return (
                try? metrics(port)["swiftvision_frames_total{element=\"w\"}"],
                file?["swiftvision_frames_total{source=\"s\",element=\"w\"}"]
            )
        }
        for number in 0..<3 { try push(number, into: line) }
        #expect(eventually { frames() == (3, 3) }, "\(frames())")
        var written: UInt64 = 3
        for (pause, total) in [(1, 5), (2, 7)] as [(Int, UInt64)] {
            line.set(GST_STATE_PAUSED)
            // The sink waits for one frame while it is paused.
            try push(pause * 10, into: line)
            try line.reach(GST_STATE_PLAYING)
            try push(pause * 10 + 1, into: line)
            // The file may lack frames between the last time of writing and a pause.
            #expect(eventually { frames().served == total }, "\(frames())")
            let now = frames().written ?? 0
            #expect((written...total).contains(now), "\(frames())")
            written = now
        }
    }

    @Test("Elements in different bins have different labels, even with the same name")
    func bins() throws {
        let line = try line(
            "fakesink sync=false async=false",
            publish: "file-path=\(folder.file("a")) stats-file=\(folder.file("m")) stats-format=prometheus source=s")
        let elements = try ["one", "two"].map { name in
            let (bin, element) = (
                try Handle(factory: "bin", [("name", name)]), try Handle(factory: "identity", [("name", "f")])
            )
            #expect(gst_bin_add(bin.cast(to: GstBin.self), element.element) != 0)
            #expect(gst_bin_add(line.handle.cast(to: GstBin.self), bin.element) != 0)
            return element
        }
        try line.play()
        for (element, dropped) in zip(elements, [3, 4] as [guint64]) {
            let message = gst_message_new_qos(element.object.cast(), 0, 0, 0, 0, 0)
            gst_message_set_qos_stats(message, GST_FORMAT_BUFFERS, 9, dropped)
            gst_element_post_message(element.element, message)
        }
        try push(0, into: line)
        try line.end("in")
        try line.finish()
        line.set(GST_STATE_NULL)
        let all = try values(String(decoding: contents(of: folder.file("m")), as: UTF8.self))
        #expect(all["swiftvision_late_frames_total{source=\"s\",element=\"one/f\"}"] == 3)
        #expect(all["swiftvision_late_frames_total{source=\"s\",element=\"two/f\"}"] == 4)
    }

    @Test("Public labels are types, and names of things")
    func publicLabels() {
        func detection(_ type: Detection.Kind, label: String, _ classification: String? = nil) -> Detection {
            let names = classification.map { [Classification(name: $0, label: "Ada")] } ?? []
            return Detection(
                type: type, id: 1, box: Rectangle(x: 0, y: 0, width: 1, height: 1), label: label, classifications: names
            )
        }
        for type in [.face, .catFace, .hybridFace] as [Detection.Kind] {
            #expect(detection(type, label: "Ada").publicLabel == type.rawValue)
            #expect(detection(type, label: "face", "blob-class").publicLabel == type.rawValue)
        }
        #expect(detection("body", label: "Ada", "person").publicLabel == "body")
        #expect(detection(.blob, label: "blob", "blob-class").publicLabel == "Ada")
        #expect(detection(.blob, label: "Ada").publicLabel == "blob")
        #expect(detection(.blob, label: "blob", "person").publicLabel == "blob")
        #expect(detection(.logo, label: "logo", "logo").publicLabel == "Ada")
        #expect(detection("body", label: "Ada").publicLabel == "body")
        #expect(detection("body", label: "body", "blob-class").publicLabel == "body")
        #expect(detection("car", label: "van").publicLabel == "car")
        #expect(detection("possible-face", label: "Ada").publicLabel == "possible-face")
    }
}
