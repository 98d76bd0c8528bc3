// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// The differences between the pixels of an image and the background of the image.
struct GroundDistance {
    /// For each pixel, the distance from the background: approximately the relative difference in light and colour, 0
    /// or more.
    var distance: Matrix<Float>
    /// Mask of the pixels that may show the background in a shadow. These pixels are darker than the background, and
    /// have a similar colour.
    var shade: Matrix<UInt8>
}

/// The background of an image: the logarithms of the levels that the image would have without objects. `Ground` can
/// compute the background for any part of the image, at any size.
struct Ground {
    private enum Model {
        /// For each channel, a polynomial in x and y, which both run from −1 to 1 over the image. The array has the
        /// coefficients of 1, x, y, x², xy, y² and x²y², in this order. Each coefficient has one value per channel.
        case polynomial([Double])
        /// The logarithms of the background's levels in a reduced image.
        case surface(Matrix<Float>)
    }

    /// Number of terms that are fitted to the pixels along the edge: all terms except x²y².
    static let borderTerms = 6

    private let model: Model
    private let channels: Int
    /// Pixels of the whole image that probably show the background. A few of these pixels may show objects. The
    /// estimate of the noise uses a median over these pixels, so a few objects have little effect.
    private let samples: [(x: Int, y: Int)]
    /// Pairs of pixels in the same row, for the estimate of the noise. Both pixels of a pair probably show the
    /// background.
    private let pairs: [(left: Int, right: Int, y: Int)]

    /// - Parameters:
    ///   - coefficients: the coefficients of 1, x, y, x², xy, y² and x²y², with one value per channel.
    ///   - samples: pixels of the whole image that mostly show the background.
    ///   - pairs: pairs of pixels whose distance is about the side of the smallest blob.
    init(
        polynomial coefficients: [Double], channels: Int, samples: [(x: Int, y: Int)],
        pairs: [(left: Int, right: Int, y: Int)] = []
    ) {
        (model, self.channels) = (.polynomial(coefficients), channels)
        (self.samples, self.pairs) = (samples, pairs)
    }

    init(surface: Matrix<Float>, samples: [(x: Int, y: Int)]) {
        (model, channels, self.samples, pairs) = (.surface(surface), surface.channels, samples, [])
    }

    // MARK: Differences

    /// Logarithms of levels. `ceiling`: pixels above this level count as clipped. `bright`: above this level, colour
    /// has less weight in the difference from the background.
    static let ceiling = Float(log(GroundTuning.clippedLevel + GroundTuning.offset))
    private static let bright = Float(log(GroundTuning.brightLevel + GroundTuning.offset))

    /// Compares a part of the image with the background.
    /// - Parameters:
    ///   - logarithm: the logarithms of the part's levels.
    ///   - place: the position of the part, as fractions of the image.
    func distance(_ logarithm: Matrix<Float>, _ place: Box = .whole) -> GroundDistance {
        let (width, height) = (logarithm.width, logarithm.height)
        var result = GroundDistance(distance: Matrix(sizeOf: logarithm), shade: Matrix(sizeOf: logarithm))
        let rows = GroundRows(self, width: width, height: height, place)
        var levels = Matrix<Float>(width: width * channels, height: 1)
        // Each channel has a separate row in `planes`, so that the compiler can use SIMD instructions.
        var planes = Matrix<Float>(width: width, height: 4)
        for y in 0..<height {
            rows.read(y, into: levels.mutableRow(0))
            let (to, shade) = (result.distance.mutableRow(y), result.shade.mutableRow(y))
            if channels == 3 {
                Self.measureColors(logarithm.row(y), levels.row(0), to, shade, &planes)
            } else {
                Self.measureGray(logarithm.row(y), levels.row(0), to, shade, count: width)
            }
        }
        return result
    }

    private static func measureGray(
        _ logarithm: UnsafePointer<Float>, _ ground: UnsafePointer<Float>, _ distance: UnsafeMutablePointer<Float>,
        _ shade: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let limit = ceiling
        for x in 0..<count {
            let difference = min(logarithm[x], limit) - min(ground[x], limit)
            distance[x] = abs(difference)
            shade[x] = difference < 0 ? 255 : 0
        }
    }

