// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging

/// The format of a stream's frames: size, pixel format, frame rate and colorimetry.
package struct VideoFormat: @unchecked Sendable {
    // The struct is `@unchecked Sendable`, because `info` contains a pointer. The pointer leads to GStreamer's constant
    // table of formats.
    private(set) var info: GstVideoInfo
    package let frameFormat: FrameFormat
    /// The packed format; nil for YUV.
    package var pixelFormat: PixelFormat? { frameFormat.packed }

    package var size: PixelSize { info.frameSize }
    package var shape: FrameShape { info.shape }

    /// The frame rate, in frames per second; nil if the rate is not fixed.
    package var frameRate: Double? {
        info.fps_n > 0 && info.fps_d > 0 ? Double(info.fps_n) / Double(info.fps_d) : nil
    }

    var colorimetry: GstVideoColorimetry {
        get { info.colorimetry }
        set { info.colorimetry = newValue }
    }

    /// Returns nil for formats that `FrameFormat` does not support.
    init?(_ info: GstVideoInfo) {
        guard let format = info.finfo?.pointee.format, let frameFormat = FrameFormat(format) else { return nil }
        self.info = info
        self.frameFormat = frameFormat
    }

    /// Creates a progressive format with another pixel format and size. Copies the pixel aspect ratio of `other`.
    /// Copies the colorimetry of `other` if both formats are RGB, or if both are grey.
    package init?(_ format: PixelFormat, size: PixelSize, like other: VideoFormat? = nil) {
        var info = GstVideoInfo()
        guard let width = UInt32(exactly: size.width), let height = UInt32(exactly: size.height), width > 0, height > 0,
            gst_video_info_set_format(&info, format.gstFormat, width, height) != 0
        else { return nil }
        if let other { (info.par_n, info.par_d) = (other.info.par_n, other.info.par_d) }
        if let other, !other.frameFormat.isYUV, other.frameFormat.isGray == format.isGray {
            info.colorimetry = other.info.colorimetry
        }
        self.init(info)
    }
}

// MARK: - Between GStreamer's formats and ours: the names are the same

extension PixelFormat {
    var gstFormat: GstVideoFormat { sv_video_format(name) }
}

extension FrameFormat {
    init?(_ format: GstVideoFormat) {
        guard format != GST_VIDEO_FORMAT_UNKNOWN, let name = gst_video_format_to_string(format) else { return nil }
        self.init(name: String(cString: name))
    }
}

extension Colorimetry {
    /// Converts a GstVideoColorimetry. Other matrices than BT.709 and BT.2020 become BT.601.
    init(_ colorimetry: GstVideoColorimetry) {
        let matrix: Matrix =
            switch colorimetry.matrix {
            case GST_VIDEO_COLOR_MATRIX_BT709: .bt709
            case GST_VIDEO_COLOR_MATRIX_BT2020: .bt2020
            default: .bt601
            }
        self.init(matrix, isFullRange: colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255)
    }
}

/// Returns caps for raw video in these formats, with any size and rate.
func videoCaps(_ formats: [FrameFormat]) -> UnsafeMutablePointer<GstCaps>? {
    let names = formats.map(\.name).joined(separator: ", ")
    return gst_caps_from_string(
        "video/x-raw, format = (string) { \(names) }, width = (int) [ 1, 2147483647 ], "
            + "height = (int) [ 1, 2147483647 ], framerate = (fraction) [ 0/1, 2147483647/1 ]")
}

/// Returns caps for raw video in every format that GStreamer can convert, the given formats first, with any size and
/// rate. The caps allow only progressive video, because GstVideoAggregator 1.22 crashes if interlaced and progressive
/// inputs are mixed.
func anyVideoCaps(preferring formats: [FrameFormat]) -> UnsafeMutablePointer<GstCaps>? {
    let caps = videoCaps(formats)
    gst_caps_append(caps, gst_video_make_raw_caps(nil, 0))
    var value = "progressive".boxed()
    gst_caps_set_value(caps, "interlace-mode", &value)
    g_value_unset(&value)
    return caps
}
