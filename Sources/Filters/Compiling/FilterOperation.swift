// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// An operation of a filter. The compiler turns the operations of a whole chain into passes.
///
/// A colour channel is a byte value of the frame, divided by 255. Non-linear operations limit their input to 0…1.
/// Linear operations also accept and produce values outside of this range.
indirect enum FilterOperation: Sendable {
    /// Applies a linear map to each colour.
    case matrix(ColorMatrix)
    /// Applies a curve to each channel of each colour.
    case curve(Curve)
    /// Changes each colour by a formula that is not a curve.
    case color(ColorStage)
    case cube(ColorCube)
    /// Blends a colour over the image, weighted by a mask.
    case overlay(FilterMask, Overlay)
    /// Draws a halftone: sets all channels of a pixel to (luma − mask) · sharpness + ½. With a high sharpness, a pixel
    /// becomes white if its luma is above the mask, otherwise black.
    case screen(FilterMask, sharpness: Double)
    /// Moves pixels. Each pixel of the result gets the colour at another position of the image.
    case warp(Warp)
    case blur(Blur)
    case neighbours(Neighbourhood)
    /// Applies other operations to a copy of the image, and combines the image with the result.
    case branch([FilterOperation], Combination)
    /// Fills square blocks with their mean colours. The value is the side of a block in pixels.
    case blocks(Int)
    /// The Kuwahara filter. Each pixel is a corner of four squares, with sides of 2 · reach + 1 pixels. The pixel gets
    /// the mean colour of the square whose luma has the smallest variance.
    case kuwahara(reach: Int)
    /// Computes the mean of 32 copies of the image, scaled about `center` (0…1 of the frame). The scales range from 1
    /// to 1 − amount.
    case zoomBlur(center: Point, amount: Double)
}

extension FilterOperation {
    /// Combines the image with its Gaussian blur.
    static func combine(_ kind: CombinationKind, withBlur sigma: Double, _ parameters: Double...) -> FilterOperation {
        .branch([.blur(.gaussian(sigma: sigma))], Combination(kind: kind, parameters: KernelParameters(parameters)))
    }
}

/// A variant of a kernel: which formula the kernel computes (`kind`), and the parameters of this formula.
struct KernelVariant<Kind: Sendable>: Sendable {
    let kind: Kind
    let parameters: KernelParameters

    /// - Parameter parameters: at most 16 values.
    init(_ kind: Kind, _ parameters: Double...) {
        self.init(kind: kind, parameters: KernelParameters(parameters))
    }

    init(kind: Kind, parameters: KernelParameters) { (self.kind, self.parameters) = (kind, parameters) }
}

/// A colour change that computes each pixel from the same pixel only, and that is not a curve.
typealias ColorStage = KernelVariant<ColorStageKind>
/// A filter that computes a pixel from 3 x 3 or 5 x 5 pixels.
typealias Neighbourhood = KernelVariant<NeighbourhoodKind>
/// A formula that combines an image with a second image.
typealias Combination = KernelVariant<CombinationKind>

extension ColorStage {
    init(_ matrix: ColorMatrix) { self.init(kind: .matrix, parameters: KernelParameters(matrix.coefficients)) }
}

/// The parameters of a kernel. They are stored inline, without a reference, so that copies are fast.
typealias KernelParameters = SIMD16<Float>

extension KernelParameters {
    /// Creates parameters from at most 16 numbers. The remaining values are 0.
    init(_ values: [Double]) {
        self.init(repeating: 0)
        for (index, number) in values.prefix(16).enumerated() { self[index] = Float(number) }
    }

    func withPointer(_ body: (UnsafePointer<Float>) -> Void) {
        withUnsafePointer(to: self) { $0.withMemoryRebound(to: Float.self, capacity: 16, body) }
    }
}

/// A colour that is blended over the image: v · (1 − fading · mask) + added · mask, where v is a channel. The mask is
/// 0…1.
struct Overlay: Sendable, Hashable {
    var fading: Double
    var added: RealColor

    /// Creates an overlay that draws `color` over the image where the mask is 1.
    init(_ color: RealColor, opacity: Double) {
        fading = opacity
        added = RealColor(color.red * opacity, color.green * opacity, color.blue * opacity)
    }

    init(fading: Double, added: RealColor) {
        (self.fading, self.added) = (fading, added)
    }
}

/// A mask: a number 0…1 for each position in the image.
enum FilterMask: Sendable, Hashable {
    /// The mask is 0 up to the distance `inner` from the centre, and 1 beyond the distance `outer`.
    /// - Parameters:
    ///   - center: the centre, 0…1 of the frame.
    ///   - inner, outer: distances, as fractions of half of the frame's diagonal.
    ///   - isSmooth: t rises linearly from 0 at `inner` to 1 at `outer`. If `isSmooth` is true, the mask is t² (3 −
    ///     2t). Otherwise the mask is t.
    case radial(center: Point, inner: Double, outer: Double, isSmooth: Bool)
    /// The mask is ½ + contrast · c. c is the cosine of a wave. If `isCrossed` is true, c is the product of the cosines
    /// of two perpendicular waves.
    /// - Parameters:
    ///   - center: the position of a maximum, 0…1 of the frame.
    ///   - length: the wavelength in pixels.
    ///   - angle: the direction of the first wave, in degrees.
    case waves(center: Point, length: Double, angle: Double, isCrossed: Bool, contrast: Double)
}

/// A blur. Lengths are in pixels. The running time is almost independent of the radius.
enum Blur: Sendable, Hashable {
    /// - Parameter sigma: the standard deviation in pixels.
    case gaussian(sigma: Double)
    /// Sets each pixel to the mean of a square around the pixel. The square extends by `radius` pixels to each side. If
    /// `radius` is not a whole number, its fractional part is the weight of the outermost pixels.
    case box(radius: Double)
    /// Sets each pixel to the mean of the pixels on a line through the pixel. The line extends by `radius` pixels in
    /// the direction `degrees`, and by `radius` pixels in the opposite direction.
    case motion(radius: Double, degrees: Double)
}
