// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Foundation
import TestSupport
import Testing

@testable import Elements

/// Tests that OSC messages control the pipeline of svwebsink.
@Suite("svwebsink: OSC")
struct OSCTests {
    private static let live = "videotestsrc is-live=true ! video/x-raw,format=RGB,framerate=30/1,width=64,height=48"

    /// A pipeline with svwebsink that receives OSC messages.
    private struct Stage {
        let pipeline: Pipeline
        let client: DatagramClient
        let page: WebClient

        init(_ elements: String, _ properties: String = "") throws {
            let port = try DatagramClient.freePort()
            pipeline = try ElementsTests.pipeline(
                "\(OSCTests.live) ! \(elements) ! svwebsink name=s key=k port=0 osc-port=\(port) \(properties)")
            try pipeline.play()
            let fields = try #require(pipeline.bus.wait(GST_MESSAGE_ELEMENT).flatMap { Fields($0.structure) })
            client = try DatagramClient(port)
            page = try WebClient(try #require(fields.int("port")), patience: 30)
            #expect(try page.open() == 101)
        }

        /// Sends a message with one argument.
        func send(_ address: String, _ tag: String, _ argument: [UInt8] = []) {
            client.send(OSCTests.text(address) + OSCTests.text(",\(tag)") + argument)
        }

        func send(_ address: String, _ number: Float) { send(address, "f", OSCTests.bytes(number.bitPattern)) }

        /// Returns the first counts of OSC messages that satisfy a condition.
        func counts(_ condition: ([String: Int]) -> Bool) throws -> [String: Int] {
            while true {
                let frame = try page.frame(1)
                let message = try JSONSerialization.jsonObject(with: Data(frame.data)) as? [String: Any]
                guard let members = message?["osc"] as? [String: Any] else { continue }
                let counts = members.compactMapValues { $0 as? Int }
                if condition(counts) { return counts }
            }
        }
    }

    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return bytes + [UInt8](repeating: 0, count: 4 - bytes.count % 4)
    }

    private static func bytes(_ bits: UInt32) -> [UInt8] { withUnsafeBytes(of: bits.bigEndian) { Array($0) } }

    @Test("Faders set properties, and svwebsink counts the messages")
    func properties() throws {
        let stage = try Stage("svtint name=tint")
        let tint = try stage.pipeline.element("tint")
        stage.send("/tint/red", 0.5)
        #expect(eventually { tint.get("red", as: Double.self) == 0.5 })
        stage.send("/\(stage.pipeline.handle.text("name") ?? "")/tint/red", 0.1)
        // The shortest decimal of the float.
        #expect(eventually { tint.get("red", as: Double.self) == 0.1 })
        stage.send("/tint/red", 99)
        stage.send("/tint/nothing", 1)
        stage.client.send([1, 2, 3])
        stage.send("/tint/red", 0.75)
        let counts = try stage.counts { $0["applied"] == 3 && $0["malformed"] == 1 }
        #expect(counts == ["applied": 3, "refused": 2, "malformed": 1, "dropped": 0])
        #expect(tint.get("red", as: Double.self) == 0.75)
        // Only the first ignored message causes a warning.
        let warnings = stage.pipeline.bus.pending(GST_MESSAGE_WARNING).map(\.text)
        #expect(warnings.count == 1 && warnings.first?.contains("svwebsink ignored an OSC message") == true)
    }

    @Test("Only a page can remove the name of a face")
    func rejection() throws {
        let stage = try Stage("svfacerecognize name=r")
        stage.send("/r/reject", "i", Self.bytes(1))
        _ = try stage.counts { $0["refused"] == 1 }
        let warnings = stage.pipeline.bus.pending(GST_MESSAGE_WARNING).map(\.text)
        #expect(warnings.contains { $0.contains("reject: only the web page can run this action") }, "\(warnings)")
    }

    @Test("A chain's parameter has an address, and texts have none")
    func filter() throws {
        let stage = try Stage("svfilter name=f filters=\"sepia-tone intensity=0.2\"")
        let filter = try stage.pipeline.element("f")
        stage.send(
            "/f/set-parameter", "sf", Self.text("sepia-tone.intensity") + Self.bytes(Float(0.875).bitPattern))
        #expect(eventually { filter.text("parameters")?.contains("0.875") == true })
        stage.send("/f/filters", "s", Self.text("invert"))
        stage.send("/f/filters-file", "s", Self.text("/etc/passwd"))
        let counts = try stage.counts { $0["refused"] == 2 }
        #expect(counts["applied"] == 1)
        #expect(filter.text("filters") == "sepia-tone intensity=0.2" && filter.text("filters-file") == nil)
        // Each call with a wrong name would cause a warning of svfilter.
        for _ in 0..<50 { stage.send("/f/set-parameter", "sf", Self.text("nothing.intensity") + Self.bytes(0)) }
        let paused = try stage.counts { ($0["refused"] ?? 0) + ($0["dropped"] ?? 0) == 52 }
        #expect((paused["dropped"] ?? 0) > 40, "\(paused)")
    }

