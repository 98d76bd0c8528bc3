// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV

/// Settings of the blob classifier.
package struct ClassifierSettings: Sendable, Hashable {
    package enum Algorithm: Int32, Sendable, CaseIterable {
        /// Compares outlines, colours, and the contours within outlines in the best alignment with each training image;
        /// see `BlobClassifier`.
        case contours
        /// BeanCounter's algorithm: compares colour histograms and keypoint descriptors of whole boxes.
        case classic
    }

    /// Types of keypoints, in the order of `SVCVFeatures`.
    package enum Features: Int32, Sendable, CaseIterable {
        case none, orb, sift, akaze

        var openCV: SVCVFeatures { SVCVFeatures(UInt32(bitPattern: rawValue)) }
    }

    package var algorithm = Algorithm.contours
    package var features = Features.orb
    /// Number of bins along each axis of the colour histograms, 2…64.
    package var histogramBins = 32
    /// Weight of colour in a distance, 0…1. Nil for the default of the algorithm.
    package var histogramWeight: Double?
    /// Maximum distance to the nearest training image; blobs with a larger distance are unidentified. Nil for the
    /// default of the algorithm.
    package var maxDistance: Double?
    /// Minimum difference between the distances to the nearest label and to the next label; blobs with a smaller
    /// difference are unidentified.
    package var minMargin = 0.03
    /// True if objects of different sizes differ. The camera must neither move nor zoom. Training images of unknown
    /// size are compared without the size.
    package var sizeMatters = false

    package init() {}

    /// BeanCounter's algorithm, except that it uses the mean of the keypoint distances, as intended, instead of their
    /// sum.
    package static let classic: ClassifierSettings = {
        var settings = ClassifierSettings()
        settings.algorithm = .classic
        settings.minMargin = 0
        return settings
    }()

    /// `histogramWeight`, or the default of the algorithm.
    package var colorWeight: Double {
        guard let histogramWeight else { return algorithm == .classic ? 0.98 : 0.25 }
        return histogramWeight.isFinite ? max(0, min(1, histogramWeight)) : 0
    }

    /// `maxDistance`, or the default of the algorithm.
    package var limit: Double {
        maxDistance ?? (algorithm == .classic ? .infinity : 0.4)
    }

    var bins: Int32 { Int32(clamping: max(2, min(64, histogramBins))) }
}
