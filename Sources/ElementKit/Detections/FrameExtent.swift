import CGStreamer
import Pixels

/// The size of the frame in a buffer, and the part of it that is visible.
struct FrameExtent: Equatable {
    /// As GstVideoMeta tells, else as the caps do.
    let whole: PixelSize
    /// Smaller than the whole where there is a GstVideoCropMeta; in pixels of the whole.
    let visible: Rectangle

    /// - Parameter size: of the frame by its caps.
    init(_ buffer: UnsafeMutablePointer<GstBuffer>, size: PixelSize) {
        let video = gst_buffer_get_video_meta(buffer)
        whole =
            video.map { PixelSize(width: Int($0.pointee.width), height: Int($0.pointee.height)) } ?? size
        let frame = Rectangle(width: whole.width, height: whole.height)
        visible = buffer.cropRectangle.map { frame.intersection($0) } ?? frame
    }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// What a GstVideoCropMeta leaves visible, in pixels of the whole frame; nil where there is none.
    var cropRectangle: Rectangle? {
        let meta = UnsafeMutableRawPointer(gst_buffer_get_meta(self, gst_video_crop_meta_api_get_type()))
        guard let crop = meta?.assumingMemoryBound(to: GstVideoCropMeta.self).pointee else { return nil }
        return Rectangle(x: Int(crop.x), y: Int(crop.y), width: Int(crop.width), height: Int(crop.height))
    }
}

extension Rectangle {
    /// The rectangle with its corner elsewhere.
    func moved(x: Int, y: Int) -> Rectangle {
        Rectangle(x: self.x &+ x, y: self.y &+ y, width: width, height: height)
    }

    func contains(_ other: Rectangle) -> Bool { intersection(other) == other }
}
