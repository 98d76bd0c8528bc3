// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing

/// A video frame of any format with its own memory. It has padding after each row, and guard bytes around each plane.
final class Video {
    /// The visible part: a crop of `whole`.
    let frame: FrameImage
    let whole: FrameImage
    /// Rectangle of the visible part in `whole`.
    let visiblePart: Rectangle
    let padding: Int
    private let planes: [(memory: UnsafeMutableRawBufferPointer, stride: Int)]
    private static let guardBytes = 64
    private static let filler: UInt8 = 0xA5

    /// - Parameter crop: rectangle of the visible part; nil for the whole frame.
    init(
        _ format: FrameFormat, width: Int, height: Int, padding: Int = 0, crop: Rectangle? = nil,
        colorimetry: Colorimetry? = nil
    ) {
        planes = Self.sizes(format, width, height).map { size in
            let memory = UnsafeMutableRawBufferPointer.allocate(
                byteCount: (size.rowBytes + padding) * size.rows + 2 * Self.guardBytes, alignment: 1)
            memory.initializeMemory(as: UInt8.self, repeating: Self.filler)
            return (memory, size.rowBytes + padding)
        }
        self.padding = padding
        visiblePart = crop ?? Rectangle(width: width, height: height)
        whole = FrameImage(
            format, width: width, height: height,
            planes: planes.compactMap { memory, stride in
                memory.baseAddress.map { .init(base: $0 + Self.guardBytes, stride: stride) }
            }, colorimetry: colorimetry)
        frame = whole.cropped(to: visiblePart)
    }

    deinit { for plane in planes { plane.memory.deallocate() } }

    /// Returns the number of bytes per row and the number of rows of each plane, in GStreamer's layout
    /// (`gst_video_info_set_format`).
    static func sizes(_ format: FrameFormat, _ width: Int, _ height: Int) -> [(rowBytes: Int, rows: Int)] {
        let (halfWidth, halfHeight) = ((width + 1) / 2, (height + 1) / 2)
        switch format.name {
        case "I420", "YV12": return [(width, height), (halfWidth, halfHeight), (halfWidth, halfHeight)]
        case "NV12", "NV21": return [(width, height), (2 * halfWidth, halfHeight)]
        case "YUY2", "UYVY": return [(4 * halfWidth, height)]
        case "Y42B": return [(width, height), (halfWidth, height), (halfWidth, height)]
        case "Y444": return [(width, height), (width, height), (width, height)]
        case "GRAY8": return [(width, height)]
        case "RGB", "BGR": return [(3 * width, height)]
        default: return [(4 * width, height)]
        }
    }

    /// Returns the position of the sample with a letter (such as Y) for a pixel. Returns nil if the format has no such
    /// sample. The positions come from GStreamer's documentation of the formats, not from code of this project.
    private func place(_ letter: Character, _ x: Int, _ y: Int) -> (plane: Int, byte: Int)? {
        let (x, y) = (x + visiblePart.x, y + visiblePart.y)
        let (cx, cy) = (x / 2, y / 2)
        let place: (plane: Int, row: Int, column: Int)? =
            switch (whole.format.name, letter) {
            case ("I420", "Y"), ("YV12", "Y"), ("NV12", "Y"), ("NV21", "Y"), ("GRAY8", "Y"), ("Y42B", "Y"),
                ("Y444", "Y"):
                (0, y, x)
            case ("Y42B", "U"): (1, y, cx)
            case ("Y42B", "V"): (2, y, cx)
            case ("Y444", "U"): (1, y, x)
            case ("Y444", "V"): (2, y, x)
            case ("I420", "U"), ("YV12", "V"): (1, cy, cx)
            case ("I420", "V"), ("YV12", "U"): (2, cy, cx)
            case ("NV12", "U"), ("NV21", "V"): (1, cy, 2 * cx)
            case ("NV12", "V"), ("NV21", "U"): (1, cy, 2 * cx + 1)
            case ("YUY2", "Y"): (0, y, 2 * x)
            case ("YUY2", "U"): (0, y, 4 * cx + 1)
            case ("YUY2", "V"): (0, y, 4 * cx + 3)
            case ("UYVY", "Y"): (0, y, 2 * x + 1)
            case ("UYVY", "U"): (0, y, 4 * cx)
            case ("UYVY", "V"): (0, y, 4 * cx + 2)
            case ("GRAY8", _): nil
            case (let name, let letter):
                Array(name).firstIndex(of: letter).map { (0, y, name.count * x + $0) }
            }
        return place.map { ($0.plane, Self.guardBytes + $0.row * planes[$0.plane].stride + $0.column) }
    }

