// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import CGStreamerCheck
import ElementKit
import Foundation
import Imaging
import TestSupport
import Testing

/// Tests of the thumbnails that svwebsink sends of the inputs of svswitch and svmixer.
@Suite("svwebsink: thumbnails", .serialized)
struct ThumbnailTests {
    /// A mixer `m` with a red and a green input, and svwebsink `w`.
    private final class Stage {
        let pipeline: Pipeline
        private(set) var page: WebClient
        private let port: Int

        init(
            _ properties: String = "", mixer: String = "svswitch", after: String = "identity",
            first: String = "solid-color foreground-color=0xffff0000"
        ) throws {
            func source(_ pattern: String) -> String {
                "videotestsrc is-live=true pattern=\(pattern) ! "
                    + "video/x-raw,format=I420,framerate=25/1,width=320,height=240 ! queue ! m. "
            }
            pipeline = try ElementsTests.pipeline(
                "\(mixer) name=m ! \(after) ! svwebsink name=w key=k port=0 \(properties) \(source(first)) "
                    + source("solid-color foreground-color=0xff00ff00"))
            try pipeline.play()
            let fields = try #require(pipeline.bus.wait(GST_MESSAGE_ELEMENT).flatMap { Fields($0.structure) })
            port = try #require(fields.int("port"))
            page = try WebClient(port, patience: 30)
            #expect(try page.open() == 101)
        }

        /// Opens another page of the same pipeline.
        init(second stage: Stage) throws {
            (pipeline, port) = (stage.pipeline, stage.port)
            page = try WebClient(port, patience: 30)
            #expect(try page.open() == 101)
        }

        /// Closes the connection, and opens another connection.
        func reconnect() throws {
            page = try WebClient(port, patience: 30)
            #expect(try page.open() == 101)
        }

        /// The numbers of probes on the inputs of the mixer. Without a probe, nothing takes frames for thumbnails.
        func probes() throws -> [Int] {
            try ["sink_0", "sink_1"].map { Int(try pipeline.pad("m", $0).pad.pointee.num_probes) }
        }

        /// Returns the next message of one of the types.
        func message(_ types: String...) throws -> [String: Any] {
            while true {
                let frame = try page.frame(1)
                let message = try JSONSerialization.jsonObject(with: Data(frame.data)) as? [String: Any]
                if let message, types.contains(message["type"] as? String ?? "") { return message }
            }
        }

        /// Requests thumbnails, or ends them, and returns the reply.
        func ask(_ on: Bool) throws -> [String: Any] {
            page.say("{\"type\":\"thumbnails\",\"id\":1,\"on\":\(on)}")
            return try message("reply")
        }

        /// Returns the numbers of thumbnails by input until the second next message of the type `stats`, which comes
        /// every second.
        func count() throws -> [String: Int] {
            var (counts, seconds) = ([String: Int](), 0)
            while true {
                let message = try message("thumbnail", "stats")
                if message["type"] as? String == "stats" {
                    seconds += 1
                    if seconds == 2 { return counts }
                } else {
                    counts[name(message), default: 0] += 1
                }
            }
        }

        /// Returns the name of the pad of a thumbnail.
        func name(_ message: [String: Any]) -> String {
            (message["element"] as? String ?? "").split(separator: "/").last.map(String.init) ?? ""
        }
    }

