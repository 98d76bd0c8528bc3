// SPDX-License-Identifier: LGPL-2.1-or-later
package import KernelTypes

/// Settings of the merging of faces. Values that make no sense are replaced by sensible ones where they are used
/// (`sanitized`).
package struct MergeSettings: Sendable, Hashable {
    package enum Style: Sendable, Hashable, CaseIterable {
        /// Both faces multiplied, box by box; of the other settings only `smoothing` is used.
        case classic
        /// The partner blended over the face through a soft oval.
        case smooth
    }

    package var style: Style
    /// Mode in which the partner is blended over the face.
    package var mode = BlendMode.normal
    /// Opacity of the hybrid, 0…1.
    package var opacity = 1.0
    /// Share of the way from the oval's centre to its edge over which the hybrid fades, 0…1.
    package var feather = 0.4
    /// True if the partner takes on the face's light, and the hybrid keeps it: mean and deviation of the colours.
    package var matchColors = true
    /// Smoothing of the points of a face that stands still over time, 0…1; 0 is none.
    package var smoothing = 0.5

    package init(style: Style) { self.style = style }

    /// The original algorithm (ManyMasks).
    package static let classic: MergeSettings = {
        var settings = MergeSettings(style: .classic)
        settings.smoothing = 0
        return settings
    }()

    /// The default.
    package static let smooth = MergeSettings(style: .smooth)

    /// The settings with every number in its range; a NaN becomes the default.
    package var sanitized: MergeSettings {
        func clipped(_ value: Double, _ other: Double) -> Double { value.isFinite ? min(1, max(0, value)) : other }
        var settings = self
        settings.opacity = clipped(opacity, Self.smooth.opacity)
        settings.feather = clipped(feather, Self.smooth.feather)
        settings.smoothing = clipped(smoothing, Self.smooth.smoothing)
        return settings
    }
}
