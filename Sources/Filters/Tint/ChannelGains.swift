// SPDX-License-Identifier: LGPL-2.1-or-later
/// Gains and offsets for red, green and blue. Each channel is independent of the other channels.
package struct ChannelGains: Sendable, Equatable {
    /// Maps a value to value · gain + offset.
    package struct Channel: Sendable, Equatable {
        package var gain: Double
        package var offset: Double

        package init(gain: Double = 1, offset: Double = 0) {
            self.gain = gain
            self.offset = offset
        }

        /// The same channel with safe values: NaN becomes 0, and the gain and the offset are limited to ±65536. With
        /// these limits, sums are precise.
        var sanitized: Channel {
            func sanitized(_ value: Double) -> Double { value.isNaN ? 0 : min(65536, max(-65536, value)) }
            return Channel(gain: sanitized(gain), offset: sanitized(offset))
        }

        /// Returns the output for a byte, limited to 0…255 and rounded to the nearest integer (halves up). In binary
        /// arithmetic, some products are slightly less than a half, such as 5 · 0.7 = 3.5. The summand 1e-9 makes sure
        /// that these products are rounded up, too.
        func value(_ byte: Int) -> Double {
            max(0, min(255, Double(byte) * gain + offset + 1e-9)).rounded()
        }
    }

    package var red: Channel
    package var green: Channel
    package var blue: Channel

    package init(red: Channel = Channel(), green: Channel = Channel(), blue: Channel = Channel()) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Creates gains without offsets.
    package init(red: Double, green: Double, blue: Double) {
        self.init(red: Channel(gain: red), green: Channel(gain: green), blue: Channel(gain: blue))
    }

    package var isIdentity: Bool { self == ChannelGains() }

    /// True if all three channels have the same gain and offset.
    var isCommon: Bool { red == green && red == blue }

    /// The gain and the offset for grey frames. They give the BT.601 luma of a grey pixel after the changes of red,
    /// green and blue.
    var gray: Channel {
        Channel(
            gain: 0.299 * red.gain + 0.587 * green.gain + 0.114 * blue.gain,
            offset: 0.299 * red.offset + 0.587 * green.offset + 0.114 * blue.offset)
    }

    /// Returns combined gains and offsets, which have the effect of these gains followed by `other`.
    package func then(_ other: ChannelGains) -> ChannelGains {
        combined(with: other) { Channel(gain: $0.gain * $1.gain, offset: $0.offset * $1.gain + $1.offset) }
    }

    /// Interpolates between these gains and `other`.
    /// - Parameter share: the weight of `other`, 0…1.
    package func moved(towards other: ChannelGains, by share: Double) -> ChannelGains {
        combined(with: other) {
            Channel(
                gain: $0.gain + ($1.gain - $0.gain) * share, offset: $0.offset + ($1.offset - $0.offset) * share)
        }
    }

    private func combined(with other: ChannelGains, _ combine: (Channel, Channel) -> Channel) -> ChannelGains {
        ChannelGains(
            red: combine(red, other.red), green: combine(green, other.green), blue: combine(blue, other.blue))
    }
}

extension ChannelGains.Channel {
    /// A gain and an offset in single precision. After rounding, they give exactly the same result as `value` for every
    /// byte.
    ///
    /// The rounded values of a line at 0…255 are called a digital line. All lines with the same rounded values form a
    /// polygon in the plane of gains and offsets. The width of the polygon (gain) is at least 1 / (255 · 254). Near its
    /// middle, the height of the polygon (offset) is at least 1 / 255 (M. D. McIlroy, A note on discrete representation
    /// of lines, AT&T Technical Journal 64, 1985). The line of this channel may be so near the border of the polygon
    /// that rounding to single precision moves it outside. So the loop searches for a line farther inside of the
    /// polygon.
    var inSinglePrecision: (gain: Float, offset: Float) {
        let line = sanitized
        var best = (gain: Float(line.gain), offset: Float(line.offset))
        var widest = -1.0
        for step in 0..<64 {
            let side: Double = step.isMultiple(of: 2) ? 1 : -1
            let gain = Float(line.gain + side * Double((step + 1) / 2) / 1_048_576)
            var (lowest, highest) = (line.offset - 0.5, line.offset + 0.5)
            for byte in 0...255 {
                let (value, product) = (line.value(byte), Double(Float(byte) * gain))
                if value > 0 { lowest = max(lowest, value - 0.5 - product) }
                if value < 255 { highest = min(highest, value + 0.5 - product) }
            }
            if highest - lowest > widest {
                widest = highest - lowest
                best = (gain, Float((lowest + highest) / 2))
            }
            if widest > 0.001 { break }
        }
        return best
    }
}
