// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// Returns a copy of a buffer for another pipeline. Usually, the copy shares the buffer's memory. If a raw frame has
/// unusual offsets or strides, the pixels are copied to GStreamer's default layout, because GStreamer's converters may
/// read beyond the last row of other layouts.
/// - Parameter info: the format of a raw frame; nil for other buffers.
/// - Returns: nil if a row of a raw frame is outside the buffer's memory, or if there is not enough memory.
func copyForPipeline(_ buffer: UnsafeMutablePointer<GstBuffer>, _ info: GstVideoInfo?) -> UnsafeMutablePointer<
    GstBuffer
>? {
    guard let info, let meta = gst_buffer_get_video_meta(buffer)?.pointee,
        meta.stride != info.stride || meta.offset != info.offset
    else { return gst_buffer_copy(buffer) }
    return copyToDefaultLayout(buffer, info)
}

private func copyToDefaultLayout(_ buffer: UnsafeMutablePointer<GstBuffer>, _ info: GstVideoInfo)
    -> UnsafeMutablePointer<GstBuffer>?
{
    var info = info
    guard let copy = gst_buffer_new_allocate(nil, info.size, nil) else { return nil }
    var (from, to) = (GstVideoFrame(), GstVideoFrame())
    var isCopied = false
    if gst_video_frame_map(&from, &info, buffer, GST_MAP_READ) != 0 {
        if FrameImage(from, buffer: nil) != nil, gst_video_frame_map(&to, &info, copy, GST_MAP_WRITE) != 0 {
            isCopied = gst_video_frame_copy(&to, &from) != 0
            gst_video_frame_unmap(&to)
        }
        gst_video_frame_unmap(&from)
    }
    guard isCopied else {
        gst_buffer_unref(copy)
        return nil
    }
    let flags = GstBufferCopyFlags(rawValue: GST_BUFFER_COPY_FLAGS.rawValue | GST_BUFFER_COPY_TIMESTAMPS.rawValue)
    gst_buffer_copy_into(copy, buffer, flags, 0, .max)
    return copy
}
