// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// A small image to draw over frames of any format, such as the text of a label. At the first drawing on a frame of a
/// format, the stamp converts the image to this format, and caches the converted image.
package final class Stamp {
    private let width: Int
    private let height: Int
    /// `pixels`: red, green, blue and alpha of each pixel, 0…255. The colours are premultiplied. `alpha`: the alpha of
    /// each pixel.
    private let pixels: [SIMD4<UInt8>]
    private let alpha: [UInt8]
    /// The converted image for each frame format. The colours are straight (not premultiplied). The planes begin at a
    /// pixel with an even column and an even row.
    private var versions: [Key: [StoredPlane]] = [:]

    package var bounds: Rectangle { Rectangle(width: width, height: height) }

    private struct Key: Hashable {
        let format: FrameFormat
        let colorimetry: Colorimetry
        /// True if the stamp begins at an odd column (`isOddColumn`) or an odd row (`isOddRow`) of the planes. With
        /// chroma subsampling, the stamp then begins in the middle of a chroma sample.
        let isOddColumn: Bool
        let isOddRow: Bool
    }

    /// - Parameter picture: an image with premultiplied alpha, as Cairo draws it. The stamp copies the image. If the
    ///   format has no alpha, the stamp is opaque.
    package init(premultiplied picture: Image) {
        let format = picture.format
        width = picture.width
        height = picture.height
        var pixels: [SIMD4<UInt8>] = []
        pixels.reserveCapacity(width * height)
        for y in 0..<height {
            let row = picture.row(y)
            for x in 0..<width {
                let pixel = row + x * format.bytesPerPixel
                pixels.append(
                    SIMD4(
                        pixel[format.red], pixel[format.green], pixel[format.blue],
                        format.alpha.map { pixel[$0] } ?? 255))
            }
        }
        self.pixels = pixels
        alpha = pixels.map { $0.w }
    }

    /// Draws the stamp with its top left corner at (x, y). Pixels outside of the frame are not drawn.
    package func draw(on frame: FrameImage, x: Int, y: Int, opacity: UInt8 = 255) {
        let area = Rectangle(x: x, y: y, width: width, height: height)
        guard !frame.bounds.intersection(area).isEmpty else { return }
        let pairs = frame.pairs(of: area)
        let key = Key(
            format: frame.format, colorimetry: frame.colorimetry, isOddColumn: pairs.x != x + frame.window.x,
            isOddRow: pairs.y != y + frame.window.y)
        let planes = versions[key] ?? planes(key)
        versions[key] = planes
        alpha.withUnsafeBufferPointer { alpha in
            guard let alpha = alpha.baseAddress else { return }
            Painter.paint(frame) {
                $0.paint(
                    AlphaShape(bounds: area, alpha: alpha, stride: width),
                    StoredPaint(planes: planes, column: pairs.x, row: pairs.y), opacity: opacity)
            }
        }
    }

    private func planes(_ key: Key) -> [StoredPlane] {
        let (left, top) = (key.isOddColumn ? 1 : 0, key.isOddRow ? 1 : 0)
        // The painter also reads pixels just outside of the stamp, so add columns at the left and right of the stamp.
        let columns = (width + left + 3) & ~1
        let rows = (height + top + 1) & ~1
        return key.format.planes.map { layout in
            let plane = StoredPlane(layout, columns: columns, rows: rows)
            for row in 0..<rows / layout.rows {
                for column in 0..<columns / layout.columns {
                    let area = Rectangle(
                        x: column * layout.columns - left, y: row * layout.rows - top, width: layout.columns,
                        height: layout.rows)
                    plane.set(column, row, unit(layout, key, area))
                }
            }
            return plane
        }
    }

    /// Returns a unit (the smallest group of bytes with a whole number of pixels) that contains the pixels of `area`.
    /// Pixels outside of the stamp do not count for the mean colour.
    private func unit(_ layout: PlaneLayout, _ key: Key, _ area: Rectangle) -> SIMD4<UInt8> {
        func samples(_ part: Rectangle) -> SIMD4<UInt8> {
            key.format.unit(of: layout, color(in: part), key.colorimetry)
        }
        var unit = samples(area)
        if layout.hasOwnLuma {
            let second = samples(Rectangle(x: area.x + 1, y: area.y, width: 1, height: 1))
            let first = samples(Rectangle(x: area.x, y: area.y, width: 1, height: 1))
            let luma = layout.samples.first == .luma ? 0 : 1
            unit[luma] = first[luma]
            unit[luma + 2] = second[luma + 2]
        }
        return unit
    }

    /// Returns the mean colour of the pixels in `area`, weighted by alpha. The result is straight (not premultiplied).
    private func color(in area: Rectangle) -> Color {
        let (left, right) = (max(0, area.x), min(width, area.x + area.width))
        let (top, bottom) = (max(0, area.y), min(height, area.y + area.height))
        var sum = SIMD4<Double>()
        for y in top..<max(top, bottom) {
            for x in left..<max(left, right) {
                let pixel = pixels[y * width + x]
                sum += SIMD4(Double(pixel.x), Double(pixel.y), Double(pixel.z), Double(pixel.w))
            }
        }
        if sum.w > 0 { sum *= 255 / sum.w }
        return Color(sum.x, sum.y, sum.z)
    }
}

