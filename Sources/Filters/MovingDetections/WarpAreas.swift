// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// Computes the source areas of a warp. The source area of an area in the result contains the sources of all positions
/// in this area.
struct WarpAreas: Sendable {
    /// Returns the source area of an area in the result. Returns nil if no position of the area has a source.
    typealias Source = @Sendable (Area) -> Area?

    /// Returns the function that computes source areas for a frame size.
    /// - Parameter transform: the function that computes the sources of single positions for this frame size.
    let source: @Sendable (_ width: Double, _ height: Double, _ transform: @escaping Warp.Source) -> Source
    /// True if the warp scatters objects. Their pieces stay near the original positions.
    let isScattered: Bool

    private init(
        isScattered: Bool = false,
        _ source: @escaping @Sendable (_ width: Double, _ height: Double, _ transform: @escaping Warp.Source) -> Source
    ) {
        (self.source, self.isScattered) = (source, isScattered)
    }

    /// For warps that map x and y independently of each other. The distance between the sources of two positions is at
    /// most `factor` times the distance between the positions.
    static func stretched(by factor: Double) -> WarpAreas {
        WarpAreas { _, _, transform in
            { area in
                let (across, down) = area.halves
                return transform(area.middle).map { Area(around: $0, across * factor, down * factor) }
            }
        }
    }

    /// For warps that do not increase distances: the sources of two positions are not farther apart than the positions.
    static let turned = WarpAreas { _, _, transform in
        { area in
            let (across, down) = area.halves
            let reach = (across * across + down * down).squareRoot()
            return transform(area.middle).map { Area(around: $0, reach, reach) }
        }
    }

    /// For projective warps. If the source of a position is outside of the frame, the pixel is transparent.
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
                    // If an area crosses the horizon, its source may be anywhere.
                    guard let source = matrix.apply(corner), depth * matrix.depth(corner) >= 0 else {
                        return Area(left: 0, top: 0, right: width, bottom: height)
                    }
                    depth = matrix.depth(corner)
                    bounds = bounds?.union(Area(around: source, 0, 0)) ?? Area(around: source, 0, 0)
                }
                return bounds?.clipped(width: width, height: height)
            }
        }
    }

    /// For warps that change the distance from a centre, and rotate about the centre.
    /// - Parameters:
    ///   - center: the centre, 0…1 of the frame.
    ///   - isClipped: true if pixels with a source outside of the frame are transparent.
    static func radial(
        center: Point, isClipped: Bool = false,
        _ change: @escaping @Sendable (_ width: Double, _ height: Double) -> Warp.Change
    ) -> WarpAreas {
        WarpAreas { width, height, _ in
            let areas = RadialAreas(center: center, width: width, height: height, change(width, height))
            return isClipped ? { areas.source($0).clipped(width: width, height: height) } : areas.source
        }
    }

    /// For warps with discontinuities. The sources are near the positions.
    /// - Parameter source: returns the source area of an area.
    static func scattered(_ source: @escaping Source) -> WarpAreas {
        WarpAreas(isScattered: true) { _, _, _ in source }
    }
}
