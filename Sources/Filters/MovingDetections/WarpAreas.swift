// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// Sources of whole areas under a warp, as far as they are known: the area within which everything lies that an area of
/// the result is taken from.
struct WarpAreas: Sendable {
    /// The area that an area of the result is taken from, or a larger one; nil where nothing is.
    typealias Source = @Sendable (Area) -> Area?

    /// The source for a frame of some size.
    /// - Parameter place: the source of single places in such a frame.
    let source: @Sendable (_ width: Double, _ height: Double, _ place: @escaping Warp.Source) -> Source
    /// True if things are still seen where they were, if in pieces.
    let isScattered: Bool

    private init(
        isScattered: Bool = false,
        _ source: @escaping @Sendable (_ width: Double, _ height: Double, _ place: @escaping Warp.Source) -> Source
    ) {
        (self.source, self.isScattered) = (source, isScattered)
    }

    /// x comes from x alone and y from y, and sources are at most so many times as far apart as places.
    static func stretched(by factor: Double) -> WarpAreas {
        WarpAreas { _, _, place in
            { area in
                let (across, down) = area.halves
                return place(area.middle).map { Area(around: $0, across * factor, down * factor) }
            }
        }
    }

    /// Sources are at most as far apart as places, in any direction.
    static let turned = WarpAreas { _, _, place in
        { area in
            let (across, down) = area.halves
            let reach = (across * across + down * down).squareRoot()
            return place(area.middle).map { Area(around: $0, reach, reach) }
        }
    }

    /// Places come from others by a matrix, from nothing where that leads outside of the frame.
    static func projective(_ matrix: @escaping @Sendable (_ width: Double, _ height: Double) -> Projection) -> WarpAreas
    {
        WarpAreas { width, height, _ in
            let matrix = matrix(width, height)
            return { area in
                var found: Area?
                var depth = 0.0
                for index in 0..<4 {
                    let corner = Point(
                        index & 1 == 0 ? area.left : area.right, index & 2 == 0 ? area.top : area.bottom)
                    // Areas on both sides of the horizon may come from anywhere.
                    guard let source = matrix.apply(corner), depth * matrix.depth(corner) >= 0 else {
                        return Area(left: 0, top: 0, right: width, bottom: height)
                    }
                    depth = matrix.depth(corner)
                    found = found?.union(Area(around: source, 0, 0)) ?? Area(around: source, 0, 0)
                }
                return found?.clipped(width: width, height: height)
            }
        }
    }

    /// Places at a distance from a centre come from another distance, and are turned about the centre.
    /// - Parameters:
    ///   - center: 0…1 of the frame.
    ///   - isClipped: whether nothing is where that leads outside of the frame.
    static func radial(
        center: Point, isClipped: Bool = false,
        _ change: @escaping @Sendable (_ width: Double, _ height: Double) -> Warp.Change
    ) -> WarpAreas {
        WarpAreas { width, height, _ in
            let areas = RadialAreas(center: center, width: width, height: height, change(width, height))
            return isClipped ? { areas.source($0).clipped(width: width, height: height) } : areas.source
        }
    }

    /// Places come from others nearby, with jumps between.
    /// - Parameter source: the area that an area is taken from.
    static func scattered(_ source: @escaping Source) -> WarpAreas {
        WarpAreas(isScattered: true) { _, _, _ in source }
    }
}
