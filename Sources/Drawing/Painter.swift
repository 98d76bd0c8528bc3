// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

// All drawing methods use the same formula: each byte of the frame becomes b + (p − b) · w. b is the old byte, p is the
// byte of the paint, and w is the fraction of the pixel that the shape covers. For a chroma sample, w is the mean over
// the pixels that share the sample. So shapes need no code for different formats. The kernel of the mode `normal` mixes
// the bytes.
//
// Alpha is mixed like a colour. This is correct for premultiplied images and for opaque images.

/// A shape to draw. Coordinates are in pixels of the frame. The centre of the first pixel is (0.5, 0.5).
protocol Shape {
    /// Bounding box of the covered pixels.
    var bounds: Rectangle { get }

    /// Returns ranges of columns that include all covered pixels of row `y`. The ranges may include other pixels, too.
    func spans(_ y: Int) -> Spans

    /// Writes the coverage (0…255) of `count` pixels of row `y`, starting at column `x`. The pixels may be outside of
    /// the frame.
    func cover(_ output: UnsafeMutablePointer<UInt8>, x: Int, y: Int, count: Int)
}

extension Shape {
    func spans(_ y: Int) -> Spans { Spans(from: .min, to: .max) }
}

/// Up to two ranges of columns in a row. The first range is to the left of the second range.
struct Spans {
    var from: Int
    var to: Int
    var second: (from: Int, to: Int)?

    static var none: Spans { Spans(from: .max, to: .min) }

    var isEmpty: Bool { from >= to }

    init(from: Int, to: Int, second: (from: Int, to: Int)? = nil) {
        self.from = from
        self.to = to
        self.second = second
    }

    /// Returns ranges that include all columns of `self` and of `other`.
    func joined(_ other: Spans) -> Spans {
        if isEmpty { return other }
        if other.isEmpty { return self }
        if let a = second, let b = other.second {
            let second = (min(a.from, b.from), max(a.to, b.to))
            return Spans(from: min(from, other.from), to: max(to, other.to), second: second)
        }
        return Spans(from: min(from, other.from), to: max(second?.to ?? to, other.second?.to ?? other.to))
    }
}

/// The samples that the painter mixes into the frame. Planes, rows and units are counted from the start of the planes,
/// even if the frame is cropped. A unit is the smallest group of bytes that contains a whole number of pixels.
protocol Paint {
    /// Returns the samples of a row, starting at a unit. If two pixels share a chroma sample and the shape touches one
    /// of these pixels, the painter reads the samples of both pixels.
    func samples(plane: Int, row: Int, unit: Int) -> UnsafePointer<UInt8>
}

struct Painter {
    /// Maximum number of pixels of a row that the painter mixes at once. The number is even.
    private static let tile = 512

