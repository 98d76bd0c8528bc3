// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging

/// Selects how an image fills a rectangle with another aspect ratio.
package enum Fit: Int32, PropertyEnum {
    case cover, contain, stretch

    package static let typeName = "GstSvFit"
    package static let members: [(value: Self, blurb: String)] = [
        (.cover, "Fill the rectangle and crop the image"),
        (.contain, "Show the whole image, with borders on two sides"),
        (.stretch, "Fill the rectangle and ignore the aspect ratio"),
    ]

    /// The position of an image that does not have the aspect ratio of its rectangle: 0 = left or top, ½ = centre, 1 =
    /// right or bottom. With `cover`, the position selects the visible part of the image. With `contain`, the position
    /// is the place of the image in the rectangle.
    package struct Alignment: Sendable, Equatable {
        package var x = 0.5
        package var y = 0.5

        package init(x: Double = 0.5, y: Double = 0.5) { (self.x, self.y) = (x, y) }
    }

    /// Returns the visible part of an image (`source`), and the part of the rectangle that the image fills
    /// (`destination`).
    ///
    /// The calculation uses display aspect ratios, so non-square pixels of the image or the rectangle are taken into
    /// account.
    package func rectangles(
        _ image: FrameShape, in target: FrameShape, at alignment: Alignment = Alignment()
    ) -> (source: Rectangle, destination: Rectangle) {
        let (all, room) = (image.size.bounds, target.size.bounds)
        let scale = Scale(image, target)
        switch self {
        case .stretch: return (all, room)
        case .cover where scale.isWider: return (all.part(width: scale.columns(of: all.height), alignment), room)
        case .cover: return (all.part(height: scale.rows(of: all.width), alignment), room)
        case .contain where scale.isWider:
            return (all, room.part(height: scale.height(for: room.width), alignment))
        case .contain: return (all, room.part(width: scale.width(for: room.height), alignment))
        }
    }

    /// Returns the position of the whole image, including cropped parts, in the coordinates of the rectangle. With
    /// `cover`, the image extends beyond the rectangle on two sides. The result is limited to 16 times the width or the
    /// height of the rectangle.
    package func fullBounds(
        _ image: FrameShape, in target: FrameShape, at alignment: Alignment = Alignment()
    ) -> Rectangle {
        guard self == .cover, image.size.width > 0, image.size.height > 0 else {
            return rectangles(image, in: target, at: alignment).destination
        }
        let (room, scale) = (target.size, Scale(image, target))
        let width = max(room.width, min(scale.width(for: room.height), 16 * room.width))
        let height = max(room.height, min(scale.height(for: room.width), 16 * room.height))
        return width > room.width
            ? Rectangle(x: -offset(width - room.width, alignment.x), y: 0, width: width, height: room.height)
            : Rectangle(x: 0, y: -offset(height - room.height, alignment.y), width: room.width, height: height)
    }

    /// Computes sizes for scaling an image without a change of its aspect ratio.
    private struct Scale {
        private let image, target: PixelSize
        /// The pixel aspect ratio of the image, divided by the pixel aspect ratio of the target.
        private let stretch: Double

        init(_ image: FrameShape, _ target: FrameShape) {
            (self.image, self.target) = (image.size, target.size)
            stretch = image.pixel.ratio / target.pixel.ratio
        }

        /// True if the image has a wider display aspect ratio than the target.
        var isWider: Bool {
            Double(image.width) * Double(target.height) * stretch > Double(target.width) * Double(image.height)
        }

        /// Returns the width of the scaled image for this height.
        func width(for height: Int) -> Int { length(height, image.width, image.height, stretch) }

        /// Returns the height of the scaled image for this width.
        func height(for width: Int) -> Int { length(width, image.height, image.width, 1 / stretch) }

        /// Returns the width of a part of the image. The part has this height, and the aspect ratio of the target.
        func columns(of rows: Int) -> Int { length(rows, target.width, target.height, 1 / stretch) }

        /// Returns the height of a part of the image. The part has this width, and the aspect ratio of the target.
        func rows(of columns: Int) -> Int { length(columns, target.height, target.width, stretch) }

        /// Returns `length` × `numerator` / `denominator` × `factor`, rounded, at least 1.
        private func length(_ length: Int, _ numerator: Int, _ denominator: Int, _ factor: Double) -> Int {
            guard denominator > 0 else { return 1 }
            let value = Double(length) * Double(numerator) / Double(denominator) * factor
            return max(1, Int(exactly: value.rounded()) ?? 1)
        }
    }
}

/// Returns the number of free or cropped pixels on the left or at the top.
/// - Parameters:
///   - space: the number of free or cropped pixels on both sides together.
///   - alignment: 0…1. Other values are clamped.
private func offset(_ space: Int, _ alignment: Double) -> Int {
    // NaN becomes 0, because each comparison with NaN is false.
    let alignment = alignment >= 0 ? (alignment <= 1 ? alignment : 1) : 0
    return Int(exactly: (Double(space) * alignment).rounded(.down)) ?? 0
}

extension Rectangle {
    fileprivate func part(width: Int, _ alignment: Fit.Alignment) -> Rectangle {
        let width = min(width, self.width)
        return Rectangle(x: x + offset(self.width - width, alignment.x), y: y, width: width, height: height)
    }

    fileprivate func part(height: Int, _ alignment: Fit.Alignment) -> Rectangle {
        let height = min(height, self.height)
        return Rectangle(x: x, y: y + offset(self.height - height, alignment.y), width: width, height: height)
    }
}

extension Picture {
    /// Returns the part `source` of the image in another size and pixel format. GstVideoConverter crops, converts and
    /// scales (Lanczos) in one step. If both the image and the new format have alpha, the colours are premultiplied
    /// during scaling. Otherwise, colours of transparent pixels would bleed into edges.
    /// - Parameter target: the format of the stream that will show the result. The result gets the stream's colorimetry
    ///   and, except for YUV, the stream's pixel format.
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

    /// Returns the alpha of the part `source` in another size; nil if the whole image is opaque.
    package func alpha(_ source: Rectangle, to size: PixelSize) throws -> Picture? {
        guard hasAlpha, pixelFormat.alpha != nil else { return nil }
        let plane = Picture(.gray8, size: self.size) { plane in withImage { extractAlpha(from: $0, into: plane) } }
        guard let plane else { throw Self.outOfMemory(self.size) }
        return try plane.convert(source, to: size, .gray8, like: plane.format)
    }

    /// Returns the luma of the part `source` in another size, as a GRAY8 image. The luma is multiplied by the alpha, so
    /// 0 means black or transparent.
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

    /// Returns the options of the converter (transfer full).
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
        ElementError(.noSpaceLeft, "not enough memory for \(size.width)x\(size.height) pixels")
    }
}
