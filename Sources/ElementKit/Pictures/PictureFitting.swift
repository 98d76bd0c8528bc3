// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging

/// Ways to fill a rectangle of another shape with a picture.
package enum Fit: Int32, PropertyEnum {
    case cover, contain, stretch

    package static let typeName = "GstSvFit"
    package static let members: [(value: Self, blurb: String)] = [
        (.cover, "Fill the rectangle, cut off what stands over on two sides"),
        (.contain, "Show the whole picture, leave two sides of the rectangle free"),
        (.stretch, "Fill the rectangle, change the picture's shape"),
    ]

    /// Returns the part of a picture that is used, and where it goes in a rectangle of size `target`.
    package func place(_ size: PixelSize, in target: PixelSize) -> (source: Rectangle, destination: Rectangle) {
        let whole = size.bounds
        let all = target.bounds
        // Compares the shapes without division: size.width / size.height against target.width / target.height.
        let isWider = size.width.multipliedFullWidth(by: target.height)
        let isHigher = target.width.multipliedFullWidth(by: size.height)
        let wider = (isWider.high, isWider.low) > (isHigher.high, isHigher.low)
        switch self {
        case .stretch:
            return (whole, all)
        case .cover where wider:
            return (whole.centred(width: scaled(size.height, target.width, target.height)), all)
        case .cover:
            return (whole.centred(height: scaled(size.width, target.height, target.width)), all)
        case .contain where wider:
            return (whole, all.centred(height: scaled(target.width, size.height, size.width)))
        case .contain:
            return (whole, all.centred(width: scaled(target.height, size.width, size.height)))
        }
    }

    /// Returns where the whole of a picture lies when it is scaled to fill a rectangle of size `target`; with `cover` it
    /// stands over on two sides. A picture whose shape differs by more than a factor of 16 is stretched for the rest.
    package func whole(_ size: PixelSize, in target: PixelSize) -> Rectangle {
        guard self == .cover, size.width > 0, size.height > 0 else { return place(size, in: target).destination }
        let width = max(target.width, min(scaled(target.height, size.width, size.height), 16 * target.width))
        let height = max(target.height, min(scaled(target.width, size.height, size.width), 16 * target.height))
        return width > target.width
            ? Rectangle(x: (target.width - width) / 2, y: 0, width: width, height: target.height)
            : Rectangle(x: 0, y: (target.height - height) / 2, width: target.width, height: height)
    }

    /// Returns `length` × `numerator` / `denominator`, rounded, at least 1.
    private func scaled(_ length: Int, _ numerator: Int, _ denominator: Int) -> Int {
        guard denominator > 0 else { return 1 }
        let value = Double(length) * Double(numerator) / Double(denominator)
        return max(1, Int(exactly: value.rounded()) ?? 1)
    }
}

extension Rectangle {
    fileprivate func centred(width: Int) -> Rectangle {
        let width = min(width, self.width)
        return Rectangle(x: x + (self.width - width) / 2, y: y, width: width, height: height)
    }

    fileprivate func centred(height: Int) -> Rectangle {
        let height = min(height, self.height)
        return Rectangle(x: x, y: y + (self.height - height) / 2, width: width, height: height)
    }
}

