// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Testing

@testable import Elements

/// Tests when svurisrc opens and closes connections.
@Suite("svurisrc: supervision")
struct SupervisionTests {
    private var supervision = Supervision(Supervision.Limits(), at: Self.time(0))

    /// Returns a time that is `seconds` after the start.
    private static func time(_ seconds: Double) -> ClockTime { ClockTime(nearest: (1000 + seconds) * 1e9) }

    private mutating func advance(_ seconds: Double, heard: [Int: Double] = [:]) -> [Supervision.Action] {
        supervision.advance(to: Self.time(seconds)) { heard[$0].map(Self.time) }
    }

    private mutating func frame(_ id: Int, _ seconds: Double) -> [Supervision.Action]? {
        supervision.frame(from: id, at: Self.time(seconds))
    }

    private mutating func fail(_ id: Int, _ reason: LossReason, _ seconds: Double) -> [Supervision.Action] {
        supervision.failed(id, reason, at: Self.time(seconds))
    }

    private mutating func play() {
        _ = advance(0)
        _ = frame(1, 1)
    }

    @Test("A camera that answers needs one connection and no messages")
    mutating func plain() {
        #expect(advance(0) == [.open(1)])
        #expect(frame(1, 0.5) == [])
        #expect(advance(2) == [])
        #expect(frame(1, 2.4) == [])
        #expect(advance(4.3) == [])
        #expect(supervision.attempts == 1 && supervision.reason == nil)
    }

    @Test("A refused connection is a loss; attempts follow after 0.1, 0.2, 0.4, 0.5 and 0.5 s")
    mutating func growth() {
        #expect(advance(0) == [.open(1)])
        #expect(fail(1, .refused, 0) == [.close(1), .lost(.refused, isNew: true)])
        var time = 0.0
        for (id, pause) in zip(2..., [0.1, 0.2, 0.4, 0.5, 0.5]) {
            #expect(advance(time + pause - 0.01) == [])
            time += pause
            #expect(advance(time + 0.001) == [.open(id)])
            time += 0.001
            #expect(fail(id, .refused, time) == [.close(id)])
        }
    }

    @Test("After frames have come, the next outage begins with short intervals again")
    mutating func afterFrames() {
        _ = advance(0)
        for id in 1...5 {
            _ = fail(id, .refused, Double(id))
            _ = advance(Double(id) + 0.9)
        }
        #expect(frame(6, 6) == [.back(after: ClockTime(nearest: 6e9))])
        #expect(fail(6, .closed, 7) == [.close(6), .lost(.closed, isNew: true)])
        #expect(advance(7.101) == [.open(7)])
    }

    @Test("A wrong password is tried again after 1, 2, 4, 8, 16, 30 and 30 s")
    mutating func unauthorized() {
        _ = advance(0)
        var (time, reports) = (0.0, 0)
        for (id, pause) in zip(1..., [1.0, 2, 4, 8, 16, 30, 30]) {
            reports += fail(id, .unauthorized, time).count { $0 != .close(id) }
            #expect(advance(time + pause - 0.01) == [])
            time += pause + 0.001
            #expect(advance(time) == [.open(id + 1)])
        }
        #expect(reports == 1)
    }

    @Test("A camera that freezes is reported once, and goes on over the old connection")
    mutating func freeze() {
        play()
        #expect(advance(2.9) == [])
        #expect(advance(3) == [.lost(.stalled, isNew: true), .open(2)])
        #expect(advance(4.9) == [])
        #expect(advance(5) == [.close(2), .open(3)])
        #expect(advance(7) == [.close(3), .open(4)])
        #expect(frame(1, 7.5) == [.close(4), .back(after: ClockTime(nearest: 6.5e9))])
        #expect(advance(8) == [] && supervision.reason == nil)
    }

    @Test("A camera that was restarted goes on over the new connection, and the old one is closed")
    mutating func restart() {
        play()
        _ = advance(3)
        #expect(frame(2, 3.5) == [.close(1), .back(after: ClockTime(nearest: 2.5e9))])
        #expect(frame(1, 3.6) == nil, "what comes late is dropped")
    }

    @Test("A connection that says nothing for 30 s is closed, and another takes its place")
    mutating func patience() {
        play()
        for second in stride(from: 3.0, to: 31, by: 2) { _ = advance(second) }
        let actions = advance(31)
        #expect(actions.contains(.close(1)))
        #expect(actions.count { if case .open = $0 { true } else { false } } <= 1)
    }

    @Test("A camera that is slow to answer is connected, in spite of the attempts beside")
    mutating func slow() {
        _ = advance(0)
        #expect(advance(2) == [.lost(.noAnswer, isNew: true), .open(2)])
        #expect(frame(1, 3.5) == [.close(2), .back(after: ClockTime(nearest: 3.5e9))])
    }

    @Test("While data come, a keyframe is waited for up to five timeouts")
    mutating func keyframe() {
        _ = advance(0)
        #expect(advance(2, heard: [1: 1.9]) == [])
        #expect(advance(3.9, heard: [1: 3.8]) == [])
        #expect(advance(9.9, heard: [1: 9.8]) == [])
        #expect(advance(11.9, heard: [1: 11.8]) == [.lost(.noAnswer, isNew: true), .open(2)])
    }

