// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Foundation
import Imaging
import TestSupport
import Testing

@Suite("svzones")
struct ZonesTests {
    private static let frame = TestFrame(.bgra, 200, 100, color: Color(gray: 90))
    private static let room = "room: 0.5,0 1,0 1,1 0.5,1"
    private static let gate = "gate: 0.5,0 -> 0.5,1"

    private static func harness(_ properties: [(String, String)]) throws -> Harness {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        return try Harness("svzones", [("draw", "false"), ("settle", "100000000")] + properties, like: frame)
    }

    /// Pushes a frame with 20 x 40 pixels for each object. The anchor is the middle of the lower edge.
    @discardableResult
    private static func push(
        _ objects: [(type: Detection.Kind, id: Int32, x: Int, y: Int)], _ number: Int, into harness: Harness
    ) throws -> Buffer {
        let detections = objects.map {
            Detection(type: $0.type, id: $0.id, box: Rectangle(x: $0.x - 10, y: $0.y - 40, width: 20, height: 40))
        }
        let buffer = try frame.buffer(with: detections, at: UInt64(number) * 100_000_000)
        return try harness.process(giving: buffer.reference)
    }

    /// Moves an object with the ID 1 in steps of 10 pixels, and returns the next frame number.
    private static func walk(
        _ type: Detection.Kind = "person", from start: Int, to end: Int, _ number: Int = 0, in harness: Harness
    ) throws -> Int {
        var number = number
        for x in stride(from: start, through: end, by: end > start ? 10 : -10) {
            try push([(type, 1, x, 80)], number, into: harness)
            number += 1
        }
        return number
    }

    private static func events(_ harness: Harness) -> [Fields] {
        harness.bus.pending(GST_MESSAGE_ELEMENT).compactMap { Fields($0.structure) }.filter { $0.name == "svzones" }
    }

    // MARK: - Events

