// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// Map of where the things of a frame are after a chain of filters: for boxes of things that must be followed, drawn or
/// hidden afterwards. It is made for the chain's parameters at one moment, and belongs to one thread.
///
/// - What is moved (distortions, geometry, tiles) is where it is shown; nothing that is shown is left out, even if the
///   boxes get larger than that.
/// - What is spread shows as far as its pixels go: of box and motion blurs, of the blocks of `pixellate` and the dabs of
///   `oil-paint` that is exact, of a zoom blur all of its scales count, and of a Gaussian, also in `bloom` and in what
///   sharpens, 2 standard deviations, beyond which less than 1/40 of a step is left (in `pencil-sketch` all 3.5).
/// - What spreads by 2 pixels at most stays where it is: `median`, `edges`, `comic`.
/// - Points move as pixels do. Where they are spread or splintered (`crystallize`), they stay.
package final class PositionMap {
    private let frame: Rectangle
    /// Steps that spread things before they are moved, and after; all of them if nothing is moved.
    private let before: [PositionStep]
    private let after: [PositionStep]
    /// Copies of moved things; nil if things stay where they are.
    private let copies: CopyFinder?
    /// Finder of moved points; nil if points stay where they are.
    private let finder: PointFinder?

    /// Least distance of spreading in pixels; anything that spreads no farther leaves things where they are.
    private static let leastReach = 2.0

    /// Returns nil if the chain leaves everything in its place, or accepts no frame of this size.
    /// - Parameters:
    ///   - time: seconds since the chain was set, for what fades.
    ///   - width, height: of the frame.
    package convenience init?(_ chain: FilterChain, at time: Double = 0, width: Int, height: Int) {
        self.init(chain.states(at: time).flatMap(\.operations), width: width, height: height)
    }

    init?(_ operations: [FilterOperation], width: Int, height: Int) {
        guard width > 0, height > 0, FilterRunner.takes(width: width, height: height) else { return nil }
        let frame = Rectangle(width: width, height: height)
        let steps = PositionStep.steps(operations, frame)
        guard steps.reduce(0, { $0 + $1.reach }) > Self.leastReach else { return nil }
        self.frame = frame
        guard let first = steps.firstIndex(where: \.isMoving), let last = steps.lastIndex(where: \.isMoving) else {
            (before, after, copies, finder) = (steps, [], nil, nil)
            return
        }
        (before, after) = (Array(steps[..<first]), Array(steps[(last + 1)...]))
        let tree = SourceTree(Array(steps[first...last]), frame: frame)
        copies = CopyFinder(tree, frame: frame)
        let warps = operations.compactMap { operation -> Warp? in
            guard case .warp(let warp) = operation, !warp.areas.isScattered else { return nil }
            return warp
        }
        finder = warps.isEmpty ? nil : PointFinder(warps, warps.count == last - first + 1 ? tree : nil, frame: frame)
    }

    /// Returns the boxes, in the result, of everything that shows pixels of a box of the frame: one for each copy, the
    /// nearest first; none if it is not shown. Nothing of it is shown outside of them. If there are more than 64
    /// copies, those near each other share a box.
    package func copies(of box: Rectangle) -> [Rectangle] {
        let box = box.intersection(frame)
        guard !box.isEmpty else { return [] }
        let spread = spread(box, by: before)
        let boxes = (copies?.boxes(of: spread) ?? [spread]).map { self.spread($0, by: after) }
        guard boxes.count > 1 else { return boxes }
        // Copies within another one are followed or hidden with it.
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

    /// Returns where a point of the frame is within one of the copies of its box. Points beside the box, as landmarks
    /// may be, are looked for up to half of the copy's size beside it. Nil if the point is not shown there.
    package func place(of point: Point, in copy: Rectangle) -> Point? {
        let copy = copy.intersection(frame)
        let (across, down) = (copy.width / 2, copy.height / 2)
        let around = Rectangle(
            x: copy.x - across, y: copy.y - down, width: copy.width + 2 * across, height: copy.height + 2 * down)
        guard let finder else {
            let pixel = Rectangle(x: floored(point.x), y: floored(point.y), width: 1, height: 1)
            return pixel.intersection(around).isEmpty ? nil : point
        }
        return finder.place(of: point, in: copy) ?? finder.place(of: point, in: around)
    }
}

/// Keeps the map of a chain as long as things move in the same way. It belongs to one thread.
package final class PositionMapCache {
    private var last: (filters: [FilterWithValues], moving: [FilterWithValues], frame: Rectangle, map: PositionMap?)?

    package init() {}

    /// Returns the map of a chain; nil if everything stays in its place. It is the same map until the size changes, or
    /// a parameter by which things move.
    /// - Parameters:
    ///   - time: seconds since the chain was set, for what fades.
    ///   - width, height: of the frame.
    package func map(of chain: FilterChain, at time: Double, width: Int, height: Int) -> PositionMap? {
        let (filters, frame) = (chain.states(at: time), Rectangle(width: width, height: height))
        if let last, last.filters == filters, last.frame == frame { return last.map }
        let moving = filters.filter { $0.operations.contains(where: \.movesThings) }
        let isSame = last.map { $0.moving == moving && $0.frame == frame } ?? false
        let map = isSame ? last?.map : PositionMap(moving.flatMap(\.operations), width: width, height: height)
        last = (filters, moving, frame, map)
        return map
    }
}
