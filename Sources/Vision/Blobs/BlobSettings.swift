import COpenCV

/// How blobs are searched.
package struct BlobSettings: Sendable, Hashable {
    /// What the background is.
    package enum Model: Int32, Sendable, CaseIterable {
        /// Colours near the frame's mean. With the other numbers as they are: BeanCounter's algorithm.
        case frameMean
        /// What continues the frame's edge: a smooth surface, fitted to the pixels along it, so that light may fall off and
        /// things may touch the edge. Things differ from it in light or, which counts more, in colour; their shadows do not
        /// belong to them.
        case border
        /// What each pixel usually is: mixtures of Gaussians (Zivkovic, 2004). For cameras that stand still.
        case mog2
        /// What each pixel usually is: nearest neighbours (Zivkovic and van der Heijden, 2006).
        case knn
    }

    package var model = Model.border
    /// By how many standard deviations of the background something must differ (levels in `knn`); nil: what suits the
    /// model.
    package var stdDevs: Double?
    /// The factor by which frames are reduced before the search, at most 1; nil: what suits the model.
    package var scale: Double?
    /// The side of the square kernel with which the background is eroded, to close gaps in things, as a share of the
    /// reduced frame's shorter side, rounded down to pixels; and how often.
    package var erodeKernel = 0.005
    package var erodeIterations = 8
    /// Both sides of a blob are at least so long, as a share of the frame's shorter side, rounded down to pixels.
    package var minSize = 0.05
    /// Both are at most so long; 0 is no limit.
    package var maxSize = 0.0
    /// At most so many blobs, the largest ones.
    package var maxBlobs = 32
    /// Frames that `mog2` and `knn` remember.
    package var history = 500

    package init() {}

    /// BeanCounter's algorithm with its numbers.
    package static let classic: BlobSettings = {
        var settings = BlobSettings()
        settings.model = .frameMean
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

    /// The factor for a frame of this size: the mean is taken of half the frame, and the others need no more than 240 rows.
    func scale(width: Int, height: Int) -> Double {
        if let scale { return scale > 0 ? min(1, scale) : 1 }
        return model == .frameMean ? 0.5 : min(1, 240 / Double(max(1, min(width, height))))
    }
}

extension BlobSettings.Model {
    var number: Int32 {
        switch self {
        case .frameMean: Int32(sv_cv_blobs_frame_mean)
        case .border: Int32(sv_cv_blobs_border)
        case .mog2: Int32(sv_cv_blobs_mog2)
        case .knn: Int32(sv_cv_blobs_knn)
        }
    }
}
