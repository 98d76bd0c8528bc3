// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// Maps positions of objects in a frame to the positions of these objects after a chain of filters. Use the map to
/// track, draw or hide objects after the filters. Parameters of the chain may change over time. A map is valid only for
/// the time for which it was created. Only one thread at a time may use a map.
///
/// - Distortions, geometry and tiles move objects. The returned boxes contain all visible pixels of an object. The
///   boxes may be larger than necessary.
/// - Blurs enlarge objects. The boxes grow by the range of the blur. The range is exact for box blurs, motion blurs,
///   the blocks of `pixellate` and the brush strokes of `oil-paint`. For a zoom blur, the range includes all scales.
///   For a Gaussian blur (also in `bloom` and the sharpeners), the range is 2 standard deviations. Beyond this range, a
///   blurred edge differs from the original edge by less than 1/40 of the difference between the two sides. In
///   `pencil-sketch`, the range is 3.5 standard deviations.
/// - If a chain moves and spreads pixels by at most 2 pixels in total (for example `median`, `edges` or `comic`), there
///   is no map.
/// - Warps move points together with pixels. Filters that spread or scatter pixels (`crystallize`) do not change
///   points.
package final class PositionMap {
    private let frame: Rectangle
    /// `before` contains the steps of the chain before the first step that moves objects. `after` contains the steps
    /// after the last step that moves objects. If no step moves objects, `before` contains all steps.
    private let before: [PositionStep]
    private let after: [PositionStep]
    /// Finds the copies of an object in the result of the steps that move objects. Nil if no step moves objects.
    private let copies: CopyFinder?
    /// Finds the position of a point in the result of the warps. Nil if no filter moves points.
    private let finder: PointFinder?

    /// A distance in pixels. If the sum of the `reach` of all steps is at most this distance, the chain needs no map.
    private static let minReach = 2.0

    /// Returns nil if the chain moves and spreads pixels by at most 2 pixels in total, or if filters do not support
    /// this frame size.
    /// - Parameters:
    ///   - time: the number of nanoseconds since the chain was set. The values of fading parameters depend on it.
    ///   - width, height: the size of the frame.
    package convenience init?(_ chain: FilterChain, at time: UInt64 = 0, width: Int, height: Int) {
        self.init(chain.states(at: time).flatMap(\.operations), width: width, height: height)
    }

    init?(_ operations: [FilterOperation], width: Int, height: Int) {
        guard width > 0, height > 0, FilterRunner.takes(width: width, height: height) else { return nil }
        let frame = Rectangle(width: width, height: height)
        let steps = PositionStep.steps(operations, frame)
        guard steps.reduce(0, { $0 + $1.reach }) > Self.minReach else { return nil }
        self.frame = frame
        guard let first = steps.firstIndex(where: \.isMoving), let last = steps.lastIndex(where: \.isMoving) else {
            (before, after, copies, finder) = (steps, [], nil, nil)
            return
        }
        (before, after) = (Array(steps[..<first]), Array(steps[(last + 1)...]))
        let tree = SourceTree(Array(steps[first...last]), frame: frame)
        copies = CopyFinder(tree, frame: frame)
        let warps = operations.compactMap { operation -> Warp? in
            guard case .warp(let warp) = operation, !warp.isScattered else { return nil }
            return warp
        }
        finder = warps.isEmpty ? nil : PointFinder(warps, warps.count == last - first + 1 ? tree : nil, frame: frame)
    }

    /// Returns boxes in the result of the chain that contain all visible pixels of the object in `box`. There is one
    /// box per copy of the object, sorted by the distance from `box`. If the object is not visible, the list is empty.
    /// If there are more than 64 copies, adjacent copies share a box.
    package func copies(of box: Rectangle) -> [Rectangle] {
        let box = box.intersection(frame)
        guard !box.isEmpty else { return [] }
        let spread = spread(box, by: before)
        let boxes = (copies?.boxes(of: spread) ?? [spread]).map { self.spread($0, by: after) }
        guard boxes.count > 1 else { return boxes }
        // Remove boxes inside of another box, because they add no pixels.
        let outer = boxes.indices.filter { inner in
            !boxes.indices.contains { outer in
                outer != inner && boxes[inner].intersection(boxes[outer]) == boxes[inner]
                    && (boxes[inner] != boxes[outer] || outer < inner)
            }
        }
        func distance(_ other: Rectangle) -> Int {
            let (x, y) = (2 * (other.x - box.x), 2 * (other.y - box.y))
            let (right, down) = (x + other.width - box.width, y + other.height - box.height)
            return right * right + down * down
        }
        return outer.map { boxes[$0] }.sorted { (distance($0), $0.y, $0.x) < (distance($1), $1.y, $1.x) }
    }

    private func spread(_ box: Rectangle, by steps: [PositionStep]) -> Rectangle {
        steps.isEmpty ? box : Rectangle(reading: steps.reduce(Area(box)) { $1.target($0, frame) })
    }

    /// Returns the position of an object's point (for example, a landmark) in the result of the chain. Returns nil if
    /// the point is not visible in the search region. `copy` is one of the boxes from `copies(of:)` for this object.
    /// Landmarks may be outside of an object's box, so the search region extends beyond `copy`: by half of its width to
    /// the left and right, and by half of its height to the top and bottom.
    package func position(of point: Point, in copy: Rectangle) -> Point? {
        let copy = copy.intersection(frame)
        let (across, down) = (copy.width / 2, copy.height / 2)
        let around = Rectangle(
            x: copy.x - across, y: copy.y - down, width: copy.width + 2 * across, height: copy.height + 2 * down)
        guard let finder else {
            let pixel = Rectangle(x: floored(point.x), y: floored(point.y), width: 1, height: 1)
            return pixel.intersection(around).isEmpty ? nil : point
        }
        return finder.position(of: point, in: copy) ?? finder.position(of: point, in: around)
    }
}

/// Caches the position map of a chain until parameters of the chain change. Only one thread at a time may use a cache.
package final class PositionMapCache {
    private var last: (filters: [FilterWithValues], moving: [FilterWithValues], frame: Rectangle, map: PositionMap?)?

    package init() {}

    /// Returns the map of a chain. Returns nil if the chain needs no map. Returns the same map until the frame size
    /// changes, or a parameter of a filter that moves or spreads pixels.
    /// - Parameters:
    ///   - time: the number of nanoseconds since the chain was set. The values of fading parameters depend on it.
    ///   - width, height: the size of the frame.
    package func map(of chain: FilterChain, at time: UInt64, width: Int, height: Int) -> PositionMap? {
        let (filters, frame) = (chain.states(at: time), Rectangle(width: width, height: height))
        if let last, last.filters == filters, last.frame == frame { return last.map }
        let moving = filters.filter { $0.operations.contains(where: \.movesThings) }
        let isSame = last.map { $0.moving == moving && $0.frame == frame } ?? false
        let map = isSame ? last?.map : PositionMap(moving.flatMap(\.operations), width: width, height: height)
        last = (filters, moving, frame, map)
        return map
    }
}
