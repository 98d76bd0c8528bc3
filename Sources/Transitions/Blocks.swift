// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Blending
internal import Imaging
internal import KernelTypes

extension Scene {
    /// Fills the output with blocks of the mean of both pictures, mixed with one weight.
    /// - Parameter side: that of a block in pixels; even.
    func pixelize(side: Int, weight: UInt8, _ blender: Blender) {
        let kernels = output.kernels
        forEachUnit((output.height + side - 1) / side, blender) { block in
            let mixer = RowMixer(width: 0, kernels: kernels)
            for plane in planes {
                let layout = plane.output.layout
                let (across, down) = (side / layout.columns, side / layout.rows)
                let rows = block * down..<min(plane.output.rows, (block + 1) * down)
                guard !rows.isEmpty else { continue }
                let count = plane.output.rowBytes
                let memory = UnsafeMutableRawPointer.allocate(byteCount: 6 * count + 64, alignment: 64)
                defer { memory.deallocate() }
                memory.initializeMemory(as: UInt8.self, repeating: 0, count: 6 * count + 64)
                let sums = memory.assumingMemoryBound(to: UInt32.self)
                let mixed = (memory + 4 * count).assumingMemoryBound(to: UInt8.self)
                let nothing = mixed + count
                for row in rows {
                    mixer.mix(plane.old.row(row), plane.new.row(row), weight: weight, into: mixed, count: count)
                    kernels.slideSums(sums, adding: mixed, removing: nothing, count: count)
                }
                let first = plane.output.row(rows.lowerBound)
                average(sums, of: rows.count, plane.output, across: across, into: first)
                for row in rows.dropFirst() { plane.output.row(row).update(from: first, count: count) }
            }
        }
    }

    private func average(
        _ sums: UnsafePointer<UInt32>, of rows: Int, _ plane: PlaneView, across: Int,
        into bytes: UnsafeMutablePointer<UInt8>
    ) {
        let (unit, luma) = (plane.layout.unitBytes, plane.layout.hasOwnLuma)
        for start in stride(from: 0, to: plane.units, by: across) {
            let end = min(plane.units, start + across)
            func mean(_ places: [Int]) {
                var sum: UInt64 = 0
                for i in start..<end { for place in places { sum += UInt64(sums[i * unit + place]) } }
                let count = UInt64(rows * (end - start) * places.count)
                let value = UInt8(clamping: (sum + count / 2) / count)
                for i in start..<end { for place in places { bytes[i * unit + place] = value } }
            }
            if luma {
                let places = plane.layout.samples.indices.filter { plane.layout.samples[$0] == .luma }
                mean(places)
                for place in 0..<unit where !places.contains(place) { mean([place]) }
            } else {
                for place in 0..<unit { mean([place]) }
            }
        }
    }
}

/// Memory for a plane that is blurred.
final class BlurRoom {
    private(set) var plane: UnsafeMutablePointer<UInt8>
    private(set) var other: UnsafeMutablePointer<UInt8>
    private var capacity = 0

    init() {
        (plane, other) = (.allocate(capacity: 64), .allocate(capacity: 64))
    }

    deinit {
        plane.deallocate()
        other.deallocate()
    }

    func reserve(_ count: Int) {
        guard count > capacity else { return }
        plane.deallocate()
        other.deallocate()
        (plane, other) = (.allocate(capacity: count), .allocate(capacity: count))
        plane.initialize(repeating: 0, count: count)
        other.initialize(repeating: 0, count: count)
        capacity = count
    }
}

extension Scene {
    /// Fills the output with both pictures, mixed with one weight, and averaged twice over squares.
    /// - Parameter radius: pixels on each side of the middle of a square.
    func blur(radius: Int, weight: UInt8, _ rooms: inout [BlurRoom], _ blender: Blender) {
        guard radius > 0 else { return mix(weight: weight, with: blender) }
        while rooms.count < planes.count { rooms.append(BlurRoom()) }
        let all = rooms
        for (plane, room) in zip(planes, all) { room.reserve(plane.output.rowBytes * plane.output.rows) }
        let kernels = output.kernels
        forEachBand(blender) { band in
            let mixer = RowMixer(width: 0, kernels: kernels)
            for (plane, room) in zip(planes, all) {
                let count = plane.output.rowBytes
                let scratch = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
                defer { scratch.deallocate() }
                for row in plane.output.rows(of: band) {
                    let line = room.plane + row * count
                    mixer.mix(plane.old.row(row), plane.new.row(row), weight: weight, into: line, count: count)
                    for lane in plane.output.lanes(width: output.width) {
                        let reach = max(1, radius / lane.columns)
                        for channel in 0..<lane.channels {
                            let place = lane.first + channel
                            average(line + place, into: scratch + place, lane, reach)
                            average(scratch + place, into: line + place, lane, reach)
                        }
                    }
                }
            }
        }
        let block = 1024
        for (plane, room) in zip(planes, all) {
            let (count, rows) = (plane.output.rowBytes, plane.output.rows)
            let reach = max(1, radius / plane.output.layout.rows)
            forEachUnit((count + block - 1) / block, blender) { unit in
                let first = unit * block
                let length = min(block, count - first)
                averageDown(length, rows, reach, kernels, from: { room.plane + $0 * count + first }) {
                    room.other + $0 * count + first
                }
                averageDown(length, rows, reach, kernels, from: { room.other + $0 * count + first }) {
                    plane.output.row($0) + first
                }
            }
        }
    }

    /// Writes the mean of each sample and `reach` on both sides; beyond the edge are those of the edge.
    private func average(
        _ from: UnsafePointer<UInt8>, into output: UnsafeMutablePointer<UInt8>, _ lane: PlaneView.Lane, _ reach: Int
    ) {
        let (step, last) = (lane.step, lane.count - 1)
        let factor = UInt32((1 << 22) / (2 * reach + 1))
        var sum = UInt32(from[0]) * UInt32(reach + 1)
        for i in 1...reach { sum &+= UInt32(from[min(i, last) * step]) }
        for i in 0...last {
            output[i * step] = UInt8(truncatingIfNeeded: (sum &* factor &+ (1 << 21)) >> 22)
            sum = sum &+ UInt32(from[min(last, i + reach + 1) * step]) &- UInt32(from[max(0, i - reach) * step])
        }
    }

    private func averageDown(
        _ count: Int, _ rows: Int, _ reach: Int, _ kernels: any KernelSet,
        from: (Int) -> UnsafeMutablePointer<UInt8>, into output: (Int) -> UnsafeMutablePointer<UInt8>
    ) {
        let sums = UnsafeMutablePointer<UInt32>.allocate(capacity: count)
        defer { sums.deallocate() }
        let edge = from(0)
        for i in 0..<count { sums[i] = UInt32(edge[i]) * UInt32(reach + 1) }
        for row in 1...reach {
            let line = from(min(row, rows - 1))
            for i in 0..<count { sums[i] &+= UInt32(line[i]) }
        }
        let factor = UInt32((1 << 22) / (2 * reach + 1))
        for row in 0..<rows {
            kernels.meansOfSums(sums, factor: factor, into: output(row), count: count)
            kernels.slideSums(
                sums, adding: from(min(rows - 1, row + reach + 1)), removing: from(max(0, row - reach)), count: count)
        }
    }
}
