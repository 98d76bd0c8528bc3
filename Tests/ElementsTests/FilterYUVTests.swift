// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Filters
import Imaging
import TestSupport
import Testing

@Suite("svfilter: YUV")
struct FilterYUVTests {
    private static let formats = FrameFormat.allYUV + FrameFormat.deep

    /// Returns the frame before svfilter and after svfilter, and the final image.
    private func shown(
        _ picture: TestFrame, _ format: FrameFormat, _ properties: String, caps: String = ""
    ) throws -> (before: Buffer, after: Buffer, picture: TestFrame) {
        let line = try pipeline(
            "appsrc name=in format=time caps=\(picture.caps()) ! videoconvert "
                + "! video/x-raw,format=\(format.name)\(caps) ! tee name=s ! queue ! svfilter \(properties) "
                + "! video/x-raw,format=\(format.name) ! tee name=t ! queue ! videoconvert "
                + "! video/x-raw,format=BGRA ! appsink name=out sync=false  t. ! queue ! appsink name=after sync=false "
                + "s. ! queue ! appsink name=before sync=false")
        try line.play()
        try line.push(picture, into: "in", at: 0)
        let before = try #require(try line.pullBuffer("before")).buffer
        let after = try #require(try line.pullBuffer("after")).buffer
        let shown = try #require(try line.pull()).frame
        try line.end("in")
        return (before, after, shown)
    }

    @Test(
        "The picture is that of the same chain on RGB", arguments: formats,
        ["", ",colorimetry=bt709", ",colorimetry=1:4:0:0"])
    func colors(_ format: FrameFormat, _ caps: String) throws {
        let color = Color(red: 120, green: 90, blue: 150)
        let picture = TestFrame(.bgra, 64, 48, color: color)
        for text in ["invert", "sepia-tone | hue angle=30", "gaussian-blur radius=3 | gamma", "mirror"] {
            let right = try Harness("svfilter", [("filters", text)], like: picture).process(picture).color(30, 20)
            let found = try shown(picture, format, "filters=\"\(text)\"", caps: caps).picture.color(31, 23)
            // videoconvert rounds down in both directions. This alone changes colours by up to 5 levels.
            for (value, wanted) in [(found.red, right.red), (found.green, right.green), (found.blue, right.blue)] {
                #expect(abs(value - wanted) <= 7, "\(text): \(found), not \(right)")
            }
        }
    }

    @Test("What the chain leaves as it is stays bit for bit", arguments: formats)
    func untouched(_ format: FrameFormat) throws {
        let picture = TestFrame(.bgra, 65, 47, seed: 5)
        for text in ["none", "sepia-tone intensity=0", "vignette intensity=0 | mirror | mirror"] {
            let shown = try shown(picture, format, "filters=\"\(text)\"")
            #expect(try TestFrame.memory(of: shown.before) == TestFrame.memory(of: shown.after), "\(text)")
        }
    }

    @Test("The reel has names on it", arguments: formats)
    func reel(_ format: FrameFormat) throws {
        // The first filter does not change a plain colour. So only the name of the filter is drawn.
        let picture = TestFrame(.bgra, 320, 240, color: Color(red: 200, green: 180, blue: 90))
        let text = try #require(Filter.all.first).name
        let named = try shown(picture, format, "reel=1000000000")
        let plain = try shown(picture, format, "filters=\(text)")
        let (with, without) = (try TestFrame.memory(of: named.after), try TestFrame.memory(of: plain.after))
        let changed = zip(with, without).count { $0 != $1 }
        #expect(changed > 200 && changed < with.count / 8)
        #expect(named.picture.color(300, 200) == plain.picture.color(300, 200))
        #expect((0..<40).contains { named.picture.color($0, 10).luma < plain.picture.color($0, 10).luma - 40 })
    }

    @Test("Any number of threads does the same", arguments: [FrameFormat.nv12, .yuy2, .p010])
    func threads(_ format: FrameFormat) throws {
        // The size avoids padding in the planes, because padding bytes may differ.
        let picture = TestFrame(.bgra, 800, 404, seed: 3)
        for text in ["sepia-tone | gamma | vignette | hue | photo-chrome", "gaussian-blur radius=4 | twirl"] {
            let one = try TestFrame.memory(of: shown(picture, format, "threads=1 filters=\"\(text)\"").after)
            for threads in [2, 5] {
                let more = try shown(picture, format, "threads=\(threads) filters=\"\(text)\"").after
                #expect(try TestFrame.memory(of: more) == one, "\(text), \(threads)")
            }
        }
    }

    @Test("What upstream gives is kept: nobody converts", arguments: FrameFormat.all + FrameFormat.deep)
    func negotiation(_ format: FrameFormat) throws {
        let line = try pipeline(
            "videotestsrc num-buffers=3 ! video/x-raw,format=\(format.name),width=64,height=48 ! videoconvert name=first "
                + "! svfilter filters=\"sepia-tone | mirror\" ! videoconvert name=last ! fakesink")
        try line.play()
        try line.finish()
        let given = try line.pad("first", "sink").text("caps")
        for (element, pad) in [("first", "src"), ("last", "sink"), ("last", "src")] {
            #expect(try line.pad(element, pad).text("caps") == given)
        }
        #expect(given?.contains(format.name) == true)
    }
}
