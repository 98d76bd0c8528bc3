// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import TestSupport
import Testing

@Suite("svmixer: fit")
struct MixerFitTests {
    private let wide = TestFrame(.bgr, 20, 10, seed: 130)
    private let background = TestFrame(.bgr, 30, 30, color: Color(red: 9, green: 90, blue: 200))

    /// Returns the background with the pixels of `input` in a rectangle.
    private func shown(_ input: TestFrame, at place: Rectangle, from x: Int, _ y: Int) -> TestFrame {
        background.map { px, py, pixel in
            let inside = px >= place.x && py >= place.y && px < place.x + place.width && py < place.y + place.height
            return inside ? input[px - place.x + x, py - place.y + y] : pixel
        }
    }

    private func mixed(_ properties: String, _ input: TestFrame) throws -> TestFrame {
        try mix("sink_1::xpos=4 sink_1::ypos=3 \(properties)", output: ",format=BGR", background, input)
    }

    @Test("contain shows the whole input in the middle of its rectangle, pixel for pixel where it need not be scaled")
    func contain() throws {
        let size = "sink_1::fit=contain sink_1::width=20 sink_1::height=20"
        #expect(try mixed(size, wide) == shown(wide, at: Rectangle(x: 4, y: 8, width: 20, height: 10), from: 0, 0))
        let high = TestFrame(.bgr, 6, 20, seed: 131)
        #expect(try mixed(size, high) == shown(high, at: Rectangle(x: 11, y: 3, width: 6, height: 20), from: 0, 0))
    }

    @Test("cover fills the rectangle with the middle of the input")
    func cover() throws {
        let size = "sink_1::fit=cover sink_1::width=10 sink_1::height=10"
        let place = Rectangle(x: 4, y: 3, width: 10, height: 10)
        #expect(try mixed(size, wide) == shown(wide, at: place, from: 5, 0))
        let high = TestFrame(.bgr, 10, 22, seed: 132)
        #expect(try mixed(size, high) == shown(high, at: place, from: 0, 6))
    }

