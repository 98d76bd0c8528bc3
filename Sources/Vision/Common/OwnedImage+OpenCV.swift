// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

// Methods that use OpenCV to fill an image. If the requested size is 0 or too large, the image becomes empty.
extension OwnedImage {
    /// Fills this image with the grey values of a packed image, with OpenCV's weights (0.299 R + 0.587 G + 0.114 B). If
    /// the packed image is already grey, copies its pixels.
    package func fill(grayOf image: Image) throws(VisionError) {
        let format = image.format
        guard !format.isGray else { return copy(image) }
        try fill(image.width, image.height) {
            sv_cv_gray(image.openCV, Int32(format.red), Int32(format.blue), $0, $1)
        }
    }

    /// Fills this image with a copy of the grey image `plane`.
    package func copy(_ plane: Image) {
        resize(width: plane.width, height: plane.height)
        image.copy(from: plane)
    }

    /// Fills this image with `plane`, scaled by `scale` in both directions (OpenCV's area interpolation). If a side of
    /// the result is less than half a pixel, this image becomes empty.
    package func reduce(_ plane: Image, by scale: Double) throws(VisionError) {
        try fill(reducedLength(plane.width, scale), reducedLength(plane.height, scale)) {
            sv_cv_reduce(plane.openCV, scale, scale, $0, $1)
        }
    }

    /// Fills this image with `plane`, scaled to `width` x `height` pixels (OpenCV's area interpolation). The aspect
    /// ratio may change.
    package func stretch(_ plane: Image, width: Int, height: Int) throws(VisionError) {
        try fill(width, height) { plane.isEmpty ? 0 : sv_cv_resize(plane.openCV, $0, $1) }
    }

    /// Fills this image with `plane` after a Gaussian blur.
    /// - Parameter sigma: the standard deviation in pixels, above 0.
    package func blur(_ plane: Image, sigma: Double) throws(VisionError) {
        try fill(plane.width, plane.height) { sv_cv_blur(plane.openCV, sigma, $0, $1) }
    }

    /// Fills this image with `plane` after histogram equalisation.
    package func equalize(_ plane: Image) throws(VisionError) {
        try fill(plane.width, plane.height) { sv_cv_equalize(plane.openCV, $0, $1) }
    }

    /// Fills this image with `plane` after histogram equalisation by tiles. The algorithm is CLAHE with OpenCV's
    /// defaults: clip limit 40, 8x8 tiles.
    package func equalizeTiles(_ plane: Image) throws(VisionError) {
        try fill(plane.width, plane.height) { sv_cv_clahe(plane.openCV, $0, $1) }
    }

    /// Fills this image with a rotated square of `plane`, scaled to `side` x `side` pixels.
    /// - Parameters:
    ///   - center: the centre of the square, in pixels of `plane`.
    ///   - size: the side of the square, in pixels of `plane`.
    ///   - degrees: the rotation of the square, clockwise on the screen.
    package func cut(
        from plane: Image, center: Point, size: Double, degrees: Double = 0, side: Int
    ) throws(VisionError) {
        try fill(side, side) {
            plane.isEmpty ? 0 : sv_cv_patch(plane.openCV, SVCVPoint(center), size, degrees, $0, $1)
        }
    }

    /// Resizes this image, and calls a function of the C module COpenCV that writes the pixels. If the image is empty,
    /// does not call the function.
    private func fill(_ width: Int, _ height: Int, _ body: (SVCVImage, ErrorText) -> Int32) throws(VisionError) {
        resize(width: width, height: height)
        guard !image.isEmpty else { return }
        try check { body(image.openCV, $0) }
    }
}

extension Image {
    /// The bytes of all pixels, row by row. Padding is not included.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rowBytes * height)
        for y in 0..<height { bytes += UnsafeBufferPointer(start: row(y), count: rowBytes) }
        return bytes
    }
}

extension [UInt8] {
    /// Calls `body` with a read-only image that uses the bytes of this array as its rows, without padding. If the array
    /// has too few bytes, the image is empty.
    func withImage<Result, Failure: Error>(
        width: Int, height: Int, format: PixelFormat, _ body: (Image) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { bytes throws(Failure) in
            let (empty, stride) = (OwnedImage(format), width * format.bytesPerPixel)
            defer { withExtendedLifetime(empty) {} }
            guard let base = bytes.baseAddress, stride * height <= bytes.count else { return try body(empty.image) }
            let memory = UnsafeMutableRawPointer(mutating: base)
            return try body(Image(base: memory, width: width, height: height, stride: stride, format: format))
        }
    }
}

/// Returns `length` times `scale`, rounded half to even as in OpenCV. If the result is not in 1…Int32.max, returns 0.
func reducedLength(_ length: Int, _ scale: Double) -> Int {
    let reduced = (Double(length) * scale).rounded(.toNearestOrEven)
    return reduced >= 1 && reduced <= Double(Int32.max) ? Int(reduced) : 0
}

/// Finds the position in `plane` that is most similar to `pattern`. `corner` is the top left corner of this position,
/// and `score` is the correlation at this position with `pattern` (−1…1). Returns nil if `pattern` is empty or larger
/// than `plane`.
func match(_ pattern: Image, in plane: Image) throws(VisionError) -> (corner: Point, score: Double)? {
    guard !pattern.isEmpty, pattern.width <= plane.width, pattern.height <= plane.height else { return nil }
    var (corner, score) = (SVCVPoint(), 0.0)
    try check { sv_cv_match(plane.openCV, pattern.openCV, &corner, &score, $0) }
    return (Point(corner), score.isFinite ? score : 0)
}

/// Estimates the standard deviation of the noise in an image, in levels 0…255 (Immerkær, "Fast noise variance
/// estimation", 1996). Fine detail in the image also increases the estimate.
func noise(in plane: Image) throws(VisionError) -> Double {
    var deviation = 0.0
    try check { sv_cv_noise(plane.openCV, &deviation, $0) }
    return deviation.isFinite ? deviation : 0
}

/// Sums from which `value(noise:)` computes the correlation of two images. `add` adds a pair of pixels: one pixel of
/// each image.
struct PixelCorrelation {
    private var (count, sumA, sumB, squaresA, squaresB, products) = (0, 0, 0, 0, 0, 0)

    mutating func add(_ a: Int, _ b: Int) {
        count &+= 1
        sumA &+= a
        sumB &+= b
        squaresA &+= a &* a
        squaresB &+= b &* b
        products &+= a &* b
    }

    /// Returns the correlation of the two images, −1…1.
    /// - Parameter noise: if the geometric mean of the variances of both images is at most this value, in levels², the
    ///   correlation is 0.
    func value(noise: Double) -> Double {
        let count = Double(count)
        let covariance = Double(products) - Double(sumA) * Double(sumB) / count
        let varianceA = Double(squaresA) - Double(sumA) * Double(sumA) / count
        let varianceB = Double(squaresB) - Double(sumB) * Double(sumB) / count
        let scale = (max(0, varianceA) * max(0, varianceB)).squareRoot()
        return scale > noise * count ? covariance / scale : 0
    }
}
