// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging
import TestSupport
import Testing

@Suite("svswitch")
struct SwitchTests {
    private static let red = Color(red: 200, green: 10, blue: 10)
    private static let green = Color(red: 10, green: 200, blue: 10)

    /// Returns a pipeline with a switch between two appsrc elements.
    private func line(_ properties: String, _ frames: [TestFrame]) throws -> Pipeline {
        let sources = frames.enumerated().map { index, frame in
            "appsrc name=in\(index) format=time caps=\(frame.caps()) ! s.sink_\(index)"
        }
        return try Pipeline.registered(
            "svswitch name=s \(properties) ! video/x-raw,format=BGRA ! appsink name=out sync=false "
                + sources.joined(separator: " "))
    }

    private func feed(_ line: Pipeline, _ index: Int, _ frame: TestFrame, count: Int) throws {
        for number in 0..<count {
            try line.push(frame, into: "in\(index)", at: UInt64(number) * 40_000_000, duration: 40_000_000)
        }
        try line.end("in\(index)")
    }

    private var frames: [TestFrame] {
        [TestFrame(.bgra, 16, 8, color: Self.red), TestFrame(.bgra, 16, 8, color: Self.green)]
    }

    @Test("A dissolve begins with the old input, ends with the new one, and does not jump")
    func dissolve() throws {
        let line = try line("every=200000000 duration=400000000 easing=linear", frames)
        try line.play()
        for (index, frame) in frames.enumerated() { try feed(line, index, frame, count: 20) }
        let reds = try line.pullAll().map { Int($0.frame.color(5, 5).red) }
        #expect(reds.count == 20)
        #expect(reds.first == 200)
        #expect(reds.contains(10))
        for (one, next) in zip(reds, reds.dropFirst()) { #expect(abs(one - next) <= 21) }
    }

    @Test("An input that sends nothing holds nothing up, and costs no frame")
    func silent() throws {
        let line = try line("", frames)
        try line.play()
        try feed(line, 0, frames[0], count: 10)
        for _ in 0..<10 {
            let frame = try #require(try line.pull()).frame
            #expect(frame.color(5, 5).red == 200)
        }
        try feed(line, 1, frames[1], count: 10)
        while try line.pull() != nil {}
    }

    @Test("Where the input that is on ends, the next one goes on", arguments: [0, 40_000_000])
    func ended(_ duration: Int) throws {
        let line = try line("duration=\(duration)", frames)
        try line.play()
        try feed(line, 0, frames[0], count: 5)
        try feed(line, 1, frames[1], count: 12)
        let greens = try line.pullAll().map { $0.frame.color(5, 5).green }
        #expect(greens.count == 12)
        #expect(greens.prefix(5).allSatisfy { $0 == 10 })
        #expect(greens.last == 200)
        #expect(try line.element("s").get("active", as: UInt32.self) == 1)
    }

    @Test("The input that is on and falls silent gives way, without live sources, too")
    func silence() throws {
        let line = try line("timeout=100000000 duration=80000000", frames)
        try line.play()
        for number in 0..<3 {
            try line.push(frames[0], into: "in0", at: UInt64(number) * 40_000_000, duration: 40_000_000)
        }
        try feed(line, 1, frames[1], count: 10)
        var seen = false
        while !seen, let sample = try line.pull() { seen = sample.frame.color(5, 5).green == 200 }
        #expect(seen)
        try line.end("in0")
        while try line.pull() != nil {}
    }
}
