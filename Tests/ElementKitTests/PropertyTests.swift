// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import TestSupport
import Testing

@Suite("Properties")
struct PropertyTests {
    @Test("A new element has the defaults of its Settings")
    func defaults() throws {
        let probe = try makeProbe()
        #expect(probe.get("on") == true)
        #expect(probe.get("level") == Int32(200))
        #expect(probe.get("count") == UInt32(12))
        #expect(probe.get("big") == Int64(-5_000_000_000))
        #expect(probe.get("huge") == UInt64(18_000_000_000_000_000_000))
        #expect(probe.get("delay") == UInt64(40_000_000))
        #expect(probe.get("ratio") == 0.25)
        #expect(probe.get("title") == "first")
        #expect(probe.text("subtitle") == nil)
        #expect(probe.text("shade") == "dark")
        #expect(probe.number("shade") == 7)
        #expect(probe.number("sides") == 5)
        #expect(probe.get("tint") == UInt32(0x8040_20FF))
    }

    @Test("Specifications tell range and default")
    func specifications() throws {
        let probe = try makeProbe()
        func spec<Spec>(_ name: String, _: Spec.Type) throws -> Spec {
            let spec = try #require(probe.spec(name))
            return UnsafeMutableRawPointer(spec).assumingMemoryBound(to: Spec.self).pointee
        }
        #expect(try spec("on", GParamSpecBoolean.self).default_value == 1)
        let level = try spec("level", GParamSpecInt.self)
        #expect([level.minimum, level.maximum, level.default_value] == [-1, 255, 200])
        let count = try spec("count", GParamSpecUInt.self)
        #expect([count.minimum, count.maximum, count.default_value] == [2, 20, 12])
        let big = try spec("big", GParamSpecInt64.self)
        #expect([big.minimum, big.maximum, big.default_value] == [-6_000_000_000, 0, -5_000_000_000])
        let huge = try spec("huge", GParamSpecUInt64.self)
        #expect([huge.minimum, huge.maximum, huge.default_value] == [1, .max - 1, 18_000_000_000_000_000_000])
        let delay = try spec("delay", GParamSpecUInt64.self)
        #expect([delay.minimum, delay.maximum, delay.default_value] == [1_000_000, 3_600_000_000_000, 40_000_000])
        let ratio = try spec("ratio", GParamSpecDouble.self)
        #expect([ratio.minimum, ratio.maximum, ratio.default_value] == [-1, 1, 0.25])
        #expect(try spec("title", GParamSpecString.self).default_value.map { String(cString: $0) } == "first")
        #expect(try spec("subtitle", GParamSpecString.self).default_value == nil)
        #expect(try spec("shade", GParamSpecEnum.self).default_value == 7)
        #expect(try spec("sides", GParamSpecFlags.self).default_value == 5)
        let tint = try spec("tint", GParamSpecUInt.self)
        #expect([tint.minimum, tint.maximum, tint.default_value] == [0, .max, 0x8040_20FF])
        let blurb = try #require(probe.spec("tint").flatMap { g_param_spec_get_blurb($0) })
        #expect(String(cString: blurb) == "A colour (big-endian ARGB)")
    }

