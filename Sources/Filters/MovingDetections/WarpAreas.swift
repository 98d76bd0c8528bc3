// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// Computes the source areas of a warp. A source area belongs to an area in the result of the warp. It contains the
/// input positions that are visible in that area.
struct WarpAreas: Sendable {
    /// Returns the source area of an area in the result. Returns nil if no input position is visible in the area.
    typealias Source = @Sendable (Area) -> Area?

    /// Returns the function that computes source areas for a frame size.
    /// - Parameter transform: the function that computes the input position of a single result position, for this frame
    ///   size.
    let source: @Sendable (_ width: Double, _ height: Double, _ transform: @escaping Warp.Source) -> Source
    /// True if the warp breaks objects into pieces. The pieces stay near the original positions of the objects.
    let isScattered: Bool

    private init(
        isScattered: Bool = false,
        _ source: @escaping @Sendable (_ width: Double, _ height: Double, _ transform: @escaping Warp.Source) -> Source
    ) {
        (self.source, self.isScattered) = (source, isScattered)
    }

    /// Creates source areas for a warp that maps x and y independently of each other. Along each axis, the distance
    /// between two input positions is at most `factor` times the distance between their result positions.
    static func stretched(by factor: Double) -> WarpAreas {
        WarpAreas { _, _, transform in
            { area in
                let (across, down) = area.halves
                return transform(area.middle).map { Area(around: $0, across * factor, down * factor) }
            }
        }
    }

    /// Source areas for a warp that does not enlarge distances: the distance between two input positions is at most the
    /// distance between their result positions.
    static let turned = WarpAreas { _, _, transform in
        { area in
            let (across, down) = area.halves
            let reach = (across * across + down * down).squareRoot()
            return transform(area.middle).map { Area(around: $0, reach, reach) }
        }
    }

    /// Creates source areas for a projective warp.
    static func projective(_ matrix: @escaping @Sendable (_ width: Double, _ height: Double) -> Projection) -> WarpAreas
    {
        WarpAreas { width, height, _ in
            let matrix = matrix(width, height)
            return { area in
                var bounds: Area?
                var depth = 0.0
                for index in 0..<4 {
                    let corner = Point(
                        index & 1 == 0 ? area.left : area.right, index & 2 == 0 ? area.top : area.bottom)
                    // On the horizon of the projection, its divisor is 0. If the horizon crosses `area`, the source
                    // area may be the whole frame.
                    guard let source = matrix.apply(corner), depth * matrix.depth(corner) >= 0 else {
                        return Area(left: 0, top: 0, right: width, bottom: height)
                    }
                    depth = matrix.depth(corner)
                    bounds = bounds?.union(Area(around: source, 0, 0)) ?? Area(around: source, 0, 0)
                }
                return bounds
            }
        }
    }

    /// Creates source areas for a warp that changes the distance from a centre, and rotates about the centre.
    /// - Parameter center: the centre, 0…1 of the frame.
    static func radial(
        center: Point, _ change: @escaping @Sendable (_ width: Double, _ height: Double) -> Warp.Change
    ) -> WarpAreas {
        WarpAreas { width, height, _ in
            RadialAreas(center: center, width: width, height: height, change(width, height)).source
        }
    }

    /// Creates source areas for a warp with discontinuities. Such a warp moves pixels only a short distance.
    /// - Parameter source: returns the source area of an area in the result.
    static func scattered(_ source: @escaping Source) -> WarpAreas {
        WarpAreas(isScattered: true) { _, _, _ in source }
    }
}
