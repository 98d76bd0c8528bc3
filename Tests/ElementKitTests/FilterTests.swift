// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import CGStreamerCheck
import ElementKit
import Imaging
import TestSupport
import Testing

@Suite("A filter's frames")
struct FilterTests {
    @Test("Every format, widths w to w+3", arguments: PixelFormat.all)
    func formats(_ format: PixelFormat) throws {
        for width in 5...8 {
            let frame = TestFrame(format, width, 3, seed: UInt64(width))
            let harness = try probeHarness(like: frame)
            #expect(try harness.process(frame) == frame.probed())
        }
    }

    @Test("A writable buffer is changed in place")
    func inPlace() throws {
        let frame = TestFrame(.rgba, 6, 4, seed: 2)
        let harness = try probeHarness(like: frame)
        let given = try frame.buffer().reference
        let result = try harness.process(giving: given)
        #expect(result.pointer == given)
        #expect(try harness.shown(result) == frame.probed())
    }

    @Test("Pass-through hands on the very same buffer", arguments: [false, true])
    func passThrough(_ shared: Bool) throws {
        let frame = TestFrame(.bgra, 6, 4, seed: 3)
        let harness = try probeHarness([("passes", "true")], like: frame)
        let given = try frame.buffer().reference
        let other = shared ? Buffer(taking: gst_buffer_ref(given)) : nil
        #expect(
            (gst_mini_object_is_writable(
                UnsafeMutableRawPointer(given)
                    .assumingMemoryBound(to: GstMiniObject.self)) == 0) == shared)
        let result = try harness.process(giving: given)
        #expect(result.pointer == given)
        #expect(try harness.shown(result) == frame)
        withExtendedLifetime(other) {}
    }

    @Test("Pass-through can be switched at any frame")
    func passThroughSwitched() throws {
        let frame = TestFrame(.bgra, 6, 4, seed: 4)
        let harness = try probeHarness(like: frame)
        for passes in [false, true, true, false, true] {
            harness.element.set("passes", value: passes)
            #expect(try harness.process(frame) == (passes ? frame : frame.probed()))
        }
    }

    @Test("A shared buffer is copied, and stays as it was")
    func sharedBuffer() throws {
        let frame = TestFrame(.rgb, 7, 5, seed: 5)
        let harness = try probeHarness(like: frame)
        let buffer = try frame.buffer(at: 1234, duration: 99)
        #expect(harness.push(buffer) == GST_FLOW_OK)
        let result = try harness.pull()
        #expect(result.pointer != buffer.pointer)
        #expect(try harness.shown(result) == frame.probed())
        #expect(try harness.shown(buffer) == frame)
        #expect(result.pts == 1234)
        #expect(result.pointer.pointee.duration == 99)
    }

    @Test("Padding and offsets of the buffer's own are kept", arguments: [false, true])
    func padding(_ shared: Bool) throws {
        for (format, row) in [(PixelFormat.bgra, 12), (.rgb, 5), (.gray8, 1), (.gray8, 31)] {
            let frame = TestFrame(format, 7, 5, seed: 6)
            let harness = try probeHarness(like: frame)
            let padded = Padding(offset: 13, row: row)
            let expected = try TestFrame.memory(of: frame.probed().buffer(padded: padded))
            if shared {
                let buffer = try frame.buffer(padded: padded)
                #expect(harness.push(buffer) == GST_FLOW_OK)
                #expect(try harness.shown(harness.pull()) == frame.probed())
                #expect(try harness.shown(buffer) == frame)
            } else {
                let result = try harness.process(giving: frame.buffer(padded: padded).reference)
                #expect(try harness.shown(result) == frame.probed())
                #expect(TestFrame.memory(of: result) == expected)
            }
        }
    }

    @Test("Of a cropped buffer the visible part is changed", arguments: [false, true])
    func crop(_ shared: Bool) throws {
        let whole = TestFrame(.bgrx, 9, 8, seed: 7)
        let visible = TestFrame(.bgrx, 4, 3, seed: 1)
        let harness = try probeHarness(like: visible)
        let buffer = try whole.buffer(padded: Padding(offset: 4, row: 8))
        let meta = try #require(gst_buffer_add_meta(buffer.pointer, gst_video_crop_meta_get_info(), nil))
        let crop = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoCropMeta.self)
        crop.pointee.x = 2
        crop.pointee.y = 3
        crop.pointee.width = 4
        crop.pointee.height = 3
        let result: Buffer
        if shared {
            #expect(harness.push(buffer) == GST_FLOW_OK)
            result = try harness.pull()
        } else {
            result = try harness.process(giving: gst_buffer_copy_deep(buffer.pointer))
        }
        let expected = whole.map { x, y, pixel in
            (2..<6).contains(x) && (3..<6).contains(y) ? [200] + pixel.dropFirst() : pixel
        }
        let shown = try TestFrame(result, .bgrx, 9, 8)
        #expect(shown == expected)
    }

    @Test("All kinds of metadata of a shared buffer go along")
    func metadata() throws {
        let frame = TestFrame(.bgra, 8, 8, seed: 8)
        let harness = try probeHarness(like: frame)
        let buffer = try frame.buffer(at: 5)
        try addMetadata(to: buffer)
        #expect(harness.push(buffer) == GST_FLOW_OK)
        let result = try harness.pull()
        #expect(result.pointer != buffer.pointer)
        try expectMetadata(of: result)
        #expect(try harness.shown(result) == frame.probed())
    }

    @Test("Size and format change in the middle of the stream")
    func renegotiation() throws {
        let first = TestFrame(.bgra, 8, 4, seed: 9)
        let harness = try probeHarness(like: first)
        let others: [TestFrame] = [
            first, TestFrame(.rgb, 7, 5, seed: 10), TestFrame(.gray8, 33, 2, seed: 11),
            TestFrame(.xbgr, 1, 1, seed: 12),
            first,
        ]
        var isFirst = true
        for frame in others {
            _ = harness.element.ask("calls", as: String.self)
            harness.renegotiate(like: frame)
            #expect(try harness.process(frame) == frame.probed())
            #expect(try harness.process(frame) == frame.probed())
            let calls = try #require(harness.element.ask("calls", as: String.self))
            let expected = "configure \(frame.format.name) \(frame.width)x\(frame.height)"
            #expect(calls.split(separator: ", ").filter { $0 == expected }.count <= 1)
            #expect(calls.contains(expected) || isFirst)
            isFirst = false
        }
    }

    @Test("A controlled property follows its curve by stream time, frame by frame")
    func controlled() throws {
        let frame = TestFrame(.bgra, 4, 2, seed: 13)
        let harness = try probeHarness(like: frame)
        let source = Handle(taking: gst_interpolation_control_source_new())
        source.set("mode", "linear")
        let curve = UnsafeMutableRawPointer(source.object).assumingMemoryBound(to: GstTimedValueControlSource.self)
        #expect(gst_timed_value_control_source_set(curve, 0, 0) != 0)
        #expect(gst_timed_value_control_source_set(curve, GstClockTime(GStreamer.second), 100) != 0)
        let binding = gst_direct_control_binding_new_absolute(
            harness.element.gstObject, "level", source.cast(to: GstControlSource.self))
        #expect(gst_object_add_control_binding(harness.element.gstObject, binding) != 0)
        for (milliseconds, level) in [(0, UInt8(0)), (250, 25), (750, 75), (500, 50), (1000, 100), (2000, 100)] {
            let pts = UInt64(milliseconds) * GStreamer.millisecond
            #expect(try harness.process(frame, at: pts) == frame.probed(level))
        }
        // The segment starts at 10 s, so this timestamp is now the start of the stream.
        harness.startSegment(at: 10 * GStreamer.second, streamTime: 0)
        let pts = 10 * GStreamer.second + 250 * GStreamer.millisecond
        #expect(try harness.process(frame, at: pts) == frame.probed(25))
        // A frame without a timestamp comes 40 ms after the frame before.
        #expect(try harness.process(frame, at: nil) == frame.probed(29))
    }

    @Test("A flush and a new segment are discontinuities, and times follow the segment")
    func discontinuity() throws {
        let frame = TestFrame(.bgra, 4, 2, seed: 14)
        let harness = try probeHarness(like: frame)
        _ = try harness.process(frame, at: 7)
        _ = harness.element.ask("calls", as: String.self)
        _ = try harness.process(frame, at: 8)
        #expect(harness.element.ask("calls") == "transform 2 8")
        harness.startSegment(at: 1000, streamTime: 400)
        _ = try harness.process(frame, at: 1050)
        #expect(harness.element.ask("calls") == "discontinuity, transform 1 450")
        harness.flush()
        harness.startSegment(at: 0, streamTime: 0)
        _ = try harness.process(frame, at: 3)
        #expect(harness.element.ask("calls") == "discontinuity, discontinuity, transform 1 3")
    }
}
