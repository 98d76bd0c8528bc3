// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Files

/// Information from the first bytes of an image file, read before decoding.
struct PictureHead {
    enum Kind {
        /// `png`: a PNG file with at most 8 bits per channel. `deepPNG`: a PNG file with 16 bits per channel.
        case png, deepPNG
        case jpeg, gif, webp, netpbm, svg, other
    }

    let kind: Kind
    /// The size in pixels; nil if the size is unknown. The decoder then reports the size before it decodes the image.
    /// Numbers that are too large are clamped.
    let size: PixelSize?
    /// The outermost element of an SVG drawing; nil for other types.
    let drawing: SVGHead?

    private static let count = 65536

    /// - Throws: `ElementError` with the path, if the path does not lead to a file, or the file is not an image or a
    ///   video.
    init(_ path: String) throws(ElementError) {
        let bytes: [UInt8]
        do {
            bytes = try readHead(path, count: Self.count)
        } catch {
            throw ElementError(error, reading: path, as: "an image")
        }
        guard let (type, said) = Self.type(bytes) else {
            throw ElementError(.decode, "cannot read \"\(path)\": not a supported image. Use another image file.")
        }
        kind = Self.kind(bytes, type)
        drawing = kind == .svg ? SVGHead(bytes) : nil
        let headSize: PixelSize?
        switch kind {
        case .png, .deepPNG: headSize = PixelSize(bytes.bigEndian(16..<20), bytes.bigEndian(20..<24))
        case .gif: headSize = PixelSize(bytes.littleEndian(6..<8), bytes.littleEndian(8..<10))
        case .webp: headSize = WebPHead(bytes).size
        case .netpbm: headSize = NetpbmHead(bytes).size
        case .svg: headSize = drawing?.size
        case .jpeg, .other: headSize = said
        }
        // The decoders of Netpbm and SVG do not reject invalid sizes, but log critical warnings. So reject a file
        // without a valid size here.
        guard headSize != nil || kind != .netpbm && kind != .svg else {
            throw ElementError(.decode, "cannot read \"\(path)\": the image has no size. Use another image file.")
        }
        size = headSize
    }

    /// Returns the type that GStreamer detects, and the size if GStreamer detects it. Returns nil if the data is not an
    /// image or a video. Playlists are rejected too, because they would make the decoder read other files and the
    /// network.
    private static func type(_ bytes: [UInt8]) -> (name: String, size: PixelSize?)? {
        guard let caps = gst_type_find_helper_for_data(nil, bytes, gsize(bytes.count), nil) else { return nil }
        defer { gst_caps_unref(caps) }
        guard let structure = gst_caps_get_structure(caps, 0).map({ StructureView($0) }) else { return nil }
        let type = structure.name
        guard type.hasPrefix("image/") || type.hasPrefix("video/") || type == "application/ogg" else { return nil }
        return (type, structure.size.flatMap { PixelSize($0.width, $0.height) })
    }

    private static func kind(_ bytes: [UInt8], _ type: String) -> Kind {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return bytes.bigEndian(24..<25) == 16 ? .deepPNG : .png }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if bytes.starts(with: Array("GIF8".utf8)) { return .gif }
        if bytes.starts(with: Array("RIFF".utf8)), type == "image/webp" { return .webp }
        if type.hasPrefix("image/x-portable-") { return .netpbm }
        return type.hasPrefix("image/svg") ? .svg : .other
    }

    /// The decoder, as a part of a pipeline description.
    /// - JPEG needs jpegparse, which finds the orientation tag and truncated files. In GStreamer 1.22, decodebin does
    ///   not use jpegparse, because the rank of jpegparse is too low.
    /// - PNG needs no parser, and pngparse is slow for large files.
    /// - PNG with 16 bits per channel uses gdkpixbufdec, because pngdec 1.22 swaps the channels. gdkpixbufdec accepts
    ///   truncated files, but pngparse rejects them.
    var decoder: String {
        switch kind {
        case .jpeg: "jpegparse ! jpegdec name=gate"
        case .png: "pngdec"
        case .deepPNG: "pngparse ! gdkpixbufdec"
        case .svg: "rsvgdec"
        case .gif, .webp, .netpbm, .other: "decodebin"
        }
    }

    /// The name of the first element whose input caps contain the size of the image. `SizeGuard` checks these caps.
    var gate: String { kind == .jpeg ? "gate" : "convert" }
}

extension PixelSize {
    /// Returns nil if the width or the height is missing or zero.
    fileprivate init?(_ width: Int?, _ height: Int?) {
        guard let width, let height, width > 0, height > 0 else { return nil }
        self.init(width: width, height: height)
    }
}

extension [UInt8] {
    fileprivate func bigEndian(_ range: Range<Int>) -> Int? {
        range.upperBound <= count ? self[range].reduce(0) { $0 << 8 | Int($1) } : nil
    }

    fileprivate func littleEndian(_ range: Range<Int>) -> Int? {
        range.upperBound <= count ? self[range].reversed().reduce(0) { $0 << 8 | Int($1) } : nil
    }
}

/// Reads the size from the header of a WebP file (RFC 9649): VP8X (extended), VP8L (lossless) or VP8 (lossy).
private struct WebPHead {
    let size: PixelSize?

    init(_ bytes: [UInt8]) {
        switch bytes.dropFirst(12).prefix(4) {
        case Array("VP8X".utf8)[...]:
            size = PixelSize(bytes.littleEndian(24..<27).map { $0 + 1 }, bytes.littleEndian(27..<30).map { $0 + 1 })
        case Array("VP8L".utf8)[...]:
            let bits = bytes.littleEndian(21..<25)
            size = PixelSize(bits.map { $0 & 0x3FFF + 1 }, bits.map { $0 >> 14 & 0x3FFF + 1 })
        case Array("VP8 ".utf8)[...]:
            size = PixelSize(
                bytes.littleEndian(26..<28).map { $0 & 0x3FFF }, bytes.littleEndian(28..<30).map { $0 & 0x3FFF })
        default: size = nil
        }
    }
}

/// Reads the size from the header of a PBM, PGM or PPM file. The header has a letter and a digit, then the width and
/// the height, separated by blanks and comments.
private struct NetpbmHead {
    let size: PixelSize?

    init(_ bytes: [UInt8]) {
        var remaining = bytes.dropFirst(2)
        func number() -> Int? {
            while let first = remaining.first, first.isBlank || first == UInt8(ascii: "#") {
                remaining = first.isBlank ? remaining.dropFirst() : remaining.drop { $0 != UInt8(ascii: "\n") }
            }
            let digits = remaining.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            remaining = remaining[digits.endIndex...]
            // If the number ends at the end of the buffer, the file may contain more digits of the number.
            guard !digits.isEmpty, !remaining.isEmpty else { return nil }
            return Int(String(decoding: digits, as: UTF8.self)) ?? .max
        }
        size = PixelSize(number(), number())
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || 0x09...0x0D ~= self }
}
