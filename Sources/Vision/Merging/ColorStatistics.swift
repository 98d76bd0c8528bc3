// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// ColorStatistics on a face: mean and standard deviation of its colours, channel by channel.
struct ColorStatistics: Equatable {
    var mean: SIMD3<Double>
    var deviation: SIMD3<Double>

    /// Returns the factors and sums that map colours of this light to that of `other` (Reinhard, Ashikhmin, Gooch and
    /// Shirley, "Color transfer between images", 2001): (c − mean) · deviation' / deviation + mean'. No contrast
    /// changes by more than a factor of 1.6: a flat surface has none to amplify.
    func map(to other: ColorStatistics) -> (factors: SIMD3<Double>, sums: SIMD3<Double>) {
        let quotient = other.deviation / deviation.replacing(with: 1e-3, where: deviation .< 1e-3)
        let factors = quotient.clamped(lowerBound: .init(repeating: 0.4), upperBound: .init(repeating: 1.6))
        return (factors, other.mean - mean * factors)
    }

    /// Returns the light a `share` of the way to `other`.
    func moved(towards other: ColorStatistics, by share: Double) -> ColorStatistics {
        ColorStatistics(
            mean: mean + share * (other.mean - mean), deviation: deviation + share * (other.deviation - deviation))
    }

    /// True if nobody would see the difference in a hybrid.
    func isLike(_ other: ColorStatistics) -> Bool {
        let (mean, deviation) = (mean - other.mean, deviation - other.deviation)
        return (mean * mean).max() < 1 && (deviation * deviation).max() < 0.5
    }
}

/// Collects pixels of faces at the places of `FaceOval.Pair.samples`.
final class ColorSampler {
    private let pixels = OwnedImage(.bgra)
    private let lab = OwnedImage(.rgb)
    private var weights: [Double] = []

    /// Minimum number of pixels; fewer are not meaningful.
    private static let fewest = 20

    /// Makes OpenCV build its tables for L*a*b*, which takes 0.1 seconds once per process: not within a stream.
    func warmUp() throws(VisionError) {
        pixels.resize(width: 1, height: 1)
        lab.resize(width: 1, height: 1)
        try check { sv_cv_lab(pixels.image.openCV, lab.image.openCV, $0) }
    }

    /// Collects the pixels of a face.
    /// - Parameters:
    ///   - image: a picture of four bytes a pixel; where the fourth is 0, there is nothing.
    ///   - origin: the position of its first pixel in the picture of `face`.
    /// - Returns: whether enough of them are in the image.
    func collect(from image: Image, origin: Point, face: FacePoints, _ pair: FaceOval.Pair) -> Bool {
        pixels.resize(width: max(1, pair.samples.count), height: 1)
        weights.removeAll(keepingCapacity: true)
        guard image.format.bytesPerPixel == 4 else { return false }
        let axes = face.axes
        let to = UnsafeMutableRawPointer(pixels.image.row(0)).assumingMemoryBound(to: UInt32.self)
        for sample in pair.samples {
            let place = axes.point(sample.across, sample.down) - origin
            guard place.x >= 0, place.y >= 0, place.x < Double(image.width), place.y < Double(image.height) else {
                continue
            }
            let row = UnsafeRawPointer(image.row(Int(place.y)))
            let pixel = row.loadUnaligned(fromByteOffset: 4 * Int(place.x), as: UInt32.self)
            guard UInt32(littleEndian: pixel) >> 24 > 0 else { continue }
            to[weights.count] = pixel
            weights.append(sample.weight)
        }
        pixels.resize(width: max(1, weights.count), height: 1)
        return weights.count >= Self.fewest
    }

    /// ColorStatistics of the pixels as they are: blue, green, red.
    var light: ColorStatistics { light(of: pixels.image) }

    /// Returns their light in OpenCV's bytes of CIE L*a*b*.
    func labLight() throws(VisionError) -> ColorStatistics {
        lab.resize(width: pixels.image.width, height: 1)
        try check { sv_cv_lab(pixels.image.openCV, lab.image.openCV, $0) }
        return light(of: lab.image)
    }

    private func light(of image: Image) -> ColorStatistics {
        let (row, bytes) = (image.row(0), image.format.bytesPerPixel)
        var (sum, squares, all) = (SIMD3<Double>(), SIMD3<Double>(), 0.0)
        for (i, weight) in weights.enumerated() {
            let pixel = row + i * bytes
            let color = SIMD3(Double(pixel[0]), Double(pixel[1]), Double(pixel[2]))
            sum += weight * color
            squares += weight * color * color
            all += weight
        }
        let mean = sum / max(all, 1e-9)
        let variance = squares / max(all, 1e-9) - mean * mean
        return ColorStatistics(mean: mean, deviation: variance.replacing(with: 0, where: variance .< 0).squareRoot())
    }
}
