// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging

/// A copy of an output frame in any format, with its caps. The copy uses no memory of the stream, because a camera can
/// stop if an element keeps the camera's buffers.
final class FrameCopy: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because it has pointers. Only this object owns the buffer, and after
    // initialisation the buffer is only read. Caps are immutable.
    private let buffer: UnsafeMutablePointer<GstBuffer>
    private let caps: UnsafeMutablePointer<GstCaps>
    private let info: GstVideoInfo
    private let crop: Rectangle?
    let time: FrameTime
    /// The shape of the visible part of the frame.
    let shape: FrameShape
    let bytes: Int

    /// Copies the buffer that is about to leave the pad.
    init(_ buffer: UnsafeMutablePointer<GstBuffer>, of pad: UnsafeMutablePointer<GstPad>) throws(ElementError) {
        guard let caps = gst_pad_get_current_caps(pad) else {
            throw ElementError(.format, "cannot save a snapshot: the stream has no caps")
        }
        var info = GstVideoInfo()
        guard gst_video_info_from_caps(&info, caps) != 0 else {
            gst_caps_unref(caps)
            throw ElementError(.format, "cannot save a snapshot: the stream is not raw video")
        }
        guard let copy = gst_buffer_copy_deep(buffer) else {
            gst_caps_unref(caps)
            throw Picture.outOfMemory(info.frameSize)
        }
        self.buffer = copy
        self.caps = caps
        self.info = info
        crop = buffer.cropRectangle?.intersection(info.frameSize.bounds)
        shape = FrameShape(crop?.size ?? info.frameSize, info.pixelAspect)
        time = FrameTime(buffer, segment: Self.segment(of: pad))
        bytes = Int(clamping: gst_buffer_get_size(copy))
    }

    deinit {
        gst_buffer_unref(buffer)
        gst_caps_unref(caps)
    }

    private static func segment(of pad: UnsafeMutablePointer<GstPad>) -> GstSegment {
        var segment = GstSegment()
        guard let event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0) else { return segment }
        gst_event_copy_segment(event, &segment)
        gst_event_unref(event)
        return segment
    }

    /// The pixel format of the PNG file. An alpha channel stays. A padding byte is not converted to alpha.
    private var pngFormat: String {
        guard let format = info.finfo?.pointee else { return "RGB" }
        if format.flags.rawValue & GST_VIDEO_FORMAT_FLAG_ALPHA.rawValue != 0 { return "RGBA" }
        return format.format == GST_VIDEO_FORMAT_GRAY8 ? "GRAY8" : "RGB"
    }

    /// Returns the visible part of the frame as a PNG file with square pixels. The stock element videoconvert converts
    /// the pixels. Blocks until the frame is encoded.
    /// - Parameter path: the path of the file, for error messages.
    func png(for path: String) throws(ElementError) -> [UInt8] {
        // videocrop rounds the crop position in formats with subsampled chroma, so the pipeline converts the frame
        // first.
        let cropping = crop.map { crop in
            "videocrop left=\(crop.x) top=\(crop.y) right=\(Int(info.width) - crop.x - crop.width) "
                + "bottom=\(Int(info.height) - crop.y - crop.height) ! "
        }
        // With this low compression level, encoding keeps up with 1280x720 pixels at 30 frames per second.
        let pipeline = try FilePipeline(
            "appsrc name=in format=time ! videoconvert ! video/x-raw,format=\(pngFormat) ! \(cropping ?? "")"
                + "\(shape.squaring)pngenc compression-level=1 ! appsink name=out sync=false wait-on-eos=false")
        switch pipeline.run(pushing: buffer, caps, into: "in", out: "out") {
        case .success(let bytes): return bytes
        case .failure(let failure):
            throw ElementError(.write, "cannot write \"\(path)\": encoding failed", details: failure.text)
        }
    }
}