    @Test("Specifications tell when a property may be set")
    func flags() throws {
        let probe = try makeProbe()
        let controllable: Int32 = 1 << 9
        let ready: Int32 = 1 << 10
        let playing: Int32 = 1 << 12
        func flags(_ name: String) throws -> Int32 {
            try #require(probe.spec(name)).pointee.flags.rawValue & (controllable | ready | playing | 3)
        }
        for name in ["level", "count", "ratio", "tint"] { #expect(try flags(name) == controllable | playing | 3) }
        for name in ["on", "title", "shade", "sides", "delay"] { #expect(try flags(name) == playing | 3) }
        #expect(try flags("device") == ready | 3)
    }

    @Test("What is set is what is read, at the ends of the range too")
    func roundTrip() throws {
        let probe = try makeProbe()
        for value in [Int32(-1), 0, 255] {
            probe.set("level", value: value)
            #expect(probe.get("level") == value)
        }
        for value in [Int64(-6_000_000_000), 0] {
            probe.set("big", value: value)
            #expect(probe.get("big") == value)
        }
        for value in [UInt64(1), UInt64.max - 1] {
            probe.set("huge", value: value)
            #expect(probe.get("huge") == value)
        }
        for value in [-1.0, 0.1, 1] {
            probe.set("ratio", value: value)
            #expect(probe.get("ratio") == value)
        }
        for value in [UInt32(0), UInt32.max] {
            probe.set("tint", value: value)
            #expect(probe.get("tint") == value)
        }
        for value in [UInt64(1_000_000), 3_600_000_000_000] {
            probe.set("delay", value: value)
            #expect(probe.get("delay") == value)
        }
        probe.set("on", value: false)
        #expect(probe.get("on") == false)
        probe.set("title", value: "ein Wort, größer")
        #expect(probe.get("title") == "ein Wort, größer")
        probe.set("shade", "bright-light")
        #expect(probe.number("shade") == 3)
        probe.set("sides", "right")
        #expect(probe.number("sides") == 4)
        probe.set("sides", "left+right")
        #expect(probe.number("sides") == 5)
    }

    @Test("A value out of range is refused, and the old one stays")
    func outOfRange() throws {
        let probe = try makeProbe()
        probe.set("level", value: Int32(256))
        probe.set("level", value: Int32(-2))
        #expect(probe.get("level") == Int32(200))
        probe.set("count", value: UInt32(1))
        probe.set("count", value: UInt32(21))
        #expect(probe.get("count") == UInt32(12))
        probe.set("big", value: Int64(1))
        #expect(probe.get("big") == Int64(-5_000_000_000))
        probe.set("huge", value: UInt64(0))
        #expect(probe.get("huge") == UInt64(18_000_000_000_000_000_000))
        probe.set("delay", value: UInt64(999_999))
        #expect(probe.get("delay") == UInt64(40_000_000))
        for value in [1.000001, -1.000001, .infinity, -.infinity, .nan, .signalingNaN] {
            probe.set("ratio", value: value)
            #expect(probe.get("ratio") == 0.25)
        }
    }

    @Test("An unknown name of an enumeration or flag is refused")
    func unknownNames() throws {
        let probe = try makeProbe()
        for text in ["gloomy", "Bright-Light ", "", "4", "-1"] {
            probe.set("shade", text)
            #expect(probe.number("shade") == 7, "after \(text)")
        }
        probe.set("shade", value: Int32(4))
        #expect(probe.number("shade") == 7)
        probe.set("sides", "top")
        #expect(probe.number("sides") == 5)
    }

    @Test("No text is spelled none, empty or NULL", arguments: ["title", "subtitle", "device"])
    func noText(_ name: String) throws {
        let probe = try makeProbe()
        for text in ["none", ""] {
            probe.set(name, value: "something")
            #expect(probe.get(name) == "something")
            probe.set(name, value: text)
            #expect(probe.text(name) == nil)
        }
        probe.set(name, value: "something")
        probe.set(name, value: NullText())
        #expect(probe.text(name) == nil)
        probe.set(name, value: "None of them")
        #expect(probe.text(name) == "None of them")
    }

    @Test("A property that fixes caps changes up to READY only")
    func mutableReady() throws {
        let pipeline = try Pipeline("videotestsrc ! \(Probe.isRegistered ? "svprobe" : "") name=p ! fakesink")
        let probe = try pipeline.element("p")
        try pipeline.reach(GST_STATE_READY)
        probe.set("device", value: "a")
        #expect(probe.text("device") == "a")
        try pipeline.reach(GST_STATE_PLAYING)
        probe.set("device", value: "b")
        #expect(probe.text("device") == "a")
        probe.set("level", value: Int32(3))
        #expect(probe.get("level") == Int32(3))
        try pipeline.reach(GST_STATE_READY)
        probe.set("device", value: "c")
        #expect(probe.text("device") == "c")
    }

    @Test("A setting that changes from inside is notified, once for each change")
    func notifications() throws {
        let probe = try makeProbe()
        let counter = NotificationCounter(probe, "level")
        probe.emit("raise")
        #expect(probe.get("level") == Int32(201))
        #expect(counter.count == 1)
        probe.emit("raise-from", Int32(7))
        #expect(probe.get("level") == Int32(201))
        #expect(counter.count == 1)
        probe.emit("raise-from", Int32(201))
        #expect(probe.get("level") == Int32(202))
        #expect(counter.count == 2)
    }
}
