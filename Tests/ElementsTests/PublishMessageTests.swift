// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
@testable import Elements
import Foundation
import Imaging
import TestSupport
import Testing

/// Tests of svpublish's messages about metadata that was attached to a buffer. With `SWIFTVISION_FULL=1`, there are
/// 10,000 messages.
@Suite("Messages of svpublish")
struct PublishMessageTests {
    private static let count = ProcessInfo.processInfo.environment["SWIFTVISION_FULL"] == nil ? 250 : 10_000
    private static let schema = "svpublish.schema.json"

    /// Random metadata.
    private struct Metadata {
        var random: Random

        mutating func number(_ below: Int) -> Int { Int(random.next() % UInt64(below)) }
        mutating func isSo() -> Bool { number(2) == 0 }

        mutating func text(isLong: Bool = false) -> String {
            let hostile = [
                "", "face", "\"", "\\", "\\\"", "a\nb\r\n", "\t\u{1}\u{1F}\u{7F}\u{85}\u{9F}", "\u{2028}\u{2029}",
                "</script>", "{}[]:,",
                "żółć 猫 🐈‍⬛", "\u{202E}abc", "\u{FFFD}", "\u{10FFFF}", "null", "x", "id", "detection", "landmarks",
                "a|b|#|c",
            ]
            if isLong { return String(repeating: hostile[number(hostile.count - 1) + 1], count: 1 << 18) }
            guard number(4) == 0 else { return hostile[number(hostile.count)] }
            // Bytes that are not UTF-8 are repaired.
            return String(decoding: (0..<number(40)).map { _ in max(1, random.byte()) }, as: UTF8.self)
        }

        mutating func real() -> Double {
            let odd = [
                0, -0.0, 1, 0.5, 1e-9, -1e-7, 1e300, -1e300, .infinity, .nan, .greatestFiniteMagnitude, 5e-324,
                123456.789,
            ]
            return isSo() ? odd[number(odd.count)] : Double(random.next() >> 11) / Double(1 << 53)
        }

        mutating func int() -> Int32 { isSo() ? Int32(number(5)) : Int32(truncatingIfNeeded: random.next()) }

        mutating func classification() -> Classification {
            let names = ["person", "smile", "left_eye", "blob-class", "species", "x", "roi_type"]
            return Classification(
                name: names[number(names.count)], attributeName: isSo() ? text() : nil, label: text(), labelID: int(),
                confidence: isSo() ? real() : nil, modelName: isSo() ? text() : nil, distance: isSo() ? real() : nil,
                confirmations: isSo() ? int() : nil)
        }

        mutating func detection(_ id: Int, in size: PixelSize, isLong: Bool) -> Detection {
            let box = Rectangle(
                x: number(size.width + 40) - 20, y: number(size.height + 40) - 20, width: 1 + number(100),
                height: 1 + number(100))
            var detection = Detection(
                type: ["face", "blob", "cat-face", "a \"kind\"\n", "żółć"][number(5)], id: Int32(id), box: box,
                label: text(isLong: isLong), labelID: int(), confidence: isSo() ? real() : nil)
            if isSo() { detection.parent = Int32(number(3)) - 1 }
            if isSo() { detection.alternative = .catFace }
            func place(_ random: inout Metadata) -> Point { Point(random.real() * 100, random.real() * 100) }
            if isSo() {
                detection.landmarks = FaceLandmarks(
                    leftEye: place(&self), rightEye: place(&self), nose: place(&self), mouthLeft: place(&self),
                    mouthRight: place(&self), isLeftEyeFound: isSo(), isRightEyeFound: isSo(), isMouthFound: isSo())
                if isSo() { detection.landmarks?.closedEyes = ClosedEyes(left: isSo(), right: isSo()) }
                if isSo() { detection.landmarks?.pose = HeadPose(roll: real(), yaw: real(), pitch: real()) }
            }
            if isSo() {
                let corners = (0..<3 + number(20)).map { _ in place(&self) }
                detection.outline = Outline(
                    corners: corners, area: real(), color: Color(argb: UInt32(truncatingIfNeeded: random.next())))
            }
            detection.classifications = (0..<number(4)).map { _ in classification() }
            return detection
        }
    }

