// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// Mixes rows of samples of both images. Only one thread may use an instance.
final class RowMixer {
    private let kernels: any KernelSet
    private let width: Int
    private let memory: UnsafeMutablePointer<UInt8>
    /// Memory for weights of a row. `first`, `second`: a weight for each pixel. `ofUnits`: a weight for each unit (see
    /// `PlaneView`). `pairs`: each weight of `ofUnits` twice. `ofBytes`: a weight for each byte.
    private var first: UnsafeMutablePointer<UInt8> { memory }
    private var second: UnsafeMutablePointer<UInt8> { memory + width }
    private var ofUnits: UnsafeMutablePointer<UInt8> { memory + 2 * width }
    private var pairs: UnsafeMutablePointer<UInt8> { memory + 3 * width }
    private var ofBytes: UnsafeMutablePointer<UInt8> { memory + 5 * width }

    /// Number of bytes per kernel call.
    private static let run = 2048

    /// - Parameter width: number of pixels in a row.
    init(width: Int, kernels: any KernelSet) {
        self.kernels = kernels
        self.width = (width + 67) & ~63
        memory = .allocate(capacity: 9 * self.width + 2 * Self.run + 8)
        memory.initialize(repeating: 0, count: 9 * self.width + 2 * Self.run + 8)
    }

    deinit { memory.deallocate() }

    func mix(
        _ old: UnsafePointer<UInt8>, _ new: UnsafePointer<UInt8>, weight: UInt8,
        into output: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        switch weight {
        case 0: output.update(from: old, count: count)
        case 255: output.update(from: new, count: count)
        default: kernels.mixBytes(old, new, weight: weight, averaged: false, into: output, count: count)
        }
    }

    /// Mixes both images in rows of a plane. The weights come from a threshold map.
    func mix(
        _ old: PlaneView, _ new: PlaneView, by map: ThresholdMap, at moment: ThresholdMap.Moment,
        into output: PlaneView, rows: Range<Int>
    ) {
        let layout = output.layout
        for row in rows {
            let y = min(map.height - 1, row * layout.rows)
            map.weigh(y, at: moment, into: first, kernels)
            // If the width is odd, the last unit (see `PlaneView`) covers one more column than the map. So repeat the
            // last weight.
            first[map.width] = first[map.width - 1]
            var other = first
            if layout.rows == 2, y + 1 < map.height {
                map.weigh(y + 1, at: moment, into: second, kernels)
                second[map.width] = second[map.width - 1]
                other = second
            }
            let weights = spread(first, other, over: layout, units: output.units)
            mix(old.row(row), new.row(row), weights, into: output.row(row), count: output.rowBytes)
        }
    }

    private func spread(
        _ first: UnsafeMutablePointer<UInt8>, _ second: UnsafeMutablePointer<UInt8>, over layout: PlaneLayout,
        units: Int
    ) -> UnsafePointer<UInt8> {
        var weights = first
        if layout.columns == 2 {
            kernels.averageFours(first, second, into: ofUnits, count: units)
            weights = ofUnits
        }
        if layout.hasOwnLuma {
            kernels.doubleBytes(ofUnits, into: pairs, count: units)
            let isLumaFirst = layout.samples.first == .luma
            kernels.joinPairs(isLumaFirst ? first : pairs, isLumaFirst ? pairs : first, into: ofBytes, count: 2 * units)
            return UnsafePointer(ofBytes)
        }
        switch layout.unitBytes {
        case 2: kernels.doubleBytes(weights, into: ofBytes, count: units)
        case 3: kernels.spreadWeights(weights, into: ofBytes, count: units)
        case 4: kernels.spreadWeights(weights, mask: .max, into: ofBytes, count: units)
        default: return UnsafePointer(weights)
        }
        return UnsafePointer(ofBytes)
    }

    func mix(
        _ old: UnsafePointer<UInt8>, _ new: UnsafePointer<UInt8>, _ weights: UnsafePointer<UInt8>,
        into output: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let scratch = UnsafeMutableRawPointer(memory + 9 * width)
        for start in stride(from: 0, to: count, by: Self.run) {
            let length = min(Self.run, count - start)
            let range = kernels.rangeOfWeights(weights + start, count: length)
            if range.minimum == 255 {
                (output + start).update(from: new + start, count: length)
                continue
            }
            (output + start).update(from: old + start, count: length)
            if range.maximum > 0 {
                kernels.blendWeighted(
                    mode: .normal, background: output + start, foreground: new + start, weights: weights + start,
                    scratch: scratch, count: length)
            }
        }
    }
}
