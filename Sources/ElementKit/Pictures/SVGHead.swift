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

    /// Pixels of a unit; a number without one is in pixels.
    private static let units = [
        "px": 1, "in": 90, "cm": 90 / 2.54, "mm": 90 / 25.4, "pt": 90.0 / 72, "pc": 90.0 / 6,
    ]

    /// Returns a length that does not depend on anything else; nil for other lengths.
    private static func pixels(_ text: Substring) -> Double? {
        let length = text.trimmed
        let unit = units[String(length.suffix(2))]
        let digits = unit == nil ? length : length.dropLast(2)
        guard digits.allSatisfy({ "0123456789+-.eE".contains($0) }), let number = Double(digits), number >= 0 else {
            return nil
        }
        return number * (unit ?? 1)
    }

    /// Returns the attributes of the tag that begins here; nil if it is incomplete, or uses entities.
    private static func attributes(_ bytes: ArraySlice<UInt8>) -> [Substring: Substring]? {
        let text = Substring(decoding: bytes, as: UTF8.self)
        var rest = text.drop { !$0.isWhitespace && $0 != ">" && $0 != "/" }.withoutBlanks
        var attributes: [Substring: Substring] = [:]
        while let first = rest.first, first != ">", first != "/" {
            let name = rest.prefix { !$0.isWhitespace && !"=>/\"'<".contains($0) }
            rest = rest[name.endIndex...].withoutBlanks
            guard !name.isEmpty, rest.first == "=" else { return nil }
            rest = rest.dropFirst().withoutBlanks
            guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
            let value = rest.dropFirst().prefix { $0 != quote && $0 != "<" && $0 != "&" }
            rest = rest[value.endIndex...]
            guard rest.first == quote else { return nil }
            rest = rest.dropFirst().withoutBlanks
            attributes[name] = value
        }
        return rest.first == ">" || rest.hasPrefix("/>") ? attributes : nil
    }
}

extension Substring {
    /// The text from the first character on that is not blank.
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
