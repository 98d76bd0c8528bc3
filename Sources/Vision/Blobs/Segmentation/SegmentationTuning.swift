// SPDX-License-Identifier: LGPL-2.1-or-later

/// Numbers of the segmentation stage: from what differs from the ground to blobs.
enum SegmentationTuning {
    // MARK: Foreground

    /// Least distance from the ground that is foreground, about a relative difference of light: that of paper's grain. Less:
    /// grain and the steps between levels are foreground.
    static let leastDistance = 0.06
    /// Gradients of a mask that are edges (Canny), with the model `frameMean`: BeanCounter's numbers.
    static let edgeLow = 191.0
    static let edgeHigh = 255.0
    /// Numbers of images after which the learned models know the background. Less: the background is foreground at first.
    static let mog2Start = 1
    static let knnStart = 5
    /// Level of the masks of learned models that is foreground: below 127, which marks shadows, and above that.
    static let withShadows: UInt8 = 100
    static let withoutShadows: UInt8 = 200

    // MARK: Components

    /// Least length of a blob's shorter side, as a fraction of the limit for its longer side. Less: scratches are blobs.
    static let slimmest = 0.25
    /// Length of edges' blur as a part of the image's shorter side (1/120): gaps of that length are closed.
    static let blurDivisor = 120
    /// A component is faint if hardly a pixel, less than `clearFraction`, has a distance of `clearDistance` thresholds: these are
    /// steps between levels, or noise. Greater: faint things disappear.
    static let clearDistance = 1.2
    static let clearFraction = 0.05
    /// Distance in thresholds below which most of a component on uneven ground is a pattern of the ground.
    static let patternDistance = 2.0
    /// Fraction of a thing's usual distance from the ground below which pixels are its surroundings: shadow, and blur. Greater:
    /// pale parts of things disappear.
    static let faint: Float = 0.5
    /// Greatest distance of what is left of a hard shadow along its edge, and greatest distance elsewhere as a fraction of the
    /// shadow's level.
    static let shadowRest: Float = 0.9
    static let shadowFaint = 0.6
    /// Area of an object's second part, as a fraction of the first, from which the object is broken.
    static let brokenPart = 0.04

    // MARK: Closer views

    /// Columns of the coarse view that a region may have lost along its edge.
    static let lostEdge = 1.5
    /// Fraction of a coarse view's shadow from which a closer view that finds none shows less, because of noise.
    static let shadowSeen = 0.75
    /// Part of a region that is as dark as a shadow, or that a shadow has at least, from which that counts (1/10).
    static let darkDivisor = 10
    /// Precision in pixels of limits of sides in the whole image and in a closer view.
    static let coarsePrecision = 1.0
    static let closePrecision = 0.5

    // MARK: Outlines

    /// Precision of outlines in pixels of the image that was searched. Greater: fewer corners.
    static let precision = 0.7
}
