// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import TestScope
import Testing

@Suite("Sequences of fades")
struct FadeSequenceTests {
    private let written = WrittenNumber("level", in: -1000...1000, isInteger: false)
    private static let second: UInt64 = 1_000_000_000

    private func sequence(_ text: String) throws -> FadeSequence { try written.sequence(text[...]) }

    /// Returns the values at these times in milliseconds.
    private func values(_ text: String, at times: [UInt64]) throws -> [Double?] {
        let sequence = try sequence(text)
        return times.map { sequence.value(at: $0 * 1_000_000) }
    }

    /// The timestamp of a frame in GStreamer: rounded down to whole nanoseconds.
    private static func timestamp(_ frame: Int, _ rate: (Int, Int)) -> UInt64 {
        UInt64(frame * 1_000_000_000 * rate.1 / rate.0)
    }

    // MARK: - Single fades

    /// Fades in all notations, with the values that the formula of a fade needs.
    static let singleFades: [(text: String, from: Double, to: Double, seconds: Double, isSmooth: Bool)] = [
        ("0->1@1s", 0, 1, 1, false), ("0->1@1s linear", 0, 1, 1, false), ("0->1@1s smooth", 0, 1, 1, true),
        ("0->1@3", 0, 1, 3, false), ("1->0.5@500ms smooth", 1, 0.5, 0.5, true),
        (" -20 -> 20 @ 2.5s  smooth ", -20, 20, 2.5, true), ("0->320@123.4ms", 0, 320, 0.1234, false),
        ("0->1@9ms", 0, 1, 0.009, false), ("+1->1e2@1e1s", 1, 100, 10, false), ("0x10->0@0x2s", 16, 0, 2, false),
        ("40->50@0s", 40, 50, 0, false), ("40->50@-0s", 40, 50, 0, false), ("0->1@.25s", 0, 1, 0.25, false),
        ("0->1@1e-10s", 0, 1, 1e-10, false), ("0->1@1.1234567891s", 0, 1, 1.1234567891, false),
        ("7->7@3600s", 7, 7, 3600, false), ("0->1@86400s smooth", 0, 1, 86400, true),
    ]

    @Test("A single fade has the values of its formula at all times", arguments: singleFades)
    func single(_ fade: (text: String, from: Double, to: Double, seconds: Double, isSmooth: Bool)) throws {
        let sequence = try sequence(fade.text)
        let end = UInt64((fade.seconds * 1e9).rounded())
        let times =
            (0...200).map { UInt64($0) * 17_777_777 } + [1, end, end + 1, end / 2, end / 3, end &- min(end, 1), .max]
        for time in times {
            let t = fade.seconds > 0 ? min(1, Double(time) / 1e9 / fade.seconds) : 1
            let expected = fade.from + (fade.to - fade.from) * (fade.isSmooth ? 3 * t * t - 2 * t * t * t : t)
            let value = try #require(sequence.value(at: time))
            #expect(abs(value - expected) <= 1e-9 * max(1, abs(fade.to - fade.from)), "\(fade.text) at \(time)")
        }
        #expect(sequence.value(at: end + 1) == fade.to)
        #expect(sequence.isOver(at: end + 1))
        #expect(end < 2 || !sequence.isOver(at: end - 2))
        #expect(sequence.finalValue == fade.to)
    }

    @Test("A very long fade hardly changes the value")
    func long() throws {
        let value = try #require(try sequence("0->1@1e300s").value(at: 3600 * Self.second))
        #expect(value < 1e-6)
    }

    // MARK: - Sequences

