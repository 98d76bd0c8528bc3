// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// The features of an image for the algorithm of the app BeanCounter: a colour histogram of all pixels, and keypoint
/// descriptors of the equalized grey image.
struct ClassicAppearance: Sendable {
    /// Colour histogram: for each bin of blue, green and red, the fraction of the image's pixels that are in this bin.
    private let histogram: [Float]
    private let descriptors: Descriptors

    /// - Parameter picture: the image. Only the pixels in `picture.box` are used.
    init(_ picture: BlobPicture, _ settings: ClassifierSettings) throws(VisionError) {
        let bins = Int(settings.bins)
        (histogram, descriptors) = try picture.withImage { image throws(VisionError) in
            let box = image.cropped(to: picture.box)
            let histogram = Self.histogram(box, bins)
            guard settings.features != .none, !box.isEmpty else { return (histogram, Descriptors()) }
            let (gray, equalized) = (OwnedImage(.gray8), OwnedImage(.gray8))
            try gray.fill(grayOf: box)
            try equalized.equalizeTiles(gray.image)
            return (histogram, try Descriptors.found(in: Matrix(equalized.image), settings.features).1)
        }
    }

    private static func histogram(_ image: Image, _ bins: Int) -> [Float] {
        var counts = [Int](repeating: 0, count: bins * bins * bins)
        let step = image.format.bytesPerPixel
        for y in 0..<image.height {
            let row = image.row(y)
            for x in 0..<image.width {
                let pixel = row + step * x
                func bin(_ channel: Int) -> Int { (Int(pixel[step == 1 ? 0 : channel]) * bins) >> 8 }
                counts[(bin(0) * bins + bin(1)) * bins + bin(2)] += 1
            }
        }
        let scale = 1 / Float(max(1, image.width * image.height))
        return counts.map { Float($0) * scale }
    }

    /// Returns the distance w h + (1 − w) k to a trained image. w: `histogramWeight`. h: alternative chi-square
    /// distance of the colour histograms. k: mean distance between each keypoint descriptor of this image and the most
    /// similar descriptor of `trained`.
    func distance(to trained: ClassicAppearance, histogramWeight: Double) -> Double {
        let chiSquare = zip(histogram, trained.histogram).reduce(0.0) { sum, pair in
            let (difference, both) = (Double(pair.0) - Double(pair.1), Double(pair.0) + Double(pair.1))
            return both > 0 ? sum + 2 * difference * difference / both : sum
        }
        return histogramWeight * chiSquare + (1 - histogramWeight) * keypointDistance(to: trained.descriptors)
    }

    /// Returns the mean distance between each keypoint descriptor of this image and the most similar descriptor in
    /// `trained`. If this image has no descriptors, the result is 0. If only `trained` has no descriptors, the result
    /// is the maximum distance.
    private func keypointDistance(to trained: Descriptors) -> Double {
        guard descriptors.count > 0 else { return 0 }
        guard trained.count > 0 else { return descriptors.mostDistance }
        let nearest = descriptors.nearest(in: trained)
        return nearest.reduce(0) { $0 + Double($1.distance) } / Double(max(1, nearest.count))
    }
}
