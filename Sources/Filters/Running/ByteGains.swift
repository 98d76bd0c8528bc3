// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// Multiplies each byte by a gain, and adds an offset. The channels have different gains and offsets.
final class ByteGains: ByteChange {
    /// Coefficients for each byte of a row. The arrays have the length of the longest row in a kernel call.
    private struct Factors {
        /// A flag for each byte: 255 if the gain is negative, otherwise 0. If the flag is 255, the kernel replaces the
        /// byte b by 255 − b. So the gains in `gains` are never negative.
        let flips: [UInt8]
        let gains: [UInt16]
        let offsets: [Int16]
    }

    /// For the layout `pixels`, one element. For the layout `rows`, three elements: red, green and blue.
    private let rows: [Factors]
    /// Number of bytes per pixel in a row.
    private let step: Int
    /// Number of fractional bits in the fixed-point products and sums of the kernel.
    private let shift: Int

    /// Returns nil if the absolute value of a gain is above 4.
    /// - Parameter gains: gains and offsets for channel values 0…1.
    init?(_ gains: ChannelGains, _ layout: ByteLayout) {
        let channels = [gains.red, gains.green, gains.blue].map { channel in
            // If a gain is negative, use 255 − b instead of the byte b, and a positive gain. Products of gain and byte
            // are at most 1020. So limiting offsets to ±1020 does not change any result.
            let (gain, offset) = (channel.gain, channel.offset)
            let level = max(-1020, min(1020, 255 * (gain < 0 ? offset + gain : offset)))
            return (flip: gain < 0 ? 255 : 0 as UInt8, gain: abs(gain), offset: level)
        }
        guard channels.allSatisfy({ $0.gain <= 4 }) else { return nil }
        let isProduct = channels.allSatisfy { $0.flip == 0 && $0.offset == 0 }
        // If there are no offsets and no negative gains, use 6 fractional bits. Otherwise, use fewer bits, so that the
        // sums fit into signed 16-bit integers.
        let shift = isProduct ? 6 : channels.contains { 255 * $0.gain + max(0, $0.offset) > 1022 } ? 4 : 5
        let (unit, offsetUnit) = (Double(256 << shift), Double(1 << shift))
        func factors(_ pattern: [(flip: UInt8, gain: Double, offset: Double)], _ count: Int) -> Factors {
            func repeated<Number>(_ factors: [Number]) -> [Number] { (0..<count).flatMap { _ in factors } }
            return Factors(
                flips: repeated(pattern.map(\.flip)),
                gains: repeated(pattern.map { UInt16(min(65535, ($0.gain * unit).rounded())) }),
                offsets: repeated(pattern.map { Int16(($0.offset * offsetUnit + offsetUnit / 2).rounded()) }))
        }
        self.shift = shift
        switch layout {
        case .pixels(let samples):
            let pixel = samples.inOrder(
                red: channels[0], green: channels[1], blue: channels[2], alphaOrPadding: (flip: 0, gain: 1, offset: 0))
            (step, rows) = (4, [factors(pixel, WorkerMemory.largeTile)])
        case .rows: (step, rows) = (1, channels.map { factors([$0], YUVStrip.width) })
        }
    }

    func apply(to bytes: UnsafeMutablePointer<UInt8>, pixels: Int, _ kernels: any KernelSet) {
        for (index, row) in rows.enumerated() {
            kernels.scaleBytes(
                bytes + index * YUVStrip.plane, flips: row.flips, gains: row.gains, offsets: row.offsets,
                shift: Int16(shift), count: min(step * pixels, row.gains.count))
        }
    }
}