    private func message(
        _ detections: [Detection], _ settings: PublishSettings = PublishSettings(),
        size: PixelSize = PixelSize(width: 640, height: 480),
        at pts: UInt64 = 0
    ) throws -> [UInt8] {
        var writer = try FrameMessage(settings)
        return writer.bytes(detections, at: try time(pts), size: size, number: 7)
    }

    private func time(_ pts: UInt64) throws -> FrameTime {
        let buffer = Buffer(taking: try required(gst_buffer_new(), "no buffer"))
        buffer.pointer.pointee.pts = GstClockTime(pts)
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        return FrameTime(buffer.pointer, segment: segment)
    }

    @Test("Whatever metadata there are, the message is one line of valid UTF-8 and of the schema")
    func random() throws {
        _ = GStreamer.isReady
        let schema = try JSONSchema(Self.schema)
        var metadata = Metadata(random: Random(seed: 22))
        var settings = PublishSettings()
        (settings.source, settings.tags) = ("cam \"1\"\n", "{\"site\":\"lab\",\"n\":[1,2.5,null,true]}")
        var writers = [try FrameMessage(PublishSettings()), try FrameMessage(settings)]
        var found = 0
        for number in 0..<Self.count {
            let size = PixelSize(width: 1 + metadata.number(2000), height: 1 + metadata.number(2000))
            let buffer = Buffer(taking: try required(gst_buffer_new(), "no buffer"))
            let detections = (0..<metadata.number(5)).map {
                metadata.detection($0 + 1, in: size, isLong: number % 200 == 199 && $0 == 0)
            }
            let meta = DetectionMeta(buffer: buffer.pointer, size: size)
            meta.attach(detections)
            let carried = meta.detections(truth: false)
            found += carried.count
            let pts = metadata.isSo() ? UInt64(metadata.number(1 << 50)) : .max
            let bytes = writers[number % 2].bytes(carried, at: try time(pts), size: size, number: UInt64(number))
            #expect(bytes.allSatisfy { $0 >= 0x20 }, "\(number)")
            let error = try schema.error(in: bytes)
            #expect(error == nil, "\(number): \(String(decoding: bytes.prefix(4000), as: UTF8.self))")
            if error != nil { break }
        }
        #expect(found > Self.count / 2)
    }

    @Test(
        "The schema takes members that it does not know, and no others than described for those that it knows",
        arguments: [
            ("\"count\":0", ""), ("\"version\":1", "\"version\":2"), ("\"version\":1", ""), ("\"objects\":[]", ""),
            ("\"objects\":[]", "\"objects\":[{}]"), ("\"objects\":[]", "\"objects\":{}"),
            ("\"width\":1", "\"width\":1.5"),
            ("\"width\":1", "\"width\":true"), ("\"width\":1", "\"width\":-1"),
        ]) func strict(_ member: String, _ replacement: String) throws
    {
        let good =
            "{\"resolution\":{\"width\":1,\"height\":1},\"objects\":[],\"count\":0,\"counts\":{},\"version\":1}"
        let bad = good.replacing(member, with: replacement).replacing("},,", with: "},").replacing(",,", with: ",")
            .replacing(",}", with: "}")
        let schema = try JSONSchema(Self.schema)
        #expect(try schema.error(in: Array(good.utf8)) == nil)
        #expect(try schema.error(in: Array(good.replacing("{\"res", with: "{\"more\":[],\"res").utf8)) == nil)
        #expect(try schema.error(in: Array(bad.utf8)) != nil)
    }

    @Test("A message counts its objects, by the names that they were given or else their labels")
    func counts() throws {
        var face = Detection(type: .face, id: 1, box: Rectangle(x: 1, y: 2, width: 3, height: 4), label: "face")
        let stranger = face
        face.classifications = [Classification(name: "person", label: "anna")]
        let value = try JSONSerialization.jsonObject(with: Data(try message([face, stranger, face]))) as? [String: Any]
        #expect(value?["count"] as? Int == 3 && value?["counts"] as? [String: Int] == ["anna": 2, "face": 1])
        #expect(value?["version"] as? Int == 1)
    }

