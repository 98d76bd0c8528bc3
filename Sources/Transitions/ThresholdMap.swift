// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Blending
internal import Imaging
internal import KernelTypes

/// A threshold for each pixel, which determines when the pixel changes from the old image to the new image. The map is
/// for transitions that mix both images by weights.
///
/// At the progress p, a pixel with the threshold T (0…1) has the weight ((1 + s) p − T) / s, clamped to 0…1. s is the
/// softness. At the progress 0, all weights are 0. At the progress 1, all weights are 1.
final class ThresholdMap {
    let width, height: Int
    /// The softness in the unit of the thresholds, in which 65535 means 1.
    private let softness: Int32
    private let values: UnsafeMutablePointer<UInt16>

    /// Creates a map of thresholds.
    /// - Parameters:
    ///   - softness: greater than 0, at most 1.
    ///   - fill: computes a row of thresholds, 0…65535. Several threads call this closure at the same time.
    init(
        width: Int, height: Int, softness: Double, with blender: Blender,
        fill: (_ y: Int, UnsafeMutablePointer<UInt16>) -> Void
    ) {
        (self.width, self.height) = (max(1, width), max(1, height))
        self.softness = Int32(min(65535, max(1, softness * 65535)))
        values = .allocate(capacity: self.width * self.height)
        values.initialize(repeating: 0, count: self.width * self.height)
        blender.share(0..<self.height, width: 4 * self.width) { band, _ in
            for y in band { fill(y, values + y * self.width) }
        }
    }

    deinit { values.deallocate() }

    /// Equalises the histogram of the thresholds. So at the progress p, about the fraction p of all pixels has changed.
    func equalize() {
        let count = width * height
        var sums = [UInt32](repeating: 0, count: 65536)
        for i in 0..<count { sums[Int(values[i])] &+= 1 }
        var sum: UInt64 = 0
        for i in 0..<65536 {
            let here = UInt64(sums[i])
            sums[i] = UInt32(truncatingIfNeeded: (sum + here / 2) * 65535 / UInt64(count))
            sum += here
        }
        for i in 0..<count { values[i] = UInt16(truncatingIfNeeded: sums[Int(values[i])]) }
    }

    /// Parameters for the weights at a progress of the transition.
    struct Moment {
        let edge, softness, slope: Int32
    }

    func moment(at progress: Double) -> Moment {
        Moment(
            edge: Int32((progress * Double(65535 + softness)).rounded()), softness: softness,
            slope: Int32(255 * 65536 / Int(softness)))
    }

    /// Computes the weights of a row. `y` must be in 0 ..< `height`.
    func weigh(_ y: Int, at moment: Moment, into weights: UnsafeMutablePointer<UInt8>, _ kernels: any KernelSet) {
        kernels.weighThresholds(
            values + y * width, edge: moment.edge, softness: moment.softness, slope: moment.slope, into: weights,
            count: width)
    }

    /// Returns the weight of a pixel. A position outside the map is clamped to the map.
    func weight(_ x: Int, _ y: Int, at moment: Moment) -> UInt8 {
        let threshold = Int32(values[min(height - 1, max(0, y)) * width + min(width - 1, max(0, x))])
        return UInt8(clamping: (min(max(0, moment.edge - threshold), moment.softness) * moment.slope + 32768) >> 16)
    }
}
