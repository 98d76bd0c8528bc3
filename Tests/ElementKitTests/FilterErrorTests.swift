// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Imaging
import TestSupport
import Testing

@Suite("A filter's errors")
struct FilterErrorTests {
    private static let line = "videotestsrc num-buffers=3 ! \(Probe.isRegistered ? "svprobe" : "") name=p"

    @Test("An error at start fails the state change and is posted")
    func start() throws {
        let pipeline = try Pipeline("\(Self.line) failing=start ! fakesink")
        #expect(pipeline.set(GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        let errors = pipeline.bus.pending(GST_MESSAGE_ERROR)
        #expect(errors.count == 1)
        let error = try #require(errors.first)
        #expect(error.source == "p")
        #expect(error.text == "fails in start")
        #expect(error.details.hasSuffix("as told"))
        #expect(error.isError(GST_RESOURCE_ERROR_BUSY))
    }

    @Test("After an error at start the element can be set right and started")
    func startAgain() throws {
        let pipeline = try Pipeline("\(Self.line) failing=start ! fakesink")
        #expect(pipeline.set(GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        pipeline.set(GST_STATE_NULL)
        let probe = try pipeline.element("p")
        probe.set("failing", "never")
        _ = pipeline.bus.pending(GST_MESSAGE_ERROR)
        try pipeline.play()
        try pipeline.finish()
    }

    @Test("An error in a callback of the stream ends it", arguments: ["configure", "prepare", "transform"])
    func stream(_ place: String) throws {
        let pipeline = try Pipeline("\(Self.line) failing=\(place) ! fakesink")
        pipeline.set(GST_STATE_PLAYING)
        let error = try #require(pipeline.bus.wait(GST_MESSAGE_ERROR, GST_MESSAGE_EOS))
        #expect(error.source == "p")
        #expect(error.text == "fails in \(place)")
        #expect(error.isError(GST_RESOURCE_ERROR_BUSY))
        // All other messages come from the source, because its data flow has ended.
        while let other = pipeline.bus.wait(GST_MESSAGE_ERROR, GST_MESSAGE_EOS), other.type == GST_MESSAGE_ERROR {
            #expect(other.source != "p")
            if other.source.hasPrefix("videotestsrc") { break }
        }
    }

    @Test("It is posted once, and the flow is an error", arguments: ["prepare", "transform"])
    func once(_ place: String) throws {
        let frame = TestFrame(.bgra, 4, 4, seed: 20)
        let harness = try probeHarness(like: frame)
        #expect(try harness.process(frame) == frame.probed())
        harness.element.set("failing", place)
        #expect(harness.push(try frame.buffer()) == GST_FLOW_ERROR)
        let errors = harness.bus.pending(GST_MESSAGE_ERROR)
        #expect(errors.map(\.text) == ["fails in \(place)"])
        #expect(harness.push(try frame.buffer()) == GST_FLOW_ERROR)
        #expect(harness.waiting == 0)
    }

    @Test("Caps that cannot work are not negotiated; others may come after them")
    func configure() throws {
        let frame = TestFrame(.bgra, 4, 4, seed: 21)
        let harness = try probeHarness([("failing", "configure")], like: frame)
        #expect(harness.push(try frame.buffer()) == GST_FLOW_NOT_NEGOTIATED)
        #expect(harness.push(try frame.buffer()) == GST_FLOW_NOT_NEGOTIATED)
        #expect(harness.bus.pending(GST_MESSAGE_ERROR).map(\.text) == ["fails in configure"])
        harness.element.set("failing", "never")
        let other = TestFrame(.rgb, 5, 5, seed: 21)
        harness.renegotiate(like: other)
        #expect(try harness.process(other) == other.probed())
        #expect(harness.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("A frame that is larger than its buffer is an error", arguments: ["offset", "stride", "size"])
    func beyondBuffer(_ what: String) throws {
        let frame = TestFrame(.bgra, 4, 4, seed: 23)
        let harness = try probeHarness(like: frame)
        // The last pixel of a frame may be at the end of its buffer.
        #expect(try harness.shown(harness.process(giving: frame.buffer(padded: Padding()).reference)) == frame.probed())
        let buffer = try frame.buffer(padded: Padding())
        let meta = try #require(gst_buffer_get_video_meta(buffer.pointer))
        switch what {
        case "offset": meta.pointee.offset.0 = 1
        case "stride": meta.pointee.stride.0 = 17
        default: meta.pointee.height = 5
        }
        #expect(harness.push(buffer) == GST_FLOW_ERROR)
        let errors = harness.bus.pending(GST_MESSAGE_ERROR)
        #expect(errors.map(\.text) == ["cannot map a frame of 4x4 pixels in BGRA"])
    }

    @Test("A warning is posted and the stream goes on; errors of other types are told too")
    func warning() throws {
        let frame = TestFrame(.bgra, 4, 4, seed: 22)
        let harness = try probeHarness([("failing", "warning")], like: frame)
        #expect(try harness.process(frame) == frame.probed())
        #expect(try harness.process(frame) == frame.probed())
        let warnings = harness.bus.pending(GST_MESSAGE_WARNING)
        #expect(warnings.map(\.text) == ["only a warning", "only a warning"])
        #expect(warnings.allSatisfy { $0.isError(GST_LIBRARY_ERROR_FAILED) })
    }

    @Test("A stream in another format is refused when it is linked")
    func otherFormat() throws {
        #expect(throws: TestFailure.self) {
            try Pipeline("\(Self.line) ! video/x-raw,format=I420 ! fakesink")
        }
    }
}
