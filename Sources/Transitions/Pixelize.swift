// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Blending
internal import Imaging
internal import KernelTypes

/// The old image turns into blocks, which grow to a tenth of the height. The blocks fade to the new image. Then the
/// blocks become small again.
struct Pixelize: TransitionEffect {
    /// Returns the side of a block in pixels, an even number.
    private func side(at p: Double, height: Int) -> Int {
        2 * Int((0.05 * Double(height) * (1 - abs(2 * p - 1))).rounded()) + 2
    }

    func isVisible(_ side: TransitionSide, at p: Double) -> Bool { HiddenChange(at: p).isVisible(side) }

    func draw(_ scene: Scene) {
        let p = scene.progress
        scene.pixelize(side: side(at: p, height: scene.output.height), weight: HiddenChange(at: p).weight)
    }
}

extension Scene {
    /// Fills the output with square blocks. Both images are mixed, and each block has the mean colour of the mixture.
    /// - Parameter side: the side of a block in pixels, an even number.
    func pixelize(side: Int, weight: UInt8) {
        let kernels = output.kernels
        forEachUnit((output.height + side - 1) / side) { block in
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
            func mean(_ indices: [Int]) {
                var sum: UInt64 = 0
                for i in start..<end { for index in indices { sum += UInt64(sums[i * unit + index]) } }
                let count = UInt64(rows * (end - start) * indices.count)
                let value = UInt8(clamping: (sum + count / 2) / count)
                for i in start..<end { for index in indices { bytes[i * unit + index] = value } }
            }
            if luma {
                let indices = plane.layout.samples.indices.filter { plane.layout.samples[$0] == .luma }
                mean(indices)
                for i in 0..<unit where !indices.contains(i) { mean([i]) }
            } else {
                for i in 0..<unit { mean([i]) }
            }
        }
    }
}
