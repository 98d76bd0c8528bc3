// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// A gain and an offset for each byte of some pixels.
final class ByteGains: ByteChange {
    /// Numbers for as many bytes as are changed at once.
    private struct Numbers {
        /// 255 for bytes that are taken as 255 − b, since gains have no sign.
        let flips: [UInt8]
        let gains: [UInt16]
        let offsets: [Int16]
    }

    /// For the bytes of pixels, or for rows of red, green and blue.
    private let rows: [Numbers]
    /// Bytes of a row to one pixel.
    private let step: Int
    /// Fractional bits of products and sums.
    private let shift: Int

    /// - Parameter gains: of values of 0…1.
    /// - Returns: nil where one is more than 4.
    init?(_ gains: ChannelGains, _ layout: ByteLayout) {
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
        let shift = isProduct ? 6 : channels.contains { 255 * $0.gain + max(0, $0.offset) > 1022 } ? 4 : 5
        let (unit, one) = (Double(256 << shift), Double(1 << shift))
        func numbers(_ pattern: [(flip: UInt8, gain: Double, offset: Double)], _ count: Int) -> Numbers {
            func repeated<Number>(_ numbers: [Number]) -> [Number] { (0..<count).flatMap { _ in numbers } }
            return Numbers(
                flips: repeated(pattern.map(\.flip)),
                gains: repeated(pattern.map { UInt16(min(65535, ($0.gain * unit).rounded())) }),
                offsets: repeated(pattern.map { Int16(($0.offset * one + one / 2).rounded()) }))
        }
        self.shift = shift
        switch layout {
        case .pixels(let samples):
            let pixel = samples.inOrder(
                red: channels[0], green: channels[1], blue: channels[2], alphaOrPadding: (flip: 0, gain: 1, offset: 0))
            (step, rows) = (4, [numbers(pixel, WorkerMemory.largeTile)])
        case .rows: (step, rows) = (1, channels.map { numbers([$0], YUVStrip.width) })
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
