// SPDX-License-Identifier: LGPL-2.1-or-later
internal import KernelTypes

/// A gain and an offset for each byte of some pixels.
final class ByteGains: ByteChange {
    /// 255 for bytes that are taken as 255 − b, since gains have no sign.
    private let flips: [UInt8]
    private let gains: [UInt16]
    private let offsets: [Int16]
    /// Fractional bits of products and sums.
    private let shift: Int

    /// Makes gains for the pixels of a large tile.
    /// - Parameter gains: of values of 0…1.
    /// - Returns: nil where one is more than 4.
    init?(_ gains: ChannelGains, _ samples: SampleOffsets) {
        let channels = [gains.red, gains.green, gains.blue].map { channel in
            // A negative gain is a positive one of 255 − b. Products are at most 1020, so limiting offsets to that changes
            // no result.
            let (gain, offset) = (channel.gain, channel.offset)
            let level = max(-1020, min(1020, 255 * (gain < 0 ? offset + gain : offset)))
            return (flip: gain < 0 ? 255 : 0 as UInt8, gain: abs(gain), offset: level)
        }
        guard channels.allSatisfy({ $0.gain <= 4 }) else { return nil }
        let isProduct = channels.allSatisfy { $0.flip == 0 && $0.offset == 0 }
        // Other sums have to fit into 16 bits with a sign.
        shift = isProduct ? 6 : channels.contains { 255 * $0.gain + max(0, $0.offset) > 1022 } ? 4 : 5
        let pixel = samples.inOrder(
            red: channels[0], green: channels[1], blue: channels[2], alphaOrPadding: (flip: 0, gain: 1, offset: 0))
        let (unit, one) = (Double(256 << shift), Double(1 << shift))
        func repeated<Number>(_ numbers: [Number]) -> [Number] {
            (0..<WorkerMemory.largeTile).flatMap { _ in numbers }
        }
        flips = repeated(pixel.map(\.flip))
        self.gains = repeated(pixel.map { UInt16(min(65535, ($0.gain * unit).rounded())) })
        offsets = repeated(pixel.map { Int16(($0.offset * one + one / 2).rounded()) })
    }

    func apply(to pixels: UnsafeMutableRawPointer, count: Int, _ kernels: any KernelSet) {
        let (bytes, count) = (pixels.assumingMemoryBound(to: UInt8.self), min(4 * count, gains.count))
        kernels.scaleBytes(bytes, flips: flips, gains: gains, offsets: offsets, shift: Int16(shift), count: count)
    }
}
