// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Foundation
import Imaging
import TestSupport
import Testing

/// A pipeline with svwebsink, and the address of its page.
private struct Shown {
    let pipeline: Pipeline
    let port: Int

    /// - Parameter source: the description of the pipeline before the sink, which is named `s`.
    init(_ source: String, _ properties: String = "") throws {
        pipeline = try ElementsTests.pipeline("\(source) ! svwebsink name=s key=k port=0 \(properties)")
        try pipeline.play()
        let fields = try #require(pipeline.bus.wait(GST_MESSAGE_ELEMENT).flatMap { Fields($0.structure) })
        #expect(fields.name == "svwebsink")
        port = try #require(fields.int("port"))
        #expect(fields.text("url") == "http://127.0.0.1:\(port)/?key=k")
    }

    /// The name of the pipeline.
    var name: String { pipeline.handle.text("name") ?? "" }

    func page() throws -> WebClient {
        let page = try WebClient(port, patience: 30)
        #expect(try page.open() == 101)
        return page
    }

    /// Returns a request to set the property `red` of the svtint element `tint`.
    func request(_ id: Int, red: Double) -> String {
        #"{"type":"set","id":\#(id),"element":"\#(name)/tint","name":"red","value":\#(red)}"#
    }

    func reachesPlaying() -> Bool {
        gst_element_get_state(pipeline.handle.element, nil, nil, GStreamer.patience) == GST_STATE_CHANGE_SUCCESS
    }
}

extension WebClient {
    /// Returns the next message of a type.
    fileprivate func message(_ type: String) throws -> [String: Any] {
        while true {
            let frame = try frame()
            if frame.opcode == 2 { say("{\"type\":\"ack\",\"frame\":\(frame.number)}") }
            guard frame.opcode == 1 else { continue }
            let message = try JSONSerialization.jsonObject(with: Data(frame.data)) as? [String: Any]
            if let message, message["type"] as? String == type { return message }
        }
    }

    /// Returns the next frame, decoded by GStreamer, and acknowledges it.
    fileprivate func picture() throws -> (number: UInt32, frame: TestFrame) {
        let frame = try frame(2)
        say("{\"type\":\"ack\",\"frame\":\(frame.number)}")
        let decoder = try Pipeline(
            "appsrc name=in format=time caps=image/jpeg ! jpegdec ! videoconvert ! video/x-raw,format=RGB ! appsink name=out sync=false"
        )
        try decoder.play()
        let jpeg = Array(frame.data[16...])
        try decoder.push(
            Buffer(taking: try required(gst_buffer_new_memdup(jpeg, gsize(jpeg.count)), "no buffer")), into: "in")
        try decoder.end("in")
        return (frame.number, try #require(try decoder.pull()).frame)
    }
}

/// Tests of svwebsink in pipelines.
@Suite struct WebSinkTests {
    private static let red = "videotestsrc is-live=true pattern=solid-color foreground-color=0xffff0000"
    private static let live = red + " ! video/x-raw,framerate=30/1,width=64,height=48"

    @Test(arguments: ["format=RGB", "format=I420", "format=BGRA", "format=GRAY8", "format=v210", "format=Y444_16LE"])
    func framesOfEveryFormatReachThePage(_ format: String) throws {
        let shown = try Shown("\(Self.live),\(format)")
        let page = try shown.page()
        let first = try page.picture()
        let second = try page.picture()
        #expect(second.number > first.number)
        #expect((second.frame.width, second.frame.height) == (64, 48))
        let pixel = Array(second.frame.bytes.prefix(3))
        if format == "format=GRAY8" {
            #expect(Set(pixel).count == 1)
        } else {
            #expect(pixel[0] > 225 && pixel[1] < 30 && pixel[2] < 30, "\(pixel)")
        }
    }