    @Test(
        "Fades, holds and repetitions",
        arguments: [
            (
                "0->1@1s, hold 8s, 1->0@1s, repeat", [0, 500, 1000, 8999, 9500, 10_000, 10_250],
                [0, 0.5, 1, 1, 0.5, 0, 0.25]
            ),
            ("0->1@1s,1->3@2s,3->0@1s", [0, 1000, 2000, 3000, 3500, 4000, 90_000], [0, 1, 2, 3, 1.5, 0, 0]),
            // A jump: 1 is never visible at 1 s, because the next fade starts.
            ("0->1@1s, 5->6@1s", [999, 1000, 1500, 2000], [0.999, 5, 5.5, 6]),
            ("0->8@1s, repeat 3", [0, 500, 1000, 2500, 2999, 3000, 9000], [0, 4, 0, 4, 7.992, 8, 8]),
            ("0->8@1s, repeat 1", [500, 1000], [4, 8]),
            ("0->8@1s, ping-pong", [0, 500, 1000, 1500, 2000, 2500, 3500], [0, 4, 8, 4, 0, 4, 4]),
            ("0->8@1s, ping-pong 1", [1000, 1750, 2000, 7000], [8, 2, 0, 0]),
            ("0->8@1s, ping-pong 2", [2000, 3000, 3500, 4000], [0, 8, 4, 0]),
            (
                "0->1@1s, hold 1s, 1->4@1s, ping-pong", [1500, 2500, 3000, 3500, 4500, 5500, 6000],
                [1, 2.5, 4, 2.5, 1, 0.5, 0]
            ),
            // 32 · (3t² − 2t³) for t = ¼ is 5.
            ("0->32@1s smooth, ping-pong", [250, 750, 1250, 1750, 2250], [5, 27, 27, 5, 5]),
            ("hold 2s, 3->5@2s, repeat", [0, 1999, 3000, 4000, 6999, 7000], [3, 3, 4, 3, 3.999, 4]),
            ("3->3@2s, 0->0@0s, 7->7@2s, repeat", [1999, 2000, 3999, 4000], [3, 7, 7, 3]),
            ("after 0s, 0->1@1s", [0, 500], [0, 0.5]),
            ("1->0@1/4s, repeat", [0, 125, 250, 375, 499], [1, 0.5, 1, 0.5, 0.004]),
        ] as [(String, [UInt64], [Double])])
    func courses(_ text: String, _ times: [UInt64], _ expected: [Double]) throws {
        for (value, (time, number)) in zip(try values(text, at: times), zip(times, expected)) {
            #expect(abs(try #require(value) - number) < 1e-9, "\(text) at \(time) ms")
        }
    }

    @Test("Before the start, a sequence has no value. The delay is not repeated")
    func delay() throws {
        let text = "after 2s, 0->8@1s, repeat"
        #expect(try values(text, at: [0, 1999, 2000, 2500, 3000, 3500]) == [nil, nil, 0, 4, 0, 4])
        let once = try sequence("after 2s, 0->8@1s")
        #expect(!once.isOver(at: 0) && !once.isOver(at: 2_999_999_999) && once.isOver(at: 3_000_000_000))
    }

    @Test("Only finite sequences end")
    func ends() throws {
        #expect(try sequence("0->1@1s, repeat 3").isOver(at: 3 * Self.second))
        #expect(try !sequence("0->1@1s, repeat 3").isOver(at: 3 * Self.second - 1))
        #expect(try sequence("0->1@1s, ping-pong 3").isOver(at: 6 * Self.second))
        #expect(try !sequence("0->1@1s, ping-pong").isOver(at: .max))
        #expect(try sequence("0->1@1s, ping-pong").finalValue == 0)
        #expect(try sequence("2->1@1s, repeat").finalValue == 1)
    }

    // MARK: - Tempo

    @Test(
        "Durations in beats",
        arguments: [
            ("beat=120bpm, 0->4@1beat, 4->0@3beats", [250, 500, 1250, 2000], [2, 4, 2, 0]),
            ("beat=60bpm, 0->4@1/2beat, repeat", [0, 250, 500, 750], [0, 2, 0, 2]),
            ("beat=90.5bpm, 0->181@120beats", [40_000], [181 * 40 * 90.5 / 60 / 120]),
            (" beat = 120 bpm , after 2beats, 0->4@0.5beats", [1000, 1125, 1250], [0, 2, 4]),
            ("beat=180000/1001bpm, 0->1000@3000beats", [500_500], [500]),
        ] as [(String, [UInt64], [Double])])
    func beats(_ text: String, _ times: [UInt64], _ expected: [Double]) throws {
        for (value, number) in zip(try values(text, at: times), expected) {
            #expect(abs(try #require(value) - number) < 1e-9, "\(text)")
        }
    }

    @Test("The tempo of a text applies to sequences without a tempo")
    func tempo() throws {
        let tempo = try Tempo("beat=60bpm")
        #expect(try written.sequence("0->1@1beat", tempo: tempo).value(at: 500_000_000) == 0.5)
        #expect(try written.sequence("beat=120bpm, 0->1@1beat", tempo: tempo).value(at: 250_000_000) == 0.5)
    }

    // MARK: - One hour

    private static let rates = [(25, 1), (30, 1), (30000, 1001), (60, 1), (24000, 1001)]

