// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// A quadtree of squares in the result of a chain. For each square, the tree stores the rectangle of the input pixels
/// that are visible in the square. A square consists of four squares of the next level, which have half the side. The
/// tree computes the rectangle of a square when it is first needed.
final class SourceTree {
    private let steps: [PositionStep]
    private let frame: Rectangle
    /// The levels of the quadtree, from the smallest to the largest squares. The sides of the largest squares are 32
    /// times as long as the sides of the smallest squares.
    private let levels: InlineArray<6, Level>
    /// For each square, the rectangle of visible input pixels. The squares are sorted by level, row and column.
    private let spans: UnsafeMutablePointer<PixelSpan>

    private struct Level {
        /// log₂ of the side of a square, in pixels.
        let shift: Int
        let columns: Int
        let rows: Int
        /// Index in `spans` of the first square of the level.
        let start: Int

        func columns(of region: Rectangle) -> Range<Int> {
            region.x >> shift..<(region.x + region.width - 1) >> shift + 1
        }

        func rows(of region: Rectangle) -> Range<Int> {
            region.y >> shift..<(region.y + region.height - 1) >> shift + 1
        }
    }

    /// Maximum of the product: number of smallest squares × number of filter steps. This limits the time of a search.
    private static let maxSquares = 40_000

    /// - Parameters:
    ///   - steps: the steps from the first to the last step that moves objects, in the order of their application.
    ///   - frame: the bounds of the frame. They must not be empty.
    init(_ steps: [PositionStep], frame: Rectangle) {
        (self.steps, self.frame) = (steps, frame)
        func count(_ length: Int, _ shift: Int) -> Int { (length - 1) >> shift + 1 }
        var shift = 0
        while count(frame.width, shift) * count(frame.height, shift) > Self.maxSquares / max(1, steps.count) {
            shift += 1
        }
        var squares = 0
        levels = InlineArray { number in
            let shift = shift + number
            let (columns, rows) = (count(frame.width, shift), count(frame.height, shift))
            defer { squares += columns * rows }
            return Level(shift: shift, columns: columns, rows: rows, start: squares)
        }
        spans = .allocate(capacity: squares)
        spans.initialize(repeating: .unknown, count: squares)
    }

    deinit { spans.deallocate() }

    var columns: Int { levels[0].columns }
    var rows: Int { levels[0].rows }
    /// Side of the smallest squares, in pixels.
    var side: Int { 1 << levels[0].shift }

    /// Returns the rectangle of pixels that a block of squares covers.
    func pixels(of block: Block) -> Rectangle { pixels(of: block, levels[0].shift) }

    private func pixels(of block: Block, _ shift: Int) -> Rectangle {
        let (x, y) = (block.columns.lowerBound << shift, block.rows.lowerBound << shift)
        return Rectangle(
            x: x, y: y, width: min(block.columns.upperBound << shift, frame.width) - x,
            height: min(block.rows.upperBound << shift, frame.height) - y)
    }

    // MARK: - Sources

    /// Returns a rectangle that contains all input pixels that are visible in `area` of the result.
    func source(of area: Area) -> PixelSpan {
        steps.source(of: area, in: frame).map { PixelSpan(reading: $0) } ?? .none
    }

    /// Returns true if an input pixel of `span` may be visible in a part of the result. For a more exact answer, the
    /// method divides the part into pieces, and checks each piece.
    /// - Parameters:
    ///   - pixels: the part of the result. It must be in the frame and not empty.
    ///   - length: the maximum side of a piece. Smaller pieces give fewer false positives.
    func shows(_ span: PixelSpan, in pixels: Rectangle, length: Int) -> Bool {
        guard source(of: Area(pixels)).meets(span) else { return false }
        guard max(pixels.width, pixels.height) > length else { return true }
        var (first, second) = (pixels, pixels)
        if pixels.width > pixels.height {
            first.width = pixels.width / 2
            (second.x, second.width) = (pixels.x + first.width, pixels.width - first.width)
        } else {
            first.height = pixels.height / 2
            (second.y, second.height) = (pixels.y + first.height, pixels.height - first.height)
        }
        return shows(span, in: first, length: length) || shows(span, in: second, length: length)
    }

    // MARK: - Looking for pixels

    /// A rectangular block of adjacent squares of the smallest level.
    struct Block {
        let columns: Range<Int>
        let rows: Range<Int>
    }

    /// Returns blocks of the smallest squares. The blocks cover all positions in the result at which an input pixel of
    /// `span` may be visible.
    /// - Parameter region: the region of the result to search. It must be in the frame and not empty.
    func blocks(showing span: PixelSpan, in region: Rectangle) -> [Block] {
        var blocks: [Block] = []
        let last = levels.count - 1
        find(span, last, 0..<levels[last].columns, 0..<levels[last].rows, region, &blocks)
        return blocks
    }

    private func find(
        _ span: PixelSpan, _ number: Int, _ columns: Range<Int>, _ rows: Range<Int>, _ region: Rectangle,
        _ blocks: inout [Block]
    ) {
        let level = levels[number]
        let columns = columns.clamped(to: level.columns(of: region))
        for row in rows.clamped(to: level.rows(of: region)) {
            for column in columns {
                let sourceSpan = source(column, row, level)
                guard sourceSpan.meets(span) else { continue }
                // If all input pixels of a square are in `span`, all smaller squares inside of this square match, too.
                let isCovered = number == 0 || sourceSpan.lies(in: span)
                let difference = isCovered ? number : 1
                let columns = column << difference..<(column + 1) << difference
                let rows = row << difference..<(row + 1) << difference
                if isCovered {
                    blocks.append(
                        Block(
                            columns: columns.clamped(to: levels[0].columns(of: region)),
                            rows: rows.clamped(to: levels[0].rows(of: region))))
                } else {
                    find(span, number - 1, columns, rows, region, &blocks)
                }
            }
        }
    }

    private func source(_ column: Int, _ row: Int, _ level: Level) -> PixelSpan {
        let index = level.start &+ row &* level.columns &+ column
        return spans[index] == .unknown ? computedSpan(column, row, level, index) : spans[index]
    }

    // A separate function, so that its stack frame is allocated only if the span of a square is not cached yet.
    @inline(never)
    private func computedSpan(_ column: Int, _ row: Int, _ level: Level, _ index: Int) -> PixelSpan {
        let block = Block(columns: column..<column + 1, rows: row..<row + 1)
        let span = source(of: Area(pixels(of: block, level.shift)))
        spans[index] = span
        return span
    }
}
