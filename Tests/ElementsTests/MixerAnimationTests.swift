// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging
import TestSupport
import Testing

@Suite("svmixer: animated pads")
struct MixerAnimationTests {
    private let black = TestFrame(.bgra, 40, 20, color: Color(gray: 0))
    private let white = TestFrame(.bgra, 40, 20, color: Color(gray: 255))

    /// Mixes ten frames of each input, with a duration of 100 ms. The second input is visible for a second.
    private func mixed(_ properties: String, upper: TestFrame? = nil) throws -> [TestFrame] {
        let line = try MixerLine(properties, inputs: [(black, "10/1"), (upper ?? white, "10/1")])
        try line.pipeline.play()
        try line.feed(0, Array(repeating: black, count: 11), every: 100_000_000)
        try line.feed(1, Array(repeating: upper ?? white, count: 11), every: 100_000_000)
        return try line.pipeline.pullAll().map(\.frame)
    }

    @Test("An input fades in, the lower one seen from the first frame on that is not covered")
    func fade() throws {
        let shown = try mixed("sink_1::animate=opacity=0->1@1s").map { $0.color(5, 5).red }
        #expect(shown.count == 11)
        for (index, level) in shown.enumerated() { #expect(abs(level - 25.5 * Double(index)) <= 1, "\(index)") }
        let out = try mixed("sink_1::animate=opacity=1->0@1s").map { $0.color(5, 5).red }
        for (index, level) in out.enumerated() { #expect(abs(level - 255 + 25.5 * Double(index)) <= 1, "\(index)") }
    }

    @Test("An input fades in and out again and again")
    func pingPong() throws {
        let shown = try mixed("sink_1::animate=\"opacity=0->1@400ms, ping-pong\"").map { $0.color(5, 5).red }
        let expected = [0, 0.25, 0.5, 0.75, 1, 0.75, 0.5, 0.25, 0, 0.25, 0.5]
        #expect(shown.count == 11)
        for (level, opacity) in zip(shown, expected) { #expect(abs(level - 255 * opacity) <= 1) }
    }

    @Test("An input moves and grows, all its properties in the same frame")
    func moves() throws {
        let small = TestFrame(.bgra, 10, 10, color: Color(gray: 255))
        let frames = try mixed(
            "sink_1::animate=\"xpos=0->20@1s, ypos=10->0@500ms, width=10->20@1s, height=10->20@1s\"", upper: small)
        for (index, frame) in frames.enumerated() {
            let x = 2 * index, y = max(0, 10 - 2 * index), side = 10 + index
            let part = Rectangle(x: x, y: y, width: side, height: side).intersection(
                Rectangle(width: frame.width, height: frame.height))
            let expected = TestFrame(.bgra, 40, 20) { column, row in
                let isIn = part.x..<part.x + part.width ~= column && part.y..<part.y + part.height ~= row
                return isIn ? [255, 255, 255, 255] : [0, 0, 0, 255]
            }
            #expect(frame == expected, "\(index)")
        }
    }

    @Test("A wrong text is an error of the mixer that names the pad")
    func wrong() throws {
        let line = try MixerLine(inputs: [(black, "10/1"), (white, "10/1")])
        try line.pad(1).set("animate", "opacty=0->1@1s")
        #expect(line.pipeline.set(GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(line.pipeline.bus.pending(GST_MESSAGE_ERROR).first)
        #expect(error.source == "mix")
        #expect(
            error.text
                == "sink_1: animate, at character 1: unknown property \"opacty\". Did you mean \"opacity\"?")
        line.pipeline.set(GST_STATE_NULL)
        try line.pad(1).set("animate", "opacity=0->1@1s")
        try line.pipeline.play()
        // In PLAYING, an invalid text is only a warning.
        try line.pad(1).set("animate", "opacity=0->2@1s")
        let warning = try #require(line.pipeline.bus.wait(GST_MESSAGE_WARNING))
        #expect(warning.source == "mix")
        #expect(warning.text == "sink_1: animate, at character 12: opacity must be between 0 and 1")
    }
}
