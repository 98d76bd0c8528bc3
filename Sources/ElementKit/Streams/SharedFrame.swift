// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging

/// An immutable frame that any thread may keep and use: raw video in any format, or a JPEG image.
package final class SharedFrame: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because `buffer` is a pointer. This object holds a reference to the buffer,
    // so no other owner of the buffer may write to the buffer.
    let buffer: UnsafeMutablePointer<GstBuffer>
    let format: Format
    package let time: FrameTime

    package var size: PixelSize { format.shape.size }
    package var pixelAspect: PixelAspect { format.shape.pixel }
    package var isJPEG: Bool { format.isJPEG }

    final class Format: @unchecked Sendable {
        // The class is `@unchecked Sendable`, because `caps` and a part of `info` are pointers. Their targets are
        // immutable.
        let caps: UnsafeMutablePointer<GstCaps>
        /// The layout of raw frames; nil for JPEG.
        let info: GstVideoInfo?
        let shape: FrameShape
        let isJPEG: Bool
        /// The frame rate, in frames per second; nil if the rate is not fixed.
        let rate: Double?

        /// Returns nil if the info does not describe video.
        init?(_ info: GstVideoInfo) {
            var info = info
            guard let caps = gst_video_info_to_caps(&info) else { return nil }
            isJPEG = info.finfo?.pointee.format == GST_VIDEO_FORMAT_ENCODED
            if isJPEG {
                gst_caps_unref(caps)
                guard let caps = gst_caps_from_string("image/jpeg, parsed = (boolean) true") else { return nil }
                for (name, value) in [("width", info.width), ("height", info.height)] {
                    var box = Int32(value).boxed()
                    gst_caps_set_value(caps, name, &box)
                    g_value_unset(&box)
                }
                self.caps = caps
            } else {
                self.caps = caps
            }
            self.info = isJPEG ? nil : info
            shape = info.shape
            rate = info.fps_n > 0 && info.fps_d > 0 ? Double(info.fps_n) / Double(info.fps_d) : nil
        }

        deinit { gst_caps_unref(caps) }
    }

    init(_ buffer: UnsafeMutablePointer<GstBuffer>, _ format: Format, _ time: FrameTime) {
        self.buffer = gst_buffer_ref(buffer)
        (self.format, self.time) = (format, time)
    }

    deinit { gst_buffer_unref(buffer) }

    /// Calls `body` with the bytes of a JPEG. Returns nil if the bytes cannot be mapped.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result? {
        try withMappedBytes(buffer, body)
    }
}

/// Calls `body` with the bytes of a buffer, for reading. Returns nil if the buffer cannot be mapped.
func withMappedBytes<Result>(
    _ buffer: UnsafeMutablePointer<GstBuffer>, _ body: (UnsafeRawBufferPointer) throws -> Result
) rethrows -> Result? {
    var map = GstMapInfo()
    guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return nil }
    defer { gst_buffer_unmap(buffer, &map) }
    return try body(UnsafeRawBufferPointer(start: map.data, count: Int(clamping: map.size)))
}
