// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Settings of a search in one reduced image.
struct BlobSearch {
    var model: BlobSettings.Model
    /// Number of standard deviations by which the foreground differs; with `knn` a distance in levels.
    var threshold: Double
    /// Side in pixels of the square with which the background is eroded, and number of passes; 0 for none.
    var kernel: Int
    var iterations: Int
    /// Number of images that learned models remember.
    var history: Int
    /// Factor by which the image was reduced. Limits of sides are in pixels before that; a maximum of 0 is no limit.
    var scale: Double
    var minSide: Int
    var maxSide: Int
    var maxBlobs: Int
    var isUneven: Bool
    var removesShadows: Bool

    /// Returns whether both sides of a box are within the limits.
    func fitsBothSides(_ box: Rectangle) -> Bool {
        let (width, height) = (Double(box.width) / scale, Double(box.height) / scale)
        return min(width, height) >= Double(minSide) && (maxSide <= 0 || max(width, height) <= Double(maxSide))
    }

    /// Returns whether the sides of a box are within the limits, to a precision.
    /// - Parameters:
    ///   - scale: the factor by which the box's image was reduced.
    ///   - precision: in pixels of that image.
    func fits(_ box: Rectangle, scale: Double, precision: Double, isMaximumIgnored: Bool = false) -> Bool {
        let (longer, shorter) = (Double(max(box.width, box.height)), Double(min(box.width, box.height)))
        return (longer + precision) / scale >= Double(minSide)
            && (shorter + precision) / scale >= SegmentationTuning.slimmest * Double(minSide)
            && (isMaximumIgnored || maxSide <= 0 || (longer - precision) / scale <= Double(maxSide))
    }
}

/// The kernel with which the background is eroded, and the number of passes.
struct Erosion {
    private let side: Int
    private let count: Int

    /// Creates an erosion as requested, or one that ends when nothing of a mask of this size can be left.
    init(_ search: BlobSearch, _ bounds: Rectangle) {
        let longer = max(bounds.width, bounds.height)
        side = min(search.kernel, 2 * longer + 1)
        count = side > 1 ? min(search.iterations, 2 * longer / (side - 1) + 1) : 0
    }

    /// Number of pixels by which the foreground grows.
    var growth: Int { count * (side - 1) }

    /// Erodes a mask, or dilates it likewise.
    func apply(_ operation: SVCVOperation, to mask: Matrix<UInt8>) throws(VisionError) -> Matrix<UInt8> {
        count > 0 ? try mask.morphed(operation, side: side, passes: count) : mask
    }
}
