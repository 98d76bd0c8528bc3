internal import KernelTypes

/// A factor and a summand for each byte of some pixels.
final class ByteScales: ByteChange {
    private let flips: [UInt8]
    private let gains: [UInt16]
    private let offsets: [Int16]
    /// True if there are only factors of 0…4, whose products are rounded exactly.
    private let isProduct: Bool
    /// Fractional bits of products and sums.
    private let shift: Int

    /// The change of one channel's bytes.
    struct Channel {
        fileprivate let flip: UInt8
        fileprivate let gain: Double
        /// Summand in levels.
        fileprivate let offset: Double

        /// - Parameter gain: −4…4
        init(gain: Double, offset: Double) {
            // A negative factor is a positive one of 255 − b.
            flip = gain < 0 ? 255 : 0
            self.gain = min(4, abs(gain))
            // Products are at most 1020, so limiting offsets to that changes no result.
            self.offset = max(-1020, min(1020, 255 * (gain < 0 ? offset + gain : offset)))
        }

        /// The largest sum.
        fileprivate var greatest: Double { 255 * gain + max(0, offset) }
    }

    /// - Parameter channels: one for each byte.
    init(_ channels: [Channel]) {
        isProduct = channels.allSatisfy { $0.flip == 0 && $0.offset == 0 }
        // Sums have to fit into 16 bits with a sign.
        shift = channels.contains { $0.greatest > 1022 } ? 4 : 5
        let unit = isProduct ? 16384.0 : Double(256 << shift)
        let one = Double(1 << shift)
        flips = channels.map(\.flip)
        gains = channels.map { UInt16(min(65535, ($0.gain * unit).rounded())) }
        offsets = channels.map { Int16(($0.offset * one + one / 2).rounded()) }
    }

    /// Makes scales for the pixels of a large tile.
    /// - Parameter matrix: a diagonal one.
    /// - Returns: nil where it multiplies by more than 4.
    convenience init?(_ matrix: ColorMatrix, _ places: ChannelPlaces) {
        let factors = [(matrix.red.x, matrix.red.w), (matrix.green.y, matrix.green.w), (matrix.blue.z, matrix.blue.w)]
        guard factors.allSatisfy({ abs($0.0) <= 4 }) else { return nil }
        let channels = factors.map { Channel(gain: $0.0, offset: $0.1) }
        let pixel = places.inOrder(
            red: channels[0], green: channels[1], blue: channels[2], alphaOrPadding: Channel(gain: 1, offset: 0))
        self.init((0..<WorkerMemory.largeTile).flatMap { _ in pixel })
    }

    func apply(to pixels: UnsafeMutableRawPointer, count: Int, _ kernels: any KernelSet) {
        let (bytes, count) = (pixels.assumingMemoryBound(to: UInt8.self), min(4 * count, gains.count))
        if isProduct {
            kernels.multiplyBytes(bytes, by: gains, count: count)
        } else {
            kernels.scaleBytes(bytes, flips: flips, gains: gains, offsets: offsets, shift: Int16(shift), count: count)
        }
    }
}
