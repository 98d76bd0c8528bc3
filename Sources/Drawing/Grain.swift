// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// Film grain, similar to the noise of a camera. The noise is normally distributed, and independent for red, green and
/// blue.
package struct Grain: Sendable {
    /// Number of pixels after which the noise repeats within a row. Each row starts at a random offset in this
    /// sequence.
    private static let period = 4096

    /// The noise for `period` pixels. Each pixel has three values for the colours, and 0 for the fourth byte.
    private let values: [Int16]

    /// - Parameter deviation: the standard deviation in byte levels, limited to 0…30.
    package init(deviation: Double) {
        var random = SeededRandom(seed: 1)
        let deviation = deviation > 0 ? min(30, deviation) : 0
        values = (0..<4 * Self.period).map { index in
            // The sum of twelve numbers with a uniform distribution in 0…1, minus 6, is approximately normal with a
            // standard deviation of 1.
            let sum = (0..<12).reduce(-6) { sum, _ in sum + random.between(0, 1) }
            return index % 4 == 3 ? 0 : Int16(max(-255, min(255, (deviation * sum).rounded())))
        }
    }

    /// Adds the noise to the first three bytes of each pixel.
    /// - Parameters:
    ///   - image: an image with four bytes per pixel. The fourth byte must not be a colour. For other formats, the
    ///     method does nothing.
    ///   - number: the seed of the noise. Different seeds give different noise.
    package func add(to image: Image, number: UInt64) {
        guard image.format.bytesPerPixel == 4, image.format.alpha ?? image.format.padding == 3 else { return }
        var random = SeededRandom(seed: number)
        values.withUnsafeBufferPointer { values in
            for y in 0..<image.height {
                let row = image.row(y)
                var start = 4 * Int(truncatingIfNeeded: random.next() % UInt64(Self.period))
                var done = 0
                while done < image.rowBytes {
                    let count = min(image.rowBytes - done, values.count - start)
                    var i = 0
                    while i < count {
                        let level = Int16(row[done &+ i]) &+ values[start &+ i]
                        row[done &+ i] = UInt8(truncatingIfNeeded: max(0, min(255, level)))
                        i &+= 1
                    }
                    (done, start) = (done + count, 0)
                }
            }
        }
    }
}
