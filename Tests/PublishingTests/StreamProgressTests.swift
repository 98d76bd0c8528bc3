// SPDX-License-Identifier: LGPL-2.1-or-later
@testable import Publishing
import Testing

/// Tests of the state of a stream. The tests choose the times, in milliseconds.
@Suite("The state of a stream")
struct StreamProgressTests {
    /// Adds frames with an interval.
    /// - Returns: the time of the last frame.
    private func play(
        _ progress: inout StreamProgress, from start: UInt64, every interval: UInt64, _ count: UInt64,
        rate: Double? = nil
    ) -> UInt64 {
        for number in 0..<count {
            progress.addFrame(at: start + number * interval, rate: rate)
            progress.releaseFrame(at: start + number * interval)
        }
        return start + (count - 1) * interval
    }

    @Test("A stream is stalled after three frame intervals without a frame, and after two seconds at the earliest")
    func stalled() {
        for (interval, rate, limit) in [
            (40, nil, 2000), (40, 25, 2000), (1000, nil, 3000), (1000, 25, 3000), (40, 0.1, 30_000),
        ] as [(UInt64, Double?, UInt64)] {
            var progress = StreamProgress(at: 10_000)
            let last = play(&progress, from: 10_000, every: interval, 100, rate: rate)
            #expect(progress.state(at: last + limit) == .playing, "\(interval) \(limit)")
            #expect(progress.state(at: last + limit + 1) == .stalled, "\(interval) \(limit)")
            #expect(progress.frameAge(at: last + 7) == 7)
            _ = play(&progress, from: last + 60_000, every: interval, 1, rate: rate)
            #expect(progress.state(at: last + 60_000) == .playing)
        }
    }

    @Test("A stream without a first frame is stalled after two seconds, also while it is paused")
    func absent() {
        var progress = StreamProgress(at: 500)
        #expect(progress.state(at: 2500) == .playing && progress.frameAge(at: 2500) == nil)
        progress.pause(at: 2000)
        #expect(progress.state(at: 2501) == .stalled)
        progress.addFrame(at: 9000, rate: nil)
        #expect(progress.state(at: 9000) == .playing)
    }

    @Test("A long gap does not hide the next one")
    func gaps() {
        var progress = StreamProgress(at: 0)
        var last = play(&progress, from: 0, every: 40, 10)
        for _ in 0..<5 {
            last = play(&progress, from: last + 600_000, every: 40, 3)
            #expect(progress.state(at: last + 3001) == .stalled)
        }
    }

    @Test("A paused stream is not stalled, and one that is stalled is not healed by a pause")
    func paused() {
        var progress = StreamProgress(at: 0)
        let last = play(&progress, from: 0, every: 40, 10)
        for time in stride(from: last, to: last + 60_000, by: 250) {
            progress.pause(at: time)
            #expect(progress.state(at: time) == .playing)
        }
        #expect(progress.state(at: last + 61_000) == .playing)
        #expect(progress.state(at: last + 63_000) == .stalled)
        progress.pause(at: last + 63_000)
        #expect(progress.state(at: last + 63_001) == .stalled)
        progress.stop(at: last + 63_001)
        #expect(progress.state(at: last + 63_001) == .failed)
    }

    @Test("A frame that is held, as when the queue is full, does not make the stream stalled")
    func held() {
        var progress = StreamProgress(at: 0)
        progress.addFrame(at: 100, rate: 25)
        #expect(progress.state(at: 100_000) == .playing)
        progress.releaseFrame(at: 100_000)
        #expect(progress.state(at: 102_000) == .playing)
        #expect(progress.state(at: 102_001) == .stalled)
    }

    @Test("A stop is in good order after the end of the stream, and while frames come")
    func stopped() {
        var progress = StreamProgress(at: 0)
        let last = play(&progress, from: 0, every: 40, 10)
        var other = progress
        progress.stop(at: last + 2000)
        #expect(progress.state(at: last + 90_000) == .stopped)
        other.end()
        #expect(other.state(at: last + 90_000) == .stopped)
        other.stop(at: last + 90_000)
        #expect(other.state(at: last + 90_000) == .stopped)
    }

    @Test("A stream that is stopped while it is stalled has failed")
    func died() {
        var progress = StreamProgress(at: 0)
        let last = play(&progress, from: 0, every: 40, 10)
        progress.stop(at: last + 2001)
        #expect(progress.state(at: last + 2001) == .failed)
    }

    @Test("After an error the stream has failed, also with an end, and with the frames that were on their way")
    func error() {
        var progress = StreamProgress(at: 0)
        let last = play(&progress, from: 0, every: 40, 10)
        progress.fail(at: last + 10)
        #expect(progress.state(at: last + 11) == .failed)
        let later = play(&progress, from: last + 40, every: 40, 10)
        #expect(progress.state(at: later) == .failed)
        progress.end()
        #expect(progress.state(at: later) == .failed)
        progress.stop(at: later)
        #expect(progress.state(at: later) == .failed)
    }

    @Test("An error after which frames go on coming does not count")
    func survived() {
        var progress = StreamProgress(at: 0)
        let last = play(&progress, from: 0, every: 40, 10)
        progress.fail(at: last)
        let later = play(&progress, from: last + 40, every: 40, 100)
        #expect(progress.state(at: later) == .playing)
    }

    @Test("A frame after the end of the stream begins it anew")
    func again() {
        var progress = StreamProgress(at: 0)
        let last = play(&progress, from: 0, every: 40, 10)
        progress.end()
        #expect(progress.state(at: last + 60_000) == .stopped)
        progress.addFrame(at: last + 60_000, rate: nil)
        #expect(progress.state(at: last + 60_000) == .playing)
    }

    @Test("Whatever the times and rates are, nothing overflows")
    func extremes() {
        for rate in [0, -1, .nan, .infinity, 1e-300] as [Double] {
            var progress = StreamProgress(at: .max - 5)
            progress.addFrame(at: .max, rate: rate)
            progress.releaseFrame(at: 3)
            progress.addFrame(at: 1, rate: rate)
            progress.fail(at: .max)
            _ = progress.state(at: .max)
            _ = progress.frameAge(at: 0)
        }
    }
}
