// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// A GstBuffer. This object owns a reference.
package final class Buffer: @unchecked Sendable {
    // Unchecked because of the pointer. A test can move a buffer between threads, but only one thread at a time uses
    // it.
    package let pointer: UnsafeMutablePointer<GstBuffer>

    /// Takes ownership of a reference.
    package init(taking pointer: UnsafeMutablePointer<GstBuffer>) { self.pointer = pointer }

    deinit { gst_buffer_unref(pointer) }

    /// A new reference for a function that takes ownership.
    package var reference: UnsafeMutablePointer<GstBuffer> { gst_buffer_ref(pointer) }

    package var pts: UInt64 { UInt64(pointer.pointee.pts) }

    /// Returns the first metadata with an API type. Returns nil if the buffer has none.
    package func meta<Meta>(_ api: GType, as _: Meta.Type) -> UnsafeMutablePointer<Meta>? {
        gst_buffer_get_meta(pointer, api).map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: Meta.self) }
    }

    // This function and others call C functions with strings outside of `#expect` and `#require`. The macros evaluate
    // arguments before the call, so the C string would no longer exist during the call.

    /// Adds a region of interest. It can have a parameter, in the text form of a GstStructure.
    package func addRegion(_ type: String, id: Int32, _ box: [UInt32], parameter: String? = nil) throws {
        let region = try required(
            gst_buffer_add_video_region_of_interest_meta(pointer, type, box[0], box[1], box[2], box[3]), "no region")
        region.pointee.id = id
        region.pointee.parent_id = -1
        guard let parameter else { return }
        gst_video_region_of_interest_meta_add_param(region, gst_structure_from_string(parameter, nil))
    }

    /// Returns a parameter of a region, converted to text and parsed again. Returns nil if the region has no such
    /// parameter.
    package static func parameter(_ name: String, of region: GstVideoRegionOfInterestMeta) -> Fields? {
        var region = region
        guard let parameter = gst_video_region_of_interest_meta_get_param(&region, name),
            let text = gst_structure_to_string(parameter)
        else { return nil }
        defer { g_free(text) }
        return Fields(String(cString: text))
    }

    package var regions: [GstVideoRegionOfInterestMeta] {
        var cursor: gpointer?
        var found: [GstVideoRegionOfInterestMeta] = []
        let api = gst_video_region_of_interest_meta_api_get_type()
        while let meta = gst_buffer_iterate_meta_filtered(pointer, &cursor, api) {
            found.append(
                UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoRegionOfInterestMeta.self).pointee)
        }
        return found
    }
}

package struct Padding: Sendable {
    /// Number of bytes before the first row.
    package var offset = 0
    /// Number of bytes after the pixels of each row.
    package var row = 0
    package init(offset: Int = 0, row: Int = 0) {
        self.offset = offset
        self.row = row
    }
}

extension GstVideoFormat {
    /// The format with this name. A call of `gst_video_format_from_string` with a Swift string is not safe in optimised
    /// code: GStreamer declares the function as constant, so the compiler may free its copy of the string before the
    /// call.
    package init(named name: String) {
        for raw in (GST_VIDEO_FORMAT_UNKNOWN.rawValue + 1)... {
            guard let known = gst_video_format_to_string(GstVideoFormat(raw)) else { break }
            if String(cString: known) == name {
                self = GstVideoFormat(raw)
                return
            }
        }
        self = GST_VIDEO_FORMAT_UNKNOWN
    }
}

extension TestFrame {
    /// Returns a new buffer with the frame in GStreamer's default layout.
    package func buffer(at pts: UInt64? = 0, duration: UInt64? = 40_000_000) throws -> Buffer {
        var info = GstVideoInfo()
        guard
            gst_video_info_set_format(
                &info, GstVideoFormat(named: format.name), UInt32(width), UInt32(height)) != 0
        else { throw TestFailure("no such format") }
        let buffer = try required(gst_buffer_new_allocate(nil, info.size, nil), "no memory")
        gst_buffer_memset(buffer, 0, 0xA5, info.size)
        fill(buffer, offset: 0, stride: Int(info.stride.0))
        return stamped(buffer, pts, duration)
    }

    /// Returns a new buffer with the frame and padding. A GstVideoMeta describes the layout.
    package func buffer(padded padding: Padding, at pts: UInt64? = 0) throws -> Buffer {
        let stride = width * format.bytesPerPixel + padding.row
        let size = padding.offset + stride * height
        let buffer = try required(gst_buffer_new_allocate(nil, gsize(size), nil), "no memory")
        gst_buffer_memset(buffer, 0, 0xA5, gsize(size))
        fill(buffer, offset: padding.offset, stride: stride)
        var offsets = [gsize(padding.offset)]
        var strides = [gint(stride)]
        gst_buffer_add_video_meta_full(
            buffer, GST_VIDEO_FRAME_FLAG_NONE, GstVideoFormat(named: format.name), UInt32(width),
            UInt32(height), 1, &offsets, &strides)
        return stamped(buffer, pts, 40_000_000)
    }

    private func fill(_ buffer: UnsafeMutablePointer<GstBuffer>, offset: Int, stride: Int) {
        let row = width * format.bytesPerPixel
        for y in 0..<height {
            bytes.withUnsafeBytes {
                _ = gst_buffer_fill(
                    buffer, gsize(offset + y * stride), $0.baseAddress.map { $0 + y * row }, gsize(row))
            }
        }
    }

    private func stamped(_ buffer: UnsafeMutablePointer<GstBuffer>, _ pts: UInt64?, _ duration: UInt64?) -> Buffer {
        buffer.pointee.pts = pts.map { GstClockTime($0) } ?? .max
        buffer.pointee.duration = duration.map { GstClockTime($0) } ?? .max
        return Buffer(taking: buffer)
    }

    /// Reads the frame in a buffer. If the buffer has a GstVideoMeta, it describes the layout.
    package init(_ buffer: Buffer, _ format: PixelFormat, _ width: Int, _ height: Int) throws {
        var info = GstVideoInfo()
        gst_video_info_set_format(&info, GstVideoFormat(named: format.name), UInt32(width), UInt32(height))
        try self.init(buffer, info, format)
    }

    /// Reads the frame in a buffer. The caps contain its format and size.
    package init(_ buffer: Buffer, caps: UnsafeMutablePointer<GstCaps>?) throws {
        var info = GstVideoInfo()
        guard let caps, gst_video_info_from_caps(&info, caps) != 0, let known = info.finfo,
            let format = PixelFormat(name: String(cString: known.pointee.name))
        else { throw TestFailure("no caps of a known format") }
        try self.init(buffer, info, format)
    }

    private init(_ buffer: Buffer, _ info: GstVideoInfo, _ format: PixelFormat) throws {
        var info = info
        var frame = GstVideoFrame()
        guard gst_video_frame_map(&frame, &info, buffer.pointer, GST_MAP_READ) != 0 else {
            throw TestFailure("a buffer cannot be mapped")
        }
        defer { gst_video_frame_unmap(&frame) }
        self.init(
            Image(
                base: try required(frame.data.0, "no pixels"), width: Int(info.width), height: Int(info.height),
                stride: Int(frame.info.stride.0), format: format))
    }

    /// Returns all bytes of a buffer, including padding.
    package static func memory(of buffer: Buffer) -> [UInt8] {
        let size = gst_buffer_get_size(buffer.pointer)
        var bytes = [UInt8](repeating: 0, count: Int(size))
        gst_buffer_extract(buffer.pointer, 0, &bytes, size)
        return bytes
    }
}