    @Test("For one hour, each frame has the value of its time", arguments: rates)
    func hour(_ rate: (Int, Int)) throws {
        let sequence = try sequence("0->1@1s, hold 8s, 1->0@1s, repeat")
        var wrong: [Int] = []
        for frame in 0...3600 * rate.0 / rate.1 {
            let time = Self.timestamp(frame, rate)
            let (whole, rest) = time.quotientAndRemainder(dividingBy: Self.second)
            let part = Double(rest) / 1e9
            let expected =
                switch whole % 10 {
                case 0: part
                case 9: 1 - part
                default: 1.0
                }
            if abs((sequence.value(at: time) ?? -1) - expected) > 1e-12 { wrong.append(frame) }
        }
        #expect(wrong.isEmpty)
    }

    @Test(
        "For one hour, each beat starts with the first frame that is not earlier than the beat",
        arguments: TestScope.pairs(
            rates, [("180", 180, 1), ("128", 128, 1), ("133.7", 1337, 10), ("180000/1001", 180_000, 1001)]))
    func hourOfBeats(_ rate: (Int, Int), _ tempo: (text: String, beats: Int, per: Int)) throws {
        // A sawtooth that falls from 1 to 0 in each beat: its value is higher than before only where a beat starts.
        let sequence = try sequence("beat=\(tempo.text)bpm, 1->0@1beat, repeat")
        var starts: [Int] = []
        var last = -1.0
        let count = 3600 * rate.0 / rate.1
        for frame in 0..<count {
            let value = sequence.value(at: Self.timestamp(frame, rate)) ?? -1
            if value > last { starts.append(frame) }
            last = value
        }
        // Beat k is at 60·k·per/beats seconds, so it starts in the frame ⌈60·k·per·rate/beats⌉.
        var expected: [Int] = []
        for beat in 0... {
            let (above, below) = (60 * beat * tempo.per * rate.0, tempo.beats * rate.1)
            let frame = (above + below - 1) / below
            guard frame < count else { break }
            expected.append(frame)
        }
        #expect(expected.count > 7000)
        #expect(starts == expected)
    }

    // MARK: - Errors

    static let mistakes: [(String, Int, String)] = [
        ("", 0, "malformed fade"),
        ("5", 0, "malformed fade"),
        ("0->1", 0, "malformed fade"),
        ("0->1@1s, 5@2s", 9, "malformed fade"),
        ("0->1@1s,", 8, "missing fade after a comma"),
        ("0->1@1s,, repeat", 8, "missing fade after a comma"),
        ("0->1@1s, hold 8s, 1->2000@1s, repeat", 21, "level must be between -1000 and 1000"),
        ("0->1@1s, hold", 13, "missing time after \"hold\". Write \"hold 2s\"."),
        ("0->1@1s, hold soon", 14, "malformed time after \"hold\""),
        ("0->1@1s, hold -1s", 14, "malformed time after \"hold\""),
        ("0->1@1s, hold nans", 14, "malformed time after \"hold\""),
        ("0->1@1s, hold infs", 14, "malformed time after \"hold\""),
        ("0->1@1s, hold 1/0s", 14, "malformed time after \"hold\""),
        ("0->1@1s, hold 1/2/3s", 14, "malformed time after \"hold\""),
        ("0->1@1s, hold 8s repeat", 17, "missing comma before \"repeat\""),
        ("0->1@1s hold 8s", 8, "missing comma before \"hold\""),
        ("0->1@1s smooth hold 8s", 8, "unknown word \"smooth hold 8s\""),
        ("0->1@1s smoth", 8, "unknown word \"smoth\" after the time of a fade. Use linear or smooth."),
        ("0->1@1s, after 2s", 9, "must be the first part of a sequence. To wait between two fades, write \"hold"),
        ("after 1s, after 2s, 0->1@1s", 10, "\"after\" must be the first part"),
        ("after 1s", 8, "missing fade"),
        ("hold 1s", 7, "missing fade"),
        ("hold 1s, repeat", 9, "missing fade before \"repeat\""),
        ("0->1@1s, repeat, 1->0@1s", 17, "\"repeat\" must be the last part of a sequence"),
        ("0->1@1s, ping-pong 2, repeat", 22, "\"ping-pong\" must be the last part of a sequence"),
        ("0->1@1s, repeat 0", 16, "must be a whole number from 1 to 1000000000"),
        ("0->1@1s, repeat 1.5", 16, "must be a whole number"),
        ("0->1@1s, repeat -1", 16, "must be a whole number"),
        ("0->1@1s, repeat 99999999999999999999", 16, "must be a whole number"),
        ("0->1@1s, repeat 3 times", 18, "missing comma before \"times\""),
        ("0->1@0s, repeat", 9, "\"repeat\" needs a fade that is longer than 0 s"),
        ("0->1@0s, hold 0ms, ping-pong 2", 19, "\"ping-pong\" needs a fade that is longer than 0 s"),
        ("0->1@1s, repaet", 9, "unknown word \"repaet\". Did you mean \"repeat\"?"),
        ("0->1@1s, pingpong", 9, "Did you mean \"ping-pong\"?"),
        ("0->1@1s, xyzzy 3", 9, "unknown word \"xyzzy\" in a sequence"),
        ("0->1@1beat", 5, "a time in beats needs a tempo"),
        ("0->1@1s, hold 2beats", 14, "a time in beats needs a tempo"),
        ("beat=120, 0->1@1beat", 5, "malformed tempo. Write the tempo as beat=120bpm"),
        ("beat=0bpm, 0->1@1beat", 5, "malformed tempo"),
        ("beat=1001bpm, 0->1@1beat", 5, "malformed tempo"),
        ("beat=nanbpm, 0->1@1beat", 5, "malformed tempo"),
        ("beat=120bpm", 11, "missing fade"),
        ("beat=120bpm, 0->1@1xbeat", 18, "malformed time in a fade"),
        ("0->1@1s, beat=120bpm", 9, "the tempo must be the first part of a sequence"),
        // The denominators 999999999989 and 999999999961 are primes.
        ("0->1@1/999999999989s, hold 1/999999999961s", 0, "too many different fractions"),
    ]

