// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import TestSupport
import Testing
import KernelTypes

@Suite("svmixer: pads")
struct MixerPadTests {
    private func mixer() throws -> Handle {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        return try Handle(factory: "svmixer")
    }

    private func request(_ mixer: Handle, _ name: String = "sink_%u") throws -> Handle {
        Handle(taking: try required(gst_element_request_pad_simple(mixer.element, name), "no pad \(name)"))
    }

    private func proxy(_ mixer: Handle) -> OpaquePointer { OpaquePointer(mixer.object) }

    private func child(_ mixer: Handle, _ name: String) -> Handle? {
        gst_child_proxy_get_child_by_name(proxy(mixer), name).map { Handle(taking: $0) }
    }

    @Test("Pads have the properties of the docs, with their defaults, and refuse what is out of range")
    func properties() throws {
        let mixer = try mixer()
        let pad = try request(mixer)
        #expect(pad.text("mode") == nil || pad.number("mode") == Int(BlendMode.normal.rawValue))
        #expect(pad.get("opacity") == 1.0)
        #expect(pad.text("mask") == nil)
        for name in ["xpos", "ypos", "width", "height"] { #expect(pad.get(name) == Int32(0)) }
        #expect(pad.get("hud-color") == UInt32(0xFF80_FF00))
        pad.set("opacity", value: 1.5)
        pad.set("opacity", value: -0.1)
        pad.set("opacity", value: Double.nan)
        #expect(pad.get("opacity") == 1.0)
        pad.set("width", value: Int32(-1))
        #expect(pad.get("width") == Int32(0))
        pad.set("xpos", value: Int32(-16384))
        #expect(pad.get("xpos") == Int32(-16384))
        #expect(mixer.get("background-color") == UInt32(0xFF00_0000))
        gst_element_release_request_pad(mixer.element, pad.pad)
    }

    @Test("An unknown mode is refused")
    func unknownMode() throws {
        let mixer = try mixer()
        let pad = try request(mixer)
        pad.set("mode", "screen")
        for text in ["sreen", "Screen", "99", "-1"] { pad.set("mode", text) }
        pad.set("mode", value: Int32(99))
        #expect(pad.number("mode") == Int(BlendMode.screen.rawValue))
        gst_element_release_request_pad(mixer.element, pad.pad)
    }

    @Test("GstChildProxy counts the pads and finds them by name and index")
    func childProxy() throws {
        let mixer = try mixer()
        #expect(gst_child_proxy_get_children_count(proxy(mixer)) == 0)
        let pads = try (0..<3).map { _ in try request(mixer) }
        #expect(gst_child_proxy_get_children_count(proxy(mixer)) == 3)
        for index in 0..<3 {
            #expect(child(mixer, "sink_\(index)")?.object == pads[index].object)
            let byIndex = Handle(taking: try #require(gst_child_proxy_get_child_by_index(proxy(mixer), UInt32(index))))
            #expect(byIndex.object == pads[index].object)
        }
        #expect(gst_child_proxy_get_child_by_index(proxy(mixer), 3) == nil)
        #expect(child(mixer, "sink_9") == nil)

        var value = GValue()
        g_value_init(&value, Double.valueType)
        g_value_set_double(&value, 0.25)
        gst_child_proxy_set_property(proxy(mixer), "sink_1::opacity", &value)
        #expect(pads.map { $0.get("opacity") } == [1.0, 0.25, 1.0])
        gst_child_proxy_get_property(proxy(mixer), "sink_2::opacity", &value)
        #expect(g_value_get_double(&value) == 1)

        gst_element_release_request_pad(mixer.element, pads[1].pad)
        #expect(gst_child_proxy_get_children_count(proxy(mixer)) == 2)
        #expect(child(mixer, "sink_1") == nil)
        for pad in [pads[0], pads[2]] { gst_element_release_request_pad(mixer.element, pad.pad) }
        #expect(gst_child_proxy_get_children_count(proxy(mixer)) == 0)
    }

    @Test("A pad's properties change while it plays")
    func live() throws {
        let line = try pipeline(
            "svmixer name=mix ! video/x-raw,format=GRAY8 ! appsink name=out sync=false max-buffers=1 "
                + "videotestsrc pattern=black ! video/x-raw,format=GRAY8,width=8,height=4 ! mix. "
                + "videotestsrc pattern=white ! video/x-raw,format=GRAY8,width=8,height=4 ! mix.")
        try line.play()
        let pad = try line.pad("mix", "sink_1")
        let white = try #require(try line.pull()).frame[7, 3][0]
        #expect(white > 200)
        func shows(_ x: Int, _ y: Int, _ test: (UInt8) -> Bool) throws -> Bool {
            try eventually { try test(#require(try line.pull()).frame[x, y][0]) }
        }
        pad.set("opacity", value: 0.5)
        #expect(try shows(7, 3) { $0 < white && $0 > 60 })
        pad.set("mode", "none")
        #expect(try shows(7, 3) { $0 < 40 })
        pad.set("mode", "normal")
        pad.set("opacity", value: 1.0)
        #expect(try shows(7, 3) { $0 == white })
        pad.set("xpos", value: Int32(-4))
        #expect(try shows(7, 3) { $0 < 40 })
        pad.set("width", value: Int32(20))
        #expect(try shows(7, 3) { $0 == white })
        pad.set("height", value: Int32(2))
        #expect(try shows(7, 3) { $0 < 40 })
    }

    @Test("Pads are released and requested while it plays")
    func reRequest() throws {
        let line = try pipeline(
            // If the mixer waits for the sink, it does not release its pads. So the sink drops frames and always has
            // space.
            "svmixer name=mix ! video/x-raw,format=BGRA ! appsink name=out sync=false max-buffers=1 drop=true "
                + "videotestsrc pattern=black ! video/x-raw,format=BGRA,width=16,height=8 ! mix.sink_0")
        try line.play()
        let mixer = try line.element("mix")
        for round in 0..<5 {
            // The source has only one long frame. A source that still pushes would end with an error when it is
            // unlinked.
            let white = TestFrame(.bgra, 16, 8, color: Color(gray: 255))
            let source = try Handle(
                factory: "appsrc", [("name", "white\(round)"), ("format", "time"), ("caps", white.caps())])
            g_object_ref(source.object)
            #expect(gst_bin_add(line.handle.cast(to: GstBin.self), source.element) != 0)
            let pad = try request(mixer, "sink_1")
            pad.set("mode", "add")
            let sourcePad = gst_element_get_static_pad(source.element, "src")
            let output = Handle(taking: try #require(sourcePad))
            #expect(gst_pad_link(output.pad, pad.pad) == GST_PAD_LINK_OK)
            #expect(gst_element_sync_state_with_parent(source.element) != 0)
            try line.push(white, into: "white\(round)", at: 0, duration: 3600 * GStreamer.second)
            #expect(try eventually { try #require(try line.pull()).frame[0, 0][0] == 255 }, "round \(round)")
            gst_element_set_locked_state(source.element, 1)
            gst_pad_unlink(output.pad, pad.pad)
            gst_element_release_request_pad(mixer.element, pad.pad)
            gst_element_set_state(source.element, GST_STATE_NULL)
            gst_bin_remove(line.handle.cast(to: GstBin.self), source.element)
            #expect(try eventually { try #require(try line.pull()).frame[0, 0][0] == 0 }, "round \(round)")
        }
        // The unlinked sources may report errors, but the mixer must not.
        #expect(line.bus.pending(GST_MESSAGE_ERROR).filter { $0.source == "mix" }.isEmpty)
    }

    @Test("Properties at random from threads while it plays")
    func atRandom() throws {
        let line = try pipeline(
            "svmixer name=mix ! video/x-raw,format=BGRA ! appsink name=out sync=false "
                + "videotestsrc num-buffers=150 ! video/x-raw,width=64,height=48 ! mix. "
                + "videotestsrc num-buffers=150 pattern=ball ! video/x-raw,width=40,height=60 ! mix.")
        let mixer = try line.element("mix")
        let pads = try [line.pad("mix", "sink_0"), line.pad("mix", "sink_1")]
        let threads = (0..<2).map { seed in
            BackgroundThread { round in
                var random = Random(seed: UInt64(seed * 104_729 + round))
                let pad = pads[Int(random.next() % 2)]
                pad.set("mode", value: Int32.random(in: 0...34, using: &random))
                pad.set("opacity", value: Double.random(in: 0...1, using: &random))
                pad.set("xpos", value: Int32.random(in: -70...70, using: &random))
                pad.set("width", value: Int32.random(in: 0...90, using: &random))
                pad.set("height", value: Int32.random(in: 0...90, using: &random))
                pad.set("zorder", value: UInt32.random(in: 0...3, using: &random))
                mixer.set("background-color", value: UInt32(truncatingIfNeeded: random.next()))
                g_usleep(200)
            }
        }
        #expect(eventually { threads.allSatisfy { $0.rounds > 0 } })
        try line.play()
        #expect(try line.pullAll().count == 150)
        for thread in threads { thread.stop() }
        #expect(line.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("A mixed frame counts as searched where every input does", arguments: [true, false])
    func searches(_ both: Bool) throws {
        let frame = TestFrame(.bgra, 20, 10, seed: 122)
        let line = try MixerLine("sink_1::opacity=0.5", inputs: [(frame, "25/1"), (frame, "25/1")])
        try line.pipeline.play()
        for (index, types) in ([["face"], both ? ["face"] : []] as [[Detection.Kind]]).enumerated() {
            let buffer = try frame.buffer()
            DetectionMeta(buffer: buffer.pointer, size: PixelSize(width: 20, height: 10)).attach([], searched: types)
            try line.pipeline.push(buffer, into: "in\(index)")
            try line.pipeline.end("in\(index)")
        }
        let sample = try #require(try line.pipeline.pull())
        #expect(sample.buffer.wasSearched(for: "face") == both)
    }

    @Test(
        "A mixed frame names the weakest method of its inputs",
        arguments: [
            ([.cascade, .network], .cascade), ([.network, .network], .network), ([.network, nil], nil),
        ] as [([SearchMethod?], SearchMethod?)])
    func methods(_ methods: [SearchMethod?], _ expected: SearchMethod?) throws {
        let frame = TestFrame(.bgra, 20, 10, seed: 122)
        let line = try MixerLine("sink_1::opacity=0.5", inputs: [(frame, "25/1"), (frame, "25/1")])
        let size = PixelSize(width: 20, height: 10)
        try line.pipeline.play()
        for (index, method) in methods.enumerated() {
            let buffer = try frame.buffer()
            DetectionMeta(buffer: buffer.pointer, size: size)
                .attach([], searched: ["face"], by: method.map { ["face": $0] } ?? [:])
            try line.pipeline.push(buffer, into: "in\(index)")
            try line.pipeline.end("in\(index)")
        }
        let sample = try #require(try line.pipeline.pull())
        #expect(DetectionMeta(buffer: sample.buffer.pointer, size: size).searchMethod(for: "face") == expected)
    }

    @Test("Regions of interest are carried over, scaled, moved and clipped, with ids and parameters")
    func regions() throws {
        let background = TestFrame(.bgra, 40, 30, seed: 120)
        let input = TestFrame(.bgra, 20, 10, seed: 121)
        let line = try MixerLine(
            "sink_1::xpos=10 sink_1::ypos=-4 sink_1::width=40 sink_1::height=20",
            inputs: [(background, "25/1"), (input, "25/1")])
        try line.pipeline.play()
        let (below, above) = try (background.buffer(), input.buffer())
        let parameter = "detection, confidence=(double)0.5"
        try below.addRegion("blob", id: 1, [5, 6, 7, 8], parameter: parameter)
        // The region is scaled by 2 and then moved by (10, -4).
        try above.addRegion("face", id: 2, [3, 4, 5, 3], parameter: parameter)
        // A part of the first region is above the frame. A part of the second region is to the right of the frame.
        try above.addRegion("face", id: 3, [0, 0, 4, 5], parameter: parameter)
        try above.addRegion("face", id: 4, [13, 5, 7, 5], parameter: parameter)
        // Completely outside of the frame.
        try above.addRegion("face", id: 5, [16, 0, 4, 10], parameter: parameter)
        try line.pipeline.push(below, into: "in0")
        try line.pipeline.push(above, into: "in1")
        try line.pipeline.end("in0")
        try line.pipeline.end("in1")
        let sample = try #require(try line.pipeline.pull())
        let found = sample.buffer.regions.sorted { $0.id < $1.id }
        #expect(found.map { $0.id } == [1, 2, 3, 4])
        let boxes = found.map { [$0.x, $0.y, $0.w, $0.h] }
        let expected: [[UInt32]] = [[5, 6, 7, 8], [16, 4, 10, 6], [10, 0, 8, 6], [36, 6, 4, 10]]
        #expect(boxes == expected)
        #expect(found.allSatisfy { $0.parent_id == -1 })
        let detections = found.compactMap { Buffer.parameter("detection", of: $0) }
        let confidences = detections.map { $0.double("confidence") }
        #expect(confidences == [0.5, 0.5, 0.5, 0.5])
        let lefts = detections.compactMap { $0.double("x_min") }
        #expect(lefts == [5, 16, 10, 36].map { $0 / 40 })
        let bottoms = detections.compactMap { $0.double("y_max") }
        #expect(bottoms == [14, 10, 6, 16].map { $0 / 30 })
        let (blob, face) = (g_quark_from_string("blob"), g_quark_from_string("face"))
        #expect(found.map { $0.roi_type } == [blob, face, face, face])
    }
}