/// A shape that takes its coverage from an alpha channel.
struct AlphaShape: Shape {
    let bounds: Rectangle
    /// Alpha values of the first row. Rows are `stride` bytes apart.
    let alpha: UnsafePointer<UInt8>
    let stride: Int

    func cover(_ output: UnsafeMutablePointer<UInt8>, x: Int, y: Int, count: Int) {
        let (from, to) = (max(x, bounds.x), min(x + count, bounds.x + bounds.width))
        if to - from < count { output.update(repeating: 0, count: count) }
        let row = alpha + (y - bounds.y) * stride
        if from < to { (output + (from - x)).update(from: row + (from - bounds.x), count: to - from) }
    }
}

// MARK: - Stored paint

/// The samples of one plane, for a rectangular part of a frame.
final class StoredPlane {
    let layout: PlaneLayout
    let base: UnsafeMutablePointer<UInt8>
    let stride: Int
    let rows: Int
    let columns: Int

    /// - Parameters: the size of the part in pixels. `columns` and `rows` must be even.
    init(_ layout: PlaneLayout, columns: Int, rows: Int) {
        self.layout = layout
        self.columns = columns
        stride = columns / layout.columns * layout.unitBytes
        self.rows = rows / layout.rows
        base = .allocate(capacity: max(1, stride * self.rows))
        base.initialize(repeating: 0, count: max(1, stride * self.rows))
    }

    deinit { base.deallocate() }

    func set(_ unit: Int, _ row: Int, _ samples: SIMD4<UInt8>) {
        let start = base + row * stride + unit * layout.unitBytes
        for i in 0..<layout.unitBytes { start[i] = samples[i] }
    }
}

extension FrameImage {
    /// Returns `area`, counted from the start of the planes. For YUV formats, extends the area to even columns and
    /// rows.
    func pairs(of area: Rectangle) -> Rectangle {
        let align = format.isYUV ? 1 : 0
        let (x, y) = (area.x + window.x, area.y + window.y)
        let (left, top) = (x & ~align, y & ~align)
        return Rectangle(
            x: left, y: top, width: ((x + area.width + align) & ~align) - left,
            height: ((y + area.height + align) & ~align) - top)
    }
}

struct StoredPaint: Paint {
    let planes: [StoredPlane]
    /// Column and row of the first pixel in `planes`, counted from the start of the frame's planes. Both are even.
    let column: Int
    let row: Int

    func samples(plane: Int, row: Int, unit: Int) -> UnsafePointer<UInt8> {
        let stored = planes[plane]
        let y = row - self.row / stored.layout.rows
        let x = unit - column / stored.layout.columns
        return UnsafePointer(stored.base + y * stored.stride + x * stored.layout.unitBytes)
    }
}
