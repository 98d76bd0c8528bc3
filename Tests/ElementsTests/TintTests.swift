// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import TestSupport
import Testing

@Suite("svtint")
struct TintElementTests {
    private static func harness(_ properties: [(String, String)] = [], like frame: TestFrame) throws -> Harness {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        return try Harness("svtint", properties, like: frame)
    }

    /// Returns a value multiplied by a gain. Halves are rounded up. The small constant corrects gains with a few
    /// decimals.
    private static func product(_ value: UInt8, _ gain: Double) -> UInt8 {
        UInt8(min(255, Double(value) * gain + 1e-9).rounded())
    }

    private static func tinted(_ frame: TestFrame, _ red: Double, _ green: Double, _ blue: Double) -> TestFrame {
        let format = frame.format
        return frame.mapColors { _, _, channel, value in
            if format.isGray { return product(value, 0.299 * red + 0.587 * green + 0.114 * blue) }
            return product(value, channel == format.red ? red : channel == format.green ? green : blue)
        }
    }

    // MARK: - Gains

    @Test("Every packed format, odd sizes, rows with padding", arguments: PixelFormat.all)
    func formats(_ format: PixelFormat) throws {
        for (width, height) in [(1, 1), (7, 5), (65, 3)] {
            let frame = TestFrame(format, width, height, seed: UInt64(width))
            let harness = try Self.harness([("red", "1.2"), ("green", "0.35"), ("blue", "4")], like: frame)
            let expected = Self.tinted(frame, 1.2, 0.35, 4)
            #expect(try harness.process(frame) == expected)
            let padded = try frame.buffer(padded: .init(offset: 16, row: 12))
            #expect(try harness.shown(harness.process(giving: padded.reference)) == expected)
        }
    }

    @Test("YUV is tinted as RGB would be", arguments: FrameFormat.allYUV)
    func yuv(_ format: FrameFormat) throws {
        let frame = TestFrame(.bgra, 33, 17, color: Color(red: 120, green: 90, blue: 150))
        let line = try pipeline(
            "appsrc name=in format=time caps=\(frame.caps()) ! videoconvert ! video/x-raw,format=\(format.name) "
                + "! svtint red=1.5 green=1.2 blue=0.5 ! videoconvert ! video/x-raw,format=BGRA "
                + "! appsink name=out sync=false")
        try line.play()
        try line.push(frame, into: "in", at: 0)
        let shown = try #require(try line.pull()).frame.color(20, 9)
        try line.end("in")
        // videoconvert rounds down in both directions. This alone changes colours by up to 5 levels.
        for (found, expected) in [(shown.red, 180), (shown.green, 108), (shown.blue, 75)] {
            #expect(abs(Int(found) - expected) <= 7, "\(shown)")
        }
    }

    @Test("Gains of 1: the very buffer goes on, also a shared one")
    func passThrough() throws {
        let frame = TestFrame(.bgra, 20, 10, seed: 2)
        let harness = try Self.harness(like: frame)
        let buffer = try frame.buffer()
        #expect(harness.push(buffer) == GST_FLOW_OK)
        #expect(try harness.pull().pointer == buffer.pointer)
        harness.element.set("red", "0")
        #expect(harness.push(buffer) == GST_FLOW_OK)
        #expect(try harness.shown(harness.pull()) == Self.tinted(frame, 0, 1, 1))
        #expect(try harness.shown(buffer) == frame)
    }

    // MARK: - Random tints

    /// Returns the gains of frames at some stream times in milliseconds. The precision is about 1/250.
    private static func gains(_ properties: [(String, String)], at times: [UInt64]) throws -> [[Double]] {
        // The level is low enough: 150 times 1.6 is not clipped.
        let frame = TestFrame(.rgb, 2, 2, color: Color(gray: 150))
        let harness = try Self.harness([("random", "true")] + properties, like: frame)
        return try times.map { time in
            try harness.process(frame, at: time * GStreamer.millisecond)[0, 0].map { Double($0) / 150 }
        }
    }

    @Test("Step: a tint stays for the interval of stream time, then another one comes")
    func step() throws {
        let properties = [("transition", "step"), ("seed", "5")]
        let gains = try Self.gains(properties, at: [0, 40, 1999, 2000, 3960, 4000])
        #expect(gains[0] == gains[1] && gains[1] == gains[2])
        #expect(gains[3] != gains[2] && gains[3] == gains[4] && gains[5] != gains[4])
        let fast = try Self.gains(properties + [("interval", "100000000")], at: [0, 99, 100, 199, 200])
        #expect(fast[0] == gains[0] && fast[1] == gains[0] && fast[2] == gains[3] && fast[3] == gains[3])
        #expect(fast[4] == gains[5])
    }

