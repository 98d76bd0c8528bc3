// SPDX-License-Identifier: LGPL-2.1-or-later
/// Settings of the blob detector.
package struct BlobSettings: Sendable, Hashable {
    /// Background models.
    package enum Model: Int32, Sendable, CaseIterable {
        /// Pixels near the mean colour of the frame are background. If all other settings have their defaults, the
        /// detector works like the app BeanCounter.
        case frameMean
        /// The background is a smooth surface, fitted to the pixels along the border of the frame. Objects may touch
        /// the border. In the comparison of a pixel with the background, colour has more weight than brightness.
        case border
        /// OpenCV's MOG2: learns the values of each pixel as mixtures of Gaussians (Zivkovic, 2004). The camera must
        /// not move.
        case mog2
        /// OpenCV's KNN: compares each pixel with earlier values of this pixel (Zivkovic and van der Heijden, 2006).
        /// The camera must not move.
        case knn
    }

    /// Distributions of the light on the background.
    package enum Ground: Int32, Sendable, CaseIterable {
        /// The light is uniform, or decreases towards one side.
        case plain
        /// The light changes smoothly, for example around the bright spot of a lamp. With this setting, the detector
        /// also separates objects that touch each other.
        case uneven
    }

    /// Handling of the shadows that objects cast on the background.
    package enum Shadows: Int32, Sendable, CaseIterable {
        /// A shadow counts as a part of its object.
        case keep
        /// A shadow counts as background.
        case remove
    }

    package var model = Model.border
    /// Distribution of the light on the background. Only the model `border` uses this setting.
    package var ground = Ground.plain
    /// Handling of shadows. The model `frameMean` ignores this setting.
    package var shadows = Shadows.remove
    /// Minimum difference between an object and the background, in standard deviations of the background. With `knn`,
    /// the unit is levels (0…255). Nil selects the default of the background model.
    package var stdDevs: Double?
    /// Factor that multiplies the frame's width and height before the search, at most 1. Nil selects the default of the
    /// background model.
    package var scale: Double?
    /// The background mask is eroded to close gaps in objects. `erodeKernel`: side of the square kernel, as a fraction
    /// of the reduced frame's shorter side. `erodeIterations`: number of erosions.
    package var erodeKernel = 0.005
    package var erodeIterations = 8
    /// Minimum length of the longer side of a blob's bounding box, as a fraction of the frame's shorter side. The
    /// minimum for the box's shorter side is a quarter of this length, or the full length with `frameMean`. Nil selects
    /// the default of the background model.
    package var minSize: Double?
    /// Maximum length of the longer side of a blob's bounding box, as a fraction of the frame's shorter side (0 =
    /// unlimited).
    package var maxSize = 0.0
    /// Maximum number of blobs. If there are more blobs, the detector drops the smallest.
    package var maxBlobs = 32
    /// Number of earlier frames that the models `mog2` and `knn` use.
    package var history = 500

    package init() {}

    /// The settings that correspond to the app BeanCounter.
    package static let classic: BlobSettings = {
        var settings = BlobSettings()
        settings.model = .frameMean
        settings.minSize = 0.05
        return settings
    }()

    /// `stdDevs`, or the default of the background model if `stdDevs` is nil.
    package var threshold: Double {
        if let stdDevs { return stdDevs.isFinite ? max(0, stdDevs) : 0 }
        return switch model {
        case .frameMean: 1
        case .border, .mog2: 4
        case .knn: 20
        }
    }

    /// `minSize`, or the default of the background model if `minSize` is nil.
    package var smallest: Double { minSize ?? (model == .frameMean ? 0.05 : 0.03) }

    /// Returns the factor that multiplies the frame's width and height before the search. The default is 0.5 for
    /// `frameMean`. For the other models, the default reduces the shorter side to 240 pixels.
    func scale(width: Int, height: Int) -> Double {
        if let scale { return scale > 0 ? min(1, scale) : 1 }
        return model == .frameMean ? 0.5 : min(1, 240 / Double(max(1, min(width, height))))
    }
}
