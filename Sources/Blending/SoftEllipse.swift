// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
package import KernelTypes

/// An ellipse with a soft edge. Weights are 255 inside, and fall to 0 towards the edge.
package struct SoftEllipse: Sendable, Hashable {
    package var center: Point
    /// Half axes: vectors from the centre to the edge. If the vectors are not perpendicular, they are conjugate half
    /// axes of the ellipse.
    package var first: Point
    package var second: Point
    /// Width of the soft edge, as a fraction of the distance from the centre to the edge, 0…1.
    package var softness: Double

    package init(center: Point, first: Point, second: Point, softness: Double) {
        self.center = center
        self.first = first
        self.second = second
        self.softness = softness
    }

    /// A rectangle that contains all pixels with a weight above 0. Empty if the half axes are parallel or not finite.
    package var bounds: Rectangle {
        guard inverse != nil else { return Rectangle(width: 0, height: 0) }
        let width = (first.x * first.x + second.x * second.x).squareRoot()
        let height = (first.y * first.y + second.y * second.y).squareRoot()
        return Rectangle(
            left: center.x - width, right: center.x + width, top: center.y - height, bottom: center.y + height)
    }

    /// A 2x2 matrix, by rows. It converts an offset from the centre (in pixels) to multiples of the half axes `first`
    /// and `second`. Nil if the half axes are parallel or not finite.
    private var inverse: (x: Point, y: Point)? {
        let area = first.x * second.y - first.y * second.x
        let rows = (Point(second.y / area, -second.x / area), Point(-first.y / area, first.x / area))
        return center.isFinite && rows.0.isFinite && rows.1.isFinite ? rows : nil
    }

    /// The softness, increased if necessary, so that the soft edge is at least one pixel wide.
    private var usedSoftness: Double {
        let lengths = (
            (first.x * first.x + first.y * first.y).squareRoot(),
            (second.x * second.x + second.y * second.y).squareRoot()
        )
        let minimum = 1 / max(1, min(lengths.0, lengths.1))
        return softness > minimum ? min(1, softness) : minimum
    }

    /// Replaces each weight outside of the ellipse by 0, and reduces the weights near the edge. The upper limit of a
    /// weight is t² (3 − 2t) · 255, with t = (1 − r) / softness, clipped to 0…1. r is the relative distance from the
    /// centre: 0 at the centre, and 1 on the edge of the ellipse.
    /// - Parameter weights: a GRAY8 image. For other formats, the method does nothing.
    package func limit(_ weights: Image, kernels: any KernelSet = Processor.kernels) {
        guard weights.format.isGray, let inverse else { return }
        for y in 0..<weights.height {
            let (dx, dy) = (0.5 - center.x, Double(y) + 0.5 - center.y)
            kernels.limitToEllipse(
                weights.row(y), x: Float(inverse.x.x * dx + inverse.x.y * dy), stepX: Float(inverse.x.x),
                y: Float(inverse.y.x * dx + inverse.y.y * dy), stepY: Float(inverse.y.x), softness: Float(usedSoftness),
                count: weights.width)
        }
    }
}
