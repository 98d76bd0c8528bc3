// SPDX-License-Identifier: LGPL-2.1-or-later

/// Constants of the segmentation stage, which converts differences from the background to blobs.
enum SegmentationTuning {
    // MARK: Foreground

    /// Minimum distance from the background that counts as foreground: approximately a relative difference of light or
    /// colour. The code uses this value, or a number of standard deviations of the background if that is greater. The
    /// limit is meant to exclude the grain of paper and rounding errors of levels.
    static let leastDistance = 0.06
    /// Lower and upper threshold of the Canny edge detector with the model `frameMean`; BeanCounter's values.
    static let edgeLow = 191.0
    static let edgeHigh = 255.0
    /// Number of images for which the learned models `mog2` and `knn` return an empty foreground. After these images,
    /// their foreground is used.
    static let mog2Start = 1
    static let knnStart = 5
    /// Thresholds for the masks of OpenCV's learned models, in which shadows have the level 127 and other foreground
    /// has 255. Levels above `withShadows` include shadows; levels above `withoutShadows` do not.
    static let withShadows: UInt8 = 100
    static let withoutShadows: UInt8 = 200

    // MARK: Components

    /// Minimum length of a blob's shorter side, as a fraction of the minimum length of its longer side. A smaller value
    /// accepts thinner blobs.
    static let slimmest = 0.25
    /// Divisor of the image's shorter side. The result is half of the side of the kernel for blurred edges, in pixels.
    /// Gaps up to the side of this kernel are closed.
    static let blurDivisor = 120
    /// A component is ignored as faint if less than `clearFraction` of its pixels have a distance from the background
    /// of at least `clearDistance` times the foreground threshold.
    static let clearDistance = 1.2
    static let clearFraction = 0.3
    /// A component on an uneven background is ignored as a pattern if the 70 % quantile of its distances is below this
    /// multiple of the foreground threshold.
    static let patternDistance = 2.0
    /// A component inside the outline of another one is a part of it if the median distance of the pixels between them
    /// exceeds this multiple of the foreground threshold. A larger value separates more parts.
    static let gapDistance = 0.5
    /// Pixels count as surroundings of an object (shadow or blur) if their distance from the background is at most this
    /// fraction of the object's usual distance. A larger value removes more pixels from objects.
    static let faint: Float = 0.5
    /// Maximum distance from the background of the remains of a hard shadow: `shadowRest` along the edge of the shadow,
    /// and `shadowFaint` times the absolute level of the shadow elsewhere.
    static let shadowRest: Float = 0.9
    static let shadowFaint = 0.6
    /// An object counts as broken if the area of its second largest part exceeds this fraction of the area of its
    /// largest part.
    static let brokenPart = 0.04

    // MARK: Closer views

    /// Width by which a region is dilated for a closer view, in pixels of the coarse view, because the region may have
    /// lost pixels along its edge.
    static let lostEdge = 1.5
    /// Fraction of the pixels of a shadow in the coarse view. If a closer view finds no shadow, but more than this
    /// fraction is still as dark as a shadow, the code uses the result of the coarse view.
    static let shadowSeen = 0.75
    /// A region of a closer view is mostly dark if more than 1/`darkDivisor` of its pixels are as dark as a shadow. For
    /// `shadowSeen`, the shadow in the coarse view counts as at least 1/`darkDivisor` of the region.
    static let darkDivisor = 10
    /// Maximum fraction of a candidate that is as dark as a shadow. A darker candidate counts as a remaining part of the shadow, if the
    /// closer view shows other candidates.
    static let mostDark = 0.5
    /// Tolerance for the minimum and maximum side lengths of blobs, in pixels: in the whole image and in a closer view.
    static let coarsePrecision = 1.0
    static let closePrecision = 0.5

    // MARK: Outlines

    /// Maximum distance between a simplified outline and the contour, in pixels of the searched image. A larger value
    /// gives outlines with fewer corners.
    static let precision = 0.7
}
