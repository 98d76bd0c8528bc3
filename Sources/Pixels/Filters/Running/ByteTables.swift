/// A curve of bytes for the pixels of a format.
final class ByteTables: Sendable {
    /// For each pair of a pixel's first two bytes what they become, then the same of the other two.
    let pairs: [UInt16]

    init(_ curve: Curve, _ places: ChannelPlaces) {
        let same = (0...255).map { UInt16($0) }
        func table(_ function: Curve.Function) -> [UInt16] {
            (0...255).map { UInt16(byte(255 * function(Double($0) / 255))) }
        }
        let red = table(curve.red)
        let green = curve.isCommon ? red : table(curve.green)
        let blue = curve.isCommon ? red : table(curve.blue)
        let tables = places.inOrder(red: red, green: green, blue: blue, fourth: same)
        pairs = [UInt16](unsafeUninitializedCapacity: 2 * 65536) { pairs, count in
            for half in 0..<2 {
                let (low, high) = (tables[2 * half], tables[2 * half + 1])
                for index in 0..<65536 { pairs[65536 * half + index] = low[index & 255] | high[index >> 8] << 8 }
            }
            count = 2 * 65536
        }
    }
}

/// A factor and a sum for each byte of a large tile of pixels.
final class ByteScales: Sendable {
    let flips: [UInt8]
    let gains: [UInt16]
    let offsets: [Int16]

    /// What becomes of a channel's bytes.
    private struct Channel {
        let flip: UInt8
        let gain: Double
        /// In levels.
        let offset: Double

        init(_ gain: Double, _ offset: Double) {
            // A negative factor is a positive one of 255 − b.
            flip = gain < 0 ? 255 : 0
            self.gain = abs(gain)
            self.offset = 255 * (gain < 0 ? offset + gain : offset)
        }

        /// Whether products of up to 255 · gain · 32, and sums with the offset, fit into 16 bits with a sign.
        var isSmall: Bool {
            let most = 255 * gain
            return most < 1023 && abs(offset) < 1020 && most + offset < 1022
        }
    }

    /// - Parameter matrix: a diagonal one.
    /// - Returns: nil where 16 bits would not do.
    init?(_ matrix: ColorMatrix, _ places: ChannelPlaces) {
        let red = Channel(matrix.red.x, matrix.red.w)
        let green = Channel(matrix.green.y, matrix.green.w)
        let blue = Channel(matrix.blue.z, matrix.blue.w)
        guard red.isSmall, green.isSmall, blue.isSmall else { return nil }
        let pixel = places.inOrder(red: red, green: green, blue: blue, fourth: Channel(1, 0))
        let pixels = (0..<WorkerMemory.largeTile).flatMap { _ in pixel }
        flips = pixels.map(\.flip)
        gains = pixels.map { UInt16(($0.gain * 8192).rounded()) }
        offsets = pixels.map { Int16(($0.offset * 32).rounded()) + 16 }
    }
}

extension ChannelPlaces {
    /// What belongs to the channels in the order of a pixel's bytes.
    func inOrder<Value>(red: Value, green: Value, blue: Value, fourth: Value) -> [Value] {
        (0..<4).map { place in
            switch UInt32(place) {
            case self.red: red
            case self.green: green
            case self.blue: blue
            default: fourth
            }
        }
    }
}