    /// The letters of the samples in the format.
    var letters: [Character] {
        switch whole.format.name {
        case "I420", "YV12", "NV12", "NV21", "YUY2", "UYVY", "Y42B", "Y444": ["Y", "U", "V"]
        case "GRAY8": ["Y"]
        case let name: Array(name)
        }
    }

    /// The sample with a letter for a visible pixel.
    subscript(letter: Character, x: Int, y: Int) -> UInt8? {
        get { place(letter, x, y).map { planes[$0.plane].memory[$0.byte] } }
        set {
            guard let place = place(letter, x, y), let newValue else { return }
            planes[place.plane].memory[place.byte] = newValue
        }
    }

    /// Returns the number of pixels that share a sample with this letter, horizontally and vertically.
    func sharing(_ letter: Character) -> (columns: Int, rows: Int) {
        guard letter == "U" || letter == "V" else { return (1, 1) }
        switch whole.format.name {
        case "Y444": return (1, 1)
        case "YUY2", "UYVY", "Y42B": return (2, 1)
        default: return (2, 2)
        }
    }

    /// Returns the visible pixels that share a sample with the pixel at (x, y).
    func sharers(_ letter: Character, _ x: Int, _ y: Int) -> [(x: Int, y: Int)] {
        let (columns, rows) = sharing(letter)
        let (left, top) = (
            (x + visiblePart.x) / columns * columns - visiblePart.x, (y + visiblePart.y) / rows * rows - visiblePart.y
        )
        return (top..<top + rows).flatMap { row in (left..<left + columns).map { ($0, row) } }
            .filter { $0.x >= 0 && $0.y >= 0 && $0.x < visiblePart.width && $0.y < visiblePart.height }
    }

    /// All bytes, including guard bytes and padding.
    var bytes: [[UInt8]] { planes.map { Array($0.memory) } }

    func restore(_ bytes: [[UInt8]]) {
        for (plane, bytes) in zip(planes, bytes) { plane.memory.copyBytes(from: bytes) }
    }

    func fillAtRandom(seed: UInt64 = 1) {
        var random = Random(seed: seed)
        for plane in planes { for index in plane.memory.indices { plane.memory[index] = random.byte() } }
    }

    func fill(_ letter: Character, _ value: UInt8) {
        for y in 0..<frame.height { for x in 0..<frame.width { self[letter, x, y] = value } }
    }

    /// Returns true if all bytes outside of the visible pixels are the same as in `bytes`.
    func isIntactAround(_ bytes: [[UInt8]]) -> Bool {
        var visible = planes.map { [Bool](repeating: false, count: $0.memory.count) }
        for letter in letters where letter != "x" {
            for y in 0..<visiblePart.height {
                for x in 0..<visiblePart.width {
                    if let place = place(letter, x, y) { visible[place.plane][place.byte] = true }
                }
            }
        }
        return planes.indices.allSatisfy { plane in
            bytes[plane].indices.allSatisfy {
                visible[plane][$0] || planes[plane].memory[$0] == bytes[plane][$0]
            }
        }
    }
}

/// The expected samples of colours, from ITU-R BT.601 and BT.709 with 8 bits and limited range.
enum Samples {
    static func of(_ color: UInt32, _ letter: Character, _ colorimetry: Colorimetry) -> Double {
        let (r, g, b) = (
            Double((color >> 16) & 255) / 255, Double((color >> 8) & 255) / 255, Double(color & 255) / 255
        )
        let is601 = colorimetry.matrix == .bt601
        let y = is601 ? 0.299 * r + 0.587 * g + 0.114 * b : 0.2126 * r + 0.7152 * g + 0.0722 * b
        let full = colorimetry.isFullRange
        return switch letter {
        case "R": r * 255
        case "G": g * 255
        case "B": b * 255
        case "A": 255
        case "Y": full ? y * 255 : 16 + 219 * y
        case "U": min(255, 128 + (full ? 255 : 224) * (b - y) / (is601 ? 1.772 : 1.8556))
        default: min(255, 128 + (full ? 255 : 224) * (r - y) / (is601 ? 1.402 : 1.5748))
        }
    }
}

extension FrameFormat: CustomTestStringConvertible {
    public var testDescription: String { name }
}
