import Pixels
package import KernelTypes

/// How faces are merged. Values that make no sense are replaced by sensible ones where they are used (`sound`).
package struct MergeSettings: Sendable, Hashable {
    package enum Style: Sendable, Hashable, CaseIterable {
        /// Both faces multiplied, box by box; only `smoothing` counts of the other settings.
        case classic
        /// The partner blended over the face through a soft oval.
        case smooth
    }

    package var style: Style
    /// How the partner is blended over the face.
    package var mode = BlendMode.multiply
    /// How much of the hybrid there is, 0…1.
    package var opacity = 1.0
    /// How much of the way from the oval's middle to its edge the hybrid takes to fade, 0…1.
    package var feather = 0.4
    /// Whether the partner takes on the face's light, and the hybrid keeps it: mean and deviation of the colours.
    package var matchColors = true
    /// How much the points of a face that stands still are smoothed over time, 0…1; 0 is not at all.
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

    /// The settings with every number in its range; what is no number becomes the default's.
    package var sound: MergeSettings {
        func clipped(_ value: Double, _ other: Double) -> Double { value.isFinite ? min(1, max(0, value)) : other }
        var settings = self
        settings.opacity = clipped(opacity, Self.smooth.opacity)
        settings.feather = clipped(feather, Self.smooth.feather)
        settings.smoothing = clipped(smoothing, Self.smooth.smoothing)
        return settings
    }
}
