// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV

/// Settings of the blob classifier.
package struct ClassifierSettings: Sendable, Hashable {
    package enum Algorithm: Int32, Sendable, CaseIterable {
        /// Aligns a blob with each training image, and compares outlines, colours, and the contours (edges) within the
        /// outlines; see `SeenObject`.
        case contours
        /// The algorithm of the app BeanCounter: compares the colour histograms and the keypoint descriptors of
        /// bounding boxes, without outlines.
        case classic
    }

    /// Types of keypoints. The raw values are those of `SVCVFeatures`.
    package enum Features: Int32, Sendable, CaseIterable {
        case none, orb, sift, akaze

        var openCV: SVCVFeatures { SVCVFeatures(UInt32(bitPattern: rawValue)) }
    }

    package var algorithm = Algorithm.contours
    package var features = Features.orb
    /// Number of bins along each axis of the colour histograms, 2…64.
    package var histogramBins = 32
    /// Weight of colour in the distance, 0…1. Nil selects the default of the algorithm.
    package var histogramWeight: Double?
    /// Maximum distance to the nearest training image. With a greater distance, the blob is unidentified. Nil selects
    /// the default of the algorithm.
    package var maxDistance: Double?
    /// Minimum difference between the distances to the nearest and to the second-nearest label. With a smaller
    /// difference, the blob is unidentified.
    package var minMargin = 0.03
    /// True if the distance between two objects includes the difference in size. The sizes are comparable only if the
    /// camera neither moves nor zooms. For training images of unknown size, the classifier ignores the size.
    package var sizeMatters = false

    package init() {}

    /// The algorithm of the app BeanCounter, with one correction: it uses the mean of the keypoint distances instead of
    /// their sum.
    package static let classic: ClassifierSettings = {
        var settings = ClassifierSettings()
        settings.algorithm = .classic
        settings.minMargin = 0
        return settings
    }()

    /// `histogramWeight`, or the default of the algorithm if `histogramWeight` is nil.
    package var colorWeight: Double {
        guard let histogramWeight else { return algorithm == .classic ? 0.98 : 0.25 }
        return histogramWeight.isFinite ? max(0, min(1, histogramWeight)) : 0
    }

    /// `maxDistance`, or the default of the algorithm if `maxDistance` is nil.
    package var limit: Double {
        maxDistance ?? (algorithm == .classic ? .infinity : 0.4)
    }

    var bins: Int32 { Int32(clamping: max(2, min(64, histogramBins))) }
}
