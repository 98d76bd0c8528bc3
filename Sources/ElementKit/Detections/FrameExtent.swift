// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// The size of the frame in a buffer, and its visible part.
struct FrameExtent: Equatable {
    /// The size from GstVideoMeta, or from the caps if there is no GstVideoMeta.
    let full: PixelSize
    /// The visible part, in pixels of the whole frame. The visible part is smaller than the whole frame if the buffer
    /// has a GstVideoCropMeta.
    let visible: Rectangle

    /// - Parameter size: the size of the frame in the caps.
    init(_ buffer: UnsafeMutablePointer<GstBuffer>, size: PixelSize) {
        let video = gst_buffer_get_video_meta(buffer)
        full = video.map { PixelSize(width: Int($0.pointee.width), height: Int($0.pointee.height)) } ?? size
        let frame = full.bounds
        visible = buffer.cropRectangle.map { frame.intersection($0) } ?? frame
    }
}

extension FrameExtent {
    /// True if the whole frame is visible.
    var isUncropped: Bool { visible == full.bounds }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// Returns a buffer without GstVideoCropMeta that shares this buffer's memory and begins at the crop rectangle
    /// (transfer full). Returns nil if the buffer needs no cropping, if the crop rectangle does not have the size in
    /// the caps, or if no valid GstVideoMeta describes the planes.
    func visiblePart(_ size: PixelSize) -> UnsafeMutablePointer<GstBuffer>? {
        guard let video = gst_buffer_get_video_meta(self)?.pointee,
            let format = gst_video_format_get_info(video.format),
            let crop = cropRectangle, crop.width == size.width, crop.height == size.height,
            Rectangle(width: Int(video.width), height: Int(video.height)).contains(crop),
            crop.width < Int(video.width) || crop.height < Int(video.height)
        else { return nil }
        let info = format.pointee
        let subsampling = [
            (info.w_sub.0, info.h_sub.0), (info.w_sub.1, info.h_sub.1), (info.w_sub.2, info.h_sub.2),
            (info.w_sub.3, info.h_sub.3),
        ]
        let steps = [info.pixel_stride.0, info.pixel_stride.1, info.pixel_stride.2, info.pixel_stride.3]
        var offsets = [video.offset.0, video.offset.1, video.offset.2, video.offset.3]
        var strides = [video.stride.0, video.stride.1, video.stride.2, video.stride.3]
        // The subsampling and the pixel stride of a plane are the same as those of its first component.
        let planes = [info.plane.0, info.plane.1, info.plane.2, info.plane.3]
        for plane in 0..<min(4, Int(video.n_planes)) {
            guard let component = (0..<min(4, Int(info.n_components))).first(where: { Int(planes[$0]) == plane }) else {
                continue
            }
            let (across, down) = subsampling[component]
            let (offset, overflow) = offsets[plane].addingReportingOverflow(
                gsize(crop.y >> Int(down)) * gsize(max(0, strides[plane]))
                    + gsize(crop.x >> Int(across)) * gsize(max(0, steps[component])))
            guard !overflow else { return nil }
            offsets[plane] = offset
        }
        guard let part = gst_buffer_copy(self) else { return nil }
        for meta in [
            gst_buffer_get_meta(part, gst_video_crop_meta_api_get_type()),
            gst_buffer_get_meta(part, gst_video_meta_api_get_type()),
        ] {
            if let meta { gst_buffer_remove_meta(part, meta) }
        }
        gst_buffer_add_video_meta_full(
            part, video.flags, video.format, guint(crop.width), guint(crop.height), video.n_planes, &offsets, &strides)
        return part
    }

    /// The crop rectangle of the GstVideoCropMeta, in pixels of the whole frame; nil if there is none.
    var cropRectangle: Rectangle? {
        let meta = UnsafeMutableRawPointer(gst_buffer_get_meta(self, gst_video_crop_meta_api_get_type()))
        guard let crop = meta?.assumingMemoryBound(to: GstVideoCropMeta.self).pointee else { return nil }
        return Rectangle(x: Int(crop.x), y: Int(crop.y), width: Int(crop.width), height: Int(crop.height))
    }
}

extension Rectangle {
    func moved(x: Int, y: Int) -> Rectangle {
        Rectangle(x: self.x &+ x, y: self.y &+ y, width: width, height: height)
    }

    func contains(_ other: Rectangle) -> Bool { intersection(other) == other }
}
