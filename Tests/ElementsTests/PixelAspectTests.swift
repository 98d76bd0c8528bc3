// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import Scenes
import TestSupport
import Testing

/// Tests with pixels that are not square. On the display, shapes must stay the same.
@Suite("Pixel aspect ratios")
struct PixelAspectTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// On the display, this is 128x72.
    private static let wide = "video/x-raw,format=GRAY8,width=90,height=72,pixel-aspect-ratio=64/45"
    private static let out = "! appsink name=out sync=false"

    private func first(_ description: String) throws -> TestFrame {
        let line = try pipeline(description)
        try line.play()
        return try #require(try line.pull()).frame
    }

    /// Returns the bounds of all pixels with levels above 127.
    private func bright(_ frame: TestFrame) -> Rectangle {
        frame.map { [$2[0] > 127 ? 255 : 0] }
            .change(from: TestFrame(frame.format, frame.width, frame.height) { _, _ in [0] })
    }

    // MARK: - Fitting

    @Test(
        "contain shows the whole of an anamorphic input, as compositor does",
        arguments: ["svswitch name=m", "svmixer name=m sink_0::width=80 sink_0::height=60 sink_0::fit=contain"])
    func contain(_ mixer: String) throws {
        let shown = try first(
            "\(mixer) ! video/x-raw,format=GRAY8,width=80,height=60,pixel-aspect-ratio=1/1 \(Self.out) "
                + "videotestsrc num-buffers=1 pattern=white ! \(Self.wide) ! m.sink_0")
        #expect(bright(shown) == Rectangle(x: 0, y: 7, width: 80, height: 45))
    }

    @Test(
        "cover cuts off what an anamorphic input has too much of, as it is shown",
        arguments: [
            "svswitch name=m sink_0::fit=cover", "svmixer name=m sink_0::width=60 sink_0::height=60 sink_0::fit=cover",
        ])
    func cover(_ mixer: String) throws {
        // The middle third is white: 30 of 90 columns. On the display, this is as wide as 35.6 of 60 rows.
        var input = TestFrame(.gray8, 90, 72) { x, _ in [(30..<60).contains(x) ? 255 : 0] }
        input.pixelAspect = "64/45"
        let line = try pipeline(
            "\(mixer) ! video/x-raw,format=GRAY8,width=60,height=60,pixel-aspect-ratio=1/1 \(Self.out) "
                + "appsrc name=in format=time caps=\(input.caps()) ! m.sink_0")
        try line.play()
        try line.push(input, into: "in", at: 0, duration: 40_000_000)
        try line.end("in")
        let seen = bright(try #require(try line.pull()).frame)
        #expect((34...37).contains(seen.width) && seen.height == 60 && (11...13).contains(seen.x))
    }

    @Test(
        "Without a size, the output of mixers has the shape that the first input is shown in",
        arguments: [
            ("", 90, 72), (",pixel-aspect-ratio=1/1", 128, 72), (",pixel-aspect-ratio=2/1", 64, 72),
        ], ["svswitch", "svmixer"])
    func outputSize(_ output: (caps: String, width: Int, height: Int), _ mixer: String) throws {
        let shown = try first(
            "\(mixer) name=m ! video/x-raw,format=GRAY8\(output.caps) \(Self.out) "
                + "videotestsrc num-buffers=1 pattern=white ! \(Self.wide) ! m.sink_0")
        #expect((shown.width, shown.height) == (output.width, output.height))
        #expect(bright(shown) == Rectangle(width: output.width, height: output.height))
    }

    @Test("A picture is shown in its shape over anamorphic frames")
    func blend() throws {
        let path = try folder.write(TestFrame(.rgb, 50, 50, color: .white), "square.png")
        func shown(_ fit: String) throws -> Rectangle {
            bright(
                try first(
                    "videotestsrc num-buffers=1 pattern=black ! \(Self.wide) ! svblend location=\(path) fit=\(fit) "
                        + Self.out))
        }
        // 72 rows have the height of 50.6 columns.
        #expect(try shown("contain") == Rectangle(x: 19, y: 0, width: 51, height: 72))
        #expect(try shown("cover") == Rectangle(width: 90, height: 72))
    }

    @Test("A captured frame fills the frames that it was captured from")
    func captured() throws {
        var (white, black) = (
            TestFrame(.gray8, 90, 72, color: .white), TestFrame(.gray8, 90, 72, color: .black)
        )
        (white.pixelAspect, black.pixelAspect) = ("64/45", "64/45")
        let harness = try blendHarness([("fit", "contain")], like: white)
        harness.element.emit("capture")
        _ = try harness.process(white)
        #expect(bright(try harness.process(black)) == Rectangle(width: 90, height: 72))
    }

    @Test("A snapshot has the shape that is shown, as programs read no other from a PNG file")
    func snapshot() throws {
        var input = TestFrame(.bgra, 90, 72) { x, _ in (x < 45 ? Color.white : .black).pixel(.bgra) }
        input.pixelAspect = "64/45"
        let harness = try blendHarness(like: input)
        harness.element.emit("capture-to", folder.file("saved.png"))
        _ = try harness.process(input)
        let fields = try #require(harness.message("saved"))
        #expect(fields.int("width") == 128 && fields.int("height") == 72)
        let saved = try decodePNG(folder.file("saved.png"), as: .bgra)
        #expect((saved.width, saved.height) == (128, 72))
        #expect(saved.color(60, 30).red > 250 && saved.color(67, 30).red < 5)
    }

    // MARK: - Drawing

    @Test("svoverlay draws circles that are round as they are shown", arguments: ["2/1", "1/2", "64/45"])
    func circles(_ aspect: String) throws {
        var input = TestFrame(.bgra, 300, 240, color: .black)
        input.pixelAspect = aspect
        let ratio = try #require(["2/1": 2.0, "1/2": 0.5, "64/45": 64 / 45.0][aspect])
        let face = Detection.face(Rectangle(x: 60, y: 40, width: 160, height: 160))
        let properties = [("boxes", "false"), ("labels", "false")]
        let shown = try overlayHarness(properties, like: input).process(input, [face])
        // The circle of the left eye is red.
        let red = shown.map { _, _, pixel in
            pixel[2] > 127 && pixel[0] < 128 && pixel[1] < 128 ? pixel : Color.black.pixel(.bgra)
        }
        let eye = red.change(from: input.map { _, _, _ in Color.black.pixel(.bgra) })
        #expect(eye.height > 10)
        #expect(abs(Double(eye.width) * ratio - Double(eye.height)) <= 2 * max(1, ratio), "\(eye)")
    }

    @Test("svoverlay writes letters in their shape as they are shown")
    func letters() throws {
        let thing = Detection(type: .blob, id: 3, box: Rectangle(x: 60, y: 80, width: 60, height: 60), confidence: 0.5)
        func label(_ aspect: String) throws -> Rectangle {
            var input = TestFrame(.bgra, 400, 240, color: .black)
            input.pixelAspect = aspect
            return try overlayHarness([("boxes", "false")], like: input).process(input, [thing]).change(from: input)
        }
        let (square, wide, narrow) = (try label("1/1"), try label("2/1"), try label("1/2"))
        #expect(square.height > 10 && wide.height == square.height && narrow.height == square.height)
        #expect(abs(2 * wide.width - square.width) <= 6, "\(wide) \(square)")
        #expect(abs(narrow.width - 2 * square.width) <= 6, "\(narrow) \(square)")
    }

    @Test("A picture that hides is shown in its shape")
    func cover() throws {
        var input = TestFrame(.bgra, 240, 180, color: .black)
        input.pixelAspect = "2/1"
        // The frame is shown twice as wide as high. So the upper and lower quarters of the square image are cut off.
        let picture = TestFrame(.rgb, 80, 80) { _, y in (20..<60).contains(y) ? [0, 255, 0] : [255, 0, 0] }
        let path = try folder.write(picture, "picture.png")
        let thing = Detection(type: .logo, id: 3, box: Rectangle(x: 96, y: 64, width: 64, height: 64))
        let shown = try overlayHarness(
            [("hide", "logo"), ("hide-style", "picture"), ("hide-picture", path)] + nothingDrawn, like: input
        ).process(input, [thing], searched: [.logo])
        let area = shown.change(from: input)
        #expect((area.width, area.height) == (80, 80))
        for y in [area.y + 2, area.y + 40, area.y + 77] {
            #expect(shown.color(128, y).green > 200 && shown.color(128, y).red < 60, "\(y)")
        }
    }

    // MARK: - Scenes

    @Test("Coins are round as they are shown, and the truth says where they are", arguments: ["BGRA", "I420", "GRAY8"])
    func coins(_ format: String) throws {
        let line = try pipeline(
            "videotestsrc num-buffers=1 pattern=black ! video/x-raw,format=\(format),width=150,height=216,"
                + "framerate=25/1,pixel-aspect-ratio=2/1 ! svtestscene scene=coins count=1 seed=3 speed=0 name=t "
                + "! videoconvert ! video/x-raw,format=GRAY8 \(Self.out)")
        let probe = try FrameProbe(line.pad("t", "src"))
        try line.play()
        let shown = try #require(try line.pull()).frame
        let buffer = try #require(probe.frames.first).buffer
        let coin = try #require(buffer.truth(150, 216).first)
        #expect(coin.box.height > 80 && abs(2 * coin.box.width - coin.box.height) <= 4, "\(coin.box)")
        // The paper is bright, coins and beans are dark, and shadows are between them.
        let dark = shown.map { [$2[0] < 175 ? 255 : 0] }
        let middle = (x: coin.box.x + coin.box.width / 2, y: coin.box.y + coin.box.height / 2)
        let across = (0..<150).filter { dark[$0, middle.y][0] == 255 }.count
        let down = (0..<216).filter { dark[middle.x, $0][0] == 255 }.count
        #expect(abs(2 * across - down) <= down / 4, "\(across) \(down)")
        #expect(abs(across - coin.box.width) <= 8 && abs(down - coin.box.height) <= 14, "\(across) \(down)")
    }

    @Test("Over an anamorphic stream faces are drawn, and the rest of it stays as it is")
    func faces() throws {
        var input = TestFrame(.bgra, 100, 140, seed: 12).map { _, _, pixel in Array(pixel.prefix(3)) + [255] }
        input.pixelAspect = "2/1"
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        let harness = try Harness("svtestscene", [("count", "1"), ("speed", "0")], like: input)
        #expect(harness.push(try input.buffer()) == GST_FLOW_OK)
        let buffer = try harness.pull()
        let face = try #require(buffer.truth(100, 140).first)
        #expect(abs(2 * face.box.width - face.box.height) <= 2)
        let shown = try harness.shown(buffer)
        let changed = shown.change(from: input)
        #expect(changed.contains(face.box.x + face.box.width / 2, face.box.y + face.box.height / 2))
        #expect(changed.width < 100 && changed.height < 140, "\(changed)")
        #expect((0..<100).allSatisfy { x in shown[x, 3][3] == 255 })
    }
}
