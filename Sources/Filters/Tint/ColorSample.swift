// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// Selected pixels of a frame in RGB, at regular intervals, for statistics of the frame's colours.
package final class ColorSample {
    /// Maximum number of selected pixels. In smaller frames, all pixels are selected.
    package static let limit = 65_536

    private let memory = OwnedImage(.rgb)
    /// The selected pixels as an RGB image. Valid until the next call of `take`.
    package var image: Image { memory.image }

    package init() {}

    /// Selects every n-th pixel of every n-th row, starting with the first pixel. n is the smallest number that gives
    /// at most `limit` pixels. In grey frames, red, green and blue are equal. Pixels that share a chroma sample get the
    /// same chroma.
    package func take(_ frame: FrameImage) {
        let step = Self.step(width: frame.width, height: frame.height)
        memory.resize(width: (frame.width + step - 1) / step, height: (frame.height + step - 1) / step)
        guard !frame.isEmpty else { return }
        if let packed = frame.packed { take(packed, step) } else { takeYUV(frame, step) }
    }

    /// Returns the smallest number n for which every n-th pixel of every n-th row gives at most `limit` pixels.
    fileprivate static func step(width: Int, height: Int) -> Int {
        var step = 1
        while (width + step - 1) / step > limit / max(1, (height + step - 1) / step) { step += 1 }
        return step
    }

    private func take(_ from: Image, _ step: Int) {
        let format = from.format
        for y in 0..<image.height {
            let (row, to) = (from.row(y * step), image.row(y))
            for x in 0..<image.width {
                let pixel = row + x &* step &* format.bytesPerPixel
                to[3 &* x] = pixel[format.red]
                to[3 &* x &+ 1] = pixel[format.green]
                to[3 &* x &+ 2] = pixel[format.blue]
            }
        }
    }

    private func takeYUV(_ frame: FrameImage, _ step: Int) {
        guard let luma = frame.channel(.luma), let blue = frame.channel(.chromaBlue),
            let red = frame.channel(.chromaRed)
        else { return }
        let weights = frame.colorimetry.pixelWeights
        let lead = (columns: frame.window.x % blue.columns, rows: frame.window.y % blue.rows)
        func byte(_ value: Float) -> UInt8 { value > 0 ? (value < 255 ? UInt8(value + 0.5) : 255) : 0 }
        for y in 0..<image.height {
            let unit = (y * step + lead.rows) / blue.rows
            let (lumaRow, blueRow, redRow) = (luma.row(y * step), blue.row(unit), red.row(unit))
            let to = image.row(y)
            for x in 0..<image.width {
                let column = (x &* step &+ lead.columns) / blue.columns
                let light = Float(lumaRow[x &* step &* luma.step]) * weights[0]
                let u = Float(blueRow[column &* blue.step])
                let v = Float(redRow[column &* red.step])
                to[3 &* x] = byte(light + v * weights[4] + weights[7])
                to[3 &* x &+ 1] = byte(light + u * weights[2] + v * weights[3] + weights[6])
                to[3 &* x &+ 2] = byte(light + u * weights[1] + weights[5])
            }
        }
    }

    /// The histograms of red, green and blue, in this order. Each histogram contains 256 counts.
    package var histograms: [[Int]] {
        var counts = [Int](repeating: 0, count: 3 * 256)
        counts.withUnsafeMutableBufferPointer { counts in
            for y in 0..<image.height {
                let row = image.row(y)
                for x in 0..<image.width {
                    counts[Int(row[3 &* x])] &+= 1
                    counts[256 &+ Int(row[3 &* x &+ 1])] &+= 1
                    counts[512 &+ Int(row[3 &* x &+ 2])] &+= 1
                }
            }
        }
        return (0..<3).map { Array(counts[256 * $0..<256 * ($0 + 1)]) }
    }
}

// MARK: - Balance

extension ColorSample {
    /// The gains of a white balance by the grey-world assumption (G. Buchsbaum, A spatial processor model for object
    /// colour perception, 1980). With these gains, the means of the three channels become equal. Gains are limited to
    /// ¼…4.
    package var grayWorld: ChannelGains {
        let means = histograms.map { histogram in
            let sum = histogram.enumerated().reduce(0) { $0 + $1.offset * $1.element }
            return Double(sum) / Double(max(1, histogram.reduce(0, +)))
        }
        let mean = means.reduce(0, +) / 3
        let gains = means.map { $0 > 0 ? min(4, max(0.25, mean / $0)) : 1 }
        return ChannelGains(red: gains[0], green: gains[1], blue: gains[2])
    }

    /// The gains and offsets of the simple colour balance (N. Limare and others, Simplest color balance, IPOL 2011;
    /// OpenCV's SimpleWB). They stretch each channel so that about 2 % of its values are clipped to 0, and about 2 % to
    /// 255. If the range of a channel is below 64 levels, it is first widened to 64 levels. Otherwise, noise in images
    /// with low contrast would be amplified too much.
    package var stretch: ChannelGains {
        let channels = histograms.map { histogram in
            let beyond = histogram.reduce(0, +) / 50
            func end(_ values: some Sequence<Int>) -> Int {
                var count = 0
                for value in values {
                    count += histogram[value]
                    if count > beyond { return value }
                }
                return 0
            }
            var (low, high) = (end(0...255), end((0...255).reversed()))
            if high - low < 64 {
                low = min(191, max(0, (low + high) / 2 - 32))
                high = low + 64
            }
            let gain = 255 / Double(high - low)
            return ChannelGains.Channel(gain: gain, offset: -Double(low) * gain)
        }
        return ChannelGains(red: channels[0], green: channels[1], blue: channels[2])
    }
}

extension Image {
    /// The median of a grey image, computed from the pixels that `ColorSample` would select. 0 for other formats.
    package var median: UInt8 {
        guard format.isGray, !isEmpty else { return 0 }
        let step = ColorSample.step(width: width, height: height)
        var counts = [Int](repeating: 0, count: 256)
        for y in Swift.stride(from: 0, to: height, by: step) {
            let row = row(y)
            for x in Swift.stride(from: 0, to: width, by: step) { counts[Int(row[x])] += 1 }
        }
        let total = counts.reduce(0, +)
        var count = 0
        for value in 0..<255 {
            count += counts[value]
            if 2 * count >= total { return UInt8(value) }
        }
        return 255
    }
}
