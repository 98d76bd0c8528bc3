// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import TestSupport
import Testing

@testable import Elements

@Suite("The trigger of svevents")
struct EventsTriggerTests {
    init() throws {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
    }

    private static func message(
        _ name: String, _ fields: [(name: String, value: JSONValue)] = [],
        objects: [[(name: String, value: JSONValue)]] = []
    ) -> ElementMessage {
        let list: [(name: String, value: JSONValue)] =
            objects.isEmpty ? [] : [("objects", .list(objects.map { .table($0) }))]
        return ElementMessage(name: name, source: "zones0", fields: .table(fields + list))
    }

    private static let entry = message(
        "svzones",
        [("event", .text("enter")), ("zone", .text("front door")), ("label", .text("face")), ("id", .whole(7))]
    )

    @Test(
        "All terms of an alternative must match",
        arguments: [
            ("event=enter", true), ("event=enter label=face", true), ("event=enter label=cat", false),
            ("zone=\"front door\"", true), ("zone=front", false), ("id=7", true), ("id=8", false),
            ("label=cat | event=enter", true), ("label=cat|event=leave", false), ("missing=1", false),
            ("name=svzones", true), ("name=other", false), ("element=zones0 id=7", true), ("element=zones1", false),
        ])
    func terms(_ text: String, _ expected: Bool) throws {
        #expect((try TriggerRule(text).match(Self.entry) != nil) == expected)
    }

    @Test("Terms refer to one object of a detection message")
    func objects() throws {
        let message = Self.message(
            "svfacerecognize", [("running-time", .count(5_000_000_000))],
            objects: [
                [("type", .text("face")), ("label", .text("face")), ("person", .text("Ben")), ("id", .whole(1))],
                [("type", .text("blob")), ("label", .text("blob")), ("person", .text("Ann")), ("id", .whole(2))],
            ])
        #expect(try TriggerRule("label=face person=Ann").match(message) == nil)
        #expect(try TriggerRule("label=face person=Ben").match(message)?.label == "Ben")
        #expect(try TriggerRule("type=blob").match(message)?.label == "blob")
        #expect(message.runningTime == 5 * .second)
    }

    @Test(
        "Messages about clips match only if the trigger asks for them",
        arguments: [
            ("label=face", false), ("element=zones0", false), ("label=face | zone=door", false),
            ("name=svevents", true), ("name=svevents label=face", true),
        ])
    func clipMessages(_ text: String, _ expected: Bool) throws {
        let message = Self.message("svevents", [("event", .text("clip-started")), ("label", .text("face"))])
        #expect((try TriggerRule(text).match(message) != nil) == expected)
    }

    @Test("Numbers and booleans are compared by value")
    func values() throws {
        let message = Self.message("m", [("a", .real(0.5)), ("b", .truth(true)), ("c", .count(9))])
        for text in ["a=0.5", "a=0.50", "b=true", "c=9"] { #expect(try TriggerRule(text).match(message) != nil) }
        for text in ["a=0.6", "b=false", "b=1", "c=x"] { #expect(try TriggerRule(text).match(message) == nil) }
    }

    @Test(
        "An error names the position of the wrong character",
        arguments: [
            ("", 0), ("event", 5), ("event=", 6), ("event=enter zone", 16), ("=door", 0), ("label=a | | b=1", 10),
            ("label=a |", 9), ("zone=\"door", 5), ("a=1 ; b=2", 4),
        ])
    func errors(_ text: String, _ position: Int) {
        let error = #expect(throws: TriggerRule.ParsingError.self) { try TriggerRule(text) }
        #expect(error?.position == position)
    }
}

/// A packet of a stream with a keyframe interval.
private struct Item: RingItem, Equatable {
    var time: Int64?
    var isKey = false
    var bytes = 10
}

@Suite("The packets in memory of svevents")
struct PacketRingTests {
    init() throws {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
    }

    /// 10 packets per second, with a keyframe each second.
    private static func ring(_ count: Int64, span: Int64, limit: Int = 1_000_000) -> (PacketRing<Item>, wasWhole: Bool)
    {
        var ring = PacketRing<Item>()
        var wasWhole = true
        for index in 0..<count {
            let isWhole = ring.append(
                Item(time: index * 100, isKey: index % 10 == 0), keeping: span, atMost: limit)
            wasWhole = wasWhole && isWhole
        }
        return (ring, wasWhole)
    }

    @Test("The ring keeps the span, and starts with a keyframe")
    func span() {
        // The newest packet is at 9800, so the span begins at 7400. The keyframe before is at 7000.
        var (ring, _) = Self.ring(99, span: 2400)
        #expect(ring.latest == 9800 && ring.earliest == 7000)
        #expect(ring.count == 29 && ring.bytes == 290)
        #expect(ring.items(from: 8350).first == Item(time: 8000, isKey: true))
        #expect(ring.items(from: 8350).count == 19)
        #expect(ring.items(from: 0).count == 29)
        ring.drop(before: 9100)
        #expect(ring.earliest == 9000 && ring.bytes == 90)
    }

    @Test("A ring that is too large removes whole groups, and reports the loss")
    func limit() {
        let (small, wasWhole) = Self.ring(99, span: 2400, limit: 150)
        #expect(!wasWhole && small.earliest == 9000 && small.bytes <= 150)
        let (tiny, _) = Self.ring(99, span: 2400, limit: 50)
        #expect(tiny.bytes == 0 && tiny.count == 0, "a group of 100 bytes does not fit")
        #expect(Self.ring(99, span: 2400).wasWhole)
    }

    @Test("An unlimited span keeps all items, also of negative times")
    func unlimited() {
        var ring = PacketRing<Item>()
        for time: Int64 in [-300, -200, -100, 0, 100] {
            _ = ring.append(Item(time: time, isKey: true), keeping: .max, atMost: 1000)
        }
        #expect(ring.count == 5)
    }

    @Test("Packets before the first keyframe are ignored")
    func start() {
        var ring = PacketRing<Item>()
        _ = ring.append(Item(time: 1), keeping: 10, atMost: 100)
        #expect(ring.count == 0 && ring.items(from: 0).isEmpty)
        _ = ring.append(Item(time: nil, isKey: true), keeping: 10, atMost: 100)
        #expect(ring.count == 0)
        _ = ring.append(Item(time: 2, isKey: true), keeping: 10, atMost: 100)
        _ = ring.append(Item(time: 3), keeping: 10, atMost: 100)
        #expect(ring.items(from: 99).map(\.time) == [2, 3])
    }
}