    private static func measureColors(
        _ logarithm: UnsafePointer<Float>, _ ground: UnsafePointer<Float>, _ distance: UnsafeMutablePointer<Float>,
        _ shade: UnsafeMutablePointer<UInt8>, _ planes: inout Matrix<Float>
    ) {
        let (limit, range) = (ceiling, ceiling - bright)
        let (colorWeight, shadeTint) = (GroundTuning.colorWeight - 1, GroundTuning.shadeTint)
        let (blue, green) = (planes.mutableRow(0), planes.mutableRow(1))
        let (red, brightest) = (planes.mutableRow(2), planes.mutableRow(3))
        for x in 0..<planes.width {
            let place = 3 &* x
            let (b, g, r) = (logarithm[place], logarithm[place &+ 1], logarithm[place &+ 2])
            blue[x] = min(b, limit) - min(ground[place], limit)
            green[x] = min(g, limit) - min(ground[place &+ 1], limit)
            red[x] = min(r, limit) - min(ground[place &+ 2], limit)
            brightest[x] = max(max(b, g), r)
        }
        for x in 0..<planes.width {
            let luma = (blue[x] + green[x] + red[x]) / 3
            let (b, g, r) = (blue[x] - luma, green[x] - luma, red[x] - luma)
            let color = b * b + g * g + r * r
            let weight = 1 + colorWeight * max(0, min(1, (limit - brightest[x]) / range))
            let square = luma * luma + weight * weight * color
            distance[x] = square.squareRoot()
            shade[x] = (luma < 0 ? 255 : 0) & (shadeTint * luma * luma > square ? 255 : 0)
        }
    }

    /// Returns the logarithms of sampled pixels, minus the logarithms of the background at these pixels.
    /// - Parameters:
    ///   - logarithm: the logarithms of the levels of a part of the image.
    ///   - pixels: the rectangle to sample, in pixels of `logarithm`.
    ///   - place: the position of `logarithm`, as fractions of the image.
    ///   - step: the distance between two sampled columns or rows, in pixels; 1 to sample all pixels.
    func residual(_ logarithm: Matrix<Float>, _ pixels: Rectangle, _ place: Box, step: Int) -> Matrix<Float> {
        let (columns, rows) = ((pixels.width + step - 1) / step, (pixels.height + step - 1) / step)
        let width = place.width / Double(logarithm.width)
        let height = place.height / Double(logarithm.height)
        let shift = Double(1 - step) / 2
        let part = Box(
            x: place.x + (Double(pixels.x) + shift) * width, y: place.y + (Double(pixels.y) + shift) * height,
            width: Double(columns * step) * width, height: Double(rows * step) * height)
        let ground = GroundRows(self, width: columns, height: rows, part)
        var result = Matrix<Float>(width: columns, height: rows, channels: channels)
        var levels = Matrix<Float>(width: columns * channels, height: 1)
        let limit = Self.ceiling
        for y in 0..<result.height {
            ground.read(y, into: levels.mutableRow(0))
            let (from, level) = (logarithm.row(pixels.y + y * step) + pixels.x * channels, levels.row(0))
            let to = result.mutableRow(y)
            for x in 0..<columns {
                for c in 0..<channels {
                    let place = x &* channels &+ c
                    to[place] = min(from[place &* step &- c &* (step &- 1)], limit) - min(level[place], limit)
                }
            }
        }
        return result
    }

    /// Returns the background as an image of `width` × `height` pixels.
    func image(width: Int, height: Int) -> Matrix<UInt8> {
        let rows = GroundRows(self, width: width, height: height, .whole)
        var result = Matrix<UInt8>(width: width, height: height, channels: channels)
        var levels = Matrix<Float>(width: width * channels, height: 1)
        for y in 0..<result.height {
            rows.read(y, into: levels.mutableRow(0))
            let (from, to) = (levels.row(0), result.mutableRow(y))
            for x in 0..<levels.width {
                let level = (Double(exp(from[x])) - GroundTuning.offset).rounded()
                to[x] = UInt8(max(0, min(255, level)))
            }
        }
        return result
    }

    // MARK: Noise

    /// Returns the standard deviation of background pixels: the greater of two estimates. The first estimate uses the
    /// median difference between `samples` and the background. The second estimate uses the 95 % quantile of the
    /// difference between the two pixels of each pair. In compressed video, noise appears only in some blocks. The
    /// median does not show this noise, but the quantile does.
    func noise(_ distance: Matrix<Float>) -> Double {
        let usual = madFactor * Double(quantile(samples.map { distance[$0.x, $0.y] }, 1, of: 2))
        let tail = quantile(pairs.map { abs(distance[$0.right, $0.y] - distance[$0.left, $0.y]) }, 19, of: 20)
        return max(usual, GroundTuning.tailFactor * Double(tail))
    }

    /// Returns an estimate of the standard deviation of background pixels in a part of an image. It uses the median
    /// difference between the background and the pixels along the part's border, which are assumed to show the
    /// background.
    static func noiseAlongEdge(_ distance: Matrix<Float>) -> Double {
        let edge = edgePixels(width: distance.width, height: distance.height, margin: 2)
        return madFactor * Double(quantile(edge.map { distance[$0.x, $0.y] }, 1, of: 2))
    }

    // MARK: Rows

