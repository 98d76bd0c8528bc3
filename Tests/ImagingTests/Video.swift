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
    private let layouts: [Layout]
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
        layouts = Self.layouts(format.name)
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

    /// The positions of the samples with one letter (such as Y).
    private struct Layout {
        let letter: Character
        let plane: Int
        /// The number of pixels that share a sample.
        var columns = 1
        var rows = 1
        /// The distance between two samples of a row, and the position of the first sample, in bytes.
        var step = 1
        var offset = 0
    }

    /// Returns the layouts of the samples in a format. They come from GStreamer's documentation of the formats, not
    /// from code of this project.
    private static func layouts(_ name: String) -> [Layout] {
        let luma = Layout(letter: "Y", plane: 0)
        func chroma(_ letters: [Character], _ make: (Character, Int) -> Layout) -> [Layout] {
            zip(letters, 0...).map(make)
        }
        switch name {
        case "GRAY8": return [luma]
        case "I420", "YV12":
            let letters: [Character] = name == "I420" ? ["U", "V"] : ["V", "U"]
            return [luma] + chroma(letters) { Layout(letter: $0, plane: 1 + $1, columns: 2, rows: 2) }
        case "Y42B": return [luma] + chroma(["U", "V"]) { Layout(letter: $0, plane: 1 + $1, columns: 2) }
        case "Y444": return [luma] + chroma(["U", "V"]) { Layout(letter: $0, plane: 1 + $1) }
        case "NV12", "NV21":
            let letters: [Character] = name == "NV12" ? ["U", "V"] : ["V", "U"]
            return [luma] + chroma(letters) { Layout(letter: $0, plane: 1, columns: 2, rows: 2, step: 2, offset: $1) }
        case "YUY2":
            return [Layout(letter: "Y", plane: 0, step: 2)]
                + chroma(["U", "V"]) { Layout(letter: $0, plane: 0, columns: 2, step: 4, offset: 1 + 2 * $1) }
        case "UYVY":
            return [Layout(letter: "Y", plane: 0, step: 2, offset: 1)]
                + chroma(["U", "V"]) { Layout(letter: $0, plane: 0, columns: 2, step: 4, offset: 2 * $1) }
        default: return zip(name, 0...).map { Layout(letter: $0, plane: 0, step: name.count, offset: $1) }
        }
    }

    private func layout(_ letter: Character) -> Layout? { layouts.first { $0.letter == letter } }

    /// Returns the position of the sample with a letter for a pixel. Returns nil if the format has no such sample.
    private func place(_ letter: Character, _ x: Int, _ y: Int) -> (plane: Int, byte: Int)? {
        guard let layout = layout(letter) else { return nil }
        let (column, row) = ((x + visiblePart.x) / layout.columns, (y + visiblePart.y) / layout.rows)
        let byte = Self.guardBytes + row * planes[layout.plane].stride + column * layout.step + layout.offset
        return (layout.plane, byte)
    }

    /// The letters of the samples in the format.
    var letters: [Character] { layouts.map(\.letter) }

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
        layout(letter).map { ($0.columns, $0.rows) } ?? (1, 1)
    }

    /// Returns the visible pixels that share a sample with the pixel at (x, y).
    func sharers(_ letter: Character, _ x: Int, _ y: Int) -> [(x: Int, y: Int)] {
        let (columns, rows) = sharing(letter)
        let (left, top) = (
            (x + visiblePart.x) / columns * columns - visiblePart.x, (y + visiblePart.y) / rows * rows - visiblePart.y
        )
        var pixels: [(x: Int, y: Int)] = []
        pixels.reserveCapacity(columns * rows)
        for row in max(0, top)..<min(top + rows, visiblePart.height) {
            for column in max(0, left)..<min(left + columns, visiblePart.width) { pixels.append((column, row)) }
        }
        return pixels
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
