internal import KernelTypes

/// What filters are made of. Chains are compiled from these, whatever filters they came with.
///
/// Colours are 0…1 as the frame's bytes tell them. The operations that are not linear clip what they take to that; the
/// others take and give what lies beyond it too.
indirect enum FilterOperation: Sendable {
    /// Each colour, linearly.
    case matrix(ColorMatrix)
    /// Each channel of each colour by a curve.
    case curve(Curve)
    /// Each colour in another way.
    case color(ColorStage)
    /// Each colour by a table for colours.
    case cube(ColorCube)
    /// Lays a colour over the picture where a mask is.
    case overlay(FilterMask, Overlay)
    /// Black and white: white where luma is above a mask, over a slope of 1 / sharpness.
    case screen(FilterMask, sharpness: Double)
    /// Each pixel from another place.
    case warp(Warp)
    case blur(Blur)
    case neighbours(Neighbourhood)
    /// Combines the picture with what becomes of a copy of it.
    case branch([FilterOperation], Combination)
    /// Blocks of one colour, so many pixels wide and high.
    case blocks(Int)
    /// The Kuwahara filter: of the squares of 2 · reach + 1 pixels that have the pixel at a corner, the mean of the calmest.
    case calmest(reach: Int)
    /// The mean of the picture and those scaled about a centre (0…1 of the frame), 2 to the power of `doublings` in all,
    /// the last one to a size of 1 − amount.
    case zoomBlur(center: Point, amount: Double)
}

/// Ways to change a colour that are no matrix and no curve.
struct ColorStage: Sendable, Hashable {
    let kind: ColorStageKind
    let parameters: KernelParameters

    /// - Parameter parameters: at most 16.
    init(_ kind: ColorStageKind, _ parameters: Double...) {
        self.kind = kind
        self.parameters = KernelParameters(parameters)
    }

    init(_ matrix: ColorMatrix) {
        kind = .matrix
        parameters = KernelParameters(matrix.numbers)
    }
}

/// Numbers for a kernel, in one place and without a reference, so that to hand them over costs nothing.
typealias KernelParameters = SIMD16<Float>

extension KernelParameters {
    /// At most 16 numbers, and 0 for the rest.
    init(_ numbers: [Double]) {
        self.init(repeating: 0)
        for (index, number) in numbers.prefix(16).enumerated() { self[index] = Float(number) }
    }

    /// Lends the numbers to a kernel.
    func lend(_ body: (UnsafePointer<Float>) -> Void) {
        withUnsafePointer(to: self) { $0.withMemoryRebound(to: Float.self, capacity: 16, body) }
    }
}

/// v · (1 − fading · mask) + added · mask
struct Overlay: Sendable, Hashable {
    var fading: Double
    var added: RealColor

    /// A colour that covers the picture where the mask is 1.
    init(_ color: RealColor, opacity: Double) {
        fading = opacity
        added = RealColor(color.red * opacity, color.green * opacity, color.blue * opacity)
    }

    init(fading: Double, added: RealColor) {
        self.fading = fading
        self.added = added
    }
}

/// A number for each place of the picture.
enum FilterMask: Sendable, Hashable {
    /// From 0 up to `inner` away from the centre to 1 beyond `outer`.
    /// - Parameters:
    ///   - center: 0…1 of the frame.
    ///   - inner, outer: in halves of the frame's diagonal.
    ///   - isSmooth: whether it goes by t² (3 − 2t) rather than by t.
    case radial(center: Point, inner: Double, outer: Double, isSmooth: Bool)
    /// ½ + contrast · the product of the cosines of one wave, or of two at right angles.
    /// - Parameters:
    ///   - center: where the waves are highest, 0…1 of the frame.
    ///   - length: of a wave, in pixels.
    ///   - angle: in which the first one goes, in degrees.
    case waves(center: Point, length: Double, angle: Double, isCrossed: Bool, contrast: Double)
}

/// Blurs, in pixels. They are separable, and what they cost does not depend on the radius.
enum Blur: Sendable, Hashable {
    /// - Parameter sigma: the standard deviation.
    case gaussian(sigma: Double)
    /// The mean of those up to `radius` away in each direction; a fraction counts those on the border by a share.
    case box(radius: Double)
    /// The mean along a line.
    case motion(radius: Double, degrees: Double)
}

/// Filters of 3 x 3 pixels, or 5 x 5.
struct Neighbourhood: Sendable, Hashable {
    let kind: NeighbourhoodKind
    let parameters: KernelParameters

    /// - Parameter parameters: at most 16.
    init(_ kind: NeighbourhoodKind, _ parameters: Double...) {
        self.kind = kind
        self.parameters = KernelParameters(parameters)
    }

    var needsLuma: Bool { kind == .emboss || kind == .comic }

    /// How far the pixels are that it looks at.
    var margin: Int { kind == .median5 ? 2 : 1 }
}

/// Ways to combine a picture with another.
struct Combination: Sendable, Hashable {
    let kind: CombinationKind
    let parameters: KernelParameters

    /// - Parameter parameters: at most 16.
    init(_ kind: CombinationKind, _ parameters: Double...) {
        self.kind = kind
        self.parameters = KernelParameters(parameters)
    }
}
