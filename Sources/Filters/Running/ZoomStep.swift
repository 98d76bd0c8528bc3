// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// One step of a zoom blur: the mean of an image and a scaled copy of this image. After n steps, the result is the mean
/// of 2ⁿ copies with different scales.
struct ZoomStep: Source {
    let name = "doubling"
    let others: [FilterLocation] = []

    /// For each output column (`columns`) and row (`rows`), the source position: the position in the input. `index` is
    /// the pixel at or before the source position. `fraction` is the distance from this pixel to the source position,
    /// in units of 1/256 pixel.
    private let columns: [Position]
    private let rows: [Position]
    private let stride: Int

    private struct Position: Sendable {
        let index: Int32
        let fraction: Int32

        /// - Parameter value: the position in pixels, relative to the centre of the first pixel.
        init(_ value: Double, count: Int) {
            let fixed = Int(max(0, min(Double(count - 1), value)) * 256 + 0.5)
            (index, fraction) = (Int32(truncatingIfNeeded: fixed >> 8), Int32(truncatingIfNeeded: fixed & 255))
        }
    }

    private init(scale: Double, center: Point, width: Int, height: Int) {
        func positions(_ center: Double, _ count: Int) -> [Position] {
            (0..<count).map { Position(center + (Double($0) + 0.5 - center) * scale - 0.5, count: count) }
        }
        columns = positions(center.x * Double(width), width)
        rows = positions(center.y * Double(height), height)
        stride = Surface.stride(width: width)
    }

    /// Returns the steps of a blur with 32 scales. The scales are a geometric series from 1 to 1 − `amount`. The scale
    /// of each step is the square of the previous scale.
    /// - Parameters:
    ///   - center: the centre, 0…1 of the frame.
    ///   - amount: the strength, 0…1.
    static func steps(center: Point, amount: Double, width: Int, height: Int) -> [ZoomStep] {
        scales(amount: amount).map { ZoomStep(scale: $0, center: center, width: width, height: height) }
    }

    /// Returns the scale of each step (0…1). If the amount is 0, the list is empty.
    static func scales(amount: Double) -> [Double] {
        guard amount > 0 else { return [] }
        let doublings = 5
        let count = Double((1 << doublings) - 1)
        let total = logarithm(1 - min(0.99, amount))
        return (0..<doublings).map { exponential(total * Double(1 << $0) / count) }
    }

    func run(_ part: RowPass.Part, of pass: RowPass, _ frame: FrameRun, _ memory: WorkerMemory) {
        let (input, output) = (frame.rows(pass.input), frame.rows(pass.output))
        for y in part.rows {
            let row = rows[y]
            let start = UInt32(truncatingIfNeeded: Int(row.index) &* stride)
            let down = UInt16(truncatingIfNeeded: row.fraction << 8)
            for i in 0..<part.count {
                let column = columns[part.x + i]
                memory.indices[i] = start &+ UInt32(truncatingIfNeeded: column.index)
                memory.distances[i] = down | UInt16(truncatingIfNeeded: column.fraction)
            }
            let pixels = frame.mix(input, memory.indices, memory.distances, count: part.count, memory)
            let here = input.from(part.x, y)
            frame.kernels.average(
                pixels.base.assumingMemoryBound(to: UInt16.self), with: here.base.assumingMemoryBound(to: UInt16.self),
                count: 4 * part.count)
            // The blur must not change alpha. So copy alpha from the input to the output.
            if frame.movesAlpha {
                frame.copy(.alphaOrPadding, here, into: output.from(part.x, y), count: part.count)
            }
            frame.finish(pass, pixels, movesAlpha: false, part, y, memory)
        }
    }
}
