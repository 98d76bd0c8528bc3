// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Glibc
import Imaging

// Estimates the background under any light that changes smoothly over the image. Objects have edges, but the light has
// no edges. So an image without its edges is an estimate of the light (B. K. P. Horn: Determining lightness from an
// image, 1974). Pixels that differ from this estimate count as objects. The light behind objects is interpolated from
// the pixels around the objects (the pull-push algorithm of Gortler et al.: The Lumigraph, 1996).

extension Ground {
    /// Estimates a background that follows the light in the whole image.
    static func followingLight(_ logarithm: Matrix<Float>) throws(VisionError) -> Ground {
        let planes = try reducedPlanes(logarithm)
        let (surfaces, things) = try surfaces(planes, things: try things(planes))
        var samples: [(x: Int, y: Int)] = []
        for y in 0..<things.height {
            let row = things.row(y)
            for x in 0..<things.width where row[x] == 0 {
                samples.append((x * logarithm.width / things.width, y * logarithm.height / things.height))
            }
        }
        return Ground(surface: Matrix(channels: surfaces), samples: samples)
    }

    /// Returns the channels of an image, reduced to a size for which the cosine transform is fast.
    private static func reducedPlanes(_ logarithm: Matrix<Float>) throws(VisionError) -> [Matrix<Float>] {
        let scale = min(1, GroundTuning.unevenSide / Double(max(1, min(logarithm.width, logarithm.height))))
        func length(_ full: Int) -> Int {
            let half = (Double(full) * scale / 2).rounded(.toNearestOrEven)
            return 2 * Int(sv_cv_fast_length(Int32(max(1, min(1e6, half)))))
        }
        let small = try logarithm.resized(width: length(logarithm.width), height: length(logarithm.height), sv_cv_area)
        return small.planes
    }

    /// Returns the mask of the pixels that may show objects: the pixels at edges, and the pixels that differ from the
    /// estimated light. To estimate the light, the function removes the edges from the image.
    private static func things(_ planes: [Matrix<Float>]) throws(VisionError) -> Matrix<UInt8> {
        let slopes = planes.map { (across: $0.slope(x: 1, y: 0), down: $0.slope(x: 0, y: 1)) }
        var steepest = Matrix<Float>(sizeOf: planes[0])
        for (across, down) in slopes {
            steepest = steepest.combined(with: across) { max($0, abs($1)) }
            steepest = steepest.combined(with: down) { max($0, abs($1)) }
        }
        let all = Matrix<UInt8>(width: steepest.width, height: steepest.height, filledWith: 255)
        let grain = Double(steepest.quantile(1, of: 2, under: all))
        let limit = Float(max(Double(Float(GroundTuning.steepest)), GroundTuning.steepestOfGrain * grain))
        let steep = try (steepest > limit).dilated(side: 3)
        let flat = ~steep
        var differences: [Matrix<Float>] = []
        for (plane, (across, down)) in zip(planes, slopes) {
            let light = try integral(
                across: try across.filled(where: flat.coverage), down: try down.filled(where: flat.coverage))
            let difference = plane - light
            let shift = difference.quantile(1, of: 2, under: flat)
            differences.append(difference.mapped { $0 - shift })
        }
        let distance = lengths(differences)
        let noise = madFactor * Double(distance.quantile(1, of: 2, under: flat))
        return (distance > Float(max(GroundTuning.leastDistance, GroundTuning.firstDeviations * noise))) | steep
    }

    /// Estimates the light repeatedly from the pixels outside of objects. Returns the light in each channel,
    /// interpolated behind objects, and the mask of the objects.
    /// - Parameter things: the first estimate of the mask of the objects.
    private static func surfaces(
        _ planes: [Matrix<Float>], things: Matrix<UInt8>
    ) throws(VisionError) -> ([Matrix<Float>], Matrix<UInt8>) {
        var (things, round) = (things, 1)
        while true {
            // The mask may contain only the edges of objects. So close gaps in the mask, to fill the inside of the
            // objects.
            things = try things.morphed(sv_cv_close, side: 3)
            try things.fill(try things.contours().map(\.pixels))
            things = try things.dilated(side: 3)
            let weight = (~things).coverage
            var surfaces: [Matrix<Float>] = []
            for plane in planes {
                surfaces.append(try plane.filled(where: weight).blurred(sigma: GroundTuning.surfaceBlur))
            }
            guard round < GroundTuning.surfaceRounds else { return (surfaces, things) }
            round += 1
            let distance = lengths(zip(planes, surfaces).map { $0 - $1 })
            let noise = madFactor * Double(distance.quantile(1, of: 2, under: ~things))
            things = distance > Float(max(GroundTuning.leastDistance, GroundTuning.laterDeviations * noise))
        }
    }