    /// Computes the background of a part of the image, row by row.
    private struct GroundRows {
        private let model: Model
        private let width: Int
        private let height: Int
        private let channels: Int
        private let place: Box
        /// The background of each column and channel is a polynomial in y. `constant`, `slope` and `curve` are the
        /// coefficients of 1, y and y² in this polynomial.
        private var (constant, slope, curve): ([Float], [Float], [Float]) = ([], [], [])

        init(_ ground: Ground, width: Int, height: Int, _ place: Box) {
            (model, channels) = (ground.model, ground.channels)
            (self.width, self.height, self.place) = (width, height, place)
            guard case .polynomial(let coefficients) = model else { return }
            let step = Float(2 * place.width / Double(width))
            let start = Float(2 * place.x - 1) + step / 2
            let k = coefficients.map { Float($0) }
            for x in 0..<width {
                let u = start + step * Float(x)
                for c in 0..<channels {
                    func term(_ index: Int) -> Float { k[index * channels + c] }
                    constant.append(term(0) + u * (term(1) + u * term(3)))
                    slope.append(term(2) + u * term(4))
                    curve.append(term(5) + u * u * term(6))
                }
            }
        }

        /// Writes the logarithms of the background in row `y` of the part to `levels`, for all channels.
        func read(_ y: Int, into levels: UnsafeMutablePointer<Float>) {
            switch model {
            case .polynomial:
                let v = Float(2 * place.y - 1 + place.height * Double(2 * y + 1) / Double(height))
                constant.withUnsafeBufferPointer { constant in
                    slope.withUnsafeBufferPointer { slope in
                        curve.withUnsafeBufferPointer { curve in
                            for i in 0..<constant.count { levels[i] = constant[i] + v * (slope[i] + v * curve[i]) }
                        }
                    }
                }
            case .surface(let surface):
                interpolate(surface, y, into: levels)
            }
        }

        private func interpolate(_ surface: Matrix<Float>, _ y: Int, into levels: UnsafeMutablePointer<Float>) {
            let (top, below) = neighbour(y, place.y, place.height, height, surface.height)
            let (upper, lower) = (surface.row(top), surface.row(min(surface.height - 1, top + 1)))
            for x in 0..<width {
                let (left, beside) = neighbour(x, place.x, place.width, width, surface.width)
                let right = min(surface.width - 1, left + 1)
                for c in 0..<channels {
                    let (l, r) = (left * channels + c, right * channels + c)
                    let a = upper[l] + beside * (upper[r] - upper[l])
                    let b = lower[l] + beside * (lower[r] - lower[l])
                    levels[x * channels + c] = a + below * (b - a)
                }
            }
        }

        /// Finds, along one axis, the pixels of the reduced background image (`Model.surface`) before and after a pixel
        /// of the part.
        /// - Returns: the index of the pixel before, and the interpolation weight of the pixel after, 0…1.
        private func neighbour(
            _ pixel: Int, _ start: Double, _ extent: Double, _ length: Int, _ count: Int
        ) -> (Int, Float) {
            let position = (start + extent * (Double(pixel) + 0.5) / Double(length)) * Double(count) - 0.5
            let first = Int(max(0, min(Double(count - 1), position.rounded(.down))))
            return (first, Float(max(0, min(1, position - Double(first)))))
        }
    }
}

extension Box {
    /// The box of a whole image, as fractions of the image.
    static let whole = Box(x: 0, y: 0, width: 1, height: 1)
}

// MARK: - Pixels

/// Smooths an image, and returns the logarithms of (level + `GroundTuning.offset`).
func logarithm(of picture: Matrix<UInt8>) throws(VisionError) -> Matrix<Float> {
    let smooth = try picture.blurred(side: GroundTuning.smoothing)
    let table = (0..<256).map { Float(log(Double($0) + GroundTuning.offset)) }
    var result = Matrix<Float>(sizeOf: smooth, channels: smooth.channels)
    table.withUnsafeBufferPointer { table in
        for y in 0..<smooth.height {
            let (from, to) = (smooth.row(y), result.mutableRow(y))
            for x in 0..<smooth.width &* smooth.channels { to[x] = table[Int(from[x])] }
        }
    }
    return result
}

/// Returns the pixels in a border of `margin` pixels along the edges of an image, row by row.
func edgePixels(width: Int, height: Int, margin: Int) -> [(x: Int, y: Int)] {
    var result: [(x: Int, y: Int)] = []
    for y in 0..<height {
        let isInside = y >= margin && y < height - margin
        for x in 0..<(isInside ? min(margin, width) : width) { result.append((x, y)) }
        if isInside, width > margin {
            for x in max(margin, width - margin)..<width { result.append((x, y)) }
        }
    }
    return result
}