    private let frame: FrameImage
    /// 1 for YUV formats, because two pixels may share a chroma sample; otherwise 0.
    private let align: Int
    private var kernels: any KernelSet { frame.kernels }
    private let memory: UnsafeMutablePointer<UInt8>
    /// The coverage of each pixel in two rows. The two rows may share chroma samples.
    private let coverage: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt8>)
    /// The weight of the paint, 0…255, for each byte of a row in a plane.
    private let weights: UnsafeMutablePointer<UInt8>
    private let scratch: UnsafeMutableRawPointer

    static func paint(_ frame: FrameImage, _ body: (Painter) -> Void) {
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 14 * tile + 8)
        defer { memory.deallocate() }
        body(Painter(frame, memory: memory))
    }

    private init(_ frame: FrameImage, memory: UnsafeMutablePointer<UInt8>) {
        self.frame = frame
        align = frame.format.isYUV ? 1 : 0
        self.memory = memory
        coverage = (memory, memory + Self.tile)
        weights = memory + 2 * Self.tile
        scratch = UnsafeMutableRawPointer(memory + 6 * Self.tile)
    }

    /// - Parameter opacity: the weight of the paint for fully covered pixels, 0…255.
    func paint(_ shape: some Shape, _ paint: some Paint, opacity: UInt8 = 255) {
        let area = frame.bounds.intersection(shape.bounds)
        guard !area.isEmpty, opacity > 0 else { return }
        let window = frame.window
        // Process two rows at a time, because the two rows may share chroma samples. `top` is counted from the first
        // row of the planes.
        var top = (area.y + window.y) & ~1
        while top < area.y + area.height + window.y {
            let first = Row(top - window.y, in: area, height: frame.height)
            let second = Row(top + 1 - window.y, in: area, height: frame.height)
            let spans = (first.isCovered ? shape.spans(first.y) : .none)
                .joined(second.isCovered ? shape.spans(second.y) : .none)
            let (left, right) = (
                evenSpan(spans.from, spans.to, area), spans.second.map { evenSpan($0.from, $0.to, area) }
            )
            if let right, left.to < right.from {
                paintSpan(left, (first, second), shape, paint, opacity)
                paintSpan(right, (first, second), shape, paint, opacity)
            } else {
                paintSpan((left.from, max(left.to, right?.to ?? left.to)), (first, second), shape, paint, opacity)
            }
            top += 2
        }
    }

    /// A row of the frame. It may also be the row just before or just after the visible part.
    private struct Row {
        let y: Int
        let isVisible: Bool
        let isCovered: Bool

        init(_ y: Int, in area: Rectangle, height: Int) {
            self.y = y
            isVisible = y >= 0 && y < height
            isCovered = y >= area.y && y < area.y + area.height
        }
    }

    /// Returns the columns from `from` to `to` that are in `area`, counted in the planes. The range is extended to even
    /// columns.
    private func evenSpan(_ from: Int, _ to: Int, _ area: Rectangle) -> (from: Int, to: Int) {
        let from = max(from, area.x)
        let to = min(to, area.x + area.width)
        guard from < to else { return (0, 0) }
        return ((from + frame.window.x) & ~align, (to + frame.window.x + align) & ~align)
    }

    private func paintSpan(
        _ span: (from: Int, to: Int), _ rows: (Row, Row), _ shape: some Shape, _ paint: some Paint, _ opacity: UInt8
    ) {
        var start = span.from
        while start < span.to {
            let tile = Tile(start, min(span.to, start + Self.tile), frame.window)
            let covered = cover(coverage.0, rows.0, tile, shape, opacity)
            if cover(coverage.1, rows.1, tile, shape, opacity) || covered {
                // If only one of the two rows is visible, use the coverage of this row for the shared chroma samples.
                if !rows.0.isVisible { coverage.0.update(from: coverage.1, count: tile.count) }
                if !rows.1.isVisible { coverage.1.update(from: coverage.0, count: tile.count) }
                for (index, layout) in frame.format.planes.enumerated() { mix(index, layout, rows, tile, paint) }
            }
            start += Self.tile
        }
    }

    /// A range of columns, counted in the planes. At each end of the range, one pixel may be invisible (outside of the
    /// visible part of the frame).
    private struct Tile {
        let from: Int
        let to: Int
        /// `lead`: number of invisible pixels at the start (0 or 1). `tail`: number of invisible pixels at the end (0
        /// or 1).
        let lead: Int
        let tail: Int

        var count: Int { to - from }

        init(_ from: Int, _ to: Int, _ window: Rectangle) {
            self.from = from
            self.to = to
            lead = max(0, window.x - from)
            tail = max(0, to - window.x - window.width)
        }
    }

    /// Writes the coverage of a row, multiplied by the opacity.
    /// - Returns: true if the shape covers any pixel of the row.
    private func cover(
        _ output: UnsafeMutablePointer<UInt8>, _ row: Row, _ tile: Tile, _ shape: some Shape, _ opacity: UInt8
    ) -> Bool {
        guard row.isCovered else {
            output.update(repeating: 0, count: tile.count)
            return false
        }
        let visible = tile.count - tile.lead - tile.tail
        shape.cover(output + tile.lead, x: tile.from + tile.lead - frame.window.x, y: row.y, count: visible)
        if tile.lead > 0 { output[0] = output[1] }
        if tile.tail > 0 { output[tile.count - 1] = output[tile.count - 2] }
        if opacity < 255 { kernels.scaleWeights(output, opacity: Float(opacity) / 255, count: tile.count) }
        return kernels.rangeOfWeights(output, count: tile.count).maximum > 0
    }

    private func mix(_ index: Int, _ layout: PlaneLayout, _ rows: (Row, Row), _ tile: Tile, _ paint: some Paint) {
        if layout.rows == 2 {
            spreadMeans(coverage.0, coverage.1, layout, tile)
            blend(
                index, layout, row: (frame.window.y + max(rows.0.y, 0)) / 2, unit: tile.from / 2, tile.count / 2, paint)
            return
        }
        for (row, covered) in [(rows.0, coverage.0), (rows.1, coverage.1)] where row.isCovered {
            let y = frame.window.y + row.y
            if layout.columns == 2 {
                spreadMeans(covered, covered, layout, tile)
                blend(index, layout, row: y, unit: tile.from / 2, tile.count / 2, paint)
            } else {
                let count = tile.count - tile.lead - tile.tail
                spread(covered + tile.lead, layout, count)
                blend(index, layout, row: y, unit: tile.from + tile.lead, count, paint)
            }
        }
    }

    /// Converts the coverage of `count` pixels to the weight of the paint for each byte of these pixels.
    private func spread(_ covered: UnsafeMutablePointer<UInt8>, _ layout: PlaneLayout, _ count: Int) {
        switch layout.unitBytes {
        case 4:
            let kept = layout.samples.firstIndex(of: .padding).map { UInt32(255) << UInt32(8 * $0) } ?? 0
            kernels.spreadWeights(covered, mask: ~kept, into: weights, count: count)
        case 3: kernels.spreadWeights(covered, into: weights, count: count)
        default: weights.update(from: covered, count: count)
        }
    }

    /// Computes the weight of the paint for each byte of a tile in a plane with chroma. The weight for luma is the
    /// coverage of its pixel. The weight for chroma is the mean coverage of the pixels that share the sample.
    private func spreadMeans(
        _ first: UnsafeMutablePointer<UInt8>, _ second: UnsafeMutablePointer<UInt8>, _ layout: PlaneLayout, _ tile: Tile
    ) {
        let count = tile.count
        var x = 0
        switch layout.unitBytes {
        case 1:
            while x < count {
                weights[x >> 1] = mean(first, second, x)
                x &+= 2
            }
        case 2:
            while x < count {
                let weight = mean(first, second, x)
                weights[x] = weight
                weights[x &+ 1] = weight
                x &+= 2
            }
        default:
            let luma = layout.samples.first == .luma ? 0 : 1
            while x < count {
                let weight = mean(first, second, x)
                let unit = weights + 2 &* x
                unit[luma] = first[x]
                unit[luma &+ 2] = first[x &+ 1]
                unit[1 &- luma] = weight
                unit[3 &- luma] = weight
                x &+= 2
            }
            // Do not change the luma of pixels outside of the visible part of the frame.
            if tile.lead > 0 { weights[luma] = 0 }
            if tile.tail > 0 { weights[2 * count - 2 + luma] = 0 }
        }
    }

    private func blend(
        _ index: Int, _ layout: PlaneLayout, row: Int, unit: Int, _ count: Int, _ paint: some Paint
    ) {
        let plane = frame.planes[index]
        let bytes = plane.base + (row &* plane.stride &+ unit &* layout.unitBytes)
        kernels.blendWeighted(
            mode: .normal, background: bytes.assumingMemoryBound(to: UInt8.self),
            foreground: paint.samples(plane: index, row: row, unit: unit), weights: weights, scratch: scratch,
            count: count * layout.unitBytes)
    }
}

