// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// A part of a frame to blur, pixelate or fill.
package enum Region: Sendable, Hashable {
    case rectangle(Rectangle)
    /// The largest ellipse in the rectangle.
    case ellipse(Rectangle)
    /// A polygon: its corners in order.
    case polygon([Point])

    /// The bounding box of the region.
    package var bounds: Rectangle {
        switch self {
        case .rectangle(let bounds), .ellipse(let bounds): return bounds
        case .polygon(let corners):
            // Clip the coordinates to ±10⁹, so that no sum overflows.
            func pixel(_ x: Double) -> Int { Int(min(1e9, max(-1e9, x.isNaN ? 0 : x))) }
            let (xs, ys) = (corners.map(\.x), corners.map(\.y))
            guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else {
                return Rectangle(width: 0, height: 0)
            }
            let (x, y) = (pixel(left.rounded(.down)), pixel(top.rounded(.down)))
            return Rectangle(
                x: x, y: y, width: pixel(right.rounded(.up)) - x, height: pixel(bottom.rounded(.up)) - y)
        }
    }
}

extension FrameImage {
    /// Blurs a region with three passes of a box filter. The result is approximately a Gaussian blur with sigma =
    /// `radius`. Pixels outside of the region's bounding box do not affect the result. The running time does not depend
    /// on the radius.
    /// - Parameter radius: distance from the centre of the box filter to its edge, in pixels; by default a sixth of the
    ///   region's longer side.
    package func blur(_ region: Region, radius: Int? = nil) {
        let size = max(region.bounds.width, region.bounds.height, 0)
        let radius = max(0, radius ?? max(2, size / 6))
        guard radius > 0 else { return }
        replace(region) { samples, columns, rows, _ in
            samples.blur(horizontally: radius / columns, vertically: radius / rows)
        }
    }

    /// Divides a region into square cells, and fills each cell with the mean colour of its pixels.
    /// - Parameter cells: number of cells along the region's longer side. Cells have at least 4 × 4 pixels. In a test,
    ///   face detectors searched 20 pixelated drawings of faces. `haarcascade_frontalface_default` detected all 20
    ///   faces with 6 cells, and 6 faces with 4 cells. Other cascades detected no face.
    package func pixelate(_ region: Region, cells: Int = 4) {
        let box = region.bounds
        let size = min(1 << 40, max(box.width, box.height, 0))
        let cell = max(4, size / max(1, cells) + (size % max(1, cells) == 0 ? 0 : 1))
        replace(region) { samples, columns, rows, area in
            samples.pixelate(
                columns: cuts(box.x, cell, area.x, samples.width, window.x, columns),
                rows: cuts(box.y, cell, area.y, samples.height, window.y, rows))
        }
    }

    /// Calls `body` to change a copy of each channel's samples, and writes the changed samples into the region.
    private func replace(
        _ region: Region, _ body: (_ samples: inout Samples, _ columns: Int, _ rows: Int, _ area: Rectangle) -> Void
    ) {
        let area = bounds.intersection(region.bounds)
        guard !area.isEmpty else { return }
        let pairs = pairs(of: area)
        let planes = format.planes.map { StoredPlane($0, columns: pairs.width, rows: pairs.height) }
        let part = cropped(to: area)
        for plane in planes {
            for (index, sample) in plane.layout.samples.enumerated() where sample != .padding {
                guard plane.layout.samples.firstIndex(of: sample) == index, let channel = part.channel(sample),
                    var samples = Samples(channel)
                else { continue }
                body(&samples, channel.columns, channel.rows, area)
                // `plane` begins at an even column and row, but the region may begin at an odd column or row. In this
                // case, skip the first luma sample of each row, or the first row of luma.
                let skipped = channel.columns == 1 ? area.x + window.x - pairs.x : 0
                samples.copy(
                    to: plane.base + index + skipped * channel.step, step: channel.step, stride: plane.stride,
                    skippingRows: channel.rows == 1 ? area.y + window.y - pairs.y : 0)
            }
        }
        let paint = StoredPaint(planes: planes, column: pairs.x, row: pairs.y)
        Painter.paint(self) { painter in
            switch region {
            case .rectangle(let rectangle): painter.paint(Box(rectangle), paint)
            case .ellipse(let rectangle): painter.paint(Oval(rectangle), paint)
            case .polygon(let corners): painter.paint(Mask(polygon: corners, clip: area), paint)
            }
        }
        withExtendedLifetime(planes) {}
    }
}

/// Returns the index of the first sample of each cell along one dimension of an area. The first index is 0, and `count`
/// is added as the last index.
/// - Parameters:
///   - origin: the pixel of the frame at which the first cell begins.
///   - start: the first pixel of the area, counted in the visible frame.
///   - count: the number of samples in the area.
///   - offset: the position of the frame's first visible pixel within its planes.
///   - pixels: the number of pixels per sample.
private func cuts(_ origin: Int, _ cell: Int, _ start: Int, _ count: Int, _ offset: Int, _ pixels: Int) -> [Int] {
    let first = (start + offset) / pixels
    var cuts = [0]
    // Cells begin at origin + k · cell. `within` is the number of pixels from the start of a cell to `start`.
    let (distance, overflow) = start.subtractingReportingOverflow(origin)
    let within = overflow ? 0 : distance % cell
    var next = start + offset + cell - within
    while true {
        let cut = (next + pixels - 1) / pixels - first
        guard cut < count else { break }
        if cut > cuts[cuts.count - 1] { cuts.append(cut) }
        next += cell
    }
    return cuts + [count]
}

