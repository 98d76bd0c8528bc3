// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// A blob in a searched image.
struct Candidate {
    var box: Rectangle
    var contour: Contour
    /// Number of pixels of the blob.
    var area = 0.0
    /// Data for a closer view of the blob; nil if no closer view is possible, because the model is not `border`.
    var refinable: Refinable?

    /// A candidate's region in the coarse view, for a closer view.
    struct Refinable {
        /// Mask of the region's pixels that differ from the background, and the position of this mask in the image.
        var region: Matrix<UInt8>
        var box: Rectangle
        /// Mask of the region's shadow pixels; nil if the region has no shadow.
        var shadow: Matrix<UInt8>?
        /// Index of the shaded component that contains the candidate. A closer view finds all candidates of a component
        /// at once.
        var shaded: Int?
        /// True if the region may have a shadow that only a closer view can show.
        var isDoubtful = false
    }

    /// Returns the mean colour of the pixels inside the contour.
    func color(in picture: Matrix<UInt8>) throws(VisionError) -> Color {
        let mean = picture.cropped(to: box).mean(under: try .filled([contour], box))
        return Color(mean.z, mean.y, mean.x).rounded
    }

    /// The corners of the simplified contour. The centre of the first pixel is at (0.5, 0.5).
    var outline: [Point] {
        get throws(VisionError) { try contour.outline(precision: SegmentationTuning.precision) }
    }
}

extension Contour {
    /// Returns the corners of the simplified contour. The centre of the first pixel is at (0.5, 0.5).
    /// - Parameter precision: the maximum distance from the contour, in pixels.
    func outline(precision: Double) throws(VisionError) -> [Point] {
        try simplified(precision: precision).map { Point(Double($0.x) + 0.5, Double($0.y) + 0.5) }
    }
}

extension [Candidate] {
    /// Returns the candidates sorted by decreasing size; candidates of equal size from top to bottom, then from left to
    /// right.
    func sorted(by size: (Candidate) -> Double) -> [Candidate] {
        sorted { (size($1), $0.box.y, $0.box.x) < (size($0), $1.box.y, $1.box.x) }
    }
}
