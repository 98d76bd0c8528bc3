// SPDX-License-Identifier: LGPL-2.1-or-later
@testable import Elements
import ElementKit
import Imaging
import TestScope
import TestSupport
import Testing

@Suite("svblobclassify: review")
struct BlobReviewTests {
    /// The numbers follow from the margin of 0.15 of the longer side, on both sides, and from the aspect ratio 4:3.
    @Test(
        "The part around a blob has a margin and the aspect ratio of the frame, and stays inside the frame",
        arguments: [
            (Rectangle(x: 20, y: 30, width: 40, height: 30), Rectangle(x: 12, y: 24, width: 56, height: 42)),
            (Rectangle(x: 0, y: 0, width: 40, height: 30), Rectangle(x: 0, y: 0, width: 56, height: 42)),
            (Rectangle(x: 140, y: 100, width: 20, height: 20), Rectangle(x: 125, y: 94, width: 35, height: 26)),
            (Rectangle(x: 10, y: 0, width: 150, height: 120), Rectangle(x: 0, y: 0, width: 160, height: 120)),
            (Rectangle(x: 200, y: 0, width: 10, height: 10), Rectangle(x: 0, y: 0, width: 160, height: 120)),
        ])
    func part(_ box: Rectangle, _ expected: Rectangle) {
        #expect(ReviewView.part(around: box, of: PixelSize(width: 160, height: 120)) == expected)
    }

    @Test(
        "In all formats, the blob fills the frame",
        arguments: TestScope.some(FrameFormat.all.map(\.name), oneIn: 3, offset: 2))
    func formats(_ format: String) throws {
        let folder = try TemporaryFolder()
        // A dark red square of 40x30 pixels on light grey.
        let input = TestFrame(.rgb, 160, 120) { x, y in
            (20..<60).contains(x) && (30..<60).contains(y) ? [150, 30, 30] : [230, 230, 230]
        }
        let path = try folder.write(input, "a.png")
        func shown(_ review: Bool) throws -> TestFrame {
            let line = try pipeline(
                "filesrc location=\(path) ! pngdec ! imagefreeze num-buffers=1 ! videoconvert ! video/x-raw,format=\(format) ! "
                    + "svblobdetect draw=false ! svblobclassify review=\(review) draw=false mode=sync ! videoconvert ! "
                    + "video/x-raw,format=RGB ! appsink name=out sync=false")
            try line.play()
            return try required(line.pull(), "no frame").frame
        }
        let (plain, review) = (try shown(false), try shown(true))
        // The enlarged square extends from (23, 17) to (137, 103), and the caption is empty.
        for (x, y) in [(80, 60), (30, 24), (130, 24), (30, 90), (130, 90)] {
            #expect(Int(review.color(x, y).luma) < 110, "\(x) \(y)")
        }
        for (x, y) in [(8, 60), (152, 60), (80, 6), (80, 114)] {
            #expect(Int(review.color(x, y).luma) > 190, "\(x) \(y)")
        }
        #expect(Int(plain.color(130, 90).luma) > 190)
    }

    /// A dark red square on light grey, and optionally a dark blue bar, which is larger.
    private func scene(hasBar: Bool) -> TestFrame {
        TestFrame(.bgra, 160, 120) { x, y in
            if (120..<136).contains(x) && (20..<36).contains(y) { return [30, 30, 150, 255] }
            if hasBar && (20..<80).contains(x) && (60..<84).contains(y) { return [150, 30, 30, 255] }
            return [230, 230, 230, 255]
        }
    }

    private func isBlue(_ frame: TestFrame) -> Bool {
        let color = frame.color(80, 60)
        return Int(color.blue) > Int(color.red) + 50
    }

    @Test("The largest blob is shown even if only a smaller blob has a name")
    func largestWithoutName() throws {
        let (small, both) = (scene(hasBar: false), scene(hasBar: true))
        let training = try DrawnTraining.shared
        let chain = try BlobChain(
            [], [("training", training.list), ("review", "true"), ("mode", "async")], like: small)
        var time: UInt64 = 0
        func push(_ frame: TestFrame) throws -> (output: TestFrame, names: [String]) {
            time += 40_000_000
            let buffer = try chain.push(frame, at: time)
            let names = buffer.detections(160, 120).compactMap { blob in
                blob.classifications.first { $0.name == "blob-class" }?.label
            }
            return (try TestFrame(buffer, .bgra, 160, 120), names)
        }
        #expect(try eventually { try !push(small).names.isEmpty })
        let first = try push(both)
        #expect(isBlue(first.output))
    }

    /// The places are on the small square, on the background and on the bar. The enlarged bar hides all of them.
    @Test("A click anywhere selects the blob that is shown", arguments: [Point(128, 28), Point(8, 8), Point(80, 60)])
    func click(_ place: Point) throws {
        let both = scene(hasBar: true)
        let chain = try BlobChain([], [("review", "true")], like: both)
        #expect(isBlue(try TestFrame(try chain.push(both, at: 0), .bgra, 160, 120)))
        while chain.classify.takeUpstreamEvent() != nil {}
        chain.classify.click(place)
        #expect(chain.classify.takeUpstreamEvent() == nil, "the element handles the click")
        chain.classify.press("l")
        var bar: String?
        for number in 1..<100 where bar == nil {
            bar = try chain.names(both, at: UInt64(number) * 40_000_000).first { $0.box.width > 40 }?.name
        }
        #expect(bar == "thing 1")
    }

    @Test("Without a blob, the frame passes unchanged")
    func noBlob() throws {
        let input = TestFrame(.bgra, 160, 120, color: Color(gray: 220))
        let chain = try BlobChain([], [("review", "true")], like: input)
        let output = try chain.push(input, at: 0)
        #expect(try TestFrame(output, .bgra, 160, 120) == input)
    }

    @Test("A review of a frame with alpha is opaque")
    func alpha() throws {
        let input = TestFrame(.bgra, 160, 120) { x, y in
            (20..<60).contains(x) && (30..<60).contains(y) ? [30, 30, 150, 90] : [230, 230, 230, UInt8(x)]
        }
        let chain = try BlobChain([], [("review", "true")], like: input)
        let output = try TestFrame(try chain.push(input, at: 0), .bgra, 160, 120)
        #expect(output != input)
        #expect(stride(from: 3, to: 4 * 160 * 90, by: 4).allSatisfy { output.bytes[$0] == 255 })
    }
}
