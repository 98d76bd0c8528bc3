// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// How the format of a mixer's output is chosen.
struct MixerFormatChoice {
    /// Formats that the mixer makes, best first.
    let formats: [FrameFormat]

    /// Chooses the format of the first input if downstream takes it, so that the largest input is not converted; for YUV
    /// some YUV; where inputs have alpha, a format over which they keep it. A format that downstream prefers goes first if no
    /// input is converted for it. Grey is left to the base class, since other inputs may have colours.
    /// - Parameters:
    ///   - inputs: what is known of them, the most important first.
    ///   - best: what the base class would choose.
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
        if let first = inputs.first, let known = VideoFormat(first)?.frameFormat, !known.isGray, allowed.contains(known)
        {
            if let preferred = preferred(by: downstream, allowed, over: inputs) {
                best = preferred
            } else if first.isAllowed(by: downstream) {
                best = first
            } else if known.isYUV, VideoFormat(best)?.frameFormat.isYUV != true {
                choose(([known] + allowed).filter(\.isYUV))
            }
        }
        let chosen = VideoFormat(best)?.frameFormat
        if chosen.map({ !allowed.contains($0) }) ?? true { choose(allowed) }
    }

    /// Returns the format that downstream would rather have than that of the first input, if inputs need not be converted for
    /// it. A `videoconvert` names those first for which it has nothing to do.
    private func preferred(
        by downstream: UnsafeMutablePointer<GstCaps>, _ allowed: [FrameFormat], over inputs: [GstVideoInfo]
    ) -> GstVideoInfo? {
        guard let most = gst_caps_copy_nth(downstream, 0) else { return nil }
        defer { gst_caps_unref(most) }
        guard let first = inputs.first, !first.isAllowed(by: most) else { return nil }
        let formats = inputs.compactMap { VideoFormat($0)?.frameFormat }
        guard formats.count == inputs.count else { return nil }
        return allowed.lazy.filter { format in formats.allSatisfy { $0.mixes(into: format) } }
            .compactMap { $0.info(allowedBy: most) }.first
    }

    /// Returns whether downstream takes a format over which inputs keep their alpha.
    func blendsAlpha(into downstream: UnsafeMutablePointer<GstCaps>) -> Bool {
        guard let caps = videoCaps(formats.filter(\.blendsAlpha)) else { return false }
        defer { gst_caps_unref(caps) }
        return gst_caps_can_intersect(downstream, caps) != 0
    }
}

extension UnsafeMutablePointer<GstStructure> {
    /// Chooses what is not fixed yet: as given, or what is nearest to that.
    /// - Parameters:
    ///   - rate: frames per second, as a fraction.
    ///   - pixel: the pixel aspect ratio, as a fraction.
    ///   - size: returns the size for pixels of the chosen shape; nil if any will do.
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
    /// Returns whether caps allow this format with its colorimetry.
    func isAllowed(by caps: UnsafeMutablePointer<GstCaps>) -> Bool {
        var info = self
        guard let own = gst_video_info_to_caps(&info) else { return false }
        defer { gst_caps_unref(own) }
        if let structure = gst_caps_get_structure(own, 0) {
            for field in ["width", "height", "framerate", "pixel-aspect-ratio", "interlace-mode"] {
                gst_structure_remove_field(structure, field)
            }
        }
        return gst_caps_can_intersect(caps, own) != 0
    }
}

extension FrameFormat {
    /// True if inputs with alpha are converted to a format that keeps it: those of four bytes, and none over YUV.
    fileprivate var blendsAlpha: Bool { isYUV || packed?.bytesPerPixel == 4 }

    /// Returns whether pictures of this format are mixed into one of another as they are.
    fileprivate func mixes(into output: FrameFormat) -> Bool {
        output.isYUV || self == output || (packed != nil && packed == output.packed?.withAlpha)
    }

    /// Returns what caps say of this format; nil if they do not allow it.
    fileprivate func info(allowedBy caps: UnsafeMutablePointer<GstCaps>) -> GstVideoInfo? {
        guard let own = gst_caps_from_string("video/x-raw, format = (string) \(name)") else { return nil }
        defer { gst_caps_unref(own) }
        guard let common = gst_caps_intersect(caps, own) else { return nil }
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
