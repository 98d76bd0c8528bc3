// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Elements
import Foundation
import Imaging
import TestSupport
import Testing

/// Tests of svurisrc in pipelines.
@Suite("svurisrc", .serialized)
struct URISourceTests {
    private func line(_ properties: String, _ rest: String = "video/x-raw,format=BGRx ! ") throws -> Pipeline {
        try pipeline(
            "svurisrc name=camera \(properties) ! \(rest)appsink name=out sync=false max-buffers=500 drop=true")
    }

    /// Waits for the next frame of this size.
    private func frame(_ width: Int, _ height: Int, of line: Pipeline) throws -> Sample {
        while true {
            let sample = try #require(try line.pull(), "the stream has ended")
            if sample.frame.width == width, sample.frame.height == height { return sample }
        }
    }

    /// Waits for a message of the element.
    private func event(_ name: String, of line: Pipeline) throws -> String {
        while true {
            let message = try #require(line.bus.wait(GST_MESSAGE_ELEMENT), "there is no message \(name)")
            if message.structure.hasPrefix("svurisrc,"), message.structure.contains("event=(string)\(name)") {
                return message.structure
            }
        }
    }

    private func timedStop(_ line: Pipeline) -> Duration { ContinuousClock().measure { line.set(GST_STATE_NULL) } }

    /// Returns a port on which no program listens.
    private func freePort() throws -> UInt16 { try FakeCamera().port }

    // MARK: - Without a camera

