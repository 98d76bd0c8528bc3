// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// What a blender needs for keyed pictures beyond what it needs for others.
final class KeyingRoom {
    /// Pixels of a row at most.
    static let width = 1024
    /// A row of weights may have one more, and a row of bytes four for each pixel.
    private static let step = 4 * width + 64

    private let memory: UnsafeMutablePointer<UInt8>
    /// Parts of a piece: no more than it has samples of chroma.
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

    /// Weights of a row.
    /// - Parameter row: 0…2.
    func weights(_ row: Int) -> UnsafeMutablePointer<UInt8> { memory + min(max(0, row), 2) * Self.step }

    /// Bytes, `4 width` of them.
    /// - Parameter index: 0…4; 3 and 4 are those of `colors`.
    func plane(_ index: Int) -> UnsafeMutablePointer<UInt8> { memory + (3 + min(max(0, index), 4)) * Self.step }

    private static let ofColors = 1024 + 64

    /// Colours of a row that was keyed.
    /// - Parameter row: 0 or 1.
    func colors(_ row: Int) -> PlanarImage.Row {
        let red = plane(3 + (row & 1))
        return PlanarImage.Row(
            red: UnsafePointer(red), green: UnsafePointer(red + Self.ofColors),
            blue: UnsafePointer(red + 2 * Self.ofColors))
    }

    /// Computes `colors` and `weights` of a row.
    func key(_ from: PlanarImage.Row, by key: Keyer, row: Int, count: Int, _ kernels: some KernelSet) {
        kernels.keyColors(
            from.red, from.green, from.blue, numbers: key.ofColors, into: plane(3 + (row & 1)), plane: Self.ofColors,
            weights: weights(row & 1), count: min(count, Self.width))
    }

    /// Computes the matte of packed pixels.
    /// - Returns: the pixels without spill, in the same format; valid until the next call.
    func key(
        _ pixels: UnsafePointer<UInt8>, of format: PixelFormat, by key: Keyer,
        weights: UnsafeMutablePointer<UInt8>, count: Int, _ kernels: some KernelSet
    ) -> UnsafeMutablePointer<UInt8> {
        let count = min(count, Self.width)
        let output = plane(0)
        switch format.bytesPerPixel {
        case 1:
            // It has no colour that could be shed on it.
            kernels.keySamples(pixels, pixels, numbers: key.ofGray, into: weights, count: count)
            output.update(from: pixels, count: count)
        case 3:
            kernels.widenPixels(pixels, into: plane(1), count: count)
            kernels.keyPixels(
                plane(1), offsets: format.offsets, numbers: key.ofColors, into: plane(2), weights: weights,
                count: count)
            kernels.narrowPixels(plane(2), into: output, count: count)
        default:
            kernels.keyPixels(
                pixels, offsets: format.offsets, numbers: key.ofColors, into: output, weights: weights, count: count)
        }
        return output
    }
}
