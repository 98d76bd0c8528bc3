// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// Grain as that of a camera: noise of a normal distribution in red, green and blue, each on its own.
package struct Grain: Sendable {
    /// Pixels after which it repeats within a row; rows begin in different places.
    private static let period = 4096

    /// Of the four bytes of a pixel in turn, the last one always 0.
    private let values: [Int16]

    /// - Parameter deviation: the standard deviation in levels, 0…30.
    package init(deviation: Double) {
        var random = SeededRandom(seed: 1)
        let deviation = deviation > 0 ? min(30, deviation) : 0
        values = (0..<4 * Self.period).map { place in
            // The sum of twelve even numbers is as good as normal, with a deviation of 1.
            let sum = (0..<12).reduce(-6) { sum, _ in sum + random.between(0, 1) }
            return place % 4 == 3 ? 0 : Int16(max(-255, min(255, (deviation * sum).rounded())))
        }
    }

    /// Adds it to the first three bytes of each pixel.
    /// - Parameters:
    ///   - image: four bytes a pixel, the fourth no colour, else nothing happens.
    ///   - number: another one gives other grain.
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
