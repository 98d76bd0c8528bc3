// SPDX-License-Identifier: LGPL-2.1-or-later

/// Constants of the segmentation, which finds blobs in the differences from the background. A distance is approximately
/// a relative difference of light or colour. The coarse view is the reduced frame. A closer view shows a part of the
/// frame in higher resolution.
enum SegmentationTuning {
    // MARK: Foreground

    /// A pixel is foreground if its distance (difference) from the background exceeds max(`leastDistance`, n σ). n: the
    /// property `std-devs` of svblobdetect. σ: standard deviation of the background. With `leastDistance`, the grain of
    /// paper and the rounding of levels do not count as foreground.
    static let leastDistance = 0.06
    /// `edgeLow`, `edgeHigh`: lower and upper threshold of the Canny edge detector with the model `frameMean`, as in
    /// the app BeanCounter.
    static let edgeLow = 191.0
    static let edgeHigh = 255.0
    /// `mog2Start`, `knnStart`: for this number of images, the models `mog2` and `knn` only learn, and the foreground
    /// is empty.
    static let mog2Start = 1
    static let knnStart = 5
    /// Thresholds for the masks of OpenCV's learned models, in which shadows are 127 and other foreground is 255. Mask
    /// pixels above `withShadows` are foreground or shadow. Mask pixels above `withoutShadows` are foreground, but not
    /// shadow.
    static let withShadows: UInt8 = 100
    static let withoutShadows: UInt8 = 200

    // MARK: Components

    /// Minimum length of the shorter side of a blob's bounding box, as a fraction of the minimum length of its longer
    /// side. Thinner blobs are ignored.
    static let slimmest = 0.25
    /// The kernel for blurred edges has the side 2 (s / `blurDivisor`) + 1, in pixels. s: shorter side of the image.
    /// Gaps up to this length are closed.
    static let blurDivisor = 120
    /// A pixel is clear if its difference from the background is at least `clearDistance` times the foreground
    /// threshold. The detector ignores a component (connected part of the foreground) if less than the fraction
    /// `clearFraction` of the component's pixels is clear.
    static let clearDistance = 1.2
    static let clearFraction = 0.3
    /// On an uneven background, the detector ignores a component (connected part of the foreground) if the 70 %
    /// quantile of its pixels' differences from the background is below this multiple of the foreground threshold. Such
    /// a component may be a pattern of the background.
    static let patternDistance = 2.0
    /// The detector ignores a candidate (possible blob) inside another candidate's outline if m exceeds this multiple
    /// of the foreground threshold. m: median difference between the background and those pixels between both outlines
    /// that are not foreground.
    static let gapDistance = 0.5
    /// A pixel counts as soft shadow or blur if its difference from the background is at most this fraction of m. m:
    /// median difference of the object's pixels from the background, or the 70 % quantile on an uneven background.
    static let faint: Float = 0.5
    /// Maximum difference between the background and the remains of a hard shadow. Along the edge of the shadow, the
    /// limit is `shadowRest`. Elsewhere, the limit is `shadowFaint` × |level|, where level is the logarithm of (light
    /// in the shadow / light on the background).
    static let shadowRest: Float = 0.9
    static let shadowFaint = 0.6
    /// An object has broken into parts if its second-largest part has more than this fraction of the largest part's
    /// area.
    static let brokenPart = 0.04

    // MARK: Closer views

    /// In the coarse view (the reduced frame), pixels along the edge of a region may be missing. So for a search in
    /// higher resolution, the region is dilated by this width, in pixels of the coarse view.
    static let lostEdge = 1.5
    /// The coarse view (the reduced frame) may show a shadow where the closer view (higher resolution) shows none. If
    /// more than this fraction of the shadow's pixels are dark in the closer view, the detector uses the result of the
    /// coarse view.
    static let shadowSeen = 0.75
    /// If more than 1/`darkDivisor` of a region's pixels are as dark as a shadow in a closer view (higher resolution),
    /// the code checks if the whole region is a dark object. In the check of `shadowSeen`, the area of a shadow counts
    /// as at least 1/`darkDivisor` of the region's area.
    static let darkDivisor = 10
    /// If a search in higher resolution finds several candidates, it removes each candidate of which more than this
    /// fraction of the pixels are as dark as a shadow. Such candidates are remains of a shadow.
    static let mostDark = 0.5
    /// Tolerance when the width and height of a blob's bounding box are compared with the minimum and maximum size.
    /// `coarsePrecision`: in pixels of the reduced frame. `closePrecision`: in pixels of a closer view (higher
    /// resolution).
    static let coarsePrecision = 1.0
    static let closePrecision = 0.5

    // MARK: Outlines

    /// Maximum distance between a blob's simplified outline and its original contour, in pixels of the searched image.
    /// With a larger value, outlines have fewer corners.
    static let precision = 0.7
}
