// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Blending
internal import Imaging

extension Scene {
    /// Fills the output with distorted images. The samples are interpolated bilinearly. Beyond the edges of an image,
    /// the border samples are repeated.
    func warp(_ warp: some Warp) {
        let papers = planes.map { Paper(white: samples(of: .white, $0.output), black: samples(of: .black, $0.output)) }
        forEachBand { band in
            let row = WarpRow(count: output.width + 2)
            for (plane, paper) in zip(planes, papers) {
                for lane in plane.output.lanes(width: output.width) {
                    let (old, new) = (LaneSamples(plane.old, lane), LaneSamples(plane.new, lane))
                    for y in plane.output.rows(of: band) {
                        let center = (Float(y) + 0.5) * Float(plane.output.layout.rows)
                        warp.fill(row, y: center, columns: lane.columns, count: lane.count)
                        fill(plane.output.row(y) + lane.first, y, lane, from: old, new, by: row, paper)
                    }
                }
            }
        }
    }

    private func fill(
        _ output: UnsafeMutablePointer<UInt8>, _ y: Int, _ lane: PlaneView.Lane, from old: LaneSamples,
        _ new: LaneSamples, by row: WarpRow, _ paper: Paper
    ) {
        var i = 0
        while i < lane.count {
            let kind = row.kinds[i]
            var end = i + 1
            while end < lane.count, row.kinds[end] == kind { end += 1 }
            switch kind {
            case WarpRow.Kind.mixed: mix(output, i..<end, lane, old, new, by: row, paper)
            case WarpRow.Kind.old: old.copy(i..<end, of: y, channels: lane.channels, into: output)
            default: new.copy(i..<end, of: y, channels: lane.channels, into: output)
            }
            i = end
        }
    }

    private func mix(
        _ output: UnsafeMutablePointer<UInt8>, _ part: Range<Int>, _ lane: PlaneView.Lane, _ old: LaneSamples,
        _ new: LaneSamples, by row: WarpRow, _ paper: Paper
    ) {
        for i in part {
            let neighbours = old.neighbours(row.x[i], row.y[i])
            let weight = Int32(row.weights[i])
            let (light, shade) = (Int32(row.light[i]), Int32(row.shade[i]))
            for channel in 0..<lane.channels {
                var value: Int32 = 0
                if weight < 255 { value = old.value(at: neighbours, channel) &* (255 &- weight) }
                if weight > 0 { value = value &+ new.value(at: neighbours, channel) &* weight }
                if light > 0 || shade > 0 {
                    let color = (lane.first &+ channel) & 3
                    value = (value &+ 127) / 255
                    value = (value &* (255 &- light) &+ Int32(paper.white[color]) &* 256 &* light &+ 127) / 255
                    value = value &* (255 &- shade) &+ Int32(paper.black[color]) &* 256 &* shade
                }
                output[i &* lane.step &+ channel] = UInt8(truncatingIfNeeded: (value &+ 32640) / 65280)
            }
        }
    }
}

/// The samples of white and black in a unit of a plane (see `PlaneView`).
private struct Paper {
    let white, black: SIMD4<UInt8>

    init(white: [UInt8], black: [UInt8]) {
        func vector(_ bytes: [UInt8]) -> SIMD4<UInt8> {
            var vector = SIMD4<UInt8>()
            for (index, byte) in bytes.prefix(4).enumerated() { vector[index] = byte }
            return vector
        }
        (self.white, self.black) = (vector(white), vector(black))
    }
}

/// Reads the samples of a lane (see `PlaneView.Lane`). This struct contains only pointers and numbers, because copies
/// of `PlaneView` are slow.
private struct LaneSamples {
    private let base: UnsafeMutablePointer<UInt8>
    private let stride, step, lastColumn, lastRow: Int
    /// Binary logarithms of the numbers of pixel columns and pixel rows that a sample covers.
    private let columnShift, rowShift: Int32

    init(_ plane: PlaneView, _ lane: PlaneView.Lane) {
        base = plane.row(0) + lane.first
        (stride, step, lastColumn, lastRow) = (plane.stride, lane.step, lane.count - 1, plane.rows - 1)
        (columnShift, rowShift) = (lane.columns == 2 ? 1 : 0, plane.layout.rows == 2 ? 1 : 0)
    }

    /// The four samples around a position, and weights for the interpolation between these samples.
    struct Neighbours {
        let left, right, top, bottom: Int
        /// `across`: weight of the samples on the right. `down`: weight of the lower samples. Both weights are in
        /// 1/256.
        let across, down: Int32
    }

    /// Returns the samples around a position.
    /// - Parameters:
    ///   - x: horizontal position in 1/256 pixel of the frame. `y` is the vertical position.
    @inline(__always)
    func neighbours(_ x: Int32, _ y: Int32) -> Neighbours {
        // Convert positions from pixels to samples. If a sample covers two pixels, its centre is half a pixel after the
        // centre of the first pixel. `u` and `v` are distances from the centre of the first sample, in 1/256 sample.
        let u = ((x &+ 128) >> columnShift) &- 128
        let v = ((y &+ 128) >> rowShift) &- 128
        let (column, row) = (Int(u >> 8), Int(v >> 8))
        let (left, top) = (min(lastColumn, max(0, column)), min(lastRow, max(0, row)))
        return Neighbours(
            left: left &* step, right: min(lastColumn, left &+ 1) &* step, top: top, bottom: min(lastRow, top &+ 1),
            across: column < 0 ? 0 : u & 255, down: row < 0 ? 0 : v & 255)
    }

    /// Returns the interpolated sample, multiplied by 256.
    @inline(__always)
    func value(at cell: Neighbours, _ channel: Int) -> Int32 {
        func between(_ row: Int) -> Int32 {
            let samples = base + (row &* stride &+ channel)
            return Int32(samples[cell.left]) &* (256 &- cell.across) &+ Int32(samples[cell.right]) &* cell.across
        }
        return (between(cell.top) &* (256 &- cell.down) &+ between(cell.bottom) &* cell.down &+ 128) >> 8
    }

    /// Copies samples of a row to the same columns of the output.
    func copy(_ columns: Range<Int>, of row: Int, channels: Int, into output: UnsafeMutablePointer<UInt8>) {
        let from = base + row * stride
        if step == channels {
            (output + columns.lowerBound * step).update(
                from: from + columns.lowerBound * step, count: columns.count * step)
        } else {
            // If there are other bytes between the samples of a lane, each sample is one byte.
            for column in columns { output[column * step] = from[column * step] }
        }
    }
}
