// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Blending
internal import Imaging

extension Scene {
    /// Fills the output with bent pictures, whose samples are interpolated between the nearest four; beyond a picture's edge
    /// are those of the edge.
    func warp(_ warp: some Warp, with blender: Blender) {
        let colors = planes.map { (samples(of: .white, $0.output), samples(of: .black, $0.output)) }
        forEachBand(blender) { band in
            let row = WarpRow(count: output.width + 2)
            for (plane, colors) in zip(planes, colors) {
                for lane in plane.output.lanes(width: output.width) {
                    for y in plane.output.rows(of: band) {
                        let center = (Float(y) + 0.5) * Float(plane.output.layout.rows)
                        warp.fill(row, y: center, columns: lane.columns, count: lane.count)
                        fill(plane, lane, y, by: row, white: colors.0, black: colors.1)
                    }
                }
            }
        }
    }

    private func fill(
        _ plane: (old: PlaneView, new: PlaneView, output: PlaneView), _ lane: PlaneView.Lane, _ y: Int,
        by row: WarpRow, white: [UInt8], black: [UInt8]
    ) {
        let output = plane.output.row(y) + lane.first
        let (old, new) = (plane.old.row(y) + lane.first, plane.new.row(y) + lane.first)
        let isDense = lane.step == lane.channels
        var i = 0
        while i < lane.count {
            let kind = row.kinds[i]
            if kind == WarpRow.Kind.mixed {
                mixed(plane, lane, output + i * lane.step, i, by: row, white, black)
                i += 1
                continue
            }
            var end = i + 1
            while end < lane.count, row.kinds[end] == kind { end += 1 }
            let from = kind == WarpRow.Kind.old ? old : new
            if isDense {
                (output + i * lane.step).update(from: from + i * lane.step, count: (end - i) * lane.step)
            } else {
                for place in i..<end { output[place * lane.step] = from[place * lane.step] }
            }
            i = end
        }
    }

    @inline(__always)
    private func mixed(
        _ plane: (old: PlaneView, new: PlaneView, output: PlaneView), _ lane: PlaneView.Lane,
        _ output: UnsafeMutablePointer<UInt8>, _ i: Int, by row: WarpRow, _ white: [UInt8], _ black: [UInt8]
    ) {
        let weight = Int32(row.weights[i])
        let (light, shade) = (Int32(row.light[i]), Int32(row.shade[i]))
        let old = Sampler(plane.old, lane, row.oldX[i], row.oldY[i])
        let new = Sampler(plane.new, lane, row.newX[i], row.newY[i])
        for channel in 0..<lane.channels {
            var value: Int32 = 0
            if weight < 255 { value = old.value(channel) * (255 - weight) }
            if weight > 0 { value += new.value(channel) * weight }
            if light > 0 || shade > 0 {
                let place = (lane.first + channel) & 3
                value = (value + 127) / 255
                value = (value * (255 - light) + Int32(white[place]) * 256 * light + 127) / 255
                value = value * (255 - shade) + Int32(black[place]) * 256 * shade
            }
            output[channel] = UInt8(truncatingIfNeeded: (value + 32640) / 65280)
        }
    }
}

/// A place between four samples.
private struct Sampler {
    private let first, second: UnsafeMutablePointer<UInt8>
    private let step: Int
    private let right, down: Int32

    /// - Parameters:
    ///   - x: in 256ths of a pixel of the frame; `y` likewise.
    @inline(__always)
    init(_ plane: PlaneView, _ lane: PlaneView.Lane, _ x: Int32, _ y: Int32) {
        // The centre of a sample that stands for two pixels is half a pixel further.
        let u = lane.columns == 2 ? ((x + 128) >> 1) - 128 : x
        let v = plane.layout.rows == 2 ? ((y + 128) >> 1) - 128 : y
        let (column, row) = (Int(u >> 8), Int(v >> 8))
        let left = min(lane.count - 1, max(0, column))
        let top = min(plane.rows - 1, max(0, row))
        right = column < 0 ? 0 : u & 255
        down = row < 0 ? 0 : v & 255
        step = left + 1 < lane.count ? lane.step : 0
        first = plane.row(top) + lane.first + left * lane.step
        second = plane.row(min(plane.rows - 1, top + 1)) + lane.first + left * lane.step
    }

    /// Returns 256 times the value.
    @inline(__always)
    func value(_ channel: Int) -> Int32 {
        let upper = Int32(first[channel]) * (256 - right) + Int32(first[channel + step]) * right
        let lower = Int32(second[channel]) * (256 - right) + Int32(second[channel + step]) * right
        return (upper * (256 - down) + lower * down + 128) >> 8
    }
}