    @Test("Smooth: it glides from one to the next, and passes the middle in the middle")
    func smooth() throws {
        let steps = try Self.gains([("transition", "step"), ("seed", "6")], at: [0, 2000])
        let glide = try Self.gains([("seed", "6")], at: [0, 500, 1000, 1500, 2000])
        #expect(glide[0] == steps[0] && glide[4] == steps[1])
        for channel in 0..<3 {
            let (from, to) = (glide[0][channel], glide[4][channel])
            // Smoothstep is 5/32 after a quarter of the time and 1/2 after half of the time.
            for (index, share) in [(1, 5.0 / 32), (2, 0.5), (3, 27.0 / 32)] {
                #expect(abs(glide[index][channel] - (from + (to - from) * share)) < 0.01)
            }
        }
    }

    @Test("Gains are within their ranges, and go far in them")
    func ranges() throws {
        let gains = try Self.gains(
            [("transition", "step"), ("seed", "7"), ("interval", "1000000000")], at: (0..<300).map { $0 * 1000 })
        for (channel, range) in [0.5...1.5, 0.6...1.4, 0.4...1.6].enumerated() {
            let values = gains.map { $0[channel] }
            let (least, most) = try (#require(values.min()), #require(values.max()))
            #expect(least >= range.lowerBound - 0.004 && most <= range.upperBound + 0.004)
            #expect(least < range.lowerBound + 0.05 && most > range.upperBound - 0.05)
        }
    }

    @Test("A seed repeats a sequence, also in another order; 0 does not")
    func seeds() throws {
        let times: [UInt64] = [0, 2000, 4000, 6000, 8000]
        let first = try Self.gains([("seed", "8")], at: times)
        #expect(try Self.gains([("seed", "8")], at: times) == first)
        #expect(try Self.gains([("seed", "8")], at: times.reversed()) == first.reversed())
        #expect(try Self.gains([("seed", "9")], at: times) != first)
        #expect(Set(first).count == 5)
        #expect(try Self.gains([], at: times) != Self.gains([], at: times))
    }

    @Test("The time is the stream's; frames without one are counted")
    func streamTime() throws {
        let frame = TestFrame(.rgb, 2, 2, color: Color(gray: 150))
        let properties = [("random", "true"), ("seed", "4"), ("transition", "step"), ("interval", "1000000000")]
        let harness = try Self.harness(properties, like: frame)
        let second = try (harness.process(frame, at: 0), harness.process(frame, at: GStreamer.second)).1
        harness.startSegment(at: 10 * GStreamer.second, streamTime: GStreamer.second)
        #expect(try harness.process(frame, at: 10 * GStreamer.second) == second)
        harness.flush()
        harness.startSegment(at: 0, streamTime: 0)
        var untimed: [TestFrame] = []
        for _ in 0..<26 { untimed.append(try harness.process(frame, at: nil)) }
        #expect(untimed[24] == untimed[0] && untimed[25] == second && second != untimed[0])
    }

    @Test("Random tints and the user's gains multiply")
    func product() throws {
        let plain = try Self.gains([("seed", "3")], at: [0])[0]
        let half = try Self.gains([("seed", "3"), ("green", "0.5")], at: [0])[0]
        #expect(abs(half[1] - plain[1] / 2) < 0.008 && half[0] == plain[0] && half[2] == plain[2])
    }

    // MARK: - White balance

    @Test("Grey world and simple, alone and with gains, by numbers of their own")
    func balance() throws {
        // The means are 100, 50 and 150; all become 100. Each channel has two values, each in half of the pixels.
        let frame = TestFrame(.bgrx, 16, 8) { x, _ in x < 8 ? [100, 20, 60, 7] : [200, 80, 140, 9] }
        let world = try Self.harness([("white-balance", "gray-world")], like: frame).process(frame)
        #expect(world[0, 0] == [67, 40, 60, 7] && world[15, 7] == [133, 160, 140, 9])
        let more = try Self.harness([("white-balance", "gray-world"), ("red", "1.5")], like: frame).process(frame)
        #expect(more[0, 0] == [67, 40, 90, 7] && more[15, 7] == [133, 160, 210, 9])
        // The values are 100 and 200, 20 and 80 (the range is extended to 18 and 82), and 60 and 140.
        let simple = try Self.harness([("white-balance", "simple")], like: frame).process(frame)
        #expect(simple[0, 0] == [0, 8, 0, 7] && simple[15, 7] == [255, 247, 255, 9])
        let gray = TestFrame(.gray8, 16, 8) { x, _ in x < 8 ? [100] : [200] }
        #expect(try Self.harness([("white-balance", "gray-world")], like: gray).process(gray) == gray)
        let stretched = try Self.harness([("white-balance", "simple")], like: gray).process(gray)
        #expect(stretched[0, 0] == [0] && stretched[15, 7] == [255])
    }

    @Test("The balance settles within its time, so that nothing flickers")
    func settling() throws {
        let warm = TestFrame(.rgb, 8, 8, color: Color(red: 150, green: 100, blue: 50))
        let plain = TestFrame(.rgb, 8, 8, color: Color(gray: 100))
        let properties = [("white-balance", "gray-world")]
        let harness = try Self.harness(properties, like: warm)
        // The first frame is corrected immediately, with the gains 2/3, 1 and 2.
        #expect(try harness.process(warm, at: 0)[0, 0] == [100, 100, 100])
        // Then the gains approach 1, 1, 1 with a time constant of a second. The change starts with the third frame,
        // because colours are sampled ten times per second. A second later, the remaining difference is 1/e.
        var last = plain
        for number in 1...27 { last = try harness.process(plain, at: UInt64(number) * 40 * GStreamer.millisecond) }
        let (left, pixel) = (0.36788, last[0, 0].map { Double($0) })
        let (red, blue) = (100 * (1 - left / 3), 100 * (1 + left))
        #expect(abs(pixel[0] - red) <= 0.6 && pixel[1] == 100)
        #expect(abs(pixel[2] - blue) <= 0.6)
        // Without a time constant, each frame is corrected independently. This is also true for the first frame after a
        // flush.
        harness.flush()
        harness.startSegment(at: 0, streamTime: 0)
        #expect(try harness.process(plain, at: 0)[0, 0] == [100, 100, 100])
        let quick = try Self.harness(properties + [("balance-time", "0")], like: warm)
        #expect(try quick.process(warm, at: 0)[0, 0] == [100, 100, 100])
        #expect(try quick.process(plain, at: 1)[0, 0] == [100, 100, 100])
    }

    @Test("Learned: it works, or says what is missing")
    func learned() throws {
        let line = try pipeline(
            "videotestsrc num-buffers=5 ! video/x-raw,width=160,height=120,format=I420 "
                + "! svtint white-balance=learned ! fakesink")
        do {
            try line.play()
            try line.finish()
        } catch let failure as TestFailure {
            #expect("\(failure)".contains("xphoto"))
            print("OpenCV's xphoto is absent: \(failure)")
        }
    }

    // MARK: - Soundness

    @Test("Properties at random from threads while it plays")
    func random() throws {
        let frame = TestFrame(.bgra, 64, 48, seed: 7)
        let harness = try Self.harness(like: frame)
        let element = harness.element
        let threads = (0..<2).map { seed in
            BackgroundThread { round in
                var random = Random(seed: UInt64(seed) &* 1000 &+ UInt64(round))
                switch random.next() % 5 {
                case 0: element.set(["red", "green", "blue"][Int(random.next() % 3)], "\(random.next() % 5)")
                case 1: element.set("random", value: random.next() % 2 == 0)
                case 2: element.set("white-balance", ["none", "gray-world", "simple"][Int(random.next() % 3)])
                case 3: element.set("transition", ["smooth", "step"][Int(random.next() % 2)])
                default:
                    element.set("seed", value: UInt32(random.next() % 3))
                    element.set("interval", ["0", "2000000000", "18446744073709551615"][Int(random.next() % 3)])
                    element.set("balance-time", ["0", "2000000000", "18446744073709551615"][Int(random.next() % 3)])
                }
                g_usleep(100)
            }
        }
        for number in 0..<100 {
            let time = number % 10 == 9 ? nil : UInt64(number * number) * 40_000_000
            _ = try harness.process(frame, at: time)
            if number % 30 == 29 {
                let other = TestFrame(number % 60 == 29 ? .rgb : .gray8, 3, 1, seed: 1)
                harness.renegotiate(like: other)
                _ = try harness.process(other, at: 0)
                harness.renegotiate(like: frame)
            }
        }
        for thread in threads { thread.stop() }
        #expect(harness.bus.pending(GST_MESSAGE_ERROR, GST_MESSAGE_WARNING).isEmpty)
    }
}
