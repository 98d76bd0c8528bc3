// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Mean and standard deviation of a face's colours, for each channel, in levels 0…255.
struct ColorStatistics: Equatable {
    var mean: SIMD3<Double>
    var deviation: SIMD3<Double>

    /// Returns the linear map of each channel, color · factor + sum, that changes these statistics into the statistics
    /// of `other`: (c − mean) · deviation' / deviation + mean' (Reinhard, Ashikhmin, Gooch and Shirley, "Color transfer
    /// between images", 2001). The factors are limited to 0.4…1.6, because a higher contrast would amplify the noise of
    /// a flat surface.
    /// - Parameter lowest: the lower limit of the factors.
    func map(
        to other: ColorStatistics, lowest: SIMD3<Double> = .init(repeating: 0.4)
    ) -> (factors: SIMD3<Double>, sums: SIMD3<Double>) {
        let quotient = other.deviation / deviation.replacing(with: 1e-3, where: deviation .< 1e-3)
        let factors = quotient.clamped(lowerBound: lowest, upperBound: .init(repeating: 1.6))
        return (factors, other.mean - mean * factors)
    }

    /// True if these statistics in L*a*b* belong to a face without colour.
    var isColorless: Bool { deviation.y < 1.5 && deviation.z < 1.5 }

    /// Returns the linear interpolation between these statistics (`share` 0) and `other` (`share` 1).
    func moved(towards other: ColorStatistics, by share: Double) -> ColorStatistics {
        ColorStatistics(
            mean: mean + share * (other.mean - mean), deviation: deviation + share * (other.deviation - deviation))
    }

    /// Returns true if the difference is too small to be visible in a hybrid: less than 1 level in each mean, and less
    /// than about 0.7 levels in each deviation.
    func isLike(_ other: ColorStatistics) -> Bool {
        let (mean, deviation) = (mean - other.mean, deviation - other.deviation)
        return (mean * mean).max() < 1 && (deviation * deviation).max() < 0.5
    }
}

/// A point of a face at which a colour is sampled, and its weight, 0…1.
struct ColorSample {
    var point: Point
    var weight: Double
}

extension [ColorSample] {
    /// Returns the samples, converted from face coordinates to pixels.
    func moved(to axes: FaceAxes) -> [ColorSample] {
        map { ColorSample(point: axes.point($0.point.x, $0.point.y), weight: $0.weight) }
    }
}

/// Collects the pixels of a face at given points, and computes their statistics.
final class ColorSampler {
    private let pixels = OwnedImage(.bgra)
    private let lab = OwnedImage(.rgb)
    private var weights: [Double] = []

    /// With fewer pixels than this, the statistics are not meaningful.
    private static let fewest = 20

    /// Initialises OpenCV's tables for L*a*b*, which takes 0.1 seconds once per process. Call this before the stream
    /// starts, so that no frame is delayed.
    func warmUp() throws(VisionError) {
        pixels.resize(width: 1, height: 1)
        lab.resize(width: 1, height: 1)
        try check { sv_cv_lab(pixels.image.openCV, lab.image.openCV, $0) }
    }

    /// Collects the pixels of a face.
    /// - Parameters:
    ///   - image: an image with four bytes per pixel. Pixels whose fourth byte is 0 are ignored.
    ///   - origin: the position of the image's first pixel in the coordinates of `samples`.
    /// - Returns: true if the image has enough pixels of the face.
    func collect(from image: Image, origin: Point, at samples: [ColorSample]) -> Bool {
        pixels.resize(width: max(1, samples.count), height: 1)
        weights.removeAll(keepingCapacity: true)
        guard image.format.bytesPerPixel == 4 else { return false }
        let to = UnsafeMutableRawPointer(pixels.image.row(0)).assumingMemoryBound(to: UInt32.self)
        for sample in samples {
            let offset = sample.point - origin
            guard offset.x >= 0, offset.y >= 0, offset.x < Double(image.width), offset.y < Double(image.height) else {
                continue
            }
            let row = UnsafeRawPointer(image.row(Int(offset.y)))
            let pixel = row.loadUnaligned(fromByteOffset: 4 * Int(offset.x), as: UInt32.self)
            guard UInt32(littleEndian: pixel) >> 24 > 0 else { continue }
            to[weights.count] = pixel
            weights.append(sample.weight)
        }
        pixels.resize(width: max(1, weights.count), height: 1)
        return weights.count >= Self.fewest
    }

    /// Colour statistics of the collected pixels, in the order blue, green, red.
    var light: ColorStatistics { light(of: pixels.image) }

    /// Returns the colour statistics of the collected pixels in CIE L*a*b*, in OpenCV's 8-bit encoding.
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
