// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV

/// The ground about an object: a plane for each channel, and the light in hard shadows on it.
struct GroundPlane: Sendable {
    /// Factor of the light in shadows; 1 if there are none.
    private(set) var shadow: Float = 1
    private let channels: Int
    /// Level of the first pixel, and its change per column and per row, arranged like `pixel(_:_:)`.
    private let start, across, down: SIMD4<Float>

    /// Fits planes to the pixels of a mask, some of which may show other objects, and looks among them for a shadow: a factor
    /// of the light that many pixels have in all channels.
    init(_ picture: Matrix<UInt8>, _ ground: Matrix<UInt8>) throws(VisionError) {
        channels = picture.channels
        let (width, height) = (Double(picture.width), Double(picture.height))
        var (basis, levels): ([Double], [Double]) = ([], [])
        var number = 0
        // An odd step, so that pixels of all columns count.
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
        // The factor that most pixels of the ground have, if many have it.
        let factors = factors(picture, ground)
        var most = max(GroundPlaneTuning.leastShadow, factors.total / GroundPlaneTuning.wideShadow) - 1
        for bin in Factors.shadows where factors.near(bin) > most {
            (most, shadow) = (factors.near(bin), Factors.factor(bin))
        }
    }

    // MARK: - Contrast

    /// Returns the difference of each pixel from the ground in levels, where differences in colour count more than those in
    /// light.
    /// - Parameter darkest: a pixel that is as dark as the ground times a factor from this to 1 differs in colour alone.
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

    /// Returns a pixel's blue, green, red and red again, or its grey in all places.
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

    /// Returns the levels of the first pixel of a row.
    private func level(_ y: Int) -> SIMD4<Float> { start + down * Float(y) }

    // MARK: - Factors of the light

    /// Numbers of pixels whose light is a factor of the ground's, in all channels alike.
    private struct Factors {
        static let count = 42
        static let width: Float = 0.02
        /// Bins that may be those of a shadow: bin 1 holds the factors from 0.
        static let shadows = 11...count

        /// One more at either end.
        var bins = [Int](repeating: 0, count: count + 2)
        /// Number of all pixels.
        var total = 0

        /// Number of pixels of a bin and its neighbours.
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

    /// Returns the bin of a pixel; 0 if its channels differ, or there is no bin.
    @inline(__always)
    private func bin(_ pixel: SIMD4<Float>, _ levels: SIMD4<Float>) -> Int {
        let factors = pixel / pointwiseMax(levels, SIMD4(repeating: GroundPlaneTuning.darkest))
        let low = min(factors.x, min(factors.y, factors.z)), high = max(factors.x, max(factors.y, factors.z))
        let bin = ((low + high) / 2 / Factors.width).rounded(.down)
        guard bin < Float(Factors.count), high - low < GroundPlaneTuning.tint * (2 - low) else { return 0 }
        return Int(bin) + 1
    }

    /// Returns the factor of the light in a shadow that hardly reaches beyond its object; 1 if there is none.
    /// - Parameters:
    ///   - edge: mask of the pixels along the object's outline and beyond it.
    ///   - inside: mask of pixels farther inside. The factor that most of these have is the object's.
    func narrowShadow(
        _ picture: Matrix<UInt8>, edge: Matrix<UInt8>, inside: Matrix<UInt8>
    ) throws(VisionError) -> Float {
        let (edges, object) = (factors(picture, edge), factors(picture, inside))
        let sum = Factors.shadows.reduce(0) { $0 + edges.bins[$1] }
        let least = max(GroundPlaneTuning.leastShadow, edges.total / GroundPlaneTuning.narrowShadow)
        var (most, result): (Int, Float) = (0, 1)
        for bin in Factors.shadows {
            let near = edges.near(bin)
            // The blurred edge of an object has all factors alike, but for those that are almost the object's.
            let isPeak = near * Factors.shadows.count > GroundPlaneTuning.peak * 3 * (sum - near)
            guard near > most, near >= edges.near(bin - 1), near >= least, isPeak,
                2 * object.near(bin) < object.total, try isWide(picture, edge, bin)
            else { continue }
            (most, result) = (near, Factors.factor(bin))
        }
        return result
    }

    /// Returns whether at least a quarter of the pixels near a bin are side by side in both directions: those of a blurred edge
    /// are not.
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

/// Numbers by which the ground about an object is estimated.
enum GroundPlaneTuning {
    /// Number of pixels to which planes are fitted, about. More take longer.
    static let pixels = 700
    /// Rounds of the fit; after five the weights hardly change.
    static let rounds = 5
    /// Least standard deviation of the ground, in levels: rounding and compression.
    static let leastDeviation = 1.5
    /// Added to the normal equations, so that few pixels have a fit, too.
    static let ridge = 1e-6
    /// Weight of the square of a difference in colour, where that of the light has 1: shadows differ in light.
    static let colorWeight: Float = 4
    /// Level of the ground from which on factors are meaningful.
    static let darkest: Float = 20
    /// Maximum difference of the factors of a shadow's channels, times 2 − the least one: shadows are tinted, the more the
    /// darker they are.
    static let tint: Float = 0.06
    /// Minimum number of pixels of a shadow, and of the ground's pixels for each one of a wide or a narrow shadow. Fewer are
    /// noise.
    static let leastShadow = 15
    static let (wideShadow, narrowShadow) = (12, 100)
    /// Number of times that a narrow shadow's factor must be more frequent than all other factors on average.
    static let peak = 2
}
