// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// Finds an object of the input image in the result of warps. A warp, for example a kaleidoscope, may show several
/// copies of an object.
final class CopyFinder {
    private let tree: SourceTree
    private let frame: Rectangle
    private var squares: ConnectedSquares

    /// Maximum number of boxes that `boxes(of:)` returns.
    private static let maxCount = 64

    /// - Parameter frame: the bounds of the frame. They must not be empty.
    init(_ tree: SourceTree, frame: Rectangle) {
        (self.tree, self.frame) = (tree, frame)
        squares = ConnectedSquares(columns: tree.columns, rows: tree.rows)
    }

    /// Returns the boxes of all copies of an object in the result. Together, the boxes contain all result pixels that
    /// show input pixels of `box`.
    /// - Parameter box: the bounding box of the object in the input frame. It must not be empty.
    func boxes(of box: Rectangle) -> [Rectangle] {
        let span = PixelSpan(box)
        let groups = squares.groups(tree.blocks(showing: span, in: frame))
        return groups.count > Self.maxCount ? joined(groups) : groups.compactMap { bounds(of: $0, showing: span) }
    }

    /// Returns the bounding boxes of groups of squares in the result. Divides the frame into 8 x 8 cells, and joins
    /// boxes whose centres are in the same cell. So there are at most `maxCount` boxes.
    private func joined(_ groups: [[ConnectedSquares.Run]]) -> [Rectangle] {
        let side = Int(Double(Self.maxCount).squareRoot())
        var joined = [Rectangle](repeating: Rectangle(width: 0, height: 0), count: side * side)
        for group in groups {
            let box = bounds(of: group)
            let column = (2 * box.x + box.width) * side / (2 * frame.width)
            let row = (2 * box.y + box.height) * side / (2 * frame.height)
            joined[row * side + column] = joined[row * side + column].union(box)
        }
        return joined.filter { !$0.isEmpty }
    }

    private func bounds(of group: [ConnectedSquares.Run]) -> Rectangle {
        group.reduce(Rectangle(width: 0, height: 0)) { $0.union(tree.pixels(of: $1.block)) }
    }

    /// Returns the bounding box of the pixels in a group of squares that show input pixels of `span`. Returns nil if
    /// the group shows no input pixel of `span`.
    private func bounds(of group: [ConnectedSquares.Run], showing span: PixelSpan) -> Rectangle? {
        // The input areas of squares in `tree` may be larger than necessary. So a small group may show no input pixel
        // of `span`. Check the pixels of such a group one by one.
        if group.count <= 3, group.allSatisfy({ $0.columns.count <= 3 }) {
            guard group.contains(where: { tree.shows(span, in: tree.pixels(of: $0.block), length: 1) }) else {
                return nil
            }
        }
        let box = bounds(of: group)
        let (left, right) = (margin(of: group, in: box, .left, span), margin(of: group, in: box, .right, span))
        let (top, bottom) = (margin(of: group, in: box, .top, span), margin(of: group, in: box, .bottom, span))
        let trimmed = Rectangle(
            x: box.x + left, y: box.y + top, width: box.width - left - right, height: box.height - top - bottom)
        return trimmed.isEmpty ? nil : trimmed
    }

    fileprivate enum Edge {
        case left, right, top, bottom
    }

    /// Returns the number of rows or columns at an edge of a group of squares that show no input pixel of `span`. The
    /// result is less than the side of a square, in pixels.
    /// - Parameter box: the bounding box of the group.
    private func margin(of group: [ConnectedSquares.Run], in box: Rectangle, _ edge: Edge, _ span: PixelSpan) -> Int {
        let squares =
            switch edge {
            case .left: parts(of: group, column: box.x / tree.side)
            case .right: parts(of: group, column: (box.x + box.width - 1) / tree.side)
            case .top: parts(of: group, row: box.y / tree.side)
            case .bottom: parts(of: group, row: (box.y + box.height - 1) / tree.side)
            }
        let isUpright = edge == .left || edge == .right
        // Binary search. The outermost `empty` rows or columns show no input pixel of `span`. The outermost `limit`
        // rows or columns may show one.
        var (empty, limit) = (0, squares.first.map { isUpright ? $0.width : $0.height } ?? 0)
        while limit - empty > 1 {
            let middle = (empty + limit) / 2
            let isShown = squares.contains { tree.shows(span, in: $0.strip(edge, middle), length: tree.side) }
            if isShown { limit = middle } else { empty = middle }
        }
        return empty
    }

    /// Returns the squares of the group that are in the grid row `row`, as rectangles of pixels.
    private func parts(of group: [ConnectedSquares.Run], row: Int) -> [Rectangle] {
        group.filter { $0.row == row }.map { tree.pixels(of: $0.block) }
    }

    /// Returns the squares of the group that are in the grid column `column`, as rectangles of pixels. The runs must be
    /// sorted by row.
    private func parts(of group: [ConnectedSquares.Run], column: Int) -> [Rectangle] {
        var parts: [Range<Int>] = []
        for run in group where run.columns.contains(column) {
            if let last = parts.last, last.upperBound == run.row {
                parts[parts.count - 1] = last.lowerBound..<run.row + 1
            } else {
                parts.append(run.row..<run.row + 1)
            }
        }
        return parts.map { tree.pixels(of: SourceTree.Block(columns: column..<column + 1, rows: $0)) }
    }
}

extension Rectangle {
    /// Returns the `depth` rows or columns of this rectangle that are nearest to an edge.
    fileprivate func strip(_ edge: CopyFinder.Edge, _ depth: Int) -> Rectangle {
        switch edge {
        case .left: Rectangle(x: x, y: y, width: depth, height: height)
        case .right: Rectangle(x: x + width - depth, y: y, width: depth, height: height)
        case .top: Rectangle(x: x, y: y, width: width, height: depth)
        case .bottom: Rectangle(x: x, y: y + height - depth, width: width, height: depth)
        }
    }
}