    @Test func jpegReachesThePageAsItIs() throws {
        let shown = try Shown("\(Self.live) ! jpegenc quality=30 ! tee name=t ! queue ! fakesink t. ! queue")
        let picture = try shown.page().picture()
        #expect(picture.frame.bytes[0] > 200)
        let png = try WebClient(shown.port, patience: 30).ask("/picture.png?key=k")
        #expect(png.status == 200 && png.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }

    @Test func aPausedPipelineShowsItsFrame() throws {
        let source = "videotestsrc num-buffers=3 ! video/x-raw,width=32,height=32"
        let pipeline = try ElementsTests.pipeline("\(source) ! svwebsink name=s key=k port=0")
        try pipeline.reach(GST_STATE_PAUSED)
        let fields = try #require(pipeline.bus.wait(GST_MESSAGE_ELEMENT).flatMap { Fields($0.structure) })
        let page = try WebClient(try #require(fields.int("port")), patience: 30)
        #expect(try page.open() == 101)
        #expect(try page.picture().number == 1)
        try pipeline.play()
        try pipeline.finish()
        #expect(try page.picture().number >= 2)
        // If a page opens after the end of the stream, it gets the last frame.
        let late = try WebClient(try #require(fields.int("port")), patience: 30)
        #expect(try late.open() == 101)
        #expect(try late.picture().number == 3)
    }

    @Test func theAddressIsTold() throws {
        let pipeline = try ElementsTests.pipeline("\(Self.live) ! svwebsink name=s port=0 address=127.0.0.1")
        try pipeline.play()
        let info = try #require(pipeline.bus.wait(GST_MESSAGE_INFO))
        let url: String = try #require(try pipeline.element("s").get("url"))
        #expect(info.text == url && info.details.hasSuffix("svwebsink: \(url)"))
        // The key has 128 bits.
        #expect(url.contains(#/^http:\/\/127\.0\.0\.1:\d+\/\?key=[0-9a-f]{32}$/#))
        try pipeline.reach(GST_STATE_NULL)
        #expect(try pipeline.element("s").text("url") == nil)
    }

    @Test func aPortInUseIsNamed() throws {
        let first = try Shown(Self.live)
        let second = try ElementsTests.pipeline("\(Self.live) ! svwebsink port=\(first.port)")
        #expect(second.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(second.bus.wait(GST_MESSAGE_ERROR))
        #expect(
            error.isError(GST_RESOURCE_ERROR_BUSY) && error.text.contains("port \(first.port) of 127.0.0.1 is in use"))
        let elsewhere = try ElementsTests.pipeline("\(Self.live) ! svwebsink port=0 address=192.0.2.1")
        #expect(elsewhere.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        #expect(elsewhere.bus.wait(GST_MESSAGE_ERROR)?.isError(GST_LIBRARY_ERROR_SETTINGS) == true)
    }

    @Test func statesChangeAHundredTimes() throws {
        let shown = try Shown(Self.live, "upload-location=none")
        for round in 0..<100 {
            let state = [GST_STATE_NULL, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_PLAYING][round % 4]
            shown.pipeline.set(state)
            if round % 5 == 0 { _ = shown.reachesPlaying() }
        }
        try shown.pipeline.reach(GST_STATE_PLAYING)
        #expect(shown.pipeline.bus.pending(GST_MESSAGE_ERROR, GST_MESSAGE_WARNING).map(\.text) == [])
        let url: String = try #require(try shown.pipeline.element("s").get("url"))
        let port = try #require(url.firstMatch(of: #/:(\d+)\//#).flatMap { Int($0.1) })
        let page = try WebClient(port, patience: 30)
        #expect(try page.open() == 101)
        #expect(try page.picture().frame.bytes[0] > 200)
    }

    @Test func pagesSteerAndSeeWhatOthersDo() throws {
        let shown = try Shown("\(Self.live) ! svtint name=tint")
        let (one, other) = (try shown.page(), try shown.page())
        let hello = try one.message("hello")
        #expect(hello["control"] as? Bool == true && hello["protocol"] as? Int == 1)
        let elements = try one.message("pipeline")["elements"] as? [[String: Any]]
        #expect(elements?.first?["id"] as? String == shown.name)
        _ = try other.message("pipeline")
        let id = "\(shown.name)/tint"
        one.say("{\"type\":\"set\",\"id\":1,\"element\":\"\(id)\",\"name\":\"red\",\"value\":0}")
        #expect(try one.message("reply")["ok"] as? Bool == true)
        let change = try other.message("property")
        #expect(change["name"] as? String == "red" && change["value"] as? Double == 0)
        #expect(try shown.pipeline.element("tint").get("red", as: Double.self) == 0)
        #expect(try eventually { try one.picture().frame.bytes[0] < 30 })
        one.say("{\"type\":\"set\",\"id\":2,\"element\":\"\(id)\",\"name\":\"red\",\"value\":99}")
        let refusal = try one.message("reply")
        #expect(refusal["ok"] as? Bool == false && refusal["id"] as? Int == 2)
        // Requests can contain the end of an ID, but messages contain full IDs.
        one.say("{\"type\":\"set\",\"id\":3,\"element\":\"tint\",\"name\":\"red\",\"value\":2}")
        #expect(try one.message("reply")["ok"] as? Bool == true)
        #expect(try other.message("property")["element"] as? String == id)
    }

    @Test func keysReachTheElements() throws {
        let shown = try Shown("\(Self.live) ! identity name=i ! svtint")
        let page = try shown.page()
        page.say("{\"type\":\"key\",\"event\":\"press\",\"key\":\"space\",\"id\":1}")
        page.say("{\"type\":\"pointer\",\"event\":\"press\",\"x\":3,\"y\":4,\"id\":2}")
        page.say("{\"type\":\"pointer\",\"event\":\"dance\",\"x\":3,\"y\":4,\"id\":3}")
        let refusal = try page.message("reply")
        #expect(
            refusal["id"] as? Int == 3
                && refusal["reason"] as? String == "pointer: event must be press, release, move or scroll")
    }

    @Test func moreRequestsThanMayWaitAreRefused() throws {
        let shown = try Shown("\(Self.live) ! svtint name=tint")
        let page = try shown.page()
        _ = try page.message("pipeline")
        let tint = try shown.pipeline.element("tint")
        // Create the requests first. The name of the pipeline must not be read while the element is locked. A thread
        // that handles a message may hold the lock of the pipeline and wait for the lock of the element.
        let requests = (0..<300).map { shown.request($0, red: 0.5) }
        // All threads that search for the element wait for this lock.
        g_mutex_lock(&tint.element.pointee.object.lock)
        for request in requests { page.say(request) }
        let refusals = Result { try (0..<44).map { _ in try page.message("reply") } }
        g_mutex_unlock(&tint.element.pointee.object.lock)
        #expect(try refusals.get().map { $0["id"] as? Int } == Array(256..<300))
        #expect(try refusals.get().allSatisfy { $0["reason"] as? String == "too many requests wait for an answer" })
        for id in 0..<256 {
            let reply = try page.message("reply")
            #expect(reply["id"] as? Int == id && reply["ok"] as? Bool == true)
        }
    }

    @Test("Files are listed with their kinds, but not to a page with control=false", arguments: [true, false])
    func fileNames(_ control: Bool) throws {
        let folder = try TemporaryFolder()
        for name in ["letter.txt", "photo.jpg", "face.xml"] { _ = try folder.write([1], name) }
        let shown = try Shown(Self.live, "upload-location=\(folder.path) control=\(control)")
        let page = try shown.page()
        if control {
            let files = try #require(try page.message("files")["files"] as? [[String: Any]])
            #expect(files.map { $0["name"] as? String } == ["face.xml", "letter.txt", "photo.jpg"])
            #expect(files.map { $0["kind"] as? String } == ["cascade", nil, "image"])
        } else {
            // The second of these messages comes after all initial messages for the page.
            var texts: [String] = []
            while texts.filter({ $0.contains("\"stats\"") }).count < 2 {
                let frame = try page.frame()
                if frame.opcode == 1 { texts.append(frame.text) }
            }
            #expect(texts.allSatisfy { !$0.contains("letter") && !$0.contains(folder.path) }, "\(texts)")
        }
    }

    @Test("The page is not told the key")
    func key() throws {
        let shown = try Shown(Self.live)
        let page = try shown.page()
        let sink = try JSONSerialization.data(withJSONObject: try page.message("pipeline"))
        #expect(!String(decoding: sink, as: UTF8.self).contains("key=k"))
    }

    @Test func aMereScreenTakesNothing() throws {
        let shown = try Shown("\(Self.live) ! svtint name=tint", "control=false")
        let page = try shown.page()
        #expect(try page.message("hello")["control"] as? Bool == false)
        page.say("{\"type\":\"set\",\"id\":1,\"element\":\"\(shown.name)/tint\",\"name\":\"red\",\"value\":0}")
        #expect(
            try page.message("reply")["reason"] as? String
                == "the page cannot control the pipeline, because control=false")
        #expect(try WebClient(shown.port).ask("/uploads/a?key=k", method: "PUT", body: [1]).status == 403)
        #expect(try shown.pipeline.element("tint").get("red", as: Double.self) == 1)
    }
}