/// A copy of the samples of a channel, in rows without gaps.
private struct Samples {
    let width: Int
    let height: Int
    private var values: [UInt8]

    init?(_ channel: FrameImage.Channel) {
        guard !channel.isEmpty else { return nil }
        width = channel.width
        height = channel.height
        let (width, height) = (width, height)
        values = [UInt8](unsafeUninitializedCapacity: width * height) { buffer, count in
            guard let to = buffer.baseAddress else { return }
            for y in 0..<height { gather(channel.row(y), step: channel.step, to: to + y * width, count: width) }
            count = width * height
        }
    }

    func copy(to base: UnsafeMutablePointer<UInt8>, step: Int, stride: Int, skippingRows skipped: Int) {
        values.withUnsafeBufferPointer { buffer in
            guard let values = buffer.baseAddress else { return }
            for y in 0..<height {
                scatter(values + y * width, to: base + (y + skipped) * stride, step: step, count: width)
            }
        }
    }

    // MARK: Pixelate

    /// Fills each cell with the mean of its samples.
    /// - Parameters: the first index of each cell, and the width or height as the last index.
    mutating func pixelate(columns: [Int], rows: [Int]) {
        for (top, bottom) in zip(rows, rows.dropFirst()) {
            for (left, right) in zip(columns, columns.dropFirst()) where left < right && top < bottom {
                var sum = 0
                for y in top..<bottom { for x in left..<right { sum &+= Int(values[y &* width &+ x]) } }
                let count = (right - left) * (bottom - top)
                let mean = UInt8(truncatingIfNeeded: (sum + count / 2) / count)
                for y in top..<bottom { for x in left..<right { values[y &* width &+ x] = mean } }
            }
        }
    }

    // MARK: Blur

    /// Applies a box filter three times in each direction, with the radii `across` and `down` in samples. Beyond the
    /// edges, the border samples are repeated.
    mutating func blur(horizontally across: Int, vertically down: Int) {
        let (width, height) = (width, height)
        let (across, down) = (min(across, width), min(down, height))
        var other = [UInt8](repeating: 0, count: values.count)
        func pass(_ blur: (_ from: UnsafePointer<UInt8>, _ to: UnsafeMutablePointer<UInt8>) -> Void) {
            values.withUnsafeBufferPointer { from in
                other.withUnsafeMutableBufferPointer { to in
                    if let from = from.baseAddress, let to = to.baseAddress { blur(from, to) }
                }
            }
            swap(&values, &other)
        }
        for _ in 0..<3 where across > 0 {
            pass { from, to in
                for y in 0..<height { blurRow(from + y * width, to + y * width, count: width, radius: across) }
            }
        }
        for _ in 0..<3 where down > 0 {
            pass { from, to in blurColumns(from, to, width: width, height: height, radius: down) }
        }
    }
}

private func blurRow(_ from: UnsafePointer<UInt8>, _ to: UnsafeMutablePointer<UInt8>, count: Int, radius: Int) {
    let last = count &- 1
    let share = 1 / Float(2 * radius + 1)
    var sum = UInt32(from[0]) &* UInt32(radius)
    for i in 0...radius { sum &+= UInt32(from[min(i, last)]) }
    var x = 0
    while x < count {
        to[x] = rounded(Float(Int32(truncatingIfNeeded: sum)) * share)
        let (old, new) = (x &- radius, x &+ radius &+ 1)
        sum = sum &+ UInt32(from[new < last ? new : last]) &- UInt32(from[old > 0 ? old : 0])
        x &+= 1
    }
}

private func blurColumns(
    _ from: UnsafePointer<UInt8>, _ to: UnsafeMutablePointer<UInt8>, width: Int, height: Int, radius: Int
) {
    let last = height - 1
    let share = 1 / Float(2 * radius + 1)
    // Begin with the sums for row −`radius`, where all rows of the box filter repeat the first row of the image.
    var sums = (0..<width).map { UInt32(from[$0]) &* UInt32(2 * radius + 1) }
    sums.withUnsafeMutableBufferPointer { buffer in
        guard let sums = buffer.baseAddress else { return }
        for i in 1...radius { exchange(sums, adding: from + min(i, last) * width, removing: from, count: width) }
        for y in 0..<height {
            let row = to + y * width
            var x = 0
            while x < width {
                row[x] = rounded(Float(Int32(truncatingIfNeeded: sums[x])) * share)
                x &+= 1
            }
            exchange(
                sums, adding: from + min(y + radius + 1, last) * width, removing: from + max(y - radius, 0) * width,
                count: width)
        }
    }
}

/// Returns the nearest integer of a value in 0…255. The function needs no branch: after the addition of 2²³, the low
/// bits of the sum are the nearest integer.
@inline(__always)
private func rounded(_ value: Float) -> UInt8 { UInt8(truncatingIfNeeded: (value + 8_388_608).bitPattern) }

private func exchange(
    _ sums: UnsafeMutablePointer<UInt32>, adding new: UnsafePointer<UInt8>, removing old: UnsafePointer<UInt8>,
    count: Int
) {
    var x = 0
    while x < count {
        sums[x] = sums[x] &+ UInt32(new[x]) &- UInt32(old[x])
        x &+= 1
    }
}
