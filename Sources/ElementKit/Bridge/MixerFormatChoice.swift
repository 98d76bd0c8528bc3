// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

struct MixerFormatChoice {
    /// The formats that the mixer can produce, best first.
    let formats: [FrameFormat]

    /// Chooses the output format. If an input has alpha, only formats with `blendsAlpha` are allowed; otherwise, all
    /// `formats` are allowed. The first rule that applies decides:
    /// - If the first input is grey, or its format is not allowed, the base class chooses, because other inputs may
    ///   have colours or alpha.
    /// - If downstream prefers a format to which no input must be converted, the output has this format.
    /// - If downstream accepts the first input's format, the output has this format.
    /// - If the first input's format is YUV, the output has another YUV format that downstream accepts.
    /// - In other cases, the base class chooses.
    ///
    /// If the base class chooses a format that is not allowed, the output has the first allowed format that downstream
    /// accepts.
    ///
    /// - Parameters:
    ///   - inputs: the formats of the inputs, the most important input first.
    ///   - best: the choice of the base class on entry; the final choice on return.
    func choose(
        for downstream: UnsafeMutablePointer<GstCaps>, over inputs: [GstVideoInfo], _ best: inout GstVideoInfo
    ) {
        let allowed = inputs.contains(where: \.hasAlpha) ? formats.filter(\.blendsAlpha) : formats
        func choose(_ candidates: [FrameFormat]) {
            for format in candidates {
                guard let info = format.info(allowedBy: downstream) else { continue }
                best = info
                return
            }
        }
        if let first = inputs.first, let format = VideoFormat(first)?.frameFormat, !format.isGray,
            allowed.contains(format)
        {
            if let preferred = preferred(by: downstream, allowed, over: inputs) {
                best = preferred
            } else if first.isAllowed(by: downstream) {
                best = first
            } else if format.isYUV, VideoFormat(best)?.frameFormat.isYUV != true {
                choose(([format] + allowed).filter(\.isYUV))
            }
        }
        let chosen = VideoFormat(best)?.frameFormat
        if chosen.map({ !allowed.contains($0) }) ?? true { choose(allowed) }
    }

    /// Returns the best format in the first structure of the downstream caps to which no input must be converted.
    /// Returns nil if there is none, or if this structure contains the first input's format. The first structure
    /// contains the formats that downstream prefers. For example, `videoconvert` puts the formats first that it does
    /// not have to convert.
    private func preferred(
        by downstream: UnsafeMutablePointer<GstCaps>, _ allowed: [FrameFormat], over inputs: [GstVideoInfo]
    ) -> GstVideoInfo? {
        guard let best = gst_caps_copy_nth(downstream, 0) else { return nil }
        defer { gst_caps_unref(best) }
        guard let first = inputs.first, !first.isAllowed(by: best) else { return nil }
        let formats = inputs.compactMap { VideoFormat($0)?.frameFormat }
        guard formats.count == inputs.count else { return nil }
        return allowed.lazy.filter { format in formats.allSatisfy { $0.mixes(into: format) } }
            .compactMap { $0.info(allowedBy: best) }.first
    }

    /// Returns true if downstream accepts a format into which the mixer can blend inputs with alpha.
    func blendsAlpha(into downstream: UnsafeMutablePointer<GstCaps>) -> Bool {
        guard let caps = videoCaps(formats.filter(\.blendsAlpha)) else { return false }
        defer { gst_caps_unref(caps) }
        return gst_caps_can_intersect(downstream, caps) != 0
    }
}

extension UnsafeMutablePointer<GstStructure> {
    /// Fixates the frame rate, the pixel aspect ratio and the size to the given values, or to the nearest allowed
    /// values.
    /// - Parameters:
    ///   - rate: frames per second, as a fraction.
    ///   - pixel: the pixel aspect ratio, as a fraction.
    ///   - size: returns the size for a pixel aspect ratio; nil for any size.
    func fixate(rate: (Int32, Int32), pixel: (Int32, Int32), size: (PixelAspect) -> PixelSize?) {
        gst_structure_fixate_field_nearest_fraction(self, "framerate", rate.0, rate.1)
        if gst_structure_has_field(self, "pixel-aspect-ratio") != 0 {
            gst_structure_fixate_field_nearest_fraction(self, "pixel-aspect-ratio", pixel.0, pixel.1)
        } else {
            var ratio = GValue()
            g_value_init(&ratio, gst_fraction_get_type())
            gst_value_set_fraction(&ratio, pixel.0, pixel.1)
            gst_structure_take_value(self, "pixel-aspect-ratio", &ratio)
        }
        if let size = size(pixelAspect) {
            gst_structure_fixate_field_nearest_int(self, "width", Int32(clamping: size.width))
            gst_structure_fixate_field_nearest_int(self, "height", Int32(clamping: size.height))
        }
    }

    private var pixelAspect: PixelAspect {
        let ratio = gst_structure_get_value(self, "pixel-aspect-ratio")
        return ratio.map { PixelAspect(gst_value_get_fraction_numerator($0), gst_value_get_fraction_denominator($0)) }
            ?? .square
    }
}

extension GstVideoInfo {
    /// Returns true if caps allow this format and its colorimetry. Ignores the size, the rate and the pixel aspect
    /// ratio.
    func isAllowed(by caps: UnsafeMutablePointer<GstCaps>) -> Bool {
        var info = self
        guard let required = gst_video_info_to_caps(&info) else { return false }
        defer { gst_caps_unref(required) }
        if let structure = gst_caps_get_structure(required, 0) {
            for field in ["width", "height", "framerate", "pixel-aspect-ratio", "interlace-mode"] {
                gst_structure_remove_field(structure, field)
            }
        }
        return gst_caps_can_intersect(caps, required) != 0
    }
}

extension FrameFormat {
    /// True if the mixer can blend inputs with alpha into an output of this format: YUV, or packed with 4 bytes per
    /// pixel.
    fileprivate var blendsAlpha: Bool { isYUV || packed?.bytesPerPixel == 4 }

    /// Returns true if the mixer can mix images of this format into the format `output` without conversion.
    fileprivate func mixes(into output: FrameFormat) -> Bool {
        output.isYUV || self == output || (packed != nil && packed == output.packed?.withAlpha)
    }

    /// Returns a video info with this format and the other fields of the caps. Returns nil if the caps do not allow
    /// this format.
    fileprivate func info(allowedBy caps: UnsafeMutablePointer<GstCaps>) -> GstVideoInfo? {
        guard let required = gst_caps_from_string("video/x-raw, format = (string) \(name)") else { return nil }
        defer { gst_caps_unref(required) }
        guard let common = gst_caps_intersect(caps, required) else { return nil }
        guard gst_caps_is_empty(common) == 0 else {
            gst_caps_unref(common)
            return nil
        }
        guard let fixed = gst_caps_fixate(common) else { return nil }
        defer { gst_caps_unref(fixed) }
        var info = GstVideoInfo()
        return gst_video_info_from_caps(&info, fixed) != 0 ? info : nil
    }
}