    /// Treats the samples of all channels at a pixel as a vector. Returns the Euclidean length of the vector for each
    /// pixel.
    private static func lengths(_ planes: [Matrix<Float>]) -> Matrix<Float> {
        planes.reduce(Matrix<Float>(sizeOf: planes[0])) { $0 + $1 * $1 }.mapped { $0.squareRoot() }
    }

    /// Returns the surface with a mean of 0 whose slopes are nearest to the given slopes (least squares). The function
    /// solves Poisson's equation with Neumann boundary conditions by the cosine transform. Width and height must be
    /// even.
    static func integral(across: Matrix<Float>, down: Matrix<Float>) throws(VisionError) -> Matrix<Float> {
        let (width, height) = (across.width, across.height)
        var divergence = Matrix<Float>(sizeOf: across)
        for y in 0..<height {
            let (right, below, above) = (across.row(y), down.row(y), down.row(max(0, y - 1)))
            let sum = divergence.mutableRow(y)
            for x in 0..<width {
                sum[x] =
                    (x + 1 < width ? right[x] : 0) - (x > 0 ? right[x - 1] : 0) + (y + 1 < height ? below[x] : 0)
                    - (y > 0 ? above[x] : 0)
            }
        }
        var spectrum = try divergence.cosineTransformed()
        func eigenvalue(_ index: Int, _ length: Int) -> Float {
            Float(2 * cos(Double.pi * Double(index) / Double(length)) - 2)
        }
        let horizontal = (0..<width).map { eigenvalue($0, width) }
        for y in 0..<height {
            let (row, vertical) = (spectrum.mutableRow(y), eigenvalue(y, height))
            for x in 0..<width { row[x] = x + y == 0 ? 0 : row[x] / (horizontal[x] + vertical) }
        }
        return try spectrum.cosineTransformed(isInverse: true)
    }
}

extension Matrix<Float> {
    /// Returns, for each pixel, the pixel at the offset (x, y) minus this pixel. If the offset leads out of the matrix,
    /// the result is 0.
    fileprivate func slope(x: Int, y: Int) -> Matrix {
        var result = Matrix(sizeOf: self)
        for row in 0..<max(0, height - y) {
            let (to, from, next) = (result.mutableRow(row), self.row(row), self.row(row + y) + x)
            for column in 0..<max(0, width - x) { to[column] = next[column] - from[column] }
        }
        return result
    }

    /// Returns the matrix with its gaps filled smoothly from the samples around the gaps.
    /// - Parameter weight: 0 in gaps, up to 1 elsewhere.
    func filled(where weight: Matrix) throws(VisionError) -> Matrix {
        guard min(width, height) > 1 else { return self }
        // Pull: reduce the matrix to weighted means of 2 × 2 pixels, and fill the reduced matrix. Push: enlarge the
        // filled matrix, and copy it into the gaps.
        let (halfWidth, halfHeight) = ((width + 1) / 2, (height + 1) / 2)
        let sums = try (self * weight).resized(width: halfWidth, height: halfHeight, sv_cv_area)
        let weights = try weight.resized(width: halfWidth, height: halfHeight, sv_cv_area)
        let means = sums.combined(with: weights) { $0 / max($1, 1e-6) }
        let small = try means.filled(where: weights.mapped { min($0 * 4, 1) })
        let large = try small.resized(width: width, height: height, sv_cv_linear)
        return self * weight + large.combined(with: weight) { $0 * (1 - $1) }
    }
}
