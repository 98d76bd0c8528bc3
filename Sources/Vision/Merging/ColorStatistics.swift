// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Mean and standard deviation of a face's colours, for each channel, in levels 0…255.
struct ColorStatistics: Equatable {
    var mean: SIMD3<Double>
    var deviation: SIMD3<Double>
    /// Increase of the first channel from the centre of the face to its edges, to the right and downwards: it shows the
    /// direction of the light.
    var slope = SIMD2<Double>()

    /// Returns the linear map of each channel, color · factor + sum, that changes these statistics into the statistics
    /// of `other`: (c − mean) · deviation' / deviation + mean' (Reinhard, Ashikhmin, Gooch and Shirley, "Color transfer
    /// between images", 2001). The factors are limited to at most 1.6, because a higher contrast would amplify the noise
    /// of a flat surface.
    /// - Parameters:
    ///   - lowest: the lower limits of the factors.
    ///   - highest: the upper limits of the factors.
    func map(
        to other: ColorStatistics, lowest: SIMD3<Double> = .init(repeating: 0.4),
        highest: SIMD3<Double> = .init(repeating: 1.6)
    ) -> (factors: SIMD3<Double>, sums: SIMD3<Double>) {
        let quotient = other.deviation / deviation.replacing(with: 1e-3, where: deviation .< 1e-3)
        let factors = quotient.clamped(lowerBound: lowest, upperBound: highest)
        return (factors, other.mean - mean * factors)
    }

    /// True if these statistics in L*a*b* belong to a face without colour.
    var isColorless: Bool { deviation.y < 1.5 && deviation.z < 1.5 }

    /// Returns the linear interpolation between these statistics (`share` 0) and `other` (`share` 1).
    func moved(towards other: ColorStatistics, by share: Double) -> ColorStatistics {
        ColorStatistics(
            mean: mean + share * (other.mean - mean), deviation: deviation + share * (other.deviation - deviation),
            slope: slope + share * (other.slope - slope))
    }

    /// Returns true if the difference is too small to be visible in a hybrid: less than 1 level in each mean, less than
    /// about 0.7 levels in each deviation, and less than 2 levels in each slope.
    func isLike(_ other: ColorStatistics) -> Bool {
        let (mean, deviation, slope) = (mean - other.mean, deviation - other.deviation, slope - other.slope)
        return (mean * mean).max() < 1 && (deviation * deviation).max() < 0.5 && (slope * slope).max() < 4
    }
}

/// The strength of a colour match.
struct ColorMatching {
    /// Fractions of the difference of brightness, and of hue and saturation, that the match removes.
    var light = 1.0
    var color = 1.0
    /// Fraction of the difference of the light's direction. The pattern of a cat's fur looks like light from one side.
    var direction = 1.0
    /// Limits of the change of the contrast: the features of a drawing stay visible on a face with soft light, and skin
    /// does not get the contrast of a striped fur.
    var contrast = 0.65...1.6
}

/// Collects the pixels of a face at given points, and computes their statistics.
final class ColorSampler {
    private let pixels = OwnedImage(.bgra)
    private let lab = OwnedImage(.rgb)
    private var weights: [Double] = []
    private var places: [SIMD2<Double>] = []

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
    ///   - origin: the position of the image's first pixel in the coordinates of `face`.
    ///   - samples: the part of the face.
    /// - Returns: true if the image has enough pixels of the face.
    func collect(from image: Image, origin: Point, at samples: SampleArea, on face: FacePoints) -> Bool {
        pixels.resize(width: max(1, samples.places.count), height: 1)
        weights.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        guard image.format.bytesPerPixel == 4 else { return false }
        let to = UnsafeMutableRawPointer(pixels.image.row(0)).assumingMemoryBound(to: UInt32.self)
        let axes = samples.axes(on: face)
        for (place, weight) in samples.places {
            let offset = axes.point(place.x, place.y) - origin
            guard offset.x >= 0, offset.y >= 0, offset.x < Double(image.width), offset.y < Double(image.height) else {
                continue
            }
            let row = UnsafeRawPointer(image.row(Int(offset.y)))
            let pixel = row.loadUnaligned(fromByteOffset: 4 * Int(offset.x), as: UInt32.self)
            guard UInt32(littleEndian: pixel) >> 24 > 0 else { continue }
            to[weights.count] = pixel
            weights.append(weight)
            places.append(SIMD2(place.x, place.y))
        }
        pixels.resize(width: max(1, weights.count), height: 1)
        return weights.count >= Self.fewest
    }

    /// Colour statistics of the collected pixels, in the order blue, green, red.
    var light: ColorStatistics { light(of: pixels.image) }

    /// Returns the colour statistics of the collected pixels in CIE L*a*b*, in OpenCV's 8-bit encoding. The deviation of
    /// the brightness does not include the slope.
    func labLight() throws(VisionError) -> ColorStatistics {
        lab.resize(width: pixels.image.width, height: 1)
        try check { sv_cv_lab(pixels.image.openCV, lab.image.openCV, $0) }
        var light = light(of: lab.image)
        let (slope, variance) = slope(of: lab.image, light.mean.x)
        light.slope = slope
        light.deviation.x = max(0, light.deviation.x * light.deviation.x - variance).squareRoot()
        return light
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
        return ColorStatistics(
            mean: mean, deviation: variance.replacing(with: 0, where: variance .< 0).squareRoot())
    }

    /// Returns the slope of the first channel (the plane with the least squares), and the variance of this plane.
    private func slope(of image: Image, _ mean: Double) -> (slope: SIMD2<Double>, variance: Double) {
        let (row, bytes) = (image.row(0), image.format.bytesPerPixel)
        var (all, sum, level) = (0.0, SIMD2<Double>(), 0.0)
        var (squares, mixed, product) = (SIMD2<Double>(), SIMD2<Double>(), 0.0)
        for (i, (weight, place)) in zip(weights, places).enumerated() {
            let change = weight * (Double(row[i * bytes]) - mean)
            all += weight
            level += change
            sum += weight * place
            squares += weight * place * place
            product += weight * place.x * place.y
            mixed += change * place
        }
        // The moments about the centre.
        let center = sum / max(all, 1e-9)
        squares -= center * sum
        product -= center.x * sum.y
        mixed -= level * center
        let area = squares.x * squares.y - product * product
        // The face is cut off at the edge of the image if its visible points are almost on one line.
        guard area > 1e-3 * all * all else { return (SIMD2(), 0) }
        let slope = SIMD2(squares.y * mixed.x - product * mixed.y, squares.x * mixed.y - product * mixed.x) / area
        return (slope, (slope * mixed).sum() / max(all, 1e-9))
    }
}
