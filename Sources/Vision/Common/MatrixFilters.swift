// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

extension Matrix<Float> {
    /// Returns the mean of the `side` × `side` samples around each sample. Beyond the borders, the matrix is mirrored.
    func boxBlurred(side: Int) throws(VisionError) -> Matrix {
        try Matrix(width: width, height: height) { sv_cv_box(openCV, Int32(clamping: side), $0, $1) }
    }

    /// Returns the magnitude of the gradient, computed with Sobel's kernels and multiplied by `scale`.
    func gradient(scale: Double) throws(VisionError) -> Matrix {
        try Matrix(width: width, height: height) { sv_cv_gradient(openCV, scale, $0, $1) }
    }

    /// Samples a disc in polar coordinates. The result has a row for each angle (clockwise, the first angle points to
    /// the right), and a column for each distance from the disc's centre.
    func polar(center: Point, radius: Double, angles: Int, radii: Int) throws(VisionError) -> Matrix {
        try Matrix(width: radii, height: angles) { sv_cv_polar(openCV, SVCVPoint(center), radius, $0, $1) }
    }

    /// All samples of the matrix, row by row.
    var samples: [Float] {
        var samples: [Float] = []
        samples.reserveCapacity(width * height * channels)
        for y in 0..<height { samples += UnsafeBufferPointer(start: row(y), count: width * channels) }
        return samples
    }
}

extension Matrix<UInt8> {
    /// Converts pixels in the order blue, green, red to grey values with OpenCV's weights. If the matrix does not have
    /// three channels, returns the unchanged matrix.
    func gray() throws(VisionError) -> Matrix<UInt8> {
        guard channels == 3 else { return self }
        return try withExtendedLifetime(self) { () throws(VisionError) in
            try Matrix(width: width, height: height) { sv_cv_gray(openCV.image, 2, 0, $0.image, $1) }
        }
    }

    var floats: Matrix<Float> {
        var result = Matrix<Float>(sizeOf: self, channels: channels)
        for y in 0..<height {
            let (from, to) = (row(y), result.mutableRow(y))
            for x in 0..<width &* channels { to[x] = Float(from[x]) }
        }
        return result
    }
}

extension SVCVMatrix {
    /// An image that uses the memory of this matrix. The samples must be bytes.
    var image: SVCVImage {
        SVCVImage(
            data: data.assumingMemoryBound(to: UInt8.self), width: width, height: height, stride: stride,
            channels: channels)
    }
}

/// Returns the sum of the products `a[i] * b[i]`. If one of the arrays is longer, its remaining values are ignored.
func dotProduct(_ a: UnsafeBufferPointer<Float>, _ b: UnsafeBufferPointer<Float>) -> Float {
    // Use several partial sums, because the processor can add to all partial sums in parallel.
    var sums = SIMD16<Float>()
    let count = min(a.count, b.count), blockEnd = count & ~15
    var i = 0
    while i < blockEnd {
        for lane in 0..<16 { sums[lane] += a[i &+ lane] * b[i &+ lane] }
        i &+= 16
    }
    var sum = sums.sum()
    for i in blockEnd..<count { sum += a[i] * b[i] }
    return sum
}
