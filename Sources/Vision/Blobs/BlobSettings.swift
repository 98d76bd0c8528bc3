// SPDX-License-Identifier: LGPL-2.1-or-later
/// Settings of the blob detector.
package struct BlobSettings: Sendable, Hashable {
    /// Models of the background.
    package enum Model: Int32, Sendable, CaseIterable {
        /// The background is the colours near the mean of the frame. With the defaults of the other settings, this is
        /// BeanCounter's algorithm.
        case frameMean
        /// The background continues the border of the frame: it is a smooth surface, fitted to the pixels along the
        /// border, so the light may decrease towards one side, and objects may touch the border. Objects differ from
        /// the background in light or in colour; colour counts more. Shadows can be removed.
        case border
        /// The usual values of each pixel, as mixtures of Gaussians (Zivkovic, 2004). For cameras that do not move.
        case mog2
        /// The usual values of each pixel, by nearest neighbours (Zivkovic and van der Heijden, 2006). For cameras that
        /// do not move.
        case knn
    }

    /// Types of light on the background.
    package enum Ground: Int32, Sendable, CaseIterable {
        /// The light is even, or decreases towards one side.
        case plain
        /// The light changes smoothly, such as the spot of a lamp. With this setting, objects that touch each other are
        /// separated.
        case uneven
    }

    /// Handling of the shadows that objects cast on the background.
    package enum Shadows: Int32, Sendable, CaseIterable {
        /// Shadows belong to their objects.
        case keep
        /// Shadows belong to the background.
        case remove
    }

    package var model = Model.border
    /// Type of light for the model `border`. The other models ignore this setting.
    package var ground = Ground.plain
    /// Handling of shadows. The model `frameMean` ignores this setting.
    package var shadows = Shadows.remove
    /// Minimum difference between objects and the background, in standard deviations of the background; with `knn`, in
    /// levels. Nil for the default of the model.
    package var stdDevs: Double?
    /// Factor by which frames are reduced before the search, at most 1. Nil for the default of the model.
    package var scale: Double?
    /// `erodeKernel`: side of the square kernel that erodes the background to close gaps in objects, as a fraction of
    /// the reduced frame's shorter side, rounded down to pixels. `erodeIterations`: number of passes of the erosion.
    package var erodeKernel = 0.005
    package var erodeIterations = 8
    /// Minimum length of a blob's longer side, as a fraction of the frame's shorter side, rounded down to pixels. The
    /// minimum length of the shorter side is a quarter of this length. With `frameMean`, the minimum applies to both
    /// sides. Nil for the default of the model.
    package var minSize: Double?
    /// Maximum length of both sides, as a fraction of the frame's shorter side (0 = unlimited).
    package var maxSize = 0.0
    /// Maximum number of blobs. The largest blobs are kept.
    package var maxBlobs = 32
    /// Number of frames that the models `mog2` and `knn` remember.
    package var history = 500

    package init() {}

    /// The settings for the algorithm of the app BeanCounter.
    package static let classic: BlobSettings = {
        var settings = BlobSettings()
        settings.model = .frameMean
        settings.minSize = 0.05
        return settings
    }()

    /// `stdDevs`, or the default of the model.
    package var threshold: Double {
        if let stdDevs { return stdDevs.isFinite ? max(0, stdDevs) : 0 }
        return switch model {
        case .frameMean: 1
        case .border, .mog2: 4
        case .knn: 20
        }
    }

    /// `minSize`, or the default of the model.
    package var smallest: Double { minSize ?? (model == .frameMean ? 0.05 : 0.03) }

    /// Returns the factor by which a frame of this size is reduced. By default, the factor is 0.5 for `frameMean`; the
    /// other models reduce the shorter side to 240 pixels.
    func scale(width: Int, height: Int) -> Double {
        if let scale { return scale > 0 ? min(1, scale) : 1 }
        return model == .frameMean ? 0.5 : min(1, 240 / Double(max(1, min(width, height))))
    }
}
