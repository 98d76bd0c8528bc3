// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// A blob in an image that was searched.
struct Candidate {
    var box: Rectangle
    var contour: Contour
    /// Number of its pixels.
    var area = 0.0
    /// What a closer view may show better; nil if there is no ground.
    var refinable: Refinable?

    /// What is known of a candidate's surroundings.
    struct Refinable {
        /// What differs from the ground there, and where it lies.
        var region: Matrix<UInt8>
        var box: Rectangle
        /// What of the region is shadow; nil if there is none.
        var shadow: Matrix<UInt8>?
        /// The number of the component with shadows that the candidate is a part of: a closer view shows all candidates of the
        /// same number.
        var shaded: Int?
        /// Whether there may be a shadow that only a closer view can show.
        var isDoubtful = false
    }

    /// Returns the mean colour of the pixels inside the contour.
    func color(in picture: Matrix<UInt8>) throws(VisionError) -> Color {
        let mean = picture.cropped(to: box).mean(under: try .filled([contour], box))
        return Color(mean.z, mean.y, mean.x).rounded
    }

    /// The contour's corners, in pixels of which each covers 0…1.
    var outline: [Point] {
        get throws(VisionError) { try contour.outline(precision: SegmentationTuning.precision) }
    }
}

extension Contour {
    /// Returns the corners that are left at a precision in pixels, of which each covers 0…1.
    func outline(precision: Double) throws(VisionError) -> [Point] {
        try simplified(precision: precision).map { Point(Double($0.x) + 0.5, Double($0.y) + 0.5) }
    }
}

extension [Candidate] {
    /// Returns the candidates, the largest first; of equals the uppermost, leftmost first.
    func sorted(by size: (Candidate) -> Double) -> [Candidate] {
        sorted { (size($1), $0.box.y, $0.box.x) < (size($0), $1.box.y, $1.box.x) }
    }
}
