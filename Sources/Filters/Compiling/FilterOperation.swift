// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// The operations that filters are made of. Chains are compiled from these, whichever filters they come from.
///
/// Colours are 0…1, as encoded in the frame's bytes. Operations that are not linear clip their input to that range; the
/// others accept and produce values beyond it too.
indirect enum FilterOperation: Sendable {
    /// Changes each colour linearly.
    case matrix(ColorMatrix)
    /// Changes each channel of each colour by a curve.
    case curve(Curve)
    /// Changes each colour in another way.
    case color(ColorStage)
    /// Replaces each colour by means of a table of colours.
    case cube(ColorCube)
    /// Lays a colour over the picture where a mask is.
    case overlay(FilterMask, Overlay)
    /// Black and white: white where luma is above a mask, over a slope of 1 / sharpness.
    case screen(FilterMask, sharpness: Double)
    /// Takes each pixel from another place.
    case warp(Warp)
    case blur(Blur)
    case neighbours(Neighbourhood)
    /// Combines the picture with the result of other operations on a copy of it.
    case branch([FilterOperation], Combination)
    /// Blocks of one colour, with this width and height in pixels.
    case blocks(Int)
    /// The Kuwahara filter: the mean of that square of 2 · reach + 1 pixels with the pixel at a corner in which luma
    /// varies least.
    case kuwahara(reach: Int)
    /// The mean of the picture and those scaled about a centre (0…1 of the frame), 32 in all,
    /// the last one to a size of 1 − amount.
    case zoomBlur(center: Point, amount: Double)
}

extension FilterOperation {
    /// Combines the picture with its Gaussian blur.
    static func combine(_ kind: CombinationKind, withBlur sigma: Double, _ parameters: Double...) -> FilterOperation {
        .branch([.blur(.gaussian(sigma: sigma))], Combination(kind: kind, parameters: KernelParameters(parameters)))
    }
}

/// A kind of a kernel's work, with its parameters.
struct KernelVariant<Kind: Sendable>: Sendable {
    let kind: Kind
    let parameters: KernelParameters

    /// - Parameter parameters: at most 16.
    init(_ kind: Kind, _ parameters: Double...) {
        self.init(kind: kind, parameters: KernelParameters(parameters))
    }

    init(kind: Kind, parameters: KernelParameters) { (self.kind, self.parameters) = (kind, parameters) }
}

/// A change of colours that is no curve.
typealias ColorStage = KernelVariant<ColorStageKind>
/// A filter of 3 x 3 pixels, or 5 x 5.
typealias Neighbourhood = KernelVariant<NeighbourhoodKind>
/// A way to combine a picture with another.
typealias Combination = KernelVariant<CombinationKind>

extension ColorStage {
    init(_ matrix: ColorMatrix) { self.init(kind: .matrix, parameters: KernelParameters(matrix.numbers)) }
}

/// Numbers for a kernel, stored inline without a reference, so that passing them on costs nothing.
typealias KernelParameters = SIMD16<Float>

extension KernelParameters {
    /// At most 16 numbers, and 0 for the rest.
    init(_ numbers: [Double]) {
        self.init(repeating: 0)
        for (index, number) in numbers.prefix(16).enumerated() { self[index] = Float(number) }
    }

    /// Calls a closure with a pointer to the numbers.
    func withPointer(_ body: (UnsafePointer<Float>) -> Void) {
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
        (self.fading, self.added) = (fading, added)
    }
}

/// A number for each place of the picture.
enum FilterMask: Sendable, Hashable {
    /// From 0 up to `inner` away from the centre to 1 beyond `outer`.
    /// - Parameters:
    ///   - center: 0…1 of the frame.
    ///   - inner, outer: in halves of the frame's diagonal.
    ///   - isSmooth: whether it follows t² (3 − 2t) rather than t.
    case radial(center: Point, inner: Double, outer: Double, isSmooth: Bool)
    /// ½ + contrast · the product of the cosines of one wave, or of two at right angles.
    /// - Parameters:
    ///   - center: where the waves are highest, 0…1 of the frame.
    ///   - length: of a wave, in pixels.
    ///   - angle: direction of the first one, in degrees.
    case waves(center: Point, length: Double, angle: Double, isCrossed: Bool, contrast: Double)
}

/// Blurs, in pixels. Each is done along one line after another, so its cost does not depend on the radius.
enum Blur: Sendable, Hashable {
    /// - Parameter sigma: the standard deviation.
    case gaussian(sigma: Double)
    /// The mean of pixels up to `radius` away in each direction; those on the border count by its fraction.
    case box(radius: Double)
    /// The mean along a line.
    case motion(radius: Double, degrees: Double)
}