    @Test("align-x and align-y select the visible part with cover, and the place with contain")
    func alignment() throws {
        let square = "sink_1::fit=cover sink_1::width=10 sink_1::height=10"
        let place = Rectangle(x: 4, y: 3, width: 10, height: 10)
        let high = TestFrame(.bgr, 10, 22, seed: 132)
        for (align, column, row) in [("0", 0, 0), ("0.3", 3, 3), ("1", 10, 12)] {
            #expect(try mixed("\(square) sink_1::align-x=\(align)", wide) == shown(wide, at: place, from: column, 0))
            #expect(try mixed("\(square) sink_1::align-y=\(align)", high) == shown(high, at: place, from: 0, row))
        }
        let contained = "sink_1::fit=contain sink_1::width=20 sink_1::height=20 sink_1::align-y=1"
        #expect(
            try mixed(contained, wide) == shown(wide, at: Rectangle(x: 4, y: 13, width: 20, height: 10), from: 0, 0))
    }

    @Test("cover scales what it shows evenly")
    func coverScaled() throws {
        // The input has three vertical bars of 20 pixels. Of the 60x20 pixels, the middle third covers 40x40 pixels at
        // twice its size.
        let bars = TestFrame(.bgr, 60, 20) { x, _ in
            [
                Color(red: 255, green: 0, blue: 0), Color(red: 0, green: 255, blue: 0),
                Color(red: 0, green: 0, blue: 255),
            ][x / 20]
            .pixel(.bgr)
        }
        let canvas = TestFrame(.bgr, 40, 40, color: Color(gray: 0))
        let result = try mix(
            "sink_1::fit=cover sink_1::width=40 sink_1::height=40", output: ",format=BGR", canvas, bars)
        for y in [0, 20, 39] {
            for x in [2, 20, 37] { #expect(result.color(x, y) == Color(red: 0, green: 255, blue: 0), "\(x), \(y)") }
        }
    }

    @Test("stretch is what was always done")
    func stretch() throws {
        let plain = TestFrame(.bgr, 20, 10, color: Color(red: 250, green: 10, blue: 40))
        let expected = shown(
            TestFrame(.bgr, 12, 15, color: plain.color(0, 0)), at: Rectangle(x: 4, y: 3, width: 12, height: 15),
            from: 0, 0)
        #expect(try mixed("sink_1::width=12 sink_1::height=15", plain) == expected)
        #expect(try mixed("sink_1::fit=stretch sink_1::width=12 sink_1::height=15", plain) == expected)
    }

    @Test("The rectangle of the first input is the output's size, with bars where contain leaves them")
    func first() throws {
        let result = try mix(
            "background-color=0xff0000ff sink_0::fit=contain sink_0::width=20 sink_0::height=20",
            output: ",format=BGR", wide)
        #expect((result.width, result.height) == (20, 20))
        for (x, y) in [(0, 4), (19, 15), (3, 0), (7, 19)] {
            #expect(result.color(x, y) == Color(red: 0, green: 0, blue: 255))
        }
        for y in 0..<10 { for x in 0..<20 { #expect(result[x, y + 5] == wide[x, y]) } }
    }

    @Test("A mask is stretched over what is seen")
    func mask() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(TestFrame(.gray8, 10, 10) { x, _ in [x < 5 ? 0 : 255] }, "half.png")
        let result = try mixed("sink_1::fit=cover sink_1::width=10 sink_1::height=10 sink_1::mask=\(path)", wide)
        #expect(result == shown(wide, at: Rectangle(x: 9, y: 3, width: 5, height: 10), from: 10, 0))
    }

    @Test("A picture of any shape can cover any rectangle")
    func extreme() throws {
        let line = TestFrame(.bgr, 4000, 1, color: Color(red: 10, green: 200, blue: 30))
        let result = try mixed("sink_1::fit=cover sink_1::width=20 sink_1::height=20", line)
        let plain = TestFrame(.bgr, 20, 20, color: line.color(0, 0))
        #expect(result == shown(plain, at: Rectangle(x: 4, y: 3, width: 20, height: 20), from: 0, 0))
    }

    @Test("fit changes while it plays")
    func live() throws {
        let line = try MixerLine(
            "sink_0::width=20 sink_0::height=20", output: ",format=BGR", inputs: [(wide, "25/1")])
        try line.pipeline.play()
        try line.pipeline.push(wide, into: "in0", at: 0, duration: 40_000_000)
        #expect(try #require(try line.pipeline.pull()).frame.color(2, 2) != Color(gray: 0))
        try line.pad(0).set("fit", "contain")
        try line.pipeline.push(wide, into: "in0", at: 40_000_000, duration: 40_000_000)
        try line.pipeline.end("in0")
        #expect(try #require(try line.pipeline.pull()).frame.color(2, 2) == Color(gray: 0))
    }

    @Test("Regions are scaled with the whole input and clipped to what is seen")
    func regions() throws {
        let input = TestFrame(.bgra, 20, 10, seed: 133)
        let line = try MixerLine(
            "sink_1::fit=cover sink_1::xpos=4 sink_1::width=20 sink_1::height=20",
            inputs: [(TestFrame(.bgra, 40, 30, seed: 134), "25/1"), (input, "25/1")])
        try line.pipeline.play()
        let above = try input.buffer()
        // The input is shown at twice its size, and its columns 5 to 15 are visible.
        try above.addRegion("face", id: 1, [8, 2, 4, 3], parameter: "detection, confidence=(double)0.5")
        try above.addRegion("face", id: 2, [2, 0, 5, 5], parameter: "detection, confidence=(double)0.5")
        try above.addRegion("face", id: 3, [0, 0, 4, 5], parameter: "detection, confidence=(double)0.5")
        try line.pipeline.push(TestFrame(.bgra, 40, 30, seed: 134).buffer(), into: "in0")
        try line.pipeline.push(above, into: "in1")
        for index in 0..<2 { try line.pipeline.end("in\(index)") }
        let found = try #require(try line.pipeline.pull()).buffer.regions.sorted { $0.id < $1.id }
        let boxes = found.map { [$0.x, $0.y, $0.w, $0.h] }
        let expected: [[UInt32]] = [[10, 4, 8, 6], [4, 0, 4, 10]]
        #expect(boxes == expected)
    }
}