    @Test("An end of a stream with a duration is the end; of one without it is a loss")
    mutating func ends() {
        play()
        var other = supervision
        #expect(supervision.ended(1, isComplete: true, at: Self.time(1)) == [.endOfStream])
        #expect(other.ended(1, isComplete: false, at: Self.time(1)) == [.close(1), .lost(.closed, isNew: true)])
    }

    @Test("A new reason is reported without a new outage")
    mutating func reasons() {
        play()
        _ = advance(3)
        #expect(fail(2, .refused, 3.1) == [.close(2), .lost(.refused, isNew: false)])
    }

    @Test("An address at which senders are waited for gets one connection")
    mutating func waiting() {
        supervision = Supervision(Supervision.Limits(triesAnew: false), at: Self.time(0))
        #expect(advance(0) == [.open(1)])
        #expect(advance(2) == [.lost(.noAnswer, isNew: true)])
        #expect(advance(100) == [])
        #expect(frame(1, 200) == [.back(after: ClockTime(nearest: 200e9))])
    }

    @Test("A camera of this machine gets one connection at a time, and a silent connection is replaced")
    mutating func exclusive() {
        supervision = Supervision(Supervision.Limits(isExclusive: true), at: Self.time(0))
        #expect(advance(0) == [.open(1)])
        #expect(frame(1, 0.5) == [])
        #expect(advance(2.6) == [.lost(.stalled, isNew: true), .close(1)])
        #expect(advance(2.65) == [])
        #expect(advance(2.71) == [.open(2)])
        supervision.opened(2, at: Self.time(3))
        #expect(advance(12.99) == [])
        #expect(advance(13) == [.close(2)])
        #expect(advance(13.11) == [.open(3)])
        #expect(fail(3, .noCamera, 13.2) == [.close(3), .lost(.noCamera, isNew: false)])
        #expect(advance(13.31) == [.open(4)])
        #expect(frame(4, 13.5) == [.back(after: ClockTime(nearest: 13e9))])
    }

    @Test("A camera of this machine whose first frame comes after the timeout plays over the first connection")
    mutating func slowCamera() {
        supervision = Supervision(Supervision.Limits(isExclusive: true), at: Self.time(0))
        #expect(advance(0) == [.open(1)])
        supervision.opened(1, at: Self.time(0.2))
        #expect(advance(2) == [.lost(.noAnswer, isNew: true)])
        #expect(advance(2.9) == [])
        #expect(frame(1, 3) == [.back(after: ClockTime(nearest: 3e9))])
        #expect(advance(4.9) == [])
        #expect(supervision.attempts == 1 && supervision.reason == nil)
    }

    @Test(
        "A short timeout gives a camera of this machine 10 s for the first data, and five timeouts for a frame after it"
    )
    mutating func startPatience() {
        let limits = Supervision.Limits(timeout: ClockTime.second / 2, isExclusive: true)
        supervision = Supervision(limits, at: Self.time(0))
        #expect(advance(0) == [.open(1)])
        #expect(advance(0.5) == [.lost(.noAnswer, isNew: true)])
        // The opening takes 20 s. No other connection can use the camera in this time.
        #expect(advance(20) == [])
        supervision.opened(1, at: Self.time(20))
        #expect(advance(29.9) == [])
        #expect(supervision.due == Self.time(30))
        #expect(advance(30, heard: [1: 29.95]) == [])
        #expect(advance(32.4, heard: [1: 32.3]) == [])
        #expect(advance(32.81, heard: [1: 32.8]) == [.close(1)])
    }

    @Test("With a timeout above 30 s, a camera has one connection at a time")
    mutating func longTimeout() {
        for isExclusive in [true, false] {
            let limits = Supervision.Limits(timeout: 60 * ClockTime.second, isExclusive: isExclusive)
            supervision = Supervision(limits, at: Self.time(0))
            #expect(advance(0) == [.open(1)])
            supervision.opened(1, at: Self.time(0))
            #expect(advance(31) == [])
            #expect(advance(59) == [])
            #expect(advance(60).count { if case .open = $0 { true } else { false } } == (isExclusive ? 0 : 1))
        }
    }

    @Test("Data without frames mean that the frames are broken")
    mutating func broken() {
        play()
        #expect(advance(3, heard: [1: 2.9]) == [.lost(.undecodable, isNew: true), .open(2)])
        #expect(frame(1, 3.5) == [.close(2), .back(after: ClockTime(nearest: 2.5e9))])
    }

    @Test("While too many connections are being closed, none is opened")
    mutating func crowd() {
        #expect(supervision.advance(to: Self.time(0), mayOpen: false) { _ in nil } == [])
        #expect(advance(0.1) == [.open(1)])
    }

    @Test("The next moment to look is never later than what is due")
    mutating func due() {
        #expect(supervision.due == Self.time(0))
        _ = advance(0)
        #expect(supervision.due == Self.time(2))
        _ = frame(1, 1)
        #expect(supervision.due == Self.time(3))
        _ = advance(3)
        #expect(supervision.due == Self.time(5))
    }
}
