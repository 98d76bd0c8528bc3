// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// The outermost element of an SVG drawing, starting at the first `<svg` as in GStreamer's rsvgdec.
struct SVGHead {
    /// The size in pixels, at 90 dpi as in rsvgdec.
    let size: PixelSize
    /// The offset of the element, in bytes.
    private let start: Int

    /// Returns nil if the size is unknown. The size comes from the attributes `width` and `height`, or from the
    /// attribute `viewBox`.
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

    /// Returns an SVG file that contains the drawing inside an outer drawing of fixed size. Without the outer drawing,
    /// a style or the content could change the size.
    /// - Parameter bytes: the whole file.
    func framed(_ bytes: [UInt8]) -> [UInt8] {
        let (width, height) = (size.width, size.height)
        let frame = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            style="width:\(width)px!important;height:\(height)px!important">
            """
        return Array(frame.utf8) + bytes[min(start, bytes.count)...] + Array("</svg>".utf8)
    }

    /// Returns the side in pixels, at least 1. Numbers that are too large are clamped.
    private static func side(_ length: Double) -> Int? {
        guard length > 0 else { return nil }
        return length < 1e15 ? max(1, Int(length.rounded())) : .max
    }

    /// The number of pixels per unit of length. A number without a unit is in pixels.
    private static let units = [
        "px": 1, "in": 90, "cm": 90 / 2.54, "mm": 90 / 25.4, "pt": 90.0 / 72, "pc": 90.0 / 6,
    ]

    /// Returns an absolute length in pixels; nil for relative lengths, such as percentages.
    private static func pixels(_ text: Substring) -> Double? {
        let length = text.trimmed
        let unit = units[String(length.suffix(2))]
        let digits = unit == nil ? length : length.dropLast(2)
        guard digits.allSatisfy({ "0123456789+-.eE".contains($0) }), let number = Double(digits), number >= 0 else {
            return nil
        }
        return number * (unit ?? 1)
    }

    /// Returns the attributes of the tag at the start of `bytes`; nil if the tag is incomplete or uses entities.
    private static func attributes(_ bytes: ArraySlice<UInt8>) -> [Substring: Substring]? {
        let text = Substring(decoding: bytes, as: UTF8.self)
        var remaining = text.drop { !$0.isWhitespace && $0 != ">" && $0 != "/" }.withoutBlanks
        var attributes: [Substring: Substring] = [:]
        while let first = remaining.first, first != ">", first != "/" {
            let name = remaining.prefix { !$0.isWhitespace && !"=>/\"'<".contains($0) }
            remaining = remaining[name.endIndex...].withoutBlanks
            guard !name.isEmpty, remaining.first == "=" else { return nil }
            remaining = remaining.dropFirst().withoutBlanks
            guard let quote = remaining.first, quote == "\"" || quote == "'" else { return nil }
            let value = remaining.dropFirst().prefix { $0 != quote && $0 != "<" && $0 != "&" }
            remaining = remaining[value.endIndex...]
            guard remaining.first == quote else { return nil }
            remaining = remaining.dropFirst().withoutBlanks
            attributes[name] = value
        }
        return remaining.first == ">" || remaining.hasPrefix("/>") ? attributes : nil
    }
}

extension Substring {
    /// The text without leading blanks.
    fileprivate var withoutBlanks: Substring { drop(while: \.isWhitespace) }

    fileprivate var trimmed: Substring {
        var text = withoutBlanks
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}

extension [UInt8] {
    fileprivate func firstPlace(of text: StaticString) -> Int? {
        text.withUTF8Buffer { text in
            indices.first { self[$0...].starts(with: text) }
        }
    }
}