extension Picture {
    /// Returns the part `source` of the picture in another size and pixel format, scaled by Lanczos in one step with
    /// the crop and the conversion (GstVideoConverter). If both the picture and the new format have alpha, colours are
    /// premultiplied while they are scaled, so that hidden colours do not bleed into edges.
    /// - Parameter target: the stream whose format and colorimetry the result takes; for YUV, its colorimetry alone.
    package func converted(_ source: Rectangle, to size: PixelSize, like target: VideoFormat) throws -> Picture {
        let wanted = target.pixelFormat ?? pixelFormat
        guard hasAlpha, pixelFormat.alpha != nil else {
            return try convert(source, to: size, wanted, like: target)
        }
        guard
            let premultiplied = Picture(
                pixelFormat, size: self.size, like: format, hasAlpha: true,
                draw: { copy in
                    withImage { copy.copy(from: $0) }
                    premultiply(copy)
                })
        else { throw Self.outOfMemory(self.size) }
        let scaled = try premultiplied.convert(source, to: size, pixelFormat, like: format)
        _ = withMappedFrame(
            scaled.buffer, scaled.format.info, GstMapFlags(rawValue: GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
        ) { $0.packed.map(unpremultiply) }
        guard wanted != pixelFormat else { return scaled }
        return try scaled.convert(size.bounds, to: size, wanted, like: target)
    }

    /// Returns the alpha of the part `source`, in another size; nil if the picture is opaque everywhere.
    package func alpha(_ source: Rectangle, to size: PixelSize) throws -> Picture? {
        guard hasAlpha, pixelFormat.alpha != nil else { return nil }
        let plane = Picture(.gray8, size: self.size) { plane in withImage { extractAlpha(from: $0, into: plane) } }
        guard let plane else { throw Self.outOfMemory(self.size) }
        return try plane.convert(source, to: size, .gray8, like: plane.format)
    }

    /// Returns the luma of the part `source`, times its alpha, in another size: GRAY8, 0 is black or transparent.
    package func luma(_ source: Rectangle, to size: PixelSize) throws -> Picture {
        guard let plane = VideoFormat(.gray8, size: size) else { throw Self.outOfMemory(size) }
        let luma = try converted(source, to: size, like: plane)
        try alpha(source, to: size)?.withImage { alpha in luma.withImage { multiply(weights: $0, by: alpha) } }
        return luma
    }

    private func convert(
        _ source: Rectangle, to size: PixelSize, _ pixelFormat: PixelFormat, like other: VideoFormat
    ) throws -> Picture {
        guard let target = VideoFormat(pixelFormat, size: size, like: other),
            let output = gst_buffer_new_allocate(nil, target.info.size, nil)
        else { throw Self.outOfMemory(size) }
        let picture = Picture(
            buffer: output, format: target, pixelFormat: pixelFormat,
            hasAlpha: hasAlpha && pixelFormat.alpha != nil)
        var from = format.info
        var to = target.info
        guard let converter = gst_video_converter_new(&from, &to, conversionOptions(source)) else {
            throw ElementError(.negotiation, "cannot convert \(self.pixelFormat.name) to \(pixelFormat.name)")
        }
        defer { gst_video_converter_free(converter) }
        var input = GstVideoFrame()
        var result = GstVideoFrame()
        guard gst_video_frame_map(&input, &from, buffer, GST_MAP_READ) != 0 else { throw Self.outOfMemory(self.size) }
        defer { gst_video_frame_unmap(&input) }
        guard gst_video_frame_map(&result, &to, output, GST_MAP_WRITE) != 0 else { throw Self.outOfMemory(size) }
        defer { gst_video_frame_unmap(&result) }
        gst_video_converter_frame(converter, &input, &result)
        return picture
    }

    /// Returns the converter's options; the converter takes ownership.
    private func conversionOptions(_ source: Rectangle) -> UnsafeMutablePointer<GstStructure>? {
        let options = gst_structure_new_empty("options")
        func set(_ name: String, _ number: Int) { options?.set(name, Int32(clamping: number)) }
        set(GST_VIDEO_CONVERTER_OPT_SRC_X, source.x)
        set(GST_VIDEO_CONVERTER_OPT_SRC_Y, source.y)
        set(GST_VIDEO_CONVERTER_OPT_SRC_WIDTH, source.width)
        set(GST_VIDEO_CONVERTER_OPT_SRC_HEIGHT, source.height)
        var method = GValue()
        g_value_init(&method, gst_video_resampler_method_get_type())
        g_value_set_enum(&method, Int32(bitPattern: GST_VIDEO_RESAMPLER_METHOD_LANCZOS.rawValue))
        gst_structure_take_value(options, GST_VIDEO_CONVERTER_OPT_RESAMPLER_METHOD, &method)
        return options
    }

    package static func outOfMemory(_ size: PixelSize) -> ElementError {
        ElementError(.noSpaceLeft, "no memory for \(size.width)x\(size.height) pixels")
    }
}