    @Test("An absent camera gives cards, one warning and no error")
    func absent() throws {
        let line = try line("uri=http://127.0.0.1:\(try freePort())/ card-width=320 card-height=180 card-framerate=50")
        try line.play()
        let warning = try #require(line.bus.wait(GST_MESSAGE_WARNING))
        #expect(warning.isError(GST_RESOURCE_ERROR_OPEN_READ) && warning.text.contains("connection refused"))
        var last: UInt64?
        for _ in 0..<20 {
            let sample = try #require(try line.pull())
            #expect(sample.frame.width == 320 && sample.frame.height == 180)
            if let last { #expect(sample.pts > last) }
            last = sample.pts
        }
        #expect(try line.element("camera").text("status") == "lost")
        #expect(line.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("The card has the size and the rate that the next elements ask for")
    func negotiated() throws {
        let line = try line(
            "uri=http://127.0.0.1:\(try freePort())/", "video/x-raw,format=BGRx,width=200,height=100,framerate=30/1 ! ")
        try line.play()
        let first = try #require(try line.pull())
        #expect(first.frame.width == 200 && first.frame.height == 100)
        // The text and the camera symbol in the centre have several colours. The corner has the background colour.
        #expect(Set((0..<200).map { first.frame.color($0, 60) }).count > 4)
        #expect(first.frame.color(2, 2).luma < 40)
    }

    @Test(
        "With on-loss=nothing and with last-frame nothing comes before the first frame",
        arguments: ["nothing", "last-frame"])
    func silence(_ policy: String) throws {
        let line = try line("uri=http://127.0.0.1:\(try freePort())/ on-loss=\(policy)")
        try line.play()
        #expect(try event("lost", of: line).contains("reason=(string)refused"))
        let sink = try line.element("out").cast(to: GstAppSink.self)
        #expect(gst_app_sink_try_pull_sample(sink, 100 * GstClockTime(GStreamer.millisecond)) == nil)
        #expect(timedStop(line) < .seconds(10))
    }

    @Test("A camera that never answers is lost, and does not hold up a stop")
    func frozenFromTheStart() throws {
        let camera = try FakeCamera()
        camera.behaviour = .isFrozen
        let line = try line("uri=\(camera.uri) timeout=100000000")
        try line.play()
        #expect(try event("lost", of: line).contains("reason=(string)no-answer"))
        _ = try line.pull()
        #expect(timedStop(line) < .seconds(10))
        camera.behaviour = .plays
        try line.play()
        _ = try frame(64, 48, of: line)
    }

    @Test("Many connections by HTTP that are closed at the same time do no harm")
    func closings() throws {
        let camera = try FakeCamera()
        camera.behaviour = .isFrozen
        let lines = try (0..<4).map { _ in try line("uri=\(camera.uri) on-loss=nothing") }
        for round in 0..<20 {
            for line in lines { line.set(GST_STATE_PLAYING) }
            // Some lines are closed while they connect, and some while no data arrives.
            g_usleep(UInt(round) * 1000)
            for line in lines { line.set(GST_STATE_NULL) }
        }
    }

    @Test("A wrong password is named, and is no error")
    func password() throws {
        let camera = try FakeCamera()
        camera.behaviour = .refusesPassword
        let line = try line("uri=http://user:wrong@127.0.0.1:\(camera.port)/camera")
        try line.play()
        #expect(try event("lost", of: line).contains("reason=(string)unauthorized"))
        #expect(line.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }

    // MARK: - With a camera that is lost

    @Test("A loss is one warning and one info message")
    func messages() throws {
        let camera = try FakeCamera()
        let line = try line("uri=\(camera.uri)")
        try line.play()
        _ = try frame(64, 48, of: line)
        camera.drop()
        let warning = try #require(line.bus.wait(GST_MESSAGE_WARNING))
        #expect(warning.isError(GST_RESOURCE_ERROR_READ))
        #expect(warning.text.contains("127.0.0.1:\(camera.port)"))
        let info = try #require(line.bus.wait(GST_MESSAGE_INFO))
        #expect(info.text.contains("again after"))
    }

    @Test("With on-loss=last-frame the last frame is repeated")
    func lastFrame() throws {
        let camera = try FakeCamera()
        let line = try line("uri=\(camera.uri) on-loss=last-frame timeout=200000000", "video/x-raw,format=BGRx ! ")
        try line.play()
        let first = try frame(64, 48, of: line)
        camera.behaviour = .isFrozen
        _ = try event("lost", of: line)
        while try line.pullNow() != nil {}
        for _ in 0..<3 {
            let sample = try #require(try line.pull())
            try expectEqual(sample.frame, first.frame)
        }
    }

    @Test("Some broken images are skipped, and the stream continues")
    func someBroken() throws {
        let camera = try FakeCamera()
        let line = try line("uri=\(camera.uri)")
        try line.play()
        let first = try frame(64, 48, of: line)
        camera.behaviour = .sendsSomeBrokenImages
        for _ in 0..<20 { try expectEqual(try frame(64, 48, of: line).frame, first.frame) }
        #expect(try line.element("camera").text("status") == "playing")
        #expect(line.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("Only broken images are a loss with its own reason, and whole images end the loss")
    func allBroken() throws {
        let camera = try FakeCamera()
        let line = try line("uri=\(camera.uri) timeout=500000000 on-loss=last-frame")
        try line.play()
        _ = try frame(64, 48, of: line)
        camera.behaviour = .sendsBrokenImages
        let warning = try #require(line.bus.wait(GST_MESSAGE_WARNING))
        #expect(warning.text.contains("the camera sends broken frames"))
        camera.behaviour = .plays
        _ = try event("back", of: line)
        #expect(line.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }

    // MARK: - Cameras of this machine

    @Test("A missing camera of this machine is one warning with the path, and cards appear")
    func missingDevice() throws {
        let line = try line("uri=v4l2:///dev/no-such-camera card-width=320 card-height=180 camera-controls=gain=5")
        try line.play()
        let warning = try #require(line.bus.wait(GST_MESSAGE_WARNING))
        #expect(warning.text.hasPrefix("no frames from /dev/no-such-camera: no camera at this path."))
        _ = try frame(320, 180, of: line)
        #expect(line.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR).isEmpty)
        #expect(timedStop(line) < .seconds(10))
    }

    @Test(
        "Malformed settings of a camera are errors",
        arguments: ["camera-controls=gain", "camera-controls=\"gain=x\"", "camera-caps=\"a/b,=\""])
    func malformedCamera(_ setting: String) throws {
        let line = try line("uri=v4l2:///dev/video0 \(setting)")
        #expect(line.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
        #expect(error.text.contains("is malformed") && error.isError(GST_LIBRARY_ERROR_SETTINGS))
    }

    @Test("Fifty losses leave no threads and no open files behind")
    func leaks() throws {
        let camera = try FakeCamera()
        let line = try line("uri=\(camera.uri) on-loss=nothing reconnect-interval=10000000")
        func count(_ folder: String) -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count) ?? 0
        }
        try line.play()
        _ = try frame(64, 48, of: line)
        var before = (threads: 0, files: 0)
        for round in 0..<50 {
            if round == 10 { before = (count("task"), count("fd")) }
            camera.drop()
            _ = try event("back", of: line)
        }
        // Other tests may run at the same time.
        #expect(try eventually { count("task") <= before.threads + 20 && count("fd") <= before.files + 20 })
        #expect(line.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }

    // MARK: - Files and settings

    @Test("A file is played to its end")
    func file() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("film.mkv")
        let writer = try pipeline(
            "videotestsrc num-buffers=10 ! video/x-raw,width=64,height=48,framerate=50/1 ! jpegenc ! matroskamux ! filesink location=\(path)"
        )
        try writer.play()
        try writer.finish()
        let line = try line("uri=file://\(path)")
        try line.play()
        #expect(try line.pullAll().count == 10)
    }

    @Test("Passwords cannot be read")
    func secrets() throws {
        let line = try line("uri=rtsp://user:hush@camera/path?x=1 user-pw=secret")
        let camera = try line.element("camera")
        #expect(camera.text("uri") == "rtsp://user@camera/path?x=1")
        #expect(camera.text("user-pw") == "")
    }

    @Test(
        "What cannot be played is an error at the start",
        arguments: [
            ("", "uri is not set"), ("uri=camera", "uri is malformed"),
            ("uri=nosuch://camera/", "no installed element reads"),
            ("uri=rtsp://user@camera/ password-file=/nonexistent/file", "cannot read the password file"),
        ])
    func refused(_ properties: String, _ text: String) throws {
        let line = try line(properties)
        #expect(line.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
        #expect(error.text.contains(text))
    }

    @Test("The source is live, and its latency is that of RTSP")
    func latency() throws {
        let line = try line("uri=rtsp://127.0.0.1:\(try freePort())/ latency=300000000")
        #expect(line.set(GST_STATE_PAUSED) == GST_STATE_CHANGE_NO_PREROLL)
        let query = gst_query_new_latency()
        defer { gst_query_unref(query) }
        #expect(gst_element_query(try line.element("camera").element, query) != 0)
        var (isLive, minimum, maximum) = (gboolean(0), GstClockTime(0), GstClockTime(0))
        gst_query_parse_latency(query, &isLive, &minimum, &maximum)
        #expect(isLive != 0 && minimum == 300_000_000)
    }
}
