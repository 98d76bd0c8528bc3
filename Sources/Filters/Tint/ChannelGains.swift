// SPDX-License-Identifier: LGPL-2.1-or-later
/// Changes of red, green and blue, each of itself: it is multiplied and added to.
package struct ChannelGains: Sendable, Equatable {
    /// value · gain + offset
    package struct Channel: Sendable, Equatable {
        package var gain: Double
        package var offset: Double

        package init(gain: Double = 1, offset: Double = 0) {
            self.gain = gain
            self.offset = offset
        }

        /// The same without infinities, NaN, or numbers so large that sums lose what matters.
        var sanitized: Channel {
            func sanitized(_ value: Double) -> Double { value.isNaN ? 0 : min(65536, max(-65536, value)) }
            return Channel(gain: sanitized(gain), offset: sanitized(offset))
        }

        /// The value that a byte gets: rounded to the nearest of 0…255, halves up, and also what falls short of a half by a
        /// binary fraction's last bits, as 5 · 0.7 does.
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

    /// Gains alone.
    package init(red: Double, green: Double, blue: Double) {
        self.init(red: Channel(gain: red), green: Channel(gain: green), blue: Channel(gain: blue))
    }

    /// True if nothing changes.
    package var isIdentity: Bool { self == ChannelGains() }

    /// True if all three channels are treated in the same way.
    var isCommon: Bool { red == green && red == blue }

    /// Change of grey: the luma (BT.601) of what red, green and blue become.
    var gray: Channel {
        Channel(
            gain: 0.299 * red.gain + 0.587 * green.gain + 0.114 * blue.gain,
            offset: 0.299 * red.offset + 0.587 * green.offset + 0.114 * blue.offset)
    }

    /// Returns gains that apply these first, then the others.
    package func then(_ other: ChannelGains) -> ChannelGains {
        combined(with: other) { Channel(gain: $0.gain * $1.gain, offset: $0.offset * $1.gain + $1.offset) }
    }

    /// Returns gains that are a share of the way towards others.
    /// - Parameter share: 0…1.
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
    /// Numbers with which single precision gives exactly the result of `value` for every byte.
    ///
    /// The products of a line with 0…255, rounded, are a digital line; those lines with the same roundings are a polygon
    /// of gains and offsets which spans at least 1 / (255 · 254) of the gains, and in its midst has a height of at
    /// least 1 / 255 in the offsets (M. D. McIlroy, A note on discrete representation of lines, AT&T Technical Journal
    /// 64, 1985). So where the line itself is too near the polygon's border for single precision, one nearby is not.
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
