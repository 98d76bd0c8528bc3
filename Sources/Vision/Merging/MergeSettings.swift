// SPDX-License-Identifier: LGPL-2.1-or-later
package import KernelTypes

/// Settings for merging faces. Methods that use the settings call `sanitized` first, which replaces invalid values.
package struct MergeSettings: Sendable, Hashable {
    package enum Style: Sendable, Hashable, CaseIterable {
        /// Multiplies the boxes of both faces pixel by pixel. Of the other settings, only `smoothing` applies.
        case classic
        /// Blends the partner over the face with a soft elliptical mask.
        case smooth
    }

    package var style: Style
    /// Mode of blending the partner over the face.
    package var mode = BlendMode.normal
    /// Opacity of the merged face, 0…1.
    package var opacity = 1.0
    /// Width of the mask's soft edge, as a fraction of the distance from the centre to the edge of the ellipse, 0…1.
    package var feather = 0.4
    /// True to match colours by their mean and standard deviation: the partner's colours to the face, and the merged
    /// face's colours to the original face.
    package var matchColors = true
    /// True to draw the ears of a cat above a human's head.
    package var hasEars = true
    /// Smoothing of the landmarks over time for a face that does not move, 0…1; 0 disables the smoothing.
    package var smoothing = 0.5

    package init(style: Style) { self.style = style }

    /// Settings for the merge of the app ManyMasks.
    package static let classic: MergeSettings = {
        var settings = MergeSettings(style: .classic)
        settings.smoothing = 0
        return settings
    }()

    /// The default settings.
    package static let smooth = MergeSettings(style: .smooth)

    /// The settings with all values limited to their ranges. NaN is replaced by the default.
    package var sanitized: MergeSettings {
        func clipped(_ value: Double, _ other: Double) -> Double { value.isFinite ? min(1, max(0, value)) : other }
        var settings = self
        settings.opacity = clipped(opacity, Self.smooth.opacity)
        settings.feather = clipped(feather, Self.smooth.feather)
        settings.smoothing = clipped(smoothing, Self.smooth.smoothing)
        return settings
    }
}
