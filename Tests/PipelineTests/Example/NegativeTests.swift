// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Imaging
import Testing

/// Tests of the complete example in docs/writing-an-element.md.
@Suite struct NegativeTests {
    private static let isRegistered: Bool = {
        gst_init(nil, nil)
        return register(Negative.self)
    }()

    init() throws {
        try #require(Self.isRegistered)
    }

    /// Returns the bytes of the first output frame of this pipeline.
    private func firstFrame(_ description: String) throws -> [UInt8] {
        let parsed = gst_parse_launch(description + " ! appsink name=out sync=false", nil)
        let pipeline = try #require(parsed)
        gst_object_ref_sink(pipeline)
        defer {
            gst_element_set_state(pipeline, GST_STATE_NULL)
            gst_object_unref(pipeline)
        }
        let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
        let found = gst_bin_get_by_name(bin, "out")
        let sink = try #require(found)
        defer { gst_object_unref(sink) }
        gst_element_set_state(pipeline, GST_STATE_PLAYING)
        let appSink = UnsafeMutableRawPointer(sink).assumingMemoryBound(to: GstAppSink.self)
        let sample = try #require(gst_app_sink_try_pull_sample(appSink, 5_000_000_000))
        defer { gst_sample_unref(sample) }
        let buffer = try #require(gst_sample_get_buffer(sample))
        var bytes = [UInt8](repeating: 0, count: Int(gst_buffer_get_size(buffer)))
        _ = bytes.withUnsafeMutableBytes { gst_buffer_extract(buffer, 0, $0.baseAddress, gsize($0.count)) }
        return bytes
    }

    private func source(_ format: String) -> String {
        "videotestsrc pattern=smpte num-buffers=1 ! video/x-raw,format=\(format),width=21,height=13"
    }

    @Test(arguments: PixelFormat.all) func everyFormatIsNegated(_ format: PixelFormat) throws {
        let plain = try firstFrame(source(format.name))
        let negative = try firstFrame(source(format.name) + " ! svnegative")
        let half = try firstFrame(source(format.name) + " ! svnegative strength=0.5")
        let rowBytes = (21 * format.bytesPerPixel + 3) / 4 * 4
        try #require(plain.count == 13 * rowBytes && negative.count == plain.count && half.count == plain.count)
        for y in 0..<13 {
            for x in 0..<21 * format.bytesPerPixel {
                let place = y * rowBytes + x
                let channel = x % format.bytesPerPixel
                let isColour = channel != format.alpha && channel != format.padding
                #expect(negative[place] == (isColour ? 255 - plain[place] : plain[place]))
                #expect(half[place] == (isColour ? 128 : plain[place]))
            }
        }
    }

    @Test func strengthZeroPassesThrough() throws {
        let plain = try firstFrame(source("BGRA"))
        #expect(try firstFrame(source("BGRA") + " ! svnegative strength=0") == plain)
    }

    @Test func toggleAnswersWhetherItIsOn() throws {
        let made = gst_element_factory_make("svnegative", nil)
        let element = try #require(made)
        gst_object_ref_sink(element)
        defer { gst_object_unref(element) }
        let type = element.pointee.object.object.g_type_instance.g_class.pointee.g_type
        var instance = GValue()
        g_value_init(&instance, type)
        g_value_set_object(&instance, element)
        defer { g_value_unset(&instance) }
        for expected in [false, true, false] {
            var answer = GValue()
            g_value_init(&answer, Bool.valueType)
            g_signal_emitv(&instance, g_signal_lookup("toggle", type), 0, &answer)
            #expect(Bool.read(answer) == expected)
        }
    }
}