    private func decoded(_ message: [String: Any]) throws -> TestFrame {
        let jpeg = Array(try #require(Data(base64Encoded: message["jpeg"] as? String ?? "")))
        let decoder = try Pipeline(
            "appsrc name=in format=time caps=image/jpeg ! jpegdec ! videoconvert ! video/x-raw,format=RGB ! appsink name=out sync=false"
        )
        try decoder.play()
        try decoder.push(
            Buffer(taking: try required(gst_buffer_new_memdup(jpeg, gsize(jpeg.count)), "no buffer")), into: "in")
        try decoder.end("in")
        return try #require(try decoder.pull()).frame
    }

    @Test("A page gets thumbnails of all inputs, hidden inputs included", arguments: ["svswitch", "svmixer"])
    func wanted(_ mixer: String) throws {
        let stage = try Stage(mixer: mixer)
        #expect(try stage.ask(true)["ok"] as? Bool == true)
        #expect(try stage.message("thumbnails")["on"] as? Bool == true)
        var seen: [String: TestFrame] = [:]
        while seen.count < 2 {
            let message = try stage.message("thumbnail")
            let frame = try decoded(message)
            // 320x240 fits into 160x90 as 120x90.
            #expect((frame.width, frame.height) == (120, 90))
            #expect(message["width"] as? Int == 120 && message["height"] as? Int == 90)
            seen[stage.name(message)] = frame
        }
        let (red, green) = (try #require(seen["sink_0"]).color(60, 45), try #require(seen["sink_1"]).color(60, 45))
        #expect(red.red > 200 && red.green < 60 && green.green > 200 && green.red < 60)
        let counts = try stage.count()
        #expect(counts.count == 2 && counts.values.allSatisfy { (1...12).contains($0) }, "\(counts)")
    }

    @Test("Without a page that wants thumbnails, nothing takes frames of the inputs")
    func idle() throws {
        let stage = try Stage()
        let before = try stage.probes()
        #expect(try stage.count().isEmpty)
        #expect(try stage.probes() == before)
        for closes in [false, true] {
            #expect(try stage.ask(true)["ok"] as? Bool == true)
            _ = try stage.message("thumbnail")
            #expect(try stage.probes() == before.map { $0 + 1 })
            // The end of a connection has the same effect as the request.
            if closes { try stage.reconnect() } else { _ = try stage.ask(false) }
            #expect(try eventually { try stage.probes() == before })
            // The first count can contain thumbnails from before the end.
            if !closes { _ = try stage.count() }
            #expect(try stage.count().isEmpty)
        }
    }

    /// A pipeline in which svoverlay really hides an object: a white ball that svblobdetect detects.
    private static let ball =
        "svblobdetect draw=false message=none ! "
        + "svoverlay name=o boxes=false outlines=false labels=false hide-style=black"

    /// Waits until frames at the page have, or do not have, the white ball.
    private func waits(_ stage: Stage, ballIsHidden: Bool) throws -> Bool {
        let probe = FrameProbe(try stage.pipeline.pad("w", "sink"))
        // White is 235 in video with limited range. 320x240 are the luma samples.
        return eventually {
            let last = probe.frames.suffix(5)
            return last.count == 5 && last.allSatisfy { ($0.bytes.prefix(320 * 240).max() ?? 0) < 100 } == ballIsHidden
        }
    }

    @Test("While svoverlay hides a detected object, no thumbnails come, and the page learns the reason")
    func hidden() throws {
        let stage = try Stage(after: "\(Self.ball) hide=blob", first: "ball")
        let overlay = try stage.pipeline.element("o")
        #expect(try waits(stage, ballIsHidden: true))
        let before = try stage.probes()
        #expect(try stage.ask(true)["ok"] as? Bool == true)
        let status = try stage.message("thumbnails")
        #expect(status["on"] as? Bool == false && (status["reason"] as? String)?.contains("svoverlay") == true)
        #expect(try stage.count().isEmpty)
        #expect(try stage.probes() == before)
        overlay.set("hide", value: NullText())
        #expect(try waits(stage, ballIsHidden: false))
        #expect(try stage.message("thumbnails")["on"] as? Bool == true)
        _ = try stage.message("thumbnail")
        // Hiding starts while thumbnails are sent.
        overlay.set("hide", "blob")
        #expect(try stage.message("thumbnails")["on"] as? Bool == false)
        #expect(try waits(stage, ballIsHidden: true))
        #expect(try stage.count().isEmpty)
        #expect(try stage.probes() == before)
    }

    @Test("The status of hiding changes if something was hidden in the meantime, or if elements were exchanged")
    func status() throws {
        let line = try pipeline("videotestsrc ! svoverlay name=o ! identity name=i ! fakesink")
        let overlay = try line.element("o")
        func status() -> HidingStatus { HidingStatus(of: line.handle.object) }
        var before = status()
        #expect(!before.isHiding)
        overlay.set("boxes", "false")
        #expect(status() == before)
        for name in ["hide", "blur-faces", "pixelate-faces"] {
            before = status()
            overlay.set(name, name == "hide" ? "face" : "true")
            #expect(status().isHiding)
            if name == "hide" { overlay.set(name, value: NullText()) } else { overlay.set(name, "false") }
            #expect(!status().isHiding && status() != before)
        }
        // An overlay that hides is added and removed.
        before = status()
        let other = try Handle(factory: "svoverlay", [("hide", "face")])
        gst_bin_add(line.handle.cast(to: GstBin.self), other.element)
        #expect(status().isHiding)
        gst_bin_remove(line.handle.cast(to: GstBin.self), other.element)
        #expect(!status().isHiding && status() != before)
    }

    @Test(
        "Each property that hides ends the thumbnails",
        arguments: [("hide", "person:Bob"), ("blur-faces", "true"), ("pixelate-faces", "true")])
    func properties(_ name: String, _ value: String) throws {
        // The overlay is not in the stream, because it would stop the stream without a face detector.
        let stage = try Stage(
            after: "tee name=t ! queue ! valve drop=true ! svoverlay name=o ! fakesink async=false t. ! queue")
        #expect(try stage.ask(true)["ok"] as? Bool == true)
        #expect(try stage.message("thumbnails")["on"] as? Bool == true)
        _ = try stage.message("thumbnail")
        try stage.pipeline.element("o").set(name, value)
        #expect(try stage.message("thumbnails")["on"] as? Bool == false)
        #expect(try stage.count().isEmpty)
    }

    @Test("An svoverlay that is added while the pipeline plays ends the thumbnails, also inside a bin")
    func added() throws {
        let stage = try Stage()
        #expect(try stage.ask(true)["ok"] as? Bool == true)
        _ = try stage.message("thumbnail")
        let bin = try required(gst_bin_new("inner"), "no bin")
        let overlay = try required(gst_element_factory_make("svoverlay", nil), "no svoverlay")
        gst_util_set_object_arg(UnsafeMutableRawPointer(overlay).assumingMemoryBound(to: GObject.self), "hide", "face")
        gst_bin_add(UnsafeMutableRawPointer(bin).assumingMemoryBound(to: GstBin.self), overlay)
        gst_bin_add(stage.pipeline.handle.cast(to: GstBin.self), bin)
        #expect(try stage.message("thumbnails")["on"] as? Bool == false)
        #expect(try stage.count().isEmpty)
    }

    @Test("thumbnails=true shows what svoverlay hides; thumbnails=false and control=false refuse thumbnails")
    func property() throws {
        let forced = try Stage("thumbnails=true", after: "\(Self.ball) hide=blob", first: "ball")
        #expect(try waits(forced, ballIsHidden: true))
        #expect(try forced.ask(true)["ok"] as? Bool == true)
        #expect(try forced.message("thumbnails")["on"] as? Bool == true)
        _ = try forced.message("thumbnail")
        for properties in ["thumbnails=false", "control=false"] {
            let stage = try Stage(properties)
            let reply = try stage.ask(true)
            #expect(reply["ok"] as? Bool == false)
            #expect((reply["reason"] as? String)?.contains(properties) == true)
            #expect(try stage.count().isEmpty)
        }
    }

    @Test(
        "The second page gets the status, and the end of the first page does not end the thumbnails of the second page")
    func pages() throws {
        let stage = try Stage(after: "\(Self.ball) hide=blob", first: "ball")
        #expect(try stage.ask(true)["ok"] as? Bool == true)
        #expect(try stage.message("thumbnails")["on"] as? Bool == false)
        let other = try Stage(second: stage)
        for _ in 0..<3 {
            #expect(try other.ask(true)["ok"] as? Bool == true)
            #expect(try other.message("thumbnails")["on"] as? Bool == false)
        }
        // Only the asking page gets the status, so the next status of the first page is the change.
        try stage.pipeline.element("o").set("hide", value: NullText())
        #expect(try stage.message("thumbnails")["on"] as? Bool == true)
        #expect(try stage.ask(false)["ok"] as? Bool == true)
        _ = try other.message("thumbnail")
        #expect(try other.count().count == 2)
    }
}
