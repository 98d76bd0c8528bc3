// SPDX-License-Identifier: LGPL-2.1-or-later
package import KernelTypes

/// Reads short parts of rows from a frame of any format, as separate red, green and blue bytes. Only one thread at a
/// time may use a reader.
package final class ColorReader {
    /// Maximum number of columns that `read` accepts at any position. It is less than `YUVStrip.width`, because `read`
    /// also loads the pixel before the first column if both share a chroma sample.
    package static let longest = YUVStrip.width - 2

    private let kernels: any KernelSet
    /// Memory for YUV frames: one strip for each of the two rows. The rows have separate strips, because they may have
    /// different chroma.
    private let strips: (YUVStrip, YUVStrip)
    /// Memory for packed frames: red, green and blue bytes of two rows, and one row of four-byte pixels.
    private let memory: UnsafeMutablePointer<UInt8>
    private var rows: [PlanarImage.Row]

    package init(kernels: any KernelSet = Processor.kernels) {
        self.kernels = kernels
        strips = (YUVStrip(kernels: kernels), YUVStrip(kernels: kernels))
        memory = .allocate(capacity: 10 * YUVStrip.width)
        memory.initialize(repeating: 0, count: 10 * YUVStrip.width)
        let none = UnsafePointer(memory)
        rows = Array(repeating: PlanarImage.Row(red: none, green: none, blue: none), count: 2)
    }

    deinit { memory.deallocate() }

    /// Returns the colours of a row from the last call of `read`. The colours are valid until the next call of `read`.
    /// - Parameter row: 0 or 1.
    package func colors(_ row: Int) -> PlanarImage.Row { rows[row & 1] }

    /// Reads pixels of one or two rows.
    /// - Parameters:
    ///   - columns: the columns to read, at most `longest`. If the first column does not share its chroma sample with
    ///     the column before it, up to `YUVStrip.width` columns are possible.
    ///   - first: the row for `colors(0)`; nil to read no row.
    ///   - second: the row for `colors(1)`; nil to read no row.
    ///   - frame: the frame. If the frame does not contain these pixels, `read` does nothing.
    package func read(_ columns: Range<Int>, first: Int?, second: Int?, of frame: FrameImage) {
        let (left, top) = (frame.window.x, frame.window.y)
        func isVisible(_ row: Int?) -> Bool { row.map { 0..<frame.height ~= $0 } ?? true }
        guard !columns.isEmpty, columns.lowerBound >= 0, columns.upperBound <= frame.width,
            columns.count <= YUVStrip.width, isVisible(first), isVisible(second)
        else { return }
        if let packed = frame.packed {
            if let first { read(packed, columns, first, to: 0) }
            if let second { read(packed, columns, second, to: 1) }
            return
        }
        let span = columns.lowerBound + left..<columns.upperBound + left
        func load(_ strip: YUVStrip, _ first: Int, _ second: Int) -> Int? {
            let part = frame.strip(columns: span, first: first + top, second: second + top)
            guard part.width <= YUVStrip.width else { return nil }
            strip.load(part, of: frame)
            return span.lowerBound - part.x
        }
        if let first, let second, frame.sharesChroma(first + top, second + top) {
            guard let offset = load(strips.0, first, second) else { return }
            for row in 0..<2 { rows[row] = Self.row(strips.0.colors(row) + offset) }
            return
        }
        if let first, let offset = load(strips.0, first, first) { rows[0] = Self.row(strips.0.colors(0) + offset) }
        if let second, let offset = load(strips.1, second, second) { rows[1] = Self.row(strips.1.colors(0) + offset) }
    }

    private static func row(_ red: UnsafeMutablePointer<UInt8>) -> PlanarImage.Row {
        PlanarImage.Row(
            red: UnsafePointer(red), green: UnsafePointer(red + YUVStrip.plane),
            blue: UnsafePointer(red + 2 * YUVStrip.plane))
    }

    private func read(_ image: Image, _ columns: Range<Int>, _ y: Int, to row: Int) {
        let (format, count) = (image.format, columns.count)
        let pixels = image.row(y) + columns.lowerBound * format.bytesPerPixel
        if format.isGray {
            let gray = UnsafePointer(pixels)
            rows[row] = PlanarImage.Row(red: gray, green: gray, blue: gray)
            return
        }
        let wide = memory + 6 * YUVStrip.width
        if format.bytesPerPixel == 3 { kernels.widenPixels(pixels, into: wide, count: count) }
        let red = memory + 3 * row * YUVStrip.width
        for (channel, byte) in [format.red, format.green, format.blue].enumerated() {
            kernels.extractByte(
                at: byte, of: format.bytesPerPixel == 3 ? wide : pixels, into: red + channel * YUVStrip.width,
                count: count)
        }
        rows[row] = Self.row(red)
    }
}