    @Test("Messages contain the event, the zone, the object and the times")
    func messages() throws {
        let harness = try Self.harness([("zones", "\(Self.room); \(Self.gate)"), ("dwell", "500000000")])
        let number = try Self.walk(from: 50, to: 150, in: harness)
        _ = try Self.walk(from: 150, to: 50, number, in: harness)
        let events = Self.events(harness)
        #expect(
            events.map { $0.text("event") } == [
                "enter", "cross", "occupancy", "dwell", "leave", "cross", "occupancy",
            ])
        #expect(events.map { $0.text("zone") } == ["room", "gate", "room", "room", "room", "gate", "room"])
        #expect(events.allSatisfy { $0.text("label") == "person" })
        #expect(events.map { $0.int("id") } == [1, 1, nil, 1, 1, 1, nil])
        // The line goes down, so its left side is on the right of the screen.
        #expect(events.compactMap { $0.text("direction") } == ["backward", "forward"])
        #expect(events.compactMap { $0.int("count") } == [1, 0] && events.compactMap { $0.int("total") } == [1, 0])
        #expect(events.allSatisfy { $0.uint64("running-time") == $0.uint64("timestamp") && $0.uint64("number") != nil })
        let text = try #require(harness.element.text("counts"))
        #expect(
            text == #"{"room":{"count":0,"counts":{},"entered":{"person":1},"left":{"person":1}},"#
                + #""gate":{"forward":{"person":1},"backward":{"person":1}}}"#)
        harness.element.emit("reset")
        try Self.push([], 90, into: harness)
        #expect(harness.element.text("counts")?.contains("\"person\"") == false)
    }

    @Test("Lines of JSON contain each event, and match the schema")
    func lines() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("lines")
        let harness = try Self.harness([("zones", Self.room), ("message-location", path), ("events", "enter+leave")])
        let number = try Self.walk(from: 50, to: 150, in: harness)
        // The object disappears. The default of lost-time is one second.
        for step in 0..<12 { try Self.push([], number + step, into: harness) }
        harness.stop()
        let schema = try JSONSchema("message-lines.schema.json")
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines { #expect(try schema.error(in: Array(line.utf8)) == nil) }
        let tables = try lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(tables.map { $0["event"] as? String } == ["enter", "leave"])
        #expect(tables.map { $0["number"] as? Int } == [1, 2])
        // The object crosses the border at the frame 5, and enters at the frame 7.
        #expect(tables[0]["timestamp"] as? Int == 700_000_000 && tables[0]["delay"] as? Int == 200_000_000)
        #expect(tables[1]["lost"] as? Bool == true && tables[1]["duration"] as? Int == 500_000_000)
    }

    @Test("By default, truth and possible faces do not count; labels= selects types, labels and names")
    func labels() throws {
        func counted(_ labels: String) throws -> Int {
            let harness = try Self.harness([("zones", Self.room), ("labels", labels), ("settle", "0")])
            try Self.push(
                [
                    ("face", 1, 150, 80), ("possible-face", 2, 160, 80), ("truth/person", 3, 170, 80),
                    ("cat-face", 4, 140, 80),
                ], 0, into: harness)
            return Self.events(harness).count { $0.text("event") == "enter" }
        }
        #expect(try counted("none") == 2)
        #expect(try counted("face") == 1)
        #expect(try counted("Face, cat-face") == 2)
        #expect(try counted("possible-face") == 1 - 1)
        #expect(try counted("truth/person") == 1)
        #expect(try counted("person") == 0)
    }

    @Test("Regions of other vendors: the ID of the track counts, not the number of the region")
    func foreign() throws {
        let harness = try Self.harness([("zones", Self.gate)])
        for step in 0..<12 {
            let buffer = try Self.frame.buffer(at: UInt64(step) * 100_000_000)
            try buffer.addRegion(
                "car", id: Int32(1000 + step), [UInt32(40 + 10 * step), 40, 20, 40],
                parameter: "object_id, id=(int)7;")
            _ = try harness.process(giving: buffer.reference)
        }
        let crossings = Self.events(harness).filter { $0.text("event") == "cross" }
        #expect(crossings.map { $0.int("id") } == [7] && crossings.first?.text("label") == "car")
    }

    @Test("The anchor is a property")
    func anchors() throws {
        // The box covers x 90–110 and y 40–80 of a frame with 200 x 100 pixels.
        for (anchor, zone) in [
            ("bottom", "a: 0.45,0.75 0.55,0.75 0.55,0.85 0.45,0.85"),
            ("top", "a: 0.45,0.35 0.55,0.35 0.55,0.45 0.45,0.45"),
            ("center", "a: 0.45,0.55 0.55,0.55 0.55,0.65 0.45,0.65"), ("left", "a: 0.4,0.5 0.5,0.5 0.5,0.7 0.4,0.7"),
            ("right", "a: 0.5,0.5 0.6,0.5 0.6,0.7 0.5,0.7"),
        ] {
            for other in ["bottom", "top", "center", "left", "right"] {
                let harness = try Self.harness([("zones", zone), ("anchor", other), ("settle", "0")])
                try Self.push([("face", 1, 100, 80)], 0, into: harness)
                #expect(Self.events(harness).isEmpty == (anchor != other), "\(anchor), \(other)")
            }
        }
    }

    /// Limits the visible part of a frame.
    private static func crop(_ buffer: Buffer, from x: UInt32, width: UInt32) throws {
        let crop = try #require(
            UnsafeMutableRawPointer(
                gst_buffer_add_meta(buffer.pointer, gst_video_crop_meta_get_info(), nil))?.assumingMemoryBound(
                    to: GstVideoCropMeta.self))
        (crop.pointee.x, crop.pointee.y, crop.pointee.width, crop.pointee.height) = (x, 0, width, 100)
    }

    @Test("A change of the visible size is no movement")
    func newCrop() throws {
        let harness = try Self.harness([("zones", Self.gate), ("settle", "0")])
        for number in 0..<10 {
            let buffer = try Self.frame.buffer(at: UInt64(number) * 100_000_000)
            // The object does not move. Without the crop, the gate is at x = 100, and with the crop, at x = 125.
            if number >= 5 { try Self.crop(buffer, from: 50, width: 150) }
            try buffer.addRegion("face", id: 3, [100, 20, 20, 20])
            _ = try harness.process(giving: buffer.reference)
        }
        #expect(Self.events(harness).isEmpty)
    }

    @Test("Events of objects without an ID have the names of these objects, and no ID")
    func untracked() throws {
        let harness = try Self.harness([("zones", Self.room), ("settle", "0")])
        let buffer = try Self.frame.buffer(at: 0)
        for (name, x) in [("Ada", 20), ("Bob", 150)] as [(String, UInt32)] {
            try buffer.addRegion("face", id: 0, [x, 20, 20, 20], parameter: "person, label=(string)\(name);")
        }
        _ = try harness.process(giving: buffer.reference)
        let enter = Self.events(harness).filter { $0.text("event") == "enter" }
        #expect(enter.map { $0.text("name") } == ["Bob"] && enter.map { $0.int("id") } == [nil])
    }

    @Test("Zones that are set after a time without zones do not continue old paths")
    func laterZones() throws {
        let harness = try Self.harness([("zones", Self.room), ("settle", "0")])
        try Self.push([("face", 1, 50, 80)], 0, into: harness)
        harness.element.set("zones", "none")
        try Self.push([("face", 1, 100, 80)], 1, into: harness)
        harness.element.set("zones", Self.room)
        for number in 2..<5 { try Self.push([("face", 1, 150, 80)], number, into: harness) }
        let enter = Self.events(harness).filter { $0.text("event") == "enter" }
        // The object enters at its first position. Without a path, there is no earlier crossing of the border.
        #expect(enter.map { $0.uint64("delay") } == [0])
    }

    @Test("If no object has one of the labels, but a detector works, svzones posts no warning")
    func otherLabels() throws {
        let harness = try Self.harness([("zones", Self.room), ("labels", "cup")])
        for number in 0..<40 {
            let buffer = try Self.frame.buffer(at: UInt64(number) * 100_000_000)
            try buffer.addRegion("car", id: 7, [40, 40, 20, 40])
            _ = try harness.process(giving: buffer.reference)
        }
        #expect(harness.bus.pending(GST_MESSAGE_WARNING).isEmpty)
    }

    @Test("With a crop, zones are fractions of the visible part")
    func crop() throws {
        let harness = try Self.harness([("zones", Self.room), ("settle", "0")])
        let buffer = try Self.frame.buffer(at: 0)
        var (offset, stride) = ([gsize(0)], [gint(800)])
        gst_buffer_add_video_meta_full(
            buffer.pointer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_BGRA, 200, 100, 1, &offset, &stride)
        try Self.crop(buffer, from: 0, width: 100)
        // In the whole frame, this box is in the left half. In the visible part, the box is in the right half.
        try buffer.addRegion("face", id: 3, [60, 20, 20, 20])
        _ = try harness.process(giving: buffer.reference)
        #expect(Self.events(harness).contains { $0.text("event") == "enter" })
    }

    // MARK: - Zones

    @Test("A malformed text is an error at the start; later, it is a warning, and the old zones stay")
    func malformed() throws {
        let line = try pipeline("videotestsrc num-buffers=1 ! svzones zones=\"door 0,0\" ! fakesink")
        line.set(GST_STATE_PLAYING)
        let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
        #expect(error.text.hasPrefix("zones, at character 1: \":\" is missing"))
        // At the start, there are no previous zones.
        #expect(!error.text.contains("do not change"))
        line.set(GST_STATE_NULL)

        let harness = try Self.harness([("zones", Self.room), ("settle", "0")])
        harness.element.set("zones", "x: 0,0 2,0")
        try Self.push([("face", 1, 150, 80)], 0, into: harness)
        #expect(harness.element.text("zones") == Self.room)
        let messages = harness.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ELEMENT)
        #expect(messages.contains { $0.text == "zones, at character 8: 2 is outside 0–1. The zones do not change." })
        #expect(messages.contains { $0.structure.contains("enter") })
    }

    @Test("A file with zones is read again after a change, and a malformed file keeps the old zones")
    func file() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("zones.json")
        func write(_ text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }
        try write(#"{"zones": [{"name": "first", "area": [[0, 0], [1, 0], [1, 1], [0, 1]]}]}"#)
        // With a file, `zones` has no effect, not even if the text is malformed.
        let harness = try Self.harness([("zones", "x: 0,0"), ("zones-location", path)])
        try Self.push([], 0, into: harness)
        #expect(harness.element.text("counts")?.hasPrefix("{\"first\":") == true)
        #expect(harness.element.text("active-zones") == "first: 0,0 1,0 1,1 0,1")
        /// Pushes frames until the condition is true.
        func wait(_ condition: () -> Bool) throws -> Bool {
            for number in 1..<400 {
                try Self.push([], number, into: harness)
                if condition() { return true }
                Thread.sleep(forTimeInterval: 0.02)
            }
            return false
        }
        try write(#"{"zones": [{"name": "first", "area": [[0, 0], [1, 0]]}]}"#)
        var warning: String?
        #expect(
            try wait {
                warning = harness.bus.pending(GST_MESSAGE_WARNING).map(\.text).first { $0.contains("zone 1") }
                return warning != nil
            })
        #expect(warning?.contains("zone 1: the area \"first\" has fewer than 3 corners") == true)
        #expect(warning?.hasSuffix("The zones do not change.") == true)
        let line = try pipeline("videotestsrc num-buffers=1 ! svzones zones-location=\(path) ! fakesink")
        line.set(GST_STATE_PLAYING)
        let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
        #expect(error.text.contains("zone 1") && !error.text.contains("do not change"))
        line.set(GST_STATE_NULL)
        #expect(harness.element.text("counts")?.hasPrefix("{\"first\":") == true)
        try write(#"{"zones": [{"name": "second", "line": [[0, 0], [1, 1]]}]}"#)
        #expect(try wait { harness.element.text("counts")?.hasPrefix("{\"second\":") == true })
        harness.element.set("zones", Self.room)
        harness.element.set("zones-location", "none")
        #expect(try wait { harness.element.text("counts")?.hasPrefix("{\"room\":") == true })
        #expect(harness.element.text("active-zones") == Self.room)
    }

    // MARK: - Metadata

    @Test("The metadata contains the zones, the events and the zones of each object, also after a converter")
    func metadata() throws {
        let harness = try Self.harness([("zones", "\(Self.room); all: 0,0 1,0 1,1 0,1"), ("settle", "0")])
        let buffer = try Self.push([("face", 4, 150, 80), ("cup", 5, 30, 80)], 0, into: harness)
        func check(_ buffer: Buffer) throws {
            let mark = try #require(SearchMark.on(buffer.pointer))
            #expect(mark.zones.counts == [ZoneCount(name: "room", count: 1), ZoneCount(name: "all", count: 2)])
            #expect(
                mark.zones.events.map(\.event) == ["enter", "enter", "enter", "occupancy", "occupancy", "occupancy"])
            #expect(mark.zones.events.map(\.id) == [4, 4, 5, nil, nil, nil])
            let zones = buffer.detections(200, 100).map { $0.classifications.first { $0.name == "zone" }?.label }
            #expect(zones == ["room,all", "all"])
        }
        try check(buffer)
        let line = try pipeline(
            "appsrc name=in format=time caps=\(Self.frame.caps()) ! videoconvert ! video/x-raw,format=I420 "
                + "! appsink name=out sync=false")
        try line.play()
        try line.push(buffer, into: "in")
        let (converted, _, _) = try #require(try line.pullBuffer())
        #expect(converted.regions.allSatisfy { $0.params == nil })
        try check(converted)
    }

    @Test("A second svzones adds its zones and events, and the classification keeps other parameters")
    func two() throws {
        let first = try Self.harness([("zones", Self.room), ("settle", "0")])
        let second = try Self.harness([("zones", "hall: 0,0 1,0 1,1 0,1"), ("settle", "0")])
        let buffer = try Self.push([("face", 4, 150, 80)], 0, into: first)
        let result = try second.process(giving: buffer.reference)
        let mark = try #require(SearchMark.on(result.pointer))
        #expect(mark.zones.counts.map(\.name) == ["room", "hall"])
        #expect(mark.zones.events.map(\.zone) == ["room", "room", "hall", "hall"])
        let detection = try #require(result.detections(200, 100).first)
        #expect(detection.label == "face" && detection.classifications.map(\.name) == ["zone"])
    }

    @Test("svpublish publishes zones, and each frame with events, for each value of when=")
    func publish() throws {
        let folder = try TemporaryFolder()
        for when in ["objects", "on-change", "interval interval=10000000000", "every-frame"] {
            let path = folder.file("out-\(when.prefix(8))")
            let line = try pipeline(
                "appsrc name=in format=time caps=\(Self.frame.caps()) ! svzones draw=false settle=100000000 "
                    + "zones=\"\(Self.room)\" ! svpublish file-path=\(path) when=\(when) ! fakesink sync=false async=false"
            )
            try line.play()
            for step in 0..<12 {
                let buffer = try Self.frame.buffer(at: UInt64(step) * 100_000_000)
                try buffer.addRegion(
                    "face", id: 3, [UInt32(40 + 10 * step), 40, 20, 40],
                    parameter: "detection, label=(string)face, confidence=(double)0.5;")
                try line.push(buffer, into: "in")
            }
            try line.end("in")
            try line.finish()
            line.set(GST_STATE_NULL)
            let schema = try JSONSchema("svpublish.schema.json")
            var events: [[String: Any]] = []
            for text in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
                #expect(try schema.error(in: Array(text.utf8)) == nil, "\(text)")
                let table = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
                let zones = try #require(table["zones"] as? [String: Int])
                let found = try #require(table["events"] as? [[String: Any]])
                events += found
                if !found.isEmpty { #expect(zones == ["room": 1]) }
            }
            #expect(events.map { $0["event"] as? String } == ["enter", "occupancy"], "\(when)")
            #expect(events.first?["zone"] as? String == "room" && events.first?["id"] as? Int == 3)
        }
    }

    // MARK: - Life

    @Test("A flush forgets positions, and the counters stay")
    func flush() throws {
        let harness = try Self.harness([("zones", Self.gate)])
        _ = try Self.walk(from: 50, to: 90, in: harness)
        harness.flush()
        harness.startSegment(at: 0, streamTime: 0)
        _ = try Self.walk(from: 110, to: 150, in: harness)
        #expect(Self.events(harness).isEmpty)
        _ = try Self.walk(from: 150, to: 50, 10, in: harness)
        #expect(harness.element.text("counts") == #"{"gate":{"forward":{"person":1},"backward":{}}}"#)
        harness.flush()
        harness.startSegment(at: 0, streamTime: 0)
        try Self.push([], 0, into: harness)
        #expect(harness.element.text("counts") == #"{"gate":{"forward":{"person":1},"backward":{}}}"#)
    }

    @Test("Without zones, frames pass unchanged; with draw=false, pixels do not change")
    func unchanged() throws {
        for zones in ["none", Self.room] {
            let harness = try Self.harness([("zones", zones)])
            #expect(try harness.shown(Self.push([("face", 1, 150, 80)], 0, into: harness)) == Self.frame)
        }
        let drawing = try Self.harness([("zones", Self.room), ("draw", "true")])
        let frame = try drawing.shown(Self.push([("face", 1, 150, 80)], 0, into: drawing))
        // The area is translucent blue. The left quarter of the frame does not change.
        #expect(frame.color(120, 50).blue > frame.color(120, 50).red)
        #expect(frame.color(20, 90) == Self.frame.color(20, 90))
    }

    @Test("The heat map appears where objects have been, and reset clears the heat map")
    func heatmap() throws {
        let harness = try Self.harness([("heatmap", "true")])
        var frame = Self.frame
        for number in 0..<30 { frame = try harness.shown(Self.push([("face", 1, 150, 80)], number, into: harness)) }
        #expect(frame.color(150, 79).red > Self.frame.color(150, 79).red + 30)
        #expect(frame.color(20, 20) == Self.frame.color(20, 20))
        harness.element.emit("reset")
        for number in 30..<34 { frame = try harness.shown(Self.push([], number, into: harness)) }
        #expect(frame == Self.frame)
    }
}
