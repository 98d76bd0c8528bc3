// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// A possible blob, in pixels of the searched image.
struct Candidate {
    var box: Rectangle
    var contour: Contour
    /// Number of pixels inside `contour`.
    var area = 0.0
    /// Data for a search in a closer view (a part of the frame in higher resolution); nil if the model is not `border`.
    var refinable: Refinable?

    /// Data for a search in a closer view (a part of the frame in higher resolution), in pixels of the reduced frame.
    struct Refinable {
        /// `region`: mask of the pixels that differ from the background. `box`: position of `region` in the image.
        var region: Matrix<UInt8>
        var box: Rectangle
        /// Mask of the shadow's pixels, with the bounds `box`; nil if there is no shadow.
        var shadow: Matrix<UInt8>?
        /// Index of the component (connected part of the foreground) that contains the candidate, if this component has
        /// a shadow; otherwise nil. One closer view is enough for all candidates of a component.
        var shaded: Int?
        /// True if the region may have a shadow that is visible only in higher resolution.
        var isDoubtful = false
    }

    /// Returns the mean colour of the pixels inside `contour`.
    func color(in picture: Matrix<UInt8>) throws(VisionError) -> Color {
        let mean = picture.cropped(to: box).mean(under: try .filled([contour], box))
        return Color(mean.z, mean.y, mean.x).rounded
    }

    /// Corners of the simplified contour. The centre of the first pixel of the image is at (0.5, 0.5).
    var outline: [Point] {
        get throws(VisionError) { try contour.outline(precision: SegmentationTuning.precision) }
    }
}

extension Contour {
    /// Returns the corners of the simplified contour. The centre of the first pixel of the image is at (0.5, 0.5).
    /// - Parameter precision: the maximum distance between the simplified and the original contour, in pixels.
    func outline(precision: Double) throws(VisionError) -> [Point] {
        try simplified(precision: precision).map { Point(Double($0.x) + 0.5, Double($0.y) + 0.5) }
    }
}

extension [Candidate] {
    /// Returns the candidates, sorted by decreasing size. Candidates of equal size are sorted by row, then by column.
    func sorted(by size: (Candidate) -> Double) -> [Candidate] {
        sorted { (size($1), $0.box.y, $0.box.x) < (size($0), $1.box.y, $1.box.x) }
    }
}