    @Test("An error has the position of the mistake", arguments: mistakes)
    func mistake(_ text: String, _ position: Int, _ message: String) {
        let error = #expect(throws: WrittenNumberError.self) { try sequence(text) }
        #expect(error?.position == position, "\(text): \(String(describing: error))")
        #expect(error?.message.contains(message) == true, "\(text): \(String(describing: error))")
    }

    @Test("Extreme texts give a sequence or an error")
    func extremes() throws {
        let nines = String(repeating: "9", count: 100_000)
        let texts = [
            nines, "0->1@\(nines)s", "0->1@1/\(nines)s", "0->1@\(nines)/\(nines)s", "\(nines)->0@1s",
            "0->1@1s, repeat \(nines)", "beat=\(nines)bpm, 0->1@1beat", "beat=1bpm, 0->1@\(nines)beats",
            "beat=0.\(nines)bpm, 0->1@1beat", String(repeating: "0->1@1s,", count: 100_000),
            String(repeating: ",", count: 100_000), String(repeating: "->@", count: 100_000),
            String(repeating: "hold ", count: 100_000), String(repeating: "beat=", count: 50_000),
            "0->1@1s, " + String(repeating: "é", count: 100_000),
        ]
        for text in texts { _ = try? sequence(text) }
        // The largest values that are valid.
        let longest = [
            "0->1@9223372036s, repeat 1000000000", "0->1@1e300s, hold 1e300s, 1->0@1e300s, ping-pong 1000000000",
            "after 1e300s, 0->1@1s", "beat=1bpm, 0->1@999999999999beats, ping-pong", "0->1@0.000000001s, repeat",
            "0->1@1/1099511627776s, repeat", "beat=1000bpm, 0->1@1/999999999999beat, hold 1e300s, repeat 1000000000",
            String(repeating: "0->1@1e300s, ", count: 999) + "ping-pong 1000000000",
        ]
        for text in longest {
            let sequence = try sequence(text)
            for time in [0, 1, Self.second, UInt64.max / 2, .max - 1, .max] {
                let value = sequence.value(at: time)
                #expect(value.map { (0...1).contains($0) } ?? text.hasPrefix("after"), "\(text) at \(time)")
                _ = sequence.isOver(at: time)
            }
        }
    }

    @Test("Any text gives a sequence or an error inside the text, and the description is the sequence")
    func noise() throws {
        var random = Random(seed: 50)
        let pieces = [
            "0->1@1s", "1->0@500ms smooth", "hold 8s", "hold ", "after 1/3s", "after ", "repeat", "repeat 3",
            "ping-pong",
            "beat=133.7bpm", "2->3@1/3beat", "5->5@0s", "->", "@", "s", "ms", "beat", "-", "9", "1e999", "/", "=", "é",
            " ",
        ]
        var good = 0
        for _ in 0..<5000 {
            let count = 1 + Int(random.next() % 5)
            let separator = random.next() % 4 == 0 ? "" : ", "
            let text = (0..<count).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
                .joined(separator: separator)
            switch Result(catching: { () throws(WrittenNumberError) in try written.sequence(text[...]) }) {
            case .success(let one):
                #expect(try sequence(one.description) == one, "\(text): \(one)")
                good += 1
            case .failure(let error): #expect((0...text.count).contains(error.position), "\(text): \(error)")
            }
        }
        #expect(good > 150)
    }
}
