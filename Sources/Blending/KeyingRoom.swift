// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

final class KeyingRoom {
    static let width = 1024
    /// Size of a buffer in bytes. A buffer has space for four bytes per pixel, and for a few extra weights before and
    /// after a row.
    private static let step = 4 * width + 64

    private let memory: UnsafeMutablePointer<UInt8>
    /// Memory for the parts of a piece (see KeyedSamples.swift). Each part has at least one chroma sample, so the
    /// maximum number of parts is known.
    let parts: UnsafeMutablePointer<(units: Range<Int>, range: WeightRange)>

    init() {
        memory = .allocate(capacity: 8 * Self.step)
        memory.initialize(repeating: 0, count: 8 * Self.step)
        parts = .allocate(capacity: Self.step)
        parts.initialize(repeating: (0..<0, (0, 0)), count: Self.step)
    }

    deinit {
        memory.deallocate()
        parts.deallocate()
    }

    /// Returns the memory for the weights of a row.
    /// - Parameter row: 0…2.
    func weights(_ row: Int) -> UnsafeMutablePointer<UInt8> { memory + min(max(0, row), 2) * Self.step }

    /// Returns a buffer of at least `4 · width` bytes.
    /// - Parameter index: 0…4. The methods `key` overwrite the buffers 0–2 (for packed pixels) or 3 and 4 (for rows of
    ///   separate colours).
    func plane(_ index: Int) -> UnsafeMutablePointer<UInt8> { memory + (3 + min(max(0, index), 4)) * Self.step }

    private static let ofColors = 1024 + 64

    /// Returns the colours, without spill, from the last call of `key` for this row.
    /// - Parameter row: 0 or 1.
    func colors(_ row: Int) -> PlanarImage.Row {
        let red = plane(3 + (row & 1))
        return PlanarImage.Row(
            red: UnsafePointer(red), green: UnsafePointer(red + Self.ofColors),
            blue: UnsafePointer(red + 2 * Self.ofColors))
    }

    /// Computes the weights of a row, and the colours of the row without spill. Stores both (see `weights` and
    /// `colors`).
    func key(_ from: PlanarImage.Row, by key: Keyer, row: Int, count: Int, _ kernels: some KernelSet) {
        kernels.keyColors(
            from.red, from.green, from.blue, parameters: key.ofColors, into: plane(3 + (row & 1)), plane: Self.ofColors,
            weights: weights(row & 1), count: min(count, Self.width))
    }

    /// Computes the weights of packed pixels, and removes spill.
    /// - Returns: the pixels without spill, in the same format. The next call overwrites these pixels.
    func key(
        _ pixels: UnsafePointer<UInt8>, of format: PixelFormat, by key: Keyer,
        weights: UnsafeMutablePointer<UInt8>, count: Int, _ kernels: some KernelSet
    ) -> UnsafeMutablePointer<UInt8> {
        let count = min(count, Self.width)
        let output = plane(0)
        switch format.bytesPerPixel {
        case 1:
            // Grey pixels cannot have spill.
            kernels.keySamples(pixels, pixels, parameters: key.ofGray, into: weights, count: count)
            output.update(from: pixels, count: count)
        case 3:
            kernels.widenPixels(pixels, into: plane(1), count: count)
            kernels.keyPixels(
                plane(1), offsets: format.offsets, parameters: key.ofColors, into: plane(2), weights: weights,
                count: count)
            kernels.narrowPixels(plane(2), into: output, count: count)
        default:
            kernels.keyPixels(
                pixels, offsets: format.offsets, parameters: key.ofColors, into: output, weights: weights, count: count)
        }
        return output
    }
}
