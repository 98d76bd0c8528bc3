// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

extension Filter {
    static let blurs = [gaussianBlur, boxBlur, motionBlur, zoomBlur, median]

    /// Computes a weighted mean of all pixels. The weights are proportional to exp(−d² / (2 · radius²)), where d is the
    /// distance from the output pixel. The error is less than half of one byte level (see `ReducedPass.levels`). Beyond
    /// the frame, the border pixels of the frame are repeated.
    private static let gaussianBlur = Filter(
        "gaussian-blur", .blur, "Blurs the image softly (Gaussian blur)",
        number("radius", in: 0...100, default: 10, unit: "px", "standard deviation of the blur")
    ) { radius in [.blur(.gaussian(sigma: radius))] }

    /// Sets each pixel to the mean of a square around the pixel. The square extends by `radius` pixels to each side. If
    /// `radius` is not a whole number, its fractional part is the weight of the outermost pixels.
    private static let boxBlur = Filter(
        "box-blur", .blur, "Replaces each pixel by the mean of the square around the pixel",
        number("radius", in: 0...100, default: 10, unit: "px", "half the side of the square")
    ) { radius in [.blur(.box(radius: radius))] }

    /// Sets each pixel to the mean of the pixels on a line through the pixel. The line extends by `radius` pixels in
    /// the direction `angle` and in the opposite direction.
    private static let motionBlur = Filter(
        "motion-blur", .blur, "Blurs the image along a line, as a moving camera does",
        number("radius", in: 0...100, default: 20, unit: "px", "half the length of the line"),
        number("angle", in: -180...180, default: 0, unit: "degrees", "direction of the line (0 = right, 90 = down)")
    ) { radius, angle in [.blur(.motion(radius: radius, degrees: angle))] }

    /// Computes the mean of 32 copies of the image, scaled about the centre. The scales are a geometric series from 1
    /// to 1 − amount. Each `ZoomStep` doubles the number of copies in the mean.
    private static let zoomBlur = Filter(
        "zoom-blur", .blur, "Blurs the image outwards from a centre, as a zooming lens does",
        number("amount", in: 0...0.9, default: 0.15, "strength (0 = unchanged)"),
        center
    ) { amount, center in [.zoomBlur(center: center, amount: amount)] }

    /// Computes the median of each channel in a square of 3 x 3 or 5 x 5 pixels.
    private static let median = Filter(
        "median", .blur, "Removes small specks without blurring edges",
        integer(
            "radius", in: 1...2, default: 1, unit: "px",
            "half the side of the square (1 = 3 x 3 pixels, 2 = 5 x 5 pixels)")
    ) { radius in [.neighbours(Neighbourhood(radius == 1 ? .median3 : .median5))] }
}

extension Filter {
    static let center = TypedParameter(
        number("center-x", in: 0...1, default: 0.5, "x of the centre"),
        number("center-y", in: 0...1, default: 0.5, "y of the centre")
    ) { x, y in Point(x, y) }
}
