// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging

/// The caps of a stream. Immutable.
package final class StreamCaps: @unchecked Sendable, Equatable {
    // The class is `@unchecked Sendable`, because `caps` is a pointer. Shared caps are read-only.
    let caps: UnsafeMutablePointer<GstCaps>

    /// Takes a new reference to the caps.
    init(_ caps: UnsafeMutablePointer<GstCaps>) { self.caps = gst_caps_ref(caps) }

    deinit { gst_caps_unref(caps) }

    package static func == (lhs: StreamCaps, rhs: StreamCaps) -> Bool {
        lhs === rhs || gst_caps_is_equal(lhs.caps, rhs.caps) != 0
    }

    /// The format of the frames; nil if the caps are not fixed, or not in a format of `FrameFormat.all`.
    package var format: VideoFormat? {
        var info = GstVideoInfo()
        guard gst_caps_is_fixed(caps) != 0, gst_video_info_from_caps(&info, caps) != 0 else { return nil }
        return VideoFormat(info)
    }

    /// True if each structure of the caps has one frame rate or a list of frame rates, not a range.
    var fixesFrameRate: Bool {
        (0..<gst_caps_get_size(caps)).allSatisfy { index in
            gst_caps_get_structure(caps, index).flatMap { gst_structure_get_value($0, "framerate") }
                .map { $0.pointee.g_type != gst_fraction_range_get_type() } ?? false
        }
    }

    /// Returns the fixed caps nearest to a size and a frame rate; nil if the caps are empty.
    package func nearest(to size: PixelSize, framesPerSecond rate: Int) -> StreamCaps? {
        guard let usual = gst_caps_from_string("video/x-raw, format = (string) I420") else { return nil }
        defer { gst_caps_unref(usual) }
        guard var chosen = gst_caps_intersect(caps, usual) else { return nil }
        if gst_caps_is_empty(chosen) != 0 {
            gst_caps_unref(chosen)
            chosen = gst_caps_copy(caps)
        }
        guard gst_caps_is_empty(chosen) == 0 else {
            gst_caps_unref(chosen)
            return nil
        }
        chosen = gst_caps_truncate(sv_caps_make_writable(chosen))
        if let structure = gst_caps_get_structure(chosen, 0) {
            gst_structure_fixate_field_nearest_int(structure, "width", Int32(clamping: size.width))
            gst_structure_fixate_field_nearest_int(structure, "height", Int32(clamping: size.height))
            gst_structure_fixate_field_nearest_fraction(structure, "framerate", Int32(clamping: rate), 1)
            if gst_structure_has_field(structure, "pixel-aspect-ratio") != 0 {
                gst_structure_fixate_field_nearest_fraction(structure, "pixel-aspect-ratio", 1, 1)
            }
        }
        chosen = gst_caps_fixate(chosen)
        defer { gst_caps_unref(chosen) }
        return StreamCaps(chosen)
    }
}

/// A writable frame inside a source element. Only one thread may use it at a time.
package final class StreamFrame: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because `buffer` is a pointer. Only the current owner of the frame uses the
    // buffer.
    private let buffer: UnsafeMutablePointer<GstBuffer>
    package let caps: StreamCaps

    /// Takes ownership of a reference to a buffer, and makes the buffer writable.
    init(_ buffer: UnsafeMutablePointer<GstBuffer>, _ caps: StreamCaps) {
        self.buffer = sv_buffer_make_writable(buffer)
        self.caps = caps
    }

    /// Creates a frame. `draw` must fill the uninitialised pixels. Returns nil for unsupported caps, or if there is not
    /// enough memory.
    package convenience init?(_ caps: StreamCaps, draw: (FrameImage) -> Void) {
        guard let format = caps.format, let buffer = gst_buffer_new_allocate(nil, format.info.size, nil) else {
            return nil
        }
        self.init(buffer, caps)
        guard withMappedFrame(self.buffer, format.info, GST_MAP_WRITE, draw) != nil else { return nil }
    }

    deinit { gst_buffer_unref(buffer) }

    /// The timestamp. When the source outputs the frame, the timestamp is a running time of the pipeline.
    package var time: ClockTime? {
        get { ClockTime(buffer.pointee.pts) }
        set { (buffer.pointee.pts, buffer.pointee.dts) = (newValue.gst, ClockTime?.none.gst) }
    }

    package var duration: ClockTime? {
        get { ClockTime(buffer.pointee.duration) }
        set { buffer.pointee.duration = newValue.gst }
    }

    /// True if frames before this frame are missing.
    package var isDiscontinuous: Bool {
        get { buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_DISCONT.rawValue != 0 }
        set {
            let flags = buffer.pointee.mini_object.flags
            let flag = GST_BUFFER_FLAG_DISCONT.rawValue
            buffer.pointee.mini_object.flags = newValue ? flags | flag : flags & ~flag
        }
    }

    /// Returns a copy of the frame. The pixels share memory until one of the frames is changed.
    package func copy() -> StreamFrame? {
        gst_buffer_copy(buffer).map { StreamFrame($0, caps) }
    }

    /// Returns a new reference to the buffer.
    func shared() -> UnsafeMutablePointer<GstBuffer> { gst_buffer_ref(buffer) }
}

extension ClockTime? {
    /// The time as a GstClockTime; GST_CLOCK_TIME_NONE for nil.
    fileprivate var gst: GstClockTime { self.map { GstClockTime($0.nanoseconds) } ?? .max }
}
