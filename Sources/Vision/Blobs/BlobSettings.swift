// SPDX-License-Identifier: LGPL-2.1-or-later
/// Settings of the search for blobs.
package struct BlobSettings: Sendable, Hashable {
    /// Models of the background.
    package enum Model: Int32, Sendable, CaseIterable {
        /// Colours near the frame's mean. With the other numbers at their defaults: BeanCounter's algorithm.
        case frameMean
        /// A continuation of the frame's edge: a smooth surface, fitted to the pixels along it, so that light may fall
        /// off and things may touch the edge. Things differ from it in light or, which counts more, in colour; their
        /// shadows do not belong to them.
        case border
        /// The usual value of each pixel: mixtures of Gaussians (Zivkovic, 2004). For cameras that stand still.
        case mog2
        /// The usual value of each pixel: nearest neighbours (Zivkovic and van der Heijden, 2006).
        case knn
    }

    /// What the light on the ground may be like.
    package enum Ground: Int32, Sendable, CaseIterable {
        /// Even, or falling off to one side.
        case plain
        /// Anything smooth, such as the spot of a lamp; and things that touch each other are taken apart.
        case uneven
    }

    /// What becomes of the shadows that things cast on the ground.
    package enum Shadows: Int32, Sendable, CaseIterable {
        /// They belong to their things.
        case keep
        /// They belong to the ground.
        case remove
    }

    package var model = Model.border
    /// What the light is like with the model `border`; the others do not ask.
    package var ground = Ground.plain
    /// What becomes of shadows with all models but `frameMean`, which takes no notice of them.
    package var shadows = Shadows.remove
    /// Number of standard deviations of the background by which something must differ; with `knn` a distance in levels. Nil for
    /// what suits the model.
    package var stdDevs: Double?
    /// Factor by which frames are reduced before the search, at most 1; nil for what suits the model.
    package var scale: Double?
    /// Side of the square kernel with which the background is eroded, to close gaps in things, as a share of the
    /// reduced frame's shorter side, rounded down to pixels; and the number of passes.
    package var erodeKernel = 0.005
    package var erodeIterations = 8
    /// Minimum of a blob's longer side, as a share of the frame's shorter side, rounded down to pixels; the shorter side
    /// is at least a quarter of it. With `frameMean` the minimum of both. Nil for what suits the model.
    package var minSize: Double?
    /// Maximum of both sides; 0 is no limit.
    package var maxSize = 0.0
    /// Maximum number of blobs; the largest ones are kept.
    package var maxBlobs = 32
    /// Number of frames that `mog2` and `knn` remember.
    package var history = 500

    package init() {}

    /// BeanCounter's algorithm with its numbers.
    package static let classic: BlobSettings = {
        var settings = BlobSettings()
        settings.model = .frameMean
        settings.minSize = 0.05
        return settings
    }()

    /// `stdDevs`, or what suits the model.
    package var threshold: Double {
        if let stdDevs { return stdDevs.isFinite ? max(0, stdDevs) : 0 }
        return switch model {
        case .frameMean: 1
        case .border, .mog2: 4
        case .knn: 20
        }
    }

    /// `minSize`, or what suits the model.
    package var smallest: Double { minSize ?? (model == .frameMean ? 0.05 : 0.03) }

    /// Returns the factor for a frame of this size: the mean is taken of half the frame, and the others need no more
    /// than 240 rows.
    func scale(width: Int, height: Int) -> Double {
        if let scale { return scale > 0 ? min(1, scale) : 1 }
        return model == .frameMean ? 0.5 : min(1, 240 / Double(max(1, min(width, height))))
    }
}