@inline(__always)
private func mean(_ first: UnsafeMutablePointer<UInt8>, _ second: UnsafeMutablePointer<UInt8>, _ x: Int) -> UInt8 {
    let sum = UInt16(first[x]) &+ UInt16(first[x &+ 1]) &+ UInt16(second[x]) &+ UInt16(second[x &+ 1])
    return UInt8(truncatingIfNeeded: (sum &+ 2) >> 2)
}

// MARK: - Paint

struct PlainPaint: Paint {
    private let memory: UnsafeMutablePointer<UInt8>
    private static let bytes = 512 * 4

    /// Calls `body` with a paint of a single colour.
    /// - Parameter color: the colour; its opacity is ignored.
    static func with(_ color: Color, for frame: FrameImage, _ body: (PlainPaint) -> Void) {
        let planes = frame.format.planes
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes * planes.count)
        defer { memory.deallocate() }
        let color = color.rounded
        for (index, layout) in planes.enumerated() {
            let unit = frame.format.unit(of: layout, color, frame.colorimetry)
            let start = memory + index * bytes
            for i in 0..<layout.unitBytes { start[i] = unit[i] }
            start.repeatBytes(layout.unitBytes, count: bytes)
        }
        body(PlainPaint(memory: memory))
    }

    func samples(plane: Int, row: Int, unit: Int) -> UnsafePointer<UInt8> {
        UnsafePointer(memory + plane * Self.bytes)
    }
}
