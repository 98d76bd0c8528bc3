// SPDX-License-Identifier: LGPL-2.1-or-later
import Testing

@Suite struct FormatTests {
    static let formats = ["BGRA", "RGBA", "BGRx", "RGBx", "ARGB", "ABGR", "xRGB", "xBGR", "BGR", "RGB", "GRAY8"]
    static let yuv = ["I420", "NV12", "YV12", "NV21", "YUY2", "UYVY", "Y42B", "Y444"]
    private static let blended = formats + yuv + ["I420_10LE", "P010_10LE"]
    /// A mode for each group of kernels: sums, products, quotients, whole pixels, edges.
    static let modes = ["normal", "screen", "soft-light", "color-dodge", "luminosity", "hud"]

    /// Expects that the elements of this project print nothing on stderr. Warnings of stock elements have other
    /// categories.
    private func expectClean(_ outcome: Outcome, _ what: String) {
        outcome.expectSuccess(what)
        let ours = outcome.errorLines.filter { $0.contains(#/ svblend| svmixer|CRITICAL|GLib/#) }
        #expect(ours.isEmpty, "\(what)")
    }

    @Test func listIsComplete() throws {
        for element in ["svblend", "svfilter", "svmixer"] {
            #expect(try Inspection(element).formats == Self.blended)
        }
    }

    @Test(arguments: zip(blended, blended.indices.map { modes[$0 % modes.count] }))
    func blendRunsClean(_ format: String, _ mode: String) throws {
        let outcome = try Program.launch(
            "videotestsrc num-buffers=60 ! video/x-raw,format=\(format),width=641,height=359"
                + " ! svblend location=\(Repository.foreground) mode=\(mode) opacity=0.9 ! fakesink",
            environment: ["GST_DEBUG": "2"])
        expectClean(outcome, format)
    }

    @Test(arguments: zip(blended, blended.indices.map { modes[$0 % modes.count] }))
    func mixerRunsClean(_ format: String, _ mode: String) throws {
        let outcome = try Program.launch(
            "svmixer name=m sink_1::mode=\(mode) sink_1::opacity=0.9 sink_1::xpos=-3 sink_1::width=333"
                + " sink_1::height=201 ! video/x-raw,format=\(format),width=641,height=359 ! fakesink"
                + " videotestsrc num-buffers=30 ! video/x-raw,format=\(format),width=641,height=359 ! m."
                + " videotestsrc pattern=ball num-buffers=30 ! video/x-raw,format=I420,width=161,height=121 ! m.",
            // At this level, the aggregator's category also reports that sources that are not live have no latency.
            environment: ["GST_DEBUG": "2,aggregator:1"])
        expectClean(outcome, format)
    }

    @Test(arguments: ["1x1", "2x1", "1x3", "7x5", "4096x2"]) func oddSizesRunClean(_ size: String) throws {
        let sides = size.split(separator: "x")
        for mode in Self.modes {
            let outcome = try Program.launch(
                "videotestsrc num-buffers=3 ! video/x-raw,format=BGR,width=\(sides[0]),height=\(sides[1])"
                    + " ! svblend location=\(Repository.foreground) mode=\(mode) ! fakesink",
                environment: ["GST_DEBUG": "2"])
            expectClean(outcome, "\(size) \(mode)")
        }
    }
}