    @Test("With a key file, each address starts with the key")
    func key() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Array("secret-key-of-24-letters\nsecond line\n".utf8), "key")
        let stage = try Stage("svtint name=tint", "osc-key-file=\(path)")
        let tint = try stage.pipeline.element("tint")
        for address in ["/tint/red", "/secret-key-of-24-letter5/tint/red"] { stage.send(address, 0.5) }
        stage.send("/secret-key-of-24-letters/tint/red", 0.25)
        let counts = try stage.counts { $0["applied"] == 1 }
        #expect(counts["refused"] == 2)
        #expect(tint.get("red", as: Double.self) == 0.25)
        let warnings = stage.pipeline.bus.pending(GST_MESSAGE_WARNING).map(\.text)
        #expect(warnings.count == 1 && warnings.allSatisfy { !$0.contains("letter") })
    }

    @Test("With control=false, nothing receives OSC messages")
    func controlOff() throws {
        let port = try DatagramClient.freePort()
        let pipeline = try pipeline("\(Self.live) ! svwebsink port=0 osc-port=\(port) control=false")
        try pipeline.reach(GST_STATE_PLAYING)
        let client = try DatagramClient(port)
        // The system reports that no program uses the port, at the latest after the next packet.
        #expect(eventually { !client.send(Self.text("/a/b") + Self.text(",")) })
    }

    @Test("Before the first frame, messages cannot change properties that only READY may change")
    func preroll() throws {
        let port = try DatagramClient.freePort()
        let pipeline = try pipeline("appsrc ! svwebsink name=s key=k port=0 osc-port=\(port)")
        let sink = try pipeline.element("s")
        let files = sink.text("files")
        pipeline.set(GST_STATE_PAUSED)
        let client = try DatagramClient(port)
        #expect(
            eventually {
                client.send(Self.text("/s/files") + Self.text(",s") + Self.text("any"))
                return pipeline.bus.pending(GST_MESSAGE_WARNING).contains {
                    $0.text.contains("only the web page can set")
                }
            })
        #expect(files != "any" && sink.text("files") == files)
    }

    @Test("Wrong settings are errors at the start that name the property")
    func settings() throws {
        let folder = try TemporaryFolder()
        let short = try folder.write(Array("short\n".utf8), "short")
        let port = try DatagramClient.freePort()
        for (properties, reason) in [
            ("osc-address=0.0.0.0", "Set osc-key-file"), ("osc-key-file=/nonexistent", "osc-key-file: cannot read"),
            ("osc-address=0.0.0.0 osc-key-file=\(short)", "has only 5 characters"),
        ] {
            let pipeline = try pipeline("\(Self.live) ! svwebsink port=0 osc-port=\(port) \(properties)")
            #expect(pipeline.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
            let error = try #require(pipeline.bus.wait(GST_MESSAGE_ERROR))
            #expect(error.text.contains(reason), "\(error.text)")
        }
    }

    @Test("The pipeline can stop and start while messages arrive")
    func restarts() throws {
        let stage = try Stage("svtint name=tint")
        for round in 0..<20 {
            for number in 0..<50 { stage.send("/tint/red", number % 2 == 0 ? 0.5 : 99) }
            stage.pipeline.set(round % 2 == 0 ? GST_STATE_NULL : GST_STATE_PLAYING)
        }
        try stage.pipeline.reach(GST_STATE_PLAYING)
        let tint = try stage.pipeline.element("tint")
        #expect(
            eventually {
                stage.send("/tint/red", 0.125)
                return tint.get("red", as: Double.self) == 0.125
            })
        #expect(stage.pipeline.bus.pending(GST_MESSAGE_ERROR).map(\.text) == [])
    }

    // MARK: - Decisions

    @Test("The first ignored message is reported, and then one per minute")
    func reports() {
        var reports = RefusalReports()
        let start = ClockTime(nanoseconds: 5)
        #expect(reports.add(at: start) == 1)
        for second in 0..<60 { #expect(reports.add(at: start + UInt64(second) * ClockTime.second) == nil) }
        #expect(reports.add(at: start + 60 * ClockTime.second) == 61)
        #expect(reports.add(at: start + 61 * ClockTime.second) == nil)
        // The clock goes back.
        #expect(reports.add(at: .zero) == nil)
        #expect(reports.add(at: start + 500 * ClockTime.second) == 3)
    }

    @Test("An action that has failed pauses for one second, and too many failed actions pause all actions")
    func failures() {
        var failures = FailedActions()
        func mayRun(_ action: String, _ time: ClockTime) -> Bool { failures.mayRun(action, at: time) }
        let half = ClockTime(nanoseconds: 500_000_000)
        #expect(mayRun("a", .zero))
        failures.add("a", at: .zero)
        #expect(!mayRun("a", half) && mayRun("b", half))
        #expect(mayRun("a", .second))
        for number in 0..<64 { failures.add("\(number)", at: .second) }
        #expect(!mayRun("b", .second + half))
        #expect(mayRun("b", 2 * ClockTime.second))
    }
}
