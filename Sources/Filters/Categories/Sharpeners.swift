// SPDX-License-Identifier: LGPL-2.1-or-later
internal import KernelTypes

extension Filter {
    static let sharpeners = [sharpenLuminance, unsharpMask]

    /// v + sharpness · (L − Gaussian blur of L), where L is the Rec.601 luma. Edges get no colour fringes.
    private static let sharpenLuminance = Filter(
        "sharpen-luminance", .sharpen, "Sharpens details without changing colours",
        number("sharpness", in: 0...4, default: 1, "strength"),
        number("radius", in: 0.3...20, default: 1.5, unit: "px", "standard deviation of the blur")
    ) { sharpness, radius in [.combine(.sharpLuma, withBlur: radius, sharpness)] }

    /// v + intensity · (v − Gaussian blur of v) if the absolute difference is above the threshold, else v
    private static let unsharpMask = Filter(
        "unsharp-mask", .sharpen, "Sharpens edges",
        number("intensity", in: 0...4, default: 1, "strength"),
        number("radius", in: 0.3...50, default: 3, unit: "px", "standard deviation of the blur"),
        number("threshold", in: 0...1, default: 0, "minimum difference from the blurred image")
    ) { intensity, radius, threshold in [.combine(.unsharp, withBlur: radius, intensity, 255 * threshold)] }
}
