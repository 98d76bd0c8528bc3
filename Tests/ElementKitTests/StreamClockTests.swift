// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import TestSupport
import Testing

@Suite("Time of a stream")
struct StreamClockTests {
    init() { #expect(GStreamer.isReady) }

    /// Returns the elapsed times of frames with these timestamps, in milliseconds.
    private func elapsed(_ timestamps: [Int?], rate: Double? = 25) -> [Int] {
        var time = ElapsedTime()
        return timestamps.map { milliseconds(time.advance(to: $0.map(clockTime), rate: rate)) }
    }

    private func clockTime(_ milliseconds: Int) -> ClockTime {
        ClockTime(nanoseconds: UInt64(milliseconds) * GStreamer.millisecond)
    }

    private func milliseconds(_ time: ClockTime) -> Int { Int((time.seconds * 1000).rounded()) }

    @Test("Time starts at zero with the first frame, and follows the timestamps")
    func stamped() {
        #expect(elapsed([7000, 7040, 7100, 9000]) == [0, 40, 100, 2000])
    }

    @Test(
        "A frame without a timestamp comes one frame after the previous one",
        arguments: [
            (25, [0, 40, 80, 120]), (30000.0 / 1001, [0, 33, 67, 100]), (0.1, [0, 10000, 20000, 30000]),
            (nil, [0, 33, 67, 100]),
        ] as [(Double?, [Int])])
    func unstamped(_ rate: Double?, _ expected: [Int]) {
        #expect(elapsed([nil, nil, nil, nil], rate: rate) == expected)
        #expect(elapsed([nil, nil, 5000, nil], rate: rate) == expected)
        #expect(elapsed([5000, nil, nil, nil], rate: rate) == expected)
    }

    @Test("Where the rate is wrong, timestamps correct the time, and it never goes back")
    func wrongRate() {
        // A frame arrives every 40 ms, but the caps contain 10 fps.
        let timestamps = (0..<30).map { $0.isMultiple(of: 3) ? $0 * 40 : nil }
        let times = elapsed(timestamps, rate: 10)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
        for (number, time) in times.enumerated() { #expect(0...160 ~= time - number * 40, "\(number): \(time)") }
    }

    @Test("Frames out of order take the time of as many in order")
    func disorder() {
        #expect(elapsed([0, 120, 40, 80, 240, 160, 200, 280]) == [0, 120, 160, 200, 240, 280, 320, 320])
        #expect(elapsed([0, 40, 39, 79, 78, 118]) == [0, 40, 80, 80, 119, 119])
    }

    @Test("Timestamps that start again go on one frame after the previous one")
    func goingBack() {
        #expect(elapsed([95_443_000, 95_443_040, 0, 40, 100]) == [0, 40, 80, 120, 180])
        // After a single wrong timestamp, the next timestamps are right.
        #expect(elapsed([0, 40, 9000, 120, 160]) == [0, 40, 9000, 9040, 9080])
    }

    @Test("A timestamp that does not change counts as none")
    func standing() {
        #expect(elapsed([0, 0, 0, 0]) == [0, 40, 80, 120])
        // Timestamps in whole seconds.
        let coarse = (0..<60).map { $0 / 25 * 1000 }
        #expect(elapsed(coarse) == (0..<60).map { $0 * 40 })
    }

    @Test("After a flush or a new segment an earlier timestamp takes no time, a later one its difference")
    func interruption() {
        var time = ElapsedTime()
        func next(_ timestamp: Int?) -> Int { milliseconds(time.advance(to: timestamp.map(clockTime), rate: 25)) }
        #expect([next(0), next(5000)] == [0, 5000])
        time.interrupt()
        #expect([next(0), next(40)] == [5000, 5040])
        time.interrupt()
        #expect([next(1040), next(1080)] == [6040, 6080])
        time.interrupt()
        #expect([next(nil), next(0), next(40)] == [6120, 6160, 6200])
    }

    @Test("The segment before the first frame is no interruption")
    func firstSegment() {
        var time = ElapsedTime()
        time.interrupt()
        #expect([nil, 0, 0].map { milliseconds(time.advance(to: $0.map(clockTime), rate: 25)) } == [0, 40, 80])
    }

    @Test("At the end of time nothing overflows")
    func overflow() {
        var time = ElapsedTime()
        for timestamp in [0, UInt64.max - 1, nil, nil, 5, UInt64.max - 1, 7, 8] {
            _ = time.advance(to: timestamp.map { ClockTime(nanoseconds: $0) }, rate: 1e-300)
        }
        #expect(time.advance(to: nil, rate: 25) == .max)
    }

    @Test("The position follows stream time; frames without a timestamp are counted from the start of their segment")
    func position() throws {
        let frame = TestFrame(.gray8, 1, 1, color: Color(gray: 0))
        var clock = StreamClock()
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        (segment.start, segment.time) = (10 * guint64(GStreamer.second), 3 * guint64(GStreamer.second))
        func next(_ timestamp: Int?) throws -> FrameTime {
            let buffer = try frame.buffer(at: timestamp.map { UInt64($0) * GStreamer.millisecond })
            return clock.time(of: buffer.pointer, in: segment, rate: 25)
        }
        let positions = try [nil, nil, 11_000, nil, 10_500].map { try milliseconds(next($0).position) }
        #expect(positions == [3000, 3040, 4000, 4040, 3500])
        // Before the segment, there is no stream time.
        #expect(try milliseconds(next(9000).position) == 3540)
        clock.interrupt()
        #expect(try milliseconds(next(nil).position) == 3000)
        let stated = try next(nil)
        #expect(stated.timestamp == nil && stated.streamTime == nil && stated.runningTime == nil)
    }

    @Test("Where a segment is not in time, timestamps are the time")
    func otherFormat() throws {
        let frame = TestFrame(.gray8, 1, 1, color: Color(gray: 0))
        var clock = StreamClock()
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_BYTES)
        let times = try [7000, 7100].map { timestamp in
            let buffer = try frame.buffer(at: UInt64(timestamp) * GStreamer.millisecond)
            return clock.time(of: buffer.pointer, in: segment, rate: 25)
        }
        #expect(times.map { milliseconds($0.elapsed) } == [0, 100])
        #expect(times.map { milliseconds($0.position) } == [7000, 7100])
    }
}
