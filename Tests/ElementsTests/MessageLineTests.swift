// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Foundation
import Imaging
import TestSupport
import Testing

@Suite("message-location")
struct MessageLineTests {
    private func lines(_ path: String) throws -> [[String: Any]] {
        let schema = try JSONSchema("message-lines.schema.json")
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
            // Each line of an element must match the schema.
            let error = try schema.error(in: Array(line.utf8))
            #expect(error == nil, "\(line)")
            #expect(try schema.error(in: Array(line.replacing("\"version\":1", with: "\"version\":2").utf8)) != nil)
            return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test("Each detector and classifier writes a line for each of its messages, with how many there are of each name")
    func elements() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("lines.jsonl")
        let source =
            "videotestsrc num-buffers=4 ! video/x-raw,format=BGRx,width=640,height=480,framerate=10/1 ! svtestscene "
        let training = #filePath.split(separator: "Tests/").first.map { "\($0)pipelines" } ?? ""
        let cases = [
            ("scene=coins seed=2 ! svblobdetect", "blob", 6),
            (
                "scene=coins seed=2 ! svblobdetect message=none ! svblobclassify training=\(training)/coins/training.plist",
                "coin", 6
            ),
            ("scene=faces count=1 seed=2 ! svfacedetect mode=sync", "face", 1),
            ("scene=logo seed=1 ! svlogodetect template=\(training)/logo.png mode=sync", "logo", 1),
            (
                "scene=people count=1 seed=2 ! svfacedetect mode=sync message=none ! svfacerecognize people=\(training)/people",
                "", 1
            ),
        ]
        for (line, name, maximum) in cases {
            try? FileManager.default.removeItem(atPath: path)
            let pipeline = try pipeline(
                "\(source) \(line) name=e message=every-frame message-location=\(path) ! fakesink")
            try pipeline.play()
            try pipeline.finish()
            pipeline.set(GST_STATE_NULL)
            let objects = try lines(path).filter { $0["objects"] != nil }
            #expect(objects.count == 4, "\(line)")
            for (index, frame) in objects.enumerated() {
                #expect(frame["element"] as? String == "e")
                #expect(frame["timestamp"] as? Int == index * 100_000_000)
                #expect((frame["resolution"] as? [String: Int]) == ["width": 640, "height": 480])
                let things = try #require(frame["objects"] as? [[String: Any]])
                let counts = try #require(frame["counts"] as? [String: Int])
                #expect(frame["count"] as? Int == things.count && things.count <= maximum)
                #expect(counts.values.reduce(0, +) == things.count)
                #expect(
                    counts.keys.allSatisfy { name.isEmpty || $0.contains(name) || $0.contains("bean") },
                    "\(line): \(counts)")
            }
            #expect(objects.contains { ($0["count"] as? Int ?? 0) > 0 }, "\(line)")
        }
    }

    @Test("Lines follow the messages' policy, and the property while it plays")
    func policy() throws {
        let folder = try TemporaryFolder()
        let coins = try DrawnCoins.of(4)
        let paths = [folder.file("a"), folder.file("b")]
        let harness = try Harness("svblobdetect", [("message-location", paths[0])], like: coins.picture)
        for number in 0..<3 { _ = try harness.process(coins.picture, at: UInt64(number) * 40_000_000) }
        harness.element.set("message", "none")
        _ = try harness.process(
            TestFrame(.bgra, coins.picture.width, coins.picture.height, color: Color(gray: 200)), at: 120_000_000)
        harness.element.set("message-location", paths[1])
        var number: UInt64 = 3
        func show() throws {
            number += 1
            _ = try harness.process(coins.picture, at: number * 40_000_000)
        }
        // A background thread opens the file while the stream plays.
        #expect(
            try eventually {
                try show()
                return FileManager.default.fileExists(atPath: paths[1])
            })
        let first = try lines(paths[0])
        #expect(first.count == 1 && first.first?["count"] as? Int == 4)
        harness.element.set("message", "every-frame")
        let last = number
        #expect(
            try eventually {
                try show()
                return try !lines(paths[1]).isEmpty
            })
        gst_element_set_state(harness.element.element, GST_STATE_NULL)
        // The element may have written the first messages to the old file.
        #expect(try lines(paths[0]).count - 1 + lines(paths[1]).count == Int(number - last))
    }

    @Test("What has happened is a line, too")
    func events() throws {
        let folder = try TemporaryFolder()
        let coins = try DrawnCoins.of(1)
        let line = try pipeline(
            "appsrc name=in format=time caps=\(coins.picture.caps()) ! svblobdetect ! svblobclassify name=c learn-label=\"my coin\" "
                + "message-location=\(folder.file("lines")) ! fakesink")
        try line.play()
        for number in 0..<60 { try line.push(coins.picture, into: "in", at: UInt64(number) * 40_000_000) }
        try line.end("in")
        try line.finish()
        line.set(GST_STATE_NULL)
        let event = try #require(try lines(folder.file("lines")).first { $0["event"] != nil })
        #expect(event["event"] as? String == "learned" && event["label"] as? String == "my coin")
        #expect(event["element"] as? String == "c" && event["pictures"] as? Int == 1)
    }

    @Test("A place that cannot be written is an error at start")
    func wrong() throws {
        let line = try pipeline(
            "videotestsrc num-buffers=2 ! svblobdetect name=b message-location=/no/such/folder/x ! fakesink")
        #expect(line.set(GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(line.bus.pending(GST_MESSAGE_ERROR).first)
        #expect(error.text == "cannot write \"/no/such/folder/x\": no such folder")
        #expect(error.isError(GST_RESOURCE_ERROR_OPEN_WRITE))
    }
}
