/// Red, green and blue each multiplied, and moved: v · gain + offset, of levels 0…1, rounded once and clipped. Grey pictures
/// are scaled by what Rec.601 luma is scaled by; alpha and padding stay.
package struct Tint: Sendable, Hashable {
    package struct Channel: Sendable, Hashable {
        /// 0…4
        package var gain: Double
        package var offset: Double

        /// - Parameters:
        ///   - gain: clipped to 0…4; not a number counts as 1.
        ///   - offset: clipped to −8…8; not a number counts as 0.
        package init(gain: Double = 1, offset: Double = 0) {
            self.gain = gain.isNaN ? 1 : min(4, max(0, gain))
            self.offset = offset.isNaN ? 0 : min(8, max(-8, offset))
        }

        /// This, and then a factor.
        func times(_ factor: Double) -> Channel { Channel(gain: gain * factor, offset: offset * factor) }
    }

    package var red: Channel
    package var green: Channel
    package var blue: Channel

    package init(red: Channel = Channel(), green: Channel = Channel(), blue: Channel = Channel()) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    package init(red: Double, green: Double, blue: Double) {
        self.init(red: Channel(gain: red), green: Channel(gain: green), blue: Channel(gain: blue))
    }

    /// This tint, and then gains. The products of gains are clipped to 4.
    package func times(red: Double, green: Double, blue: Double) -> Tint {
        Tint(red: self.red.times(red), green: self.green.times(green), blue: self.blue.times(blue))
    }

    /// What does the same to grey.
    fileprivate var gray: Channel {
        Channel(
            gain: 0.299 * red.gain + 0.587 * green.gain + 0.114 * blue.gain,
            offset: 0.299 * red.offset + 0.587 * green.offset + 0.114 * blue.offset)
    }
}

// MARK: - White balance

extension Tint {
    /// Gains that make the means of the three channels alike (G. Buchsbaum, A spatial processor model for object colour
    /// perception, 1980): that of all, over the channel's own. Grey pictures, and channels that are black, stay.
    package static func grayWorld(of image: Image) -> Tint {
        guard !image.format.isGray else { return Tint() }
        let means = image.channelLevels.map(\.mean)
        let all = means.reduce(0, +) / 3
        let gains = means.map { $0 > 0 ? all / $0 : 1 }
        return Tint(red: gains[0], green: gains[1], blue: gains[2])
    }

    /// Stretches each channel so that its least level becomes 0 and its greatest 255, where a share of the pixels at both
    /// ends does not count. Gains are at most 4: then the middle of the channel stays where it is.
    /// - Parameter share: of the pixels at each end, 0…0.49.
    package static func stretch(of image: Image, ignoring share: Double = 0.02) -> Tint {
        let share = share > 0 ? min(0.49, share) : 0
        let channels = image.channelLevels.map { levels -> Channel in
            let (low, high) = levels.range(ignoring: share)
            guard high > low else { return Channel() }
            let gain = 255 / (high - low)
            let offset = gain <= 4 ? -low * gain : (low + high) / 2 * (1 - 4)
            return Channel(gain: gain, offset: offset / 255)
        }
        return Tint(red: channels[0], green: channels[1], blue: channels[2])
    }
}

/// How often each level occurs.
private struct Levels {
    var counts = [UInt32](repeating: 0, count: 256)

    var mean: Double {
        var (sum, count) = (0.0, 0.0)
        for (level, number) in counts.enumerated() {
            sum += Double(level) * Double(number)
            count += Double(number)
        }
        return count > 0 ? sum / count : 0
    }

    /// The least and the greatest level, where a share of both ends does not count.
    func range(ignoring share: Double) -> (low: Double, high: Double) {
        let limit = counts.reduce(0.0) { $0 + Double($1) } * share
        func first(_ counts: some Sequence<UInt32>) -> Int {
            var sum = 0.0
            for (level, number) in counts.enumerated() {
                sum += Double(number)
                if sum > limit { return level }
            }
            return 255
        }
        return (Double(first(counts)), Double(255 - first(counts.reversed())))
    }
}

extension Image {
    /// The levels of red, green and blue; of large pictures, those of some rows and columns.
    fileprivate var channelLevels: [Levels] {
        let kernels = KernelSet.best.filters
        // About 60000 pixels tell enough.
        var step = 1
        while (width / step) * (height / step) > 60000 { step += 1 }
        return [format.red, format.green, format.blue].map { channel in
            var levels = Levels()
            levels.counts.withUnsafeMutableBufferPointer { counts in
                guard let counts = counts.baseAddress else { return }
                for y in Swift.stride(from: step / 2, to: height, by: step) {
                    kernels.countLevels(
                        row(y) + channel, step * format.bytesPerPixel, counts, (width + step - 1) / step)
                }
            }
            return levels
        }
    }
}

// MARK: - Doing it

/// Tints pictures, one after another: it keeps what depends on the tint alone. Each thread needs its own.
package final class Tinter {
    /// Pixels that are tinted at once.
    private static let tile = 1024

    private let kernels: KernelSet
    private var key: Key?
    private var scales = ByteScales([])

    private struct Key: Hashable {
        let tint: Tint
        let format: PixelFormat
    }

    /// - Parameter kernels: which kernels to use; the fastest that this processor can run unless a test wants others.
    package init(kernels: KernelSet = .best) { self.kernels = kernels }

    /// Tints a picture in place.
    package func apply(_ tint: Tint, to image: Image) {
        let channels = tint.channels(image.format)
        guard channels.contains(where: { $0 != Tint.Channel() }) else { return }
        let key = Key(tint: tint, format: image.format)
        if key != self.key {
            let pixel = channels.map { ByteScales.Channel(gain: $0.gain, offset: $0.offset) }
            scales = ByteScales((0..<Self.tile).flatMap { _ in pixel })
            self.key = key
        }
        for y in 0..<image.height {
            let row = image.row(y)
            for x in Swift.stride(from: 0, to: image.width, by: Self.tile) {
                let count = min(Self.tile, image.width - x) * image.format.bytesPerPixel
                scales.apply(to: row + x * image.format.bytesPerPixel, count: count, kernels.filters)
            }
        }
    }
}

extension Tint {
    /// What is done to each byte of a pixel.
    fileprivate func channels(_ format: PixelFormat) -> [Channel] {
        if format.isGray { return [gray] }
        return (0..<format.bytesPerPixel).map { place in
            switch place {
            case format.red: red
            case format.green: green
            case format.blue: blue
            default: Channel()
            }
        }
    }
}
