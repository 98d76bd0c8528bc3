// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import TestSupport
import Testing

@Suite("svblend: YUV")
struct BlendYUVTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static let formats = FrameFormat.allYUV + FrameFormat.deep

    private func shown(
        _ background: TestFrame, _ format: FrameFormat, _ properties: String, caps: String = ""
    ) throws -> (plain: Buffer, blended: TestFrame) {
        let line = try pipeline(
            "appsrc name=in format=time caps=\(background.caps()) ! videoconvert "
                + "! video/x-raw,format=\(format.name)\(caps) ! svblend \(properties) "
                + "! video/x-raw,format=\(format.name) ! tee name=t ! queue ! videoconvert "
                + "! video/x-raw,format=BGRA ! appsink name=out sync=false  t. ! queue ! appsink name=plain sync=false")
        try line.play()
        try line.push(background, into: "in", at: 0)
        let plain = try #require(try line.pullBuffer("plain")).buffer
        let shown = try #require(try line.pull()).frame
        try line.end("in")
        return (plain, shown)
    }

    @Test(
        "Colours are blended as in RGB", arguments: formats, ["", ",colorimetry=bt709"])
    func colors(_ format: FrameFormat, _ caps: String) throws {
        let background = TestFrame(.bgra, 64, 48, color: Color(red: 120, green: 90, blue: 150))
        let path = try folder.write(TestFrame(.rgb, 8, 8, color: Color(red: 200, green: 100, blue: 60)), "f.png")
        for (mode, expected) in [
            ("screen", [226, 155, 175]), ("normal", [200, 100, 60]), ("multiply", [94, 35, 35]),
        ] {
            let color = try shown(background, format, "location=\(path) mode=\(mode)", caps: caps).blended.color(31, 23)
            // videoconvert rounds down in both directions. This alone changes colours by up to 5 levels.
            for (found, wanted) in zip([color.red, color.green, color.blue], expected) {
                #expect(abs(Int(found) - wanted) <= 7, "\(mode): \(color)")
            }
        }
    }

    @Test("What is beside the foreground stays bit for bit", arguments: formats)
    func beside(_ format: FrameFormat) throws {
        // The sizes avoid padding in the planes, because padding bytes may differ.
        let background = TestFrame(.bgra, 64, 48, seed: 77)
        let path = try folder.write(TestFrame(.rgb, 8, 8, color: Color(red: 200, green: 100, blue: 60)), "f.png")
        let place = "location=\(path) width=13 height=9 xpos=21 ypos=11"
        let before = try TestFrame.memory(of: shown(background, format, "mode=none").plain)
        let after = try TestFrame.memory(of: shown(background, format, place).plain)
        #expect(before.count == after.count)
        let changed = zip(before, after).count { $0 != $1 }
        // There are 117 pixels. Each has luma and up to 2 chroma samples with up to 2 bytes each. The edges add some
        // samples.
        #expect(changed > 100 && changed < 117 * 6)
        // A weight of less than half a level changes nothing.
        let hidden = try TestFrame.memory(of: shown(background, format, "\(place) opacity=0.001").plain)
        #expect(hidden == before)
    }

    @Test("A captured frame becomes the foreground", arguments: [FrameFormat.nv12, .yuy2, .p010])
    func captured(_ format: FrameFormat) throws {
        let line = try pipeline(
            "videotestsrc num-buffers=3 pattern=solid-color foreground-color=0xff785a96 "
                + "! video/x-raw,format=\(format.name),width=64,height=48 ! svblend name=blend mode=difference "
                + "capture-every=1 ! videoconvert ! video/x-raw,format=BGRA ! appsink name=out sync=false")
        try line.play()
        _ = try line.pull()
        let shown = try #require(try line.pull()).frame.color(20, 20)
        #expect(shown.red <= 4 && shown.green <= 4 && shown.blue <= 4, "\(shown)")
    }
}
