// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV

/// The background around an object: for each channel, a linear function of x and y that is fitted to the levels. Also
/// contains the light in hard shadows.
struct GroundPlane: Sendable {
    /// The light in shadows divided by the light on the background, 0…1; 1 if there are no shadows.
    private(set) var shadow: Float = 1
    private let channels: Int
    /// `start`: background level at the first pixel. `across`: change of the level per column. `down`: change of the
    /// level per row. The lanes are in the order of `pixel(_:_:)`.
    private let start, across, down: SIMD4<Float>

    /// Fits a plane (a linear function of x and y) to each channel of the masked pixels, and searches these pixels for
    /// a shadow. In a shadow, each level is the background's level times a factor, which is equal in all channels.
    /// - Parameters:
    ///   - picture: the image.
    ///   - ground: the mask of the pixels that may show the background. Some of these pixels may show other objects.
    init(_ picture: Matrix<UInt8>, _ ground: Matrix<UInt8>) throws(VisionError) {
        channels = picture.channels
        let (width, height) = (Double(picture.width), Double(picture.height))
        var (basis, levels): ([Double], [Double]) = ([], [])
        var number = 0
        // Use an odd step. With an even step, the sample might contain only every second column.
        let step = max(1, ground.count / GroundPlaneTuning.pixels) | 1
        for y in 0..<picture.height {
            let (pixels, use) = (picture.row(y), ground.row(y))
            for x in 0..<picture.width where use[x] != 0 {
                if number % step == 0 {
                    basis += [1, 2 * Double(x) / width - 1, 2 * Double(y) / height - 1]
                    for c in 0..<channels { levels.append(Double(pixels[x &* channels &+ c])) }
                }
                number &+= 1
            }
        }
        let fit = try RobustFit(
            terms: 3, basis: basis, channels: channels, values: levels, rounds: GroundPlaneTuning.rounds,
            leastDeviation: GroundPlaneTuning.leastDeviation, ridge: GroundPlaneTuning.ridge
        ).coefficients()
        var (start, across, down) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())
        for lane in 0..<4 {
            let c = min(lane, channels - 1)
            let (constant, alongX, alongY) = (fit[c], fit[channels + c], fit[2 * channels + c])
            start[lane] = Float(constant - alongX - alongY)
            across[lane] = Float(2 * alongX / width)
            down[lane] = Float(2 * alongY / height)
        }
        (self.start, self.across, self.down) = (start, across, down)
        // A factor is a pixel's light divided by the background's light. Many pixels of a shadow have about the same
        // factor. So if enough pixels have the most frequent factor, this factor belongs to a shadow.
        let factors = factors(picture, ground)
        var most = max(GroundPlaneTuning.leastShadow, factors.total / GroundPlaneTuning.wideShadow) - 1
        for bin in Factors.shadows where factors.near(bin) > most {
            (most, shadow) = (factors.near(bin), Factors.factor(bin))
        }
    }

    // MARK: - Contrast

    /// Returns the contrast of each pixel to the background, in levels. A difference in colour has more weight than a
    /// difference in brightness.
    /// - Parameter darkest: the smallest factor of the light in shadows. A pixel may be in a shadow if its light,
    ///   divided by the background's light, is between `darkest` and 1. For such a pixel, only the difference in colour
    ///   counts.
    func contrast(_ picture: Matrix<UInt8>, darkest: Float) -> Matrix<Float> {
        var contrast = Matrix<Float>(sizeOf: picture)
        for y in 0..<picture.height {
            let (pixels, to, start) = (picture.row(y), contrast.mutableRow(y), level(y))
            for x in 0..<picture.width {
                let (pixel, levels) = (pixel(pixels, x), start + across * Float(x))
                let factor = Self.factor(pixel.x + pixel.y + pixel.z, levels.x + levels.y + levels.z, darkest)
                let difference = pixel - factor * levels
                let light = (difference.x + difference.y + difference.z) / 3
                let (blue, green, red) = (difference.x - light, difference.y - light, difference.z - light)
                let color = blue * blue + green * green + red * red
                to[x] = (light * light + GroundPlaneTuning.colorWeight * color).squareRoot()
            }
        }
        return contrast
    }

    /// Returns a pixel as (blue, green, red, red). A grey pixel has the same value in all lanes.
    @inline(__always)
    private func pixel(_ row: UnsafePointer<UInt8>, _ x: Int) -> SIMD4<Float> {
        let pixel = row + x &* channels
        guard channels == 3 else { return SIMD4(repeating: Float(pixel[0])) }
        return SIMD4(Float(pixel[0]), Float(pixel[1]), Float(pixel[2]), Float(pixel[2]))
    }

    @inline(__always)
    private static func factor(_ value: Float, _ level: Float, _ darkest: Float) -> Float {
        darkest >= 1 || level <= 0 ? 1 : max(darkest, min(1, value / level))
    }

    /// Returns the background's levels at the first pixel of row `y`.
    private func level(_ y: Int) -> SIMD4<Float> { start + down * Float(y) }

    // MARK: - Factors of the light

    /// A histogram of factors. The factor of a pixel is the pixel's light divided by the background's light. The
    /// histogram contains only pixels with similar factors in all channels.
    private struct Factors {
        static let count = 42
        static let width: Float = 0.02
        /// The bins of the factors that a shadow can have. Bin 1 begins at the factor 0.
        static let shadows = 11...count

        /// One additional bin at each end, so that `near` can read the neighbours of every other bin.
        var bins = [Int](repeating: 0, count: count + 2)
        /// Number of all pixels, including the pixels that are in no bin.
        var total = 0

        /// Returns the number of pixels in a bin and its two neighbours.
        func near(_ bin: Int) -> Int { bins[bin - 1] + bins[bin] + bins[bin + 1] }

        static func factor(_ bin: Int) -> Float { width * (Float(bin) - 0.5) }
    }

    private func factors(_ picture: Matrix<UInt8>, _ mask: Matrix<UInt8>) -> Factors {
        var factors = Factors()
        for y in stride(from: 0, to: picture.height, by: 2) {
            let (pixels, use, start) = (picture.row(y), mask.row(y), level(y))
            for x in 0..<picture.width where use[x] != 0 {
                factors.total &+= 1
                let bin = bin(pixel(pixels, x), start + across * Float(x))
                if bin > 0 { factors.bins[bin] &+= 1 }
            }
        }
        return factors
    }

    /// Returns the bin of a pixel; 0 if the factors of the pixel's channels differ too much, or if the factor is too
    /// large for the histogram.
    @inline(__always)
    private func bin(_ pixel: SIMD4<Float>, _ levels: SIMD4<Float>) -> Int {
        let factors = pixel / pointwiseMax(levels, SIMD4(repeating: GroundPlaneTuning.darkest))
        let low = min(factors.x, min(factors.y, factors.z)), high = max(factors.x, max(factors.y, factors.z))
        let bin = ((low + high) / 2 / Factors.width).rounded(.down)
        guard bin < Float(Factors.count), high - low < GroundPlaneTuning.tint * (2 - low) else { return 0 }
        return Int(bin) + 1
    }

    /// Returns the factor of the light in a narrow shadow, which extends only a few pixels beyond its object; 1 if
    /// there is no such shadow.
    /// - Parameters:
    ///   - edge: the mask of all pixels outside of the object, and of the object's pixels near the outline.
    ///   - inside: the mask of the object's other pixels. If more than half of these pixels have a factor, this factor
    ///     belongs to the object.
    func narrowShadow(
        _ picture: Matrix<UInt8>, edge: Matrix<UInt8>, inside: Matrix<UInt8>
    ) throws(VisionError) -> Float {
        let (edges, object) = (factors(picture, edge), factors(picture, inside))
        let sum = Factors.shadows.reduce(0) { $0 + edges.bins[$1] }
        let least = max(GroundPlaneTuning.leastShadow, edges.total / GroundPlaneTuning.narrowShadow)
        var (most, result): (Int, Float) = (0, 1)
        for bin in Factors.shadows {
            let near = edges.near(bin)
            // At a blurred edge, all factors are about equally frequent, except the factors near the object's factor.
            // So the factor of a shadow must be clearly more frequent than the average factor.
            let isPeak = near * Factors.shadows.count > GroundPlaneTuning.peak * 3 * (sum - near)
            guard near > most, near >= edges.near(bin - 1), near >= least, isPeak,
                2 * object.near(bin) < object.total, try isWide(picture, edge, bin)
            else { continue }
            (most, result) = (near, Factors.factor(bin))
        }
        return result
    }

    /// Returns true if the pixels whose factor is at most two bins away from a bin form a wide area. This is the case
    /// if more than a quarter of these pixels form squares of 2 × 2 pixels. At a blurred edge, they form only narrow
    /// lines.
    private func isWide(_ picture: Matrix<UInt8>, _ mask: Matrix<UInt8>, _ bin: Int) throws(VisionError) -> Bool {
        var alike = Matrix<UInt8>(sizeOf: mask)
        for y in 0..<picture.height {
            let (pixels, use, to, start) = (picture.row(y), mask.row(y), alike.mutableRow(y), level(y))
            for x in 0..<picture.width where use[x] != 0 {
                to[x] = abs(self.bin(pixel(pixels, x), start + across * Float(x)) - bin) <= 2 ? 255 : 0
            }
        }
        return 4 * (try alike.morphed(sv_cv_open, side: 2)).count > alike.count
    }
}

