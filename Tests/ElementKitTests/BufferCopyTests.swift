// SPDX-License-Identifier: LGPL-2.1-or-later
@testable import ElementKit
import CGStreamer
import Imaging
import TestSupport
import Testing

/// Tests of buffers that elements give to internal pipelines.
@Suite struct BufferCopyTests {
    private let frame = TestFrame(.bgra, 7, 5, seed: 3)

    init() throws { try #require(GStreamer.isReady) }

    private func info(height: UInt32 = 5) -> GstVideoInfo {
        var info = GstVideoInfo()
        gst_video_info_set_format(&info, GST_VIDEO_FORMAT_BGRA, 7, height)
        return info
    }

    @Test("A copy of a frame in the default layout shares the memory")
    func shared() throws {
        let buffer = try frame.buffer()
        let copy = Buffer(taking: try #require(copyForPipeline(buffer.pointer, info())))
        #expect(gst_buffer_peek_memory(copy.pointer, 0) == gst_buffer_peek_memory(buffer.pointer, 0))
    }

    @Test(
        "A copy of a frame with padding has the default layout",
        arguments: [Padding(row: 8), Padding(offset: 4, row: 4)])
    func padded(_ padding: Padding) throws {
        let buffer = try frame.buffer(padded: padding, at: 70)
        let copy = Buffer(taking: try #require(copyForPipeline(buffer.pointer, info())))
        #expect(gst_buffer_get_size(copy.pointer) == 7 * 5 * 4)
        #expect(try TestFrame(copy, .bgra, 7, 5) == frame)
        #expect(copy.pointer.pointee.pts == 70)
    }

    @Test("A frame whose rows are outside of the memory has no copy")
    func outside() throws {
        let buffer = try frame.buffer(padded: Padding(row: 8))
        gst_buffer_set_size(buffer.pointer, 7 * 5 * 4)
        #expect(copyForPipeline(buffer.pointer, info()) == nil)
    }
}
