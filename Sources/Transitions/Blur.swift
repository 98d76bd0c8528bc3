// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Blending
internal import Imaging
internal import KernelTypes

/// The old image becomes blurred and fades to the new image. Then the new image becomes sharp.
struct Blur: TransitionEffect {
    /// Returns the radius of the box filters (from the centre to the edge of a box), in pixels. The maximum is 2 % of
    /// `width`.
    private func radius(at p: Double, width: Int) -> Int {
        Int((0.02 * Double(width) * (1 - abs(2 * p - 1))).rounded())
    }

    func isVisible(_ side: TransitionSide, at p: Double) -> Bool { HiddenChange(at: p).isVisible(side) }

    func draw(_ scene: Scene) {
        let p = scene.progress
        scene.blur(radius: radius(at: p, width: scene.output.width), weight: HiddenChange(at: p).weight)
    }
}

/// Memory for a plane of the blurred image.
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
    /// Fills the output with a mixture of both images, blurred by two passes of a box filter.
    /// - Parameter radius: distance from the centre of the box to its edges, in pixels.
    func blur(radius: Int, weight: UInt8) {
        guard radius > 0 else { return mix(weight: weight) }
        while room.blurs.count < planes.count { room.blurs.append(BlurRoom()) }
        let rooms = room.blurs
        for (plane, room) in zip(planes, rooms) { room.reserve(plane.output.rowBytes * plane.output.rows) }
        let kernels = output.kernels
        forEachBand { band in
            let mixer = RowMixer(width: 0, kernels: kernels)
            for (plane, room) in zip(planes, rooms) {
                let count = plane.output.rowBytes
                let scratch = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
                defer { scratch.deallocate() }
                for row in plane.output.rows(of: band) {
                    let line = room.plane + row * count
                    mixer.mix(plane.old.row(row), plane.new.row(row), weight: weight, into: line, count: count)
                    for lane in plane.output.lanes(width: output.width) {
                        let reach = max(1, radius / lane.columns)
                        for channel in 0..<lane.channels {
                            let offset = lane.first + channel
                            average(line + offset, into: scratch + offset, lane, reach)
                            average(scratch + offset, into: line + offset, lane, reach)
                        }
                    }
                }
            }
        }
        let block = 1024
        for (plane, room) in zip(planes, rooms) {
            let (count, rows) = (plane.output.rowBytes, plane.output.rows)
            let reach = max(1, radius / plane.output.layout.rows)
            forEachUnit((count + block - 1) / block) { unit in
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

    /// Replaces each sample by the mean of the sample and the `reach` samples on each side. Beyond the ends of a row,
    /// the first and last samples are repeated.
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
