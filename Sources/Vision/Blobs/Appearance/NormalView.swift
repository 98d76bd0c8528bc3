// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Glibc
import Imaging

/// The ellipse with the same second moments as the area inside an outline. Before two objects are compared, an affine
/// map converts each ellipse to the same circle (the normal position). So the object's size, position and tilt have no
/// effect on the comparison.
struct Ellipse: Sendable {
    let center: Point
    /// Maps the unit circle to the ellipse, both centred at the origin. The matrix of the map is twice the square root
    /// of the matrix of the second moments. So the map is symmetric: it stretches, but does not rotate.
    private let axes: AffineMap

    /// Creates the ellipse of an outline; nil if the outline has no area.
    init?(_ outline: [Point]) {
        // Compute the moments by Green's theorem.
        guard var last = outline.last else { return nil }
        var (area, x, y, xx, xy, yy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for corner in outline {
            let cross = last.cross(corner), sum = last + corner
            area += cross
            x += cross * sum.x
            y += cross * sum.y
            xx += cross * (last.x * sum.x + corner.x * corner.x)
            yy += cross * (last.y * sum.y + corner.y * corner.y)
            xy += cross * (last.x * (sum.y + last.y) + corner.x * (sum.y + corner.y))
            last = corner
        }
        guard area != 0 else { return nil }
        center = Point(x / (3 * area), y / (3 * area))
        let a = xx / (6 * area) - center.x * center.x, c = yy / (6 * area) - center.y * center.y
        let b = xy / (12 * area) - center.x * center.y
        // The square root of a symmetric 2 × 2 matrix M: (M + √det M · I) / √(trace M + 2 √det M), where I is the
        // identity.
        let root = max(0, a * c - b * b).squareRoot(), trace = (a + c + 2 * root).squareRoot()
        guard root > 0, trace > 0 else { return nil }
        axes = AffineMap(
            xx: (a + root) * 2 / trace, xy: b * 2 / trace, yx: b * 2 / trace, yy: (c + root) * 2 / trace)
    }

    /// Radius of the circle with the same area as the ellipse, in pixels of the image.
    var size: Double { abs(axes.determinant).squareRoot() }

    /// Returns the map from pixels in normal position to pixels of the image.
    /// - Parameters:
    ///   - growth: the factor by which the ellipse is enlarged.
    ///   - shift: the offset by which the ellipse is moved, in units of the ellipse's half axes.
    func normalPosition(growth: Double = 1, shift: Point = Point(0, 0)) -> AffineMap {
        // The centre of the first pixel is at (0, 0).
        let middle = Double(NormalView.side - 1) / 2, scale = growth / NormalView.radius
        let place = AffineMap(x0: center.x - 0.5, y0: center.y - 0.5) * axes
        return place
            * AffineMap(
                xx: scale, x0: shift.x - scale * middle, yy: scale, y0: shift.y - scale * middle)
    }
}

/// Sizes of objects in normal position (see `Ellipse`), in pixels.
enum NormalView {
    static let side = 96
    /// `radius`: radius of the circle to which the object's ellipse is mapped. `coreRadius`: radius of the core, a disc
    /// that lies inside of nearly every object.
    static let radius = 0.43 * Double(side)
    static let coreRadius = 0.3 * Double(side)
    /// The square that encloses the core (the disc in the middle of the object).
    static let core = Rectangle(x: 19, y: 19, width: side - 2 * 19, height: side - 2 * 19)
    static let fromCore = AffineMap(x0: Double(core.x), y0: Double(core.y))
    /// The contours are sampled at `angles` angles and `radii` radii to estimate the rotation of an object.
    static let (angles, radii) = (48, 12)

    /// Mask of the core (a disc) in the square `core`.
    static let coreMask: Matrix<UInt8> = {
        var disc = Matrix<UInt8>(width: core.width, height: core.height)
        let middle = Double(core.width - 1) / 2
        for y in 0..<core.height {
            let row = disc.mutableRow(y)
            for x in 0..<core.width where hypot(Double(x) - middle, Double(y) - middle) < coreRadius { row[x] = 255 }
        }
        return disc
    }()

    /// Returns the map that rotates points about the middle of an image in normal position (see `Ellipse`).
    static func rotation(radians: Double) -> AffineMap {
        let (c, s, middle) = (cos(radians), sin(radians), Double(side - 1) / 2)
        return AffineMap(
            xx: c, xy: -s, x0: middle - c * middle + s * middle, yx: s, yy: c, y0: middle - s * middle - c * middle)
    }
}

extension Image {
    /// Returns the image, warped to a matrix of `width` × `height` pixels. Outside of the image, the pixels at the edge
    /// of the image are repeated.
    /// - Parameter map: maps pixels of the result to pixels of the image.
    func sampled(_ map: AffineMap, width: Int, height: Int) throws(VisionError) -> Matrix<UInt8> {
        func warped(_ input: SVCVMatrix, _ map: AffineMap) throws(VisionError) -> Matrix<UInt8> {
            try Matrix(width: width, height: height, channels: format.bytesPerPixel) {
                sv_cv_warp(input, map.rows, true, sv_cv_linear, true, $0, $1)
            }
        }
        // Linear interpolation reads only four pixels, so it skips pixels if the map reduces the image. If the map
        // reduces lengths by a factor of more than 1.5, first reduce the image by averaging.
        let step = abs(map.determinant).squareRoot()
        guard step > 1.5 else { return try warped(matrix, map) }
        let scale = 1.2 / step
        // If the outline is much larger than the image, the reduced width or height could be 0, so use at least 1.
        let reduced = try resized(
            width: max(1, reducedLength(self.width, scale)), height: max(1, reducedLength(self.height, scale)),
            isReduced: true)
        let shift = 0.5 * scale - 0.5
        return try withExtendedLifetime(reduced) { () throws(VisionError) in
            try warped(reduced.openCV, AffineMap(xx: scale, x0: shift, yy: scale, y0: shift) * map)
        }
    }
}