/// Constants for the estimation of the background around an object.
enum GroundPlaneTuning {
    /// Approximate number of pixels to which the planes are fitted. If there are more pixels, the fit uses every n-th
    /// pixel.
    static let pixels = 700
    /// Number of rounds of the robust fit. Each round fits the planes, and computes new weights from the residuals.
    static let rounds = 5
    /// Minimum standard deviation of the residuals, in levels, from which the fit computes the weights.
    static let leastDeviation = 1.5
    /// This value is added to the diagonal of the normal equations, so that a few pixels are enough for a solution.
    static let ridge = 1e-6
    /// Weight of colour in the contrast √(l² + `colorWeight` × c²) between a pixel and the background. l: difference in
    /// brightness. c: difference in colour.
    static let colorWeight: Float = 4
    /// Background levels below this value are replaced by this value before pixels are divided by the background.
    static let darkest: Float = 20
    /// The factor of a channel is the pixel's level divided by the background's level. In a shadow, the factors of a
    /// pixel's channels differ by less than `tint` × (2 − m). m: the smallest of these factors.
    static let tint: Float = 0.06
    /// A shadow must have at least `leastShadow` pixels, and at least 1/`wideShadow` of the examined pixels. For a
    /// narrow shadow, 1/`narrowShadow` of the examined pixels is enough.
    static let leastShadow = 15
    static let (wideShadow, narrowShadow) = (12, 100)
    /// A factor (a pixel's light / the background's light) can belong to a narrow shadow only if it is more than `peak`
    /// times as frequent as the average of all other factors.
    static let peak = 2
}
