// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Foundation
import Imaging
import TestSupport
import Testing

/// Recordings and uploads of svwebsink.
@Suite struct WebRecordingTests {
    private static func message(_ page: WebClient, _ type: String) throws -> [String: Any] {
        while true {
            let frame = try page.frame(1)
            let message = try JSONSerialization.jsonObject(with: Data(frame.data)) as? [String: Any]
            if let message, message["type"] as? String == type { return message }
        }
    }

    /// Starts a pipeline; returns it and its port.
    private static func start(_ source: String, _ properties: String) throws -> (Pipeline, Int) {
        let pipeline = try pipeline("\(source) ! svwebsink name=s key=k port=0 \(properties)")
        try pipeline.play()
        let fields = try #require(pipeline.bus.wait(GST_MESSAGE_ELEMENT).flatMap { Fields($0.structure) })
        return (pipeline, try #require(fields.int("port")))
    }

    @Test(arguments: [("", Stamps.all), (" ! jpegenc", .all), ("", .someMissing)])
    func everyFrameIsRecordedWithItsTime(_ coding: String, _ stamps: Stamps) throws {
        let folder = try TemporaryFolder()
        // 51x33: the recording is even. A fifth of the frames are missing, where timestamps tell which.
        let (pipeline, port) = try Self.start(
            "appsrc name=in is-live=true format=time caps=video/x-raw,format=RGB,width=51,height=33,framerate=25/1\(coding)",
            "upload-location=\(folder.path) sync=false")
        let page = try WebClient(port, patience: 30)
        #expect(try page.open() == 101)
        page.say("{\"type\":\"record\",\"id\":1,\"on\":true}")
        #expect(try Self.message(page, "reply")["reason"] as? String == "there is nothing to record yet")
        let frame = TestFrame(.rgb, 51, 33, seed: 3)
        func push(_ number: Int) throws {
            try pipeline.push(frame.buffer(at: stamps.timestamp(of: number), duration: nil), into: "in")
        }
        try push(0)
        _ = try page.frame(2)
        page.say("{\"type\":\"record\",\"id\":2,\"on\":true}")
        #expect(try Self.message(page, "reply")["ok"] as? Bool == true)
        // The page never shows a frame: the recording does not mind.
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
        // Version 1.26's decoder ends the program when it gives so small a frame that it has decoded into the next element's.
        let player = try ElementsTests.pipeline(
            "filesrc location=\(path) ! qtdemux ! h264parse ! avdec_h264 direct-rendering=false ! videoconvert ! video/x-raw,format=RGB ! appsink name=out sync=false"
        )
        try player.play()
        let times = try player.pullAll().map { Int(($0.pts + 500_000) / GStreamer.millisecond) }
        #expect(times == numbers.map { ($0 - 1) * 40 })
        // It stays, for the folder is the user's.
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
        _ = try page.frame(2)
        page.say("{\"type\":\"record\",\"id\":1,\"on\":true}")
        let name = try #require(try Self.message(page, "recording")["name"] as? String)
        usleep(500_000)
        try pipeline.reach(GST_STATE_NULL)
        let player = try ElementsTests.pipeline(
            "filesrc location=\(folder.file(name)) ! decodebin ! videoconvert ! video/x-raw,format=RGB ! appsink name=out sync=false"
        )
        try player.play()
        let frames = try player.pullAll()
        #expect(frames.count >= 2)
        #expect(frames.allSatisfy { $0.frame.width == width && $0.frame.height == height })
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
}
