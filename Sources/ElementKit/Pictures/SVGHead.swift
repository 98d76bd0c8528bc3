// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// The outermost element of an SVG drawing, as librsvg's decoder in GStreamer takes it: from the first `<svg` on.
struct SVGHead {
    /// The size in pixels, at the 90 dots per inch of that decoder.
    let size: PixelSize
    /// The offset at which the element begins.
    private let start: Int

    /// Returns nil if its attributes give no size: neither a width and a height nor a viewBox.
    init?(_ bytes: [UInt8]) {
        guard let start = bytes.firstPlace(of: "<svg"), let attributes = Self.attributes(bytes[start...]) else {
            return nil
        }
        let box = attributes["viewBox"]?.split { $0.isWhitespace || $0 == "," }.compactMap { Double($0) } ?? []
        let ratio = box.count == 4 && box[2] > 0 && box[3] > 0 ? box[2] / box[3] : nil
        var width = attributes["width"].flatMap { Self.pixels($0) }
        var height = attributes["height"].flatMap { Self.pixels($0) }
        if let ratio {
            if width == nil, height == nil { (width, height) = (box[2], box[3]) }
            width = width ?? height.map { $0 * ratio }
            height = height ?? width.map { $0 / ratio }
        }
        guard let width, let height, let columns = Self.side(width), let rows = Self.side(height) else { return nil }
        self.start = start
        size = PixelSize(width: columns, height: rows)
    }

    /// Returns the drawing within another one of its size. On its own it could take any other: by a style, or by what
    /// is drawn.
    /// - Parameter bytes: the whole file.
    func framed(_ bytes: [UInt8]) -> [UInt8] {
        let (width, height) = (size.width, size.height)
        let frame = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            style="width:\(width)px!important;height:\(height)px!important">
            """
        return Array(frame.utf8) + bytes[min(start, bytes.count)...] + Array("</svg>".utf8)
    }

    /// Returns the side in pixels, at least one; numbers that are too large are clamped.
    private static func side(_ length: Double) -> Int? {
        guard length > 0 else { return nil }
        return length < 1e15 ? max(1, Int(length.rounded())) : .max
    }

    /// Returns a length that does not depend on anything else; nil for other lengths.
    private static func pixels(_ text: Substring) -> Double? {
        guard let match = text.wholeMatch(of: /\s*([-+]?[0-9]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?)(px|in|cm|mm|pt|pc|)\s*/),
            let number = Double(match.1), number >= 0
        else { return nil }
        switch match.2 {
        case "in": return number * 90
        case "cm": return number * 90 / 2.54
        case "mm": return number * 90 / 25.4
        case "pt": return number * 90 / 72
        case "pc": return number * 90 / 6
        default: return number
        }
    }

    /// Returns the attributes of the tag that begins here; nil if it is incomplete, or uses entities.
    private static func attributes(_ bytes: ArraySlice<UInt8>) -> [Substring: Substring]? {
        let text = Substring(decoding: bytes, as: UTF8.self)
        var rest = text.drop { !$0.isWhitespace && $0 != ">" && $0 != "/" }
        var attributes: [Substring: Substring] = [:]
        while let match = rest.prefixMatch(of: /\s*([^\s=>\/"'<]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/) {
            let value = match.2 ?? match.3 ?? ""
            guard !value.contains("&") else { return nil }
            attributes[match.1] = value
            rest = rest[match.range.upperBound...]
        }
        guard rest.prefixMatch(of: /\s*\/?>/) != nil else { return nil }
        return attributes
    }
}

extension [UInt8] {
    fileprivate func firstPlace(of text: StaticString) -> Int? {
        text.withUTF8Buffer { text in
            indices.first { self[$0...].starts(with: text) }
        }
    }
}
