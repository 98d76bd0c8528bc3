// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging

/// An immutable buffer of a stream of any format, with its caps and its running time: a raw frame, an encoded frame, or
/// audio. Any thread may keep and use a packet. A packet does not copy the buffer's memory.
package final class StreamPacket: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because `buffer` is a pointer. This object holds a reference to the buffer,
    // so no other owner of the buffer may write to the buffer.
    let buffer: UnsafeMutablePointer<GstBuffer>
    package let caps: StreamCaps
    /// The running times of presentation and decoding, in nanoseconds. The decoding time can be negative. Nil if
    /// unknown. The magnitudes are at most `maxTime`.
    package let presentation, decoding: Int64?

    /// The maximum magnitude of times: 73 years. With this limit, sums and differences of a few times do not overflow.
    package static let maxTime: Int64 = 1 << 61

    /// - Parameter segment: the segment of the buffer. If its format is not time, timestamps count as running times.
    init(_ buffer: UnsafeMutablePointer<GstBuffer>, _ caps: StreamCaps, _ segment: GstSegment) {
        self.buffer = gst_buffer_ref(buffer)
        self.caps = caps
        presentation = Self.runningTime(buffer.pointee.pts, segment)
        decoding = Self.runningTime(buffer.pointee.dts, segment)
    }

    private init(_ other: StreamPacket, at time: Int64) {
        (buffer, caps) = (gst_buffer_ref(other.buffer), other.caps)
        (presentation, decoding) = (Self.clamped(time), nil)
    }

    deinit { gst_buffer_unref(buffer) }

    /// Returns the packet with another running time.
    package func moved(to time: Int64) -> StreamPacket { StreamPacket(self, at: time) }

    /// The decoding time, or the presentation time if the decoding time is unknown.
    package var time: Int64? { decoding ?? presentation }

    package var duration: ClockTime? { ClockTime(buffer.pointee.duration) }

    package var bytes: Int { Int(clamping: gst_buffer_get_size(buffer)) }

    /// True if a decoder can start with this packet.
    package var isKey: Bool { buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_DELTA_UNIT.rawValue == 0 }

    private static func runningTime(_ time: GstClockTime, _ segment: GstSegment) -> Int64? {
        guard time != GstClockTime.max else { return nil }
        guard segment.format == GST_FORMAT_TIME else { return clamped(Int64(clamping: time)) }
        var running: guint64 = 0
        let sign = withUnsafePointer(to: segment) {
            gst_segment_to_running_time_full($0, GST_FORMAT_TIME, time, &running)
        }
        guard sign != 0 else { return nil }
        let magnitude = clamped(Int64(clamping: running))
        return sign > 0 ? magnitude : -magnitude
    }

    private static func clamped(_ time: Int64) -> Int64 { min(max(time, -maxTime), maxTime) }

    /// Returns a copy of the buffer for another pipeline. `copyForPipeline` describes when the pixels are copied.
    /// - Parameters:
    ///   - origin: the running time that becomes the timestamp 0.
    ///   - duration: the duration of the copy; nil for the duration of the packet.
    func copy(from origin: Int64, duration: ClockTime?) -> UnsafeMutablePointer<GstBuffer>? {
        guard let copy = copyForPipeline(buffer, videoInfo) else { return nil }
        func timestamp(_ time: Int64?) -> GstClockTime {
            time.map { GstClockTime(max(0, $0.subtractingReportingOverflow(origin).partialValue)) } ?? .max
        }
        (copy.pointee.pts, copy.pointee.dts) = (timestamp(presentation), timestamp(decoding))
        if let duration { copy.pointee.duration = GstClockTime(duration.nanoseconds) }
        // The H.264 and H.265 parsers set GST_BUFFER_FLAG_HEADER on keyframes with parameter sets, and muxers keep the
        // flag. `InnerPipeline` would treat such a buffer as a file header without a time.
        if ["video/x-h264", "video/x-h265"].contains(caps.mediaType) {
            copy.pointee.mini_object.flags &= ~GST_BUFFER_FLAG_HEADER.rawValue
        }
        return copy
    }

    /// The format of a raw frame; nil for other packets.
    private var videoInfo: GstVideoInfo? {
        var info = GstVideoInfo()
        guard caps.mediaType == "video/x-raw", gst_video_info_from_caps(&info, caps.caps) != 0 else { return nil }
        return info
    }

    /// Returns the packet as a raw or JPEG frame; nil for other formats.
    package var frame: SharedFrame? {
        guard let format = caps.frameFormat else { return nil }
        return SharedFrame(buffer, format, FrameTime(buffer, segment: GstSegment()))
    }
}

extension StreamCaps {
    /// The format of raw frames or JPEG images; nil for other caps.
    var frameFormat: SharedFrame.Format? {
        guard isRaw || mediaType == "image/jpeg" else { return nil }
        var info = GstVideoInfo()
        guard gst_caps_is_fixed(caps) != 0, gst_video_info_from_caps(&info, caps) != 0 else { return nil }
        return SharedFrame.Format(info)
    }

    /// The media type, such as `video/x-h264`; empty for empty caps.
    package var mediaType: String {
        guard gst_caps_get_size(caps) > 0, let structure = gst_caps_get_structure(caps, 0) else { return "" }
        return gst_structure_get_name(structure).map { String(cString: $0) } ?? ""
    }

    /// True for raw video or raw audio.
    package var isRaw: Bool { mediaType.hasSuffix("/x-raw") }

    /// The value of a field of the type int; nil if the field is missing.
    package func number(_ field: String) -> Int? {
        guard gst_caps_get_size(caps) > 0, let structure = gst_caps_get_structure(caps, 0) else { return nil }
        var value: gint = 0
        return gst_structure_get_int(structure, field, &value) != 0 ? Int(value) : nil
    }

    /// True if the caps have no pixel aspect ratio, or the ratio 1/1.
    package var hasSquarePixels: Bool {
        guard gst_caps_get_size(caps) > 0, let structure = gst_caps_get_structure(caps, 0) else { return true }
        var (numerator, denominator): (gint, gint) = (1, 1)
        gst_structure_get_fraction(structure, "pixel-aspect-ratio", &numerator, &denominator)
        return numerator == denominator
    }

    /// The frame rate, in frames per second; nil if the rate is unknown or variable.
    package var frameRate: Double? {
        guard gst_caps_get_size(caps) > 0, let structure = gst_caps_get_structure(caps, 0) else { return nil }
        var (numerator, denominator): (gint, gint) = (0, 1)
        guard gst_structure_get_fraction(structure, "framerate", &numerator, &denominator) != 0, numerator > 0,
            denominator > 0
        else { return nil }
        return Double(numerator) / Double(denominator)
    }
}
