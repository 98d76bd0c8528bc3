// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV

/// Settings of the classification of blobs.
package struct ClassifierSettings: Sendable, Hashable {
    package enum Algorithm: Int32, Sendable, CaseIterable {
        /// Outlines, contours within them in the best alignment with each training picture, and colours; see
        /// `BlobClassifier`.
        case contours
        /// BeanCounter's: histograms of colour and descriptors of keypoints, of whole boxes.
        case classic
    }

    /// Kinds of keypoints, in COpenCV's order.
    package enum Features: Int32, Sendable, CaseIterable {
        case none, orb, sift, akaze

        var openCV: SVCVFeatures { SVCVFeatures(UInt32(bitPattern: rawValue)) }
    }

    package var algorithm = Algorithm.contours
    package var features = Features.orb
    /// Number of bins of histograms along each axis, 2…64.
    package var histogramBins = 32
    /// Share of colour in a distance, 0…1; nil for what suits the algorithm.
    package var histogramWeight: Double?
    /// Distance from all training pictures beyond which blobs are unidentified; nil for what suits the algorithm.
    package var maxDistance: Double?
    /// Minimum difference between the distances to the nearest label and the next; blobs with less are unidentified.
    package var minMargin = 0.03
    /// Whether things of different sizes differ, as seen by a camera that neither moves nor zooms. Sizes of training
    /// pictures that are not known do not count.
    package var sizeMatters = false

    package init() {}

    /// BeanCounter's algorithm, but with the mean over keypoints, which was intended, instead of the sum.
    package static let classic: ClassifierSettings = {
        var settings = ClassifierSettings()
        settings.algorithm = .classic
        settings.minMargin = 0
        return settings
    }()

    /// `histogramWeight`, or what suits the algorithm.
    package var colorWeight: Double {
        guard let histogramWeight else { return algorithm == .classic ? 0.98 : 0.25 }
        return histogramWeight.isFinite ? max(0, min(1, histogramWeight)) : 0
    }

    /// `maxDistance`, or what suits the algorithm.
    package var limit: Double {
        maxDistance ?? (algorithm == .classic ? .infinity : 0.4)
    }

    var bins: Int32 { Int32(clamping: max(2, min(64, histogramBins))) }
}
