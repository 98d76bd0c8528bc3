// SPDX-License-Identifier: LGPL-2.1-or-later
internal import KernelTypes

extension Filter {
    static let sharpeners = [sharpenLuminance, unsharpMask]

    /// v + sharpness · (L − b), where v is a channel, L is the Rec.601 luma and b is the Gaussian blur of L. All
    /// channels change by the same value, so edges get no colour fringes.
    private static let sharpenLuminance = Filter(
        "sharpen-luminance", .sharpen, "Sharpens details without changing colours",
        number("sharpness", in: 0...4, default: 1, "strength"),
        number("radius", in: 0.3...20, default: 1.5, unit: "px", "standard deviation of the blur")
    ) { sharpness, radius in [.combine(.sharpLuma, withBlur: radius, sharpness)] }

    /// v + intensity · (v − b), where v is a channel and b is the Gaussian blur of this channel. If |v − b| is not
    /// above the threshold, v does not change.
    private static let unsharpMask = Filter(
        "unsharp-mask", .sharpen, "Sharpens edges",
        number("intensity", in: 0...4, default: 1, "strength"),
        number("radius", in: 0.3...50, default: 3, unit: "px", "standard deviation of the blur"),
        number("threshold", in: 0...1, default: 0, "minimum difference from the blurred image")
    ) { intensity, radius, threshold in [.combine(.unsharp, withBlur: radius, intensity, 255 * threshold)] }
}
