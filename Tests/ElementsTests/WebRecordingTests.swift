// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Foundation
import Imaging
import TestSupport
import Testing

/// Tests of recordings and uploads of svwebsink.
@Suite struct WebRecordingTests {
    private static func message(_ page: WebClient, _ type: String) throws -> [String: Any] {
        while true {
            let frame = try page.frame(1)
            let message = try JSONSerialization.jsonObject(with: Data(frame.data)) as? [String: Any]
            if let message, message["type"] as? String == type { return message }
        }
    }

    /// Starts a pipeline. Returns the pipeline and its port.
    private static func start(_ source: String, _ properties: String) throws -> (Pipeline, Int) {
        let pipeline = try pipeline("\(source) ! svwebsink name=s key=k port=0 \(properties)")
        try pipeline.play()
        let fields = try #require(pipeline.bus.wait(GST_MESSAGE_ELEMENT).flatMap { Fields($0.structure) })
        return (pipeline, try #require(fields.int("port")))
    }

    @Test(arguments: [("", Stamps.all), (" ! jpegenc", .all), ("", .someMissing)])
    func everyFrameIsRecordedWithItsTime(_ coding: String, _ stamps: Stamps) throws {
        let folder = try TemporaryFolder()
        // The size is 51x33, but the recording has an even size. If all frames have timestamps, every fifth frame is
        // missing.
        let (pipeline, port) = try Self.start(
            "appsrc name=in is-live=true format=time caps=video/x-raw,format=RGB,width=51,height=33,framerate=25/1\(coding)",
            "upload-location=\(folder.path) sync=false")
        let page = try WebClient(port, patience: 30)
        #expect(try page.open() == 101)
        page.say("{\"type\":\"record\",\"id\":1,\"on\":true}")
        #expect(try Self.message(page, "reply")["reason"] as? String == "no frame has arrived yet")
        let frame = TestFrame(.rgb, 51, 33, seed: 3)
        func push(_ number: Int) throws {
            try pipeline.push(frame.buffer(at: stamps.timestamp(of: number), duration: nil), into: "in")
        }
        try push(0)
        _ = try page.frame(2)
        page.say("{\"type\":\"record\",\"id\":2,\"on\":true}")
        #expect(try Self.message(page, "reply")["ok"] as? Bool == true)
        // The page does not acknowledge frames. This must not affect the recording.
        let numbers = (1...100).filter { stamps != .all || $0 % 5 != 0 }
        for number in numbers { try push(number) }
        try pipeline.end("in")
        try pipeline.finish()
        var done = try Self.message(page, "recording")
        while done["on"] as? Bool != false { done = try Self.message(page, "recording") }
        let address = try #require(done["address"] as? String)
        let file = try WebClient(port, patience: 30).ask("/\(address)?key=k")
        #expect(file.status == 200 && file.headers["content-disposition"]?.hasPrefix("attachment") == true)
        let path = folder.file("copy.mp4")
        try Data(file.body).write(to: URL(fileURLWithPath: path))
        // If direct rendering is on, the decoder of version 1.26 crashes with such small frames.
        let player = try ElementsTests.pipeline(
            "filesrc location=\(path) ! qtdemux ! h264parse ! avdec_h264 direct-rendering=false ! videoconvert ! video/x-raw,format=RGB ! appsink name=out sync=false"
        )
        try player.play()
        let times = try player.pullAll().map { Int(($0.pts + 500_000) / GStreamer.millisecond) }
        // The page gets a frame before the recorder does, so a recording can begin with the frame 0.
        let recorded = times.count > numbers.count ? [0] + numbers : numbers
        #expect(times == recorded.map { ($0 - recorded[0]) * 40 })
        // The file stays, because the folder belongs to the user.
        try pipeline.reach(GST_STATE_NULL)
        #expect(FileManager.default.fileExists(atPath: folder.path + "/" + address.dropFirst("recordings/".count)))
    }

    @Test(arguments: [("", 64, 48), (",pixel-aspect-ratio=128/117", 176, 144)])
    func aStopCompletesTheRecordingAndNoRowIsLost(_ shape: String, _ width: Int, _ height: Int) throws {
        let folder = try TemporaryFolder()
        let (pipeline, port) = try Self.start(
            "videotestsrc is-live=true ! video/x-raw,width=\(width),height=\(height),framerate=30/1\(shape)",
            "upload-location=\(folder.path)")
        let page = try WebClient(port, patience: 30)
        #expect(try page.open() == 101)
        var number = try page.frame(2).number
        page.say("{\"type\":\"record\",\"id\":1,\"on\":true}")
        let name = try #require(try Self.message(page, "recording")["name"] as? String)
        // The page gets another frame after it has acknowledged the last frame.
        for _ in 0..<6 {
            page.say("{\"type\":\"ack\",\"frame\":\(number)}")
            number = try page.frame(2).number
        }
        try pipeline.reach(GST_STATE_NULL)
        let player = try ElementsTests.pipeline(
            "filesrc location=\(folder.file(name)) ! decodebin ! videoconvert ! video/x-raw,format=RGB ! appsink name=out sync=false"
        )
        try player.play()
        let frames = try player.pullAll()
        #expect(frames.count >= 2)
        #expect(frames.allSatisfy { $0.frame.width == width && $0.frame.height == height })
    }

    /// Starts a pipeline that shows a first frame, opens a page, and starts a recording.
    /// - Returns: the pipeline, the page, and a function that shows another frame, 40 ms after the last frame.
    private static func recording(_ properties: String) throws -> (Pipeline, WebClient, show: () throws -> Void) {
        let (pipeline, port) = try start(
            "appsrc name=in is-live=true format=time caps=video/x-raw,format=RGB,width=64,height=48,framerate=25/1",
            "sync=false \(properties)")
        let page = try WebClient(port, patience: 30)
        #expect(try page.open() == 101)
        let frame = TestFrame(.rgb, 64, 48, seed: 3)
        var number: UInt64 = 0
        func show() throws {
            try pipeline.push(frame, into: "in", at: number * 40 * GStreamer.millisecond)
            number += 1
        }
        try show()
        _ = try page.frame(2)
        #expect(try record(page, on: true)["ok"] as? Bool == true)
        return (pipeline, page, show)
    }

    private static func record(_ page: WebClient, on: Bool) throws -> [String: Any] {
        page.say("{\"type\":\"record\",\"id\":1,\"on\":\(on)}")
        return try message(page, "reply")
    }

    /// Returns the number of frames in a file that can be played before the end or an error.
    private static func frames(_ path: String) throws -> Int {
        let player = try ElementsTests.pipeline(
            "filesrc location=\(path) ! qtdemux ! h264parse ! avdec_h264 direct-rendering=false ! videoconvert ! video/x-raw,format=RGB ! appsink name=out sync=false"
        )
        try player.play()
        return try player.pullAll().count
    }

    @Test("What a kill leaves of a recording plays, up to the last fragment")
    func whatAKillLeaves() throws {
        let folder = try TemporaryFolder()
        let (pipeline, _, show) = try Self.recording("upload-location=\(folder.path)")
        for _ in 0..<100 { try show() }
        // A copy of the file has the same content as the file would have after a kill. Fragments last half a second,
        // and the muxer keeps a frame back.
        let copy = folder.file("copy.mp4")
        let isThere = try eventually {
            guard let name = folder.names.first(where: { $0 != "copy.mp4" }) else { return false }
            try Data(contentsOf: URL(fileURLWithPath: folder.file(name))).write(to: URL(fileURLWithPath: copy))
            return try Self.frames(copy) >= 85
        }
        #expect(isThere)
        try pipeline.reach(GST_STATE_NULL)
    }

    @Test("The end of the stream comes after the end of the recording, which is then complete")
    func endOfStream() throws {
        let folder = try TemporaryFolder()
        let (pipeline, _, show) = try Self.recording("upload-location=\(folder.path)")
        for _ in 0..<60 { try show() }
        try pipeline.end("in")
        try pipeline.finish()
        let name = try #require(folder.names.first)
        // The file is an ordinary MP4 file without fragments.
        var rest = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))[...]
        var boxes: [String] = []
        while rest.count >= 16 {
            let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            boxes.append(String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self))
            let long = rest.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(size == 1 ? max(16, long) : max(8, size))
        }
        #expect(boxes.filter { $0 != "free" } == ["ftyp", "mdat", "moov"])
        #expect(try Self.frames(folder.file(name)) == 60)
    }

    @Test("A recording without frames leaves no file, and the next one begins as soon as the end is answered")
    func withoutFrames() throws {
        let folder = try TemporaryFolder()
        let (pipeline, page, show) = try Self.recording("upload-location=\(folder.path)")
        for _ in 0..<5 {
            #expect(try Self.record(page, on: false)["ok"] as? Bool == true)
            #expect(folder.names.isEmpty)
            #expect(try Self.record(page, on: true)["ok"] as? Bool == true)
        }
        for _ in 0..<3 { try show() }
        // If the request comes after the last frame, the last frame is shown.
        try pipeline.end("in")
        try pipeline.finish()
        #expect(try Self.frames(folder.file(try #require(folder.names.first))) == 3)
        #expect(folder.names.count == 1)
    }

    @Test("A disk that takes nothing ends the recording with a warning that says why, and the stream goes on")
    func failure() throws {
        let folder = try TemporaryFolder()
        let uploads = folder.file("uploads")
        let (pipeline, page, show) = try Self.recording("upload-location=\(uploads)")
        rmdir(uploads)
        for _ in 0..<30 { try show() }
        var done = try Self.message(page, "recording")
        while done["on"] as? Bool != false { done = try Self.message(page, "recording") }
        let reason = try #require(done["reason"] as? String)
        #expect(reason.hasPrefix("nothing was recorded: ") && done["address"] == nil)
        #expect(pipeline.bus.wait(GST_MESSAGE_WARNING)?.text.contains(reason) == true)
        try show()
        try pipeline.end("in")
        try pipeline.finish()
    }

    @Test("The sink's own folder stays after the stop if there is a recording in it")
    func ownFolder() throws {
        let (pipeline, page, show) = try Self.recording("")
        let url = try #require(try pipeline.element("s").text("url"))
        let port = try #require(url.firstMatch(of: #/:(\d+)\//#).flatMap { Int($0.1) })
        let upload = try WebClient(port).ask("/uploads/a.txt?key=k", method: "PUT", body: [1])
        #expect(upload.status == 201)
        var files: [[String: Any]] = []
        while files.isEmpty { files = try Self.message(page, "files")["files"] as? [[String: Any]] ?? [] }
        let folder = (try #require(files.first?["path"] as? String) as NSString).deletingLastPathComponent
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for _ in 0..<30 { try show() }
        try pipeline.end("in")
        try pipeline.finish()
        try pipeline.reach(GST_STATE_NULL)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == 1 && names[0].hasSuffix(".mp4"))
    }

    @Test func uploadsAreToldAndUsed() throws {
        let (pipeline, port) = try Self.start(
            "videotestsrc is-live=true ! video/x-raw,width=64,height=48 ! svblend name=blend", "")
        let page = try WebClient(port, patience: 30)
        #expect(try page.open() == 101)
        #expect((try Self.message(page, "files")["files"] as? [Any])?.isEmpty == true)
        let folder = try TemporaryFolder()
        let picture = try folder.write(opaqueForeground(24, 18, seed: 8), "picture.png")
        let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: picture)))
        let reply = try WebClient(port).ask("/uploads/my%20photo.png?key=k", method: "PUT", body: bytes)
        #expect(reply.status == 201)
        let file = try #require((try Self.message(page, "files")["files"] as? [[String: Any]])?.first)
        #expect(file["name"] as? String == "my photo.png" && file["bytes"] as? Int == bytes.count)
        let path = try #require(file["path"] as? String)
        let mode = try FileManager.default.attributesOfItem(atPath: (path as NSString).deletingLastPathComponent)
        #expect(mode[.posixPermissions] as? Int == 0o700)
        let id = "\(try #require(pipeline.handle.text("name")))/blend"
        page.say("{\"type\":\"set\",\"id\":1,\"element\":\"\(id)\",\"name\":\"location\",\"value\":\"\(path)\"}")
        #expect(try Self.message(page, "reply")["ok"] as? Bool == true)
        page.say("{\"type\":\"set\",\"id\":2,\"element\":\"\(id)\",\"name\":\"location\",\"value\":\"/etc/passwd\"}")
        #expect(try Self.message(page, "reply")["ok"] as? Bool == false)
        #expect(try pipeline.element("blend").text("location") == path)
        try pipeline.reach(GST_STATE_NULL)
        #expect(!FileManager.default.fileExists(atPath: (path as NSString).deletingLastPathComponent))
    }

    @Test("A page can read an earlier image in upload-location while the image is the partner of svfacemerge")
    func partnerImages() throws {
        let folder = try TemporaryFolder()
        let one = try folder.write(opaqueForeground(300, 300, seed: 8), "one.png")
        let other = try folder.write(opaqueForeground(300, 300, seed: 9), "other.png")
        let (pipeline, port) = try Self.start(
            "videotestsrc is-live=true ! video/x-raw,width=64,height=48 ! svfacemerge name=merge "
                + "partner-points=\"cat 110,120 190,120 150,165\" partner=\(one)",
            "upload-location=\(folder.path)")
        func status(_ path: String) throws -> Int {
            try WebClient(port).ask("/uploads/\((path as NSString).lastPathComponent)?key=k").status
        }
        #expect(try [one, other].map(status) == [200, 404])
        try pipeline.element("merge").set("partner", other)
        #expect(try [one, other].map(status) == [404, 200])
        try pipeline.reach(GST_STATE_NULL)
    }
}