    /// Returns the only object of a message.
    private func object(_ detection: Detection) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(try message([detection]))) as? [String: Any]
        return try #require((value?["objects"] as? [[String: Any]])?.first)
    }

    @Test("An answer that is called as the object's own members, or as an earlier answer, is left out")
    func names() throws {
        var face = Detection(type: .face, id: 3, box: Rectangle(x: 1, y: 2, width: 3, height: 4))
        face.classifications = ["x", "detection", "smile", "smile"].enumerated().map {
            Classification(name: "question\($0)", attributeName: $1, label: "answer\($0)")
        }
        let object = try object(face)
        #expect(object["x"] as? Int == 1)
        #expect((object["detection"] as? [String: Any])?["label"] as? String == "face")
        #expect((object["smile"] as? [String: Any])?["label"] as? String == "answer2")
        let text = String(decoding: try message([face]), as: UTF8.self)
        #expect(
            text.components(separatedBy: "\"smile\"").count == 2 && text.components(separatedBy: "\"x\"").count == 2)
    }

    @Test("Each answer has a model, without which readers of DL Streamer leave it out")
    func models() throws {
        var face = Detection(type: .face, id: 3, box: Rectangle(x: 1, y: 2, width: 3, height: 4))
        face.classifications = [
            Classification(name: "smile", label: "smiling"),
            Classification(name: "person", label: "anna", modelName: "lbph"),
        ]
        let object = try object(face)
        for (name, model) in [("smile", "smile"), ("person", "lbph")] {
            #expect(((object[name] as? [String: Any])?["model"] as? [String: Any])?["name"] as? String == model)
        }
    }

    /// A message must not keep the writer's memory, because queues only count the bytes of messages.
    @Test("A small message after a large one takes little memory")
    func memory() throws {
        var writer = try FrameMessage(PublishSettings())
        func bytes(_ label: String) throws -> [UInt8] {
            let face = Detection(type: .face, id: 3, box: Rectangle(x: 1, y: 2, width: 3, height: 4), label: label)
            return writer.bytes([face], at: try time(0), size: PixelSize(width: 640, height: 480), number: 1)
        }
        let large = try bytes(String(repeating: "x", count: 1 << 20))
        let small = try bytes("x")
        #expect(large.count > 1 << 20 && small.count < 500)
        #expect(small.capacity < 1000)
    }

    @Test("schema=deepstream has the members and texts of nvmsgconv's minimal form")
    func deepstream() throws {
        var settings = PublishSettings()
        settings.schema = .deepstream
        var face = Detection(
            type: .face, id: 957, box: Rectangle(x: 18, y: 15, width: 10, height: 20), label: "a|b", confidence: 0.8)
        let plain = face
        face.classifications = [
            Classification(name: "person", label: "anna"), Classification(name: "smile", label: "no \"smile\""),
        ]
        var unsure = face
        (unsure.confidence, unsure.label) = (nil, "face")
        func read() throws -> [String: Any] {
            let value = try JSONSerialization.jsonObject(with: Data(try message([plain, face, unsure], settings)))
            return try #require(value as? [String: Any])
        }
        let table = try read()
        #expect(table.keys.sorted() == ["@timestamp", "id", "objects", "sensorId", "version"])
        #expect(table["version"] as? String == "4.0" && table["id"] as? Int == 7 && table["sensorId"] as? String == "0")
        let time = try #require(table["@timestamp"] as? String)
        #expect(time.range(of: #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"#, options: .regularExpression) != nil)
        #expect(
            table["objects"] as? [String] == [
                "957|18|15|28|35|a/b", "957|18|15|28|35|a/b|#|anna|no \"smile\"|0.8",
                "957|18|15|28|35|face|#|anna|no \"smile\"|-0.1",
            ])
        settings.source = "cam1"
        #expect(try read()["sensorId"] as? String == "cam1")
    }
}
