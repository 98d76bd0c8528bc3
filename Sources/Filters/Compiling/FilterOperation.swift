// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// The basic operations of filters. The compiler turns the operations of a whole chain into passes.
///
/// Colours are in the range 0…1, in the encoding of the frame's bytes. Non-linear operations clip their input to this
/// range. Linear operations also accept and produce values outside of it.
indirect enum FilterOperation: Sendable {
    /// Applies a linear map to each colour.
    case matrix(ColorMatrix)
    /// Applies a curve to each channel of each colour.
    case curve(Curve)
    /// Changes each colour by another formula.
    case color(ColorStage)
    /// Replaces each colour by means of a colour table.
    case cube(ColorCube)
    /// Blends a colour over the image, weighted by a mask.
    case overlay(FilterMask, Overlay)
    /// Replaces each pixel by black or white: white if the luma is above the mask, otherwise black. Between black and
    /// white there is a ramp of the width 1 / sharpness.
    case screen(FilterMask, sharpness: Double)
    /// Takes each pixel from another position.
    case warp(Warp)
    case blur(Blur)
    case neighbours(Neighbourhood)
    /// Combines the image with the result of other operations on a copy of the image.
    case branch([FilterOperation], Combination)
    /// Square blocks of the mean colour, with this side length in pixels.
    case blocks(Int)
    /// The Kuwahara filter: there are four squares that have the pixel at a corner, and each pixel becomes the mean of
    /// the square with the lowest variance of luma. Squares have sides of 2 · reach + 1 pixels.
    case kuwahara(reach: Int)
    /// The mean of 32 copies of the image, scaled about a centre (0…1 of the frame). The scales range from 1 to 1 −
    /// amount.
    case zoomBlur(center: Point, amount: Double)
}

extension FilterOperation {
    /// Combines the image with its Gaussian blur.
    static func combine(_ kind: CombinationKind, withBlur sigma: Double, _ parameters: Double...) -> FilterOperation {
        .branch([.blur(.gaussian(sigma: sigma))], Combination(kind: kind, parameters: KernelParameters(parameters)))
    }
}

/// A variant of a kernel, with its parameters.
struct KernelVariant<Kind: Sendable>: Sendable {
    let kind: Kind
    let parameters: KernelParameters

    /// - Parameter parameters: at most 16 values.
    init(_ kind: Kind, _ parameters: Double...) {
        self.init(kind: kind, parameters: KernelParameters(parameters))
    }

    init(kind: Kind, parameters: KernelParameters) { (self.kind, self.parameters) = (kind, parameters) }
}

/// A pixel-wise change of colours that is not a curve.
typealias ColorStage = KernelVariant<ColorStageKind>
/// A filter over 3 x 3 or 5 x 5 pixels.
typealias Neighbourhood = KernelVariant<NeighbourhoodKind>
/// A formula that combines an image with a second image.
typealias Combination = KernelVariant<CombinationKind>

extension ColorStage {
    init(_ matrix: ColorMatrix) { self.init(kind: .matrix, parameters: KernelParameters(matrix.coefficients)) }
}

/// Parameters for a kernel, stored inline without a reference, so that copies are cheap.
typealias KernelParameters = SIMD16<Float>

extension KernelParameters {
    /// Creates parameters from at most 16 numbers; the remaining values are 0.
    init(_ values: [Double]) {
        self.init(repeating: 0)
        for (index, number) in values.prefix(16).enumerated() { self[index] = Float(number) }
    }

    /// Calls a closure with a pointer to the values.
    func withPointer(_ body: (UnsafePointer<Float>) -> Void) {
        withUnsafePointer(to: self) { $0.withMemoryRebound(to: Float.self, capacity: 16, body) }
    }
}

/// An overlay with the formula v · (1 − fading · mask) + added · mask.
struct Overlay: Sendable, Hashable {
    var fading: Double
    var added: RealColor

    /// Creates a colour that covers the image where the mask is 1.
    init(_ color: RealColor, opacity: Double) {
        fading = opacity
        added = RealColor(color.red * opacity, color.green * opacity, color.blue * opacity)
    }

    init(fading: Double, added: RealColor) {
        (self.fading, self.added) = (fading, added)
    }
}

/// A mask: a value for each position in the image.
enum FilterMask: Sendable, Hashable {
    /// Rises from 0 within the distance `inner` from the centre to 1 beyond `outer`.
    /// - Parameters:
    ///   - center: the centre, 0…1 of the frame.
    ///   - inner, outer: distances, where 1 is half of the frame's diagonal.
    ///   - isSmooth: true for the curve t² (3 − 2t), false for t.
    case radial(center: Point, inner: Double, outer: Double, isSmooth: Bool)
    /// ½ + contrast · the cosine of a wave, or the product of the cosines of two perpendicular waves.
    /// - Parameters:
    ///   - center: the position of a maximum, 0…1 of the frame.
    ///   - length: the wavelength in pixels.
    ///   - angle: the direction of the first wave, in degrees.
    case waves(center: Point, length: Double, angle: Double, isCrossed: Bool, contrast: Double)
}

/// Blurs, with lengths in pixels. They filter along lines, so the cost hardly depends on the radius.
enum Blur: Sendable, Hashable {
    /// - Parameter sigma: the standard deviation in pixels.
    case gaussian(sigma: Double)
    /// The mean of the pixels up to the distance `radius` in each direction. If the radius is not a whole number, its
    /// fractional part is the weight of the outermost pixels.
    case box(radius: Double)
    /// The mean along a line.
    case motion(radius: Double, degrees: Double)
}
