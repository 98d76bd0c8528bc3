// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// A mapped frame. The frame is read-only if `prepare` has returned `.read`.
package struct Frame {
    /// The visible pixels, in any format. Valid during the callback.
    package let pixels: FrameImage
    /// The pixels in a packed format; nil for YUV. Only elements that list YUV formats receive YUV.
    package var image: Image? { pixels.packed }
    package let time: FrameTime
    let buffer: UnsafeMutablePointer<GstBuffer>
    /// The size of the frame in the caps.
    let size: PixelSize

    init(_ pixels: FrameImage, size: PixelSize, time: FrameTime, buffer: UnsafeMutablePointer<GstBuffer>) {
        self.pixels = pixels
        self.size = size
        self.time = time
        self.buffer = buffer
    }
}

/// A read-only frame that is not mapped yet.
package struct InputFrame: ~Copyable {
    package let time: FrameTime
    let buffer: UnsafeMutablePointer<GstBuffer>
    let format: VideoFormat

    /// The frame rate, in frames per second; nil if the rate is not fixed.
    package var rate: Double? { format.frameRate }

    /// Calls `body` with the pixels, for reading. Returns nil if the buffer cannot be mapped.
    package borrowing func withPixels<Result>(_ body: (FrameImage) throws -> Result) rethrows -> Result? {
        try withMappedFrame(buffer, format.info, GST_MAP_READ) { frame in try body(frame) }
    }

    /// Returns a copy of the pixels. YUV becomes BGRx. Returns nil if the buffer cannot be mapped or there is not
    /// enough memory.
    package borrowing func copy() -> Picture? {
        withPixels { Picture(copying: $0, format: format) }.flatMap { $0 }
    }
}

/// Maps a buffer while `body` runs. The strides and offsets come from the GstVideoMeta. The mapped frame holds no
/// reference to the buffer, because a second reference would make the metadata read-only.
func withMappedFrame<Result>(
    _ buffer: UnsafeMutablePointer<GstBuffer>, _ info: GstVideoInfo, _ flags: GstMapFlags,
    _ body: (FrameImage) throws -> Result
) rethrows -> Result? {
    var frame = GstVideoFrame()
    var info = info
    let unreferenced = GstMapFlags(rawValue: flags.rawValue | GST_VIDEO_FRAME_MAP_FLAG_NO_REF.rawValue)
    guard gst_video_frame_map(&frame, &info, buffer, unreferenced) != 0 else { return nil }
    defer { gst_video_frame_unmap(&frame) }
    guard let pixels = FrameImage(frame, buffer: buffer) else { return nil }
    return try body(pixels)
}

extension FrameImage {
    /// Creates an image of the visible pixels of a mapped frame. If the buffer has a GstVideoCropMeta, only the pixels
    /// inside the crop rectangle are visible.
    init?(_ frame: borrowing GstVideoFrame, buffer: UnsafeMutablePointer<GstBuffer>?) {
        guard let format = frame.info.finfo.flatMap({ FrameFormat($0.pointee.format) }) else { return nil }
        let (data, strides) = (frame.data, frame.info.stride)
        let planes = zip([data.0, data.1, data.2, data.3], [strides.0, strides.1, strides.2, strides.3])
            .prefix(format.planes.count).compactMap { base, stride in
                base.map { Plane(base: $0, stride: Int(stride)) }
            }
        // Without a GstVideoMeta, GStreamer maps the buffer as a whole, so all planes are in the first mapping.
        let maps = frame.map
        let mappings = frame.meta == nil ? [maps.0, maps.0, maps.0, maps.0] : [maps.0, maps.1, maps.2, maps.3]
        let isInterlaced = frame.flags.rawValue & GST_VIDEO_FRAME_FLAG_INTERLACED.rawValue != 0
        for (layout, (plane, mapping)) in zip(format.planes, zip(planes, mappings)) {
            // If chroma has half the rows, both fields of an interlaced frame must have the same number of chroma rows.
            // So the height is rounded up to a multiple of 4.
            let height = Int(frame.info.height)
            let rows = layout.unitRows(height: isInterlaced && layout.rows == 2 ? (height + 3) & ~3 : height)
            let bytes = layout.units(width: Int(frame.info.width)) * layout.unitBytes
            guard mapping.holds(plane, rows: rows, of: bytes) else { return nil }
        }
        let full = FrameImage(
            format, width: Int(frame.info.width), height: Int(frame.info.height), planes: planes,
            colorimetry: Colorimetry(frame.info.colorimetry),
            isInterlaced: isInterlaced, pixelAspect: frame.info.pixelAspect)
        guard !full.isEmpty else { return nil }
        self = buffer?.cropRectangle.map { full.cropped(to: $0) } ?? full
    }
}

extension GstMapInfo {
    /// Returns true if the rows of a plane are inside the mapped memory. For planes from a GstVideoMeta, GStreamer
    /// checks only that the start of the plane is inside.
    fileprivate func holds(_ plane: FrameImage.Plane, rows: Int, of bytes: Int) -> Bool {
        guard let data, rows > 0 else { return false }
        let room = Int(clamping: size) - (plane.base - UnsafeMutableRawPointer(data))
        let (last, overflow) = plane.stride.multipliedReportingOverflow(by: rows - 1)
        return !overflow && last >= 0 && room >= bytes && last <= room - bytes
    }
}
