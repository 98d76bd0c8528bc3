// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// Sources of the pixels in squares of a chain's result: large squares, of four smaller ones each, and so on. Results
/// are computed on demand and kept.
final class SourceTree {
    private let steps: [PositionStep]
    private let frame: Rectangle
    /// The squares of each size, the smallest first: sides of the largest are 32 times those of the smallest.
    private let levels: InlineArray<6, Level>
    /// Pixels seen in the squares, level by level and row by row.
    private let spans: UnsafeMutablePointer<PixelSpan>

    private struct Level {
        /// log₂ of a square's side.
        let shift: Int
        let columns: Int
        let rows: Int
        /// The number of the first square.
        let start: Int

        func columns(of region: Rectangle) -> Range<Int> {
            region.x >> shift..<(region.x + region.width - 1) >> shift + 1
        }

        func rows(of region: Rectangle) -> Range<Int> {
            region.y >> shift..<(region.y + region.height - 1) >> shift + 1
        }
    }

    /// The most squares of the smallest size, for each step: this limits the time to look at all of them.
    private static let mostSquares = 40_000

    /// - Parameters:
    ///   - steps: those that move things, and what is between them, in the order in which they are applied.
    ///   - frame: not empty.
    init(_ steps: [PositionStep], frame: Rectangle) {
        (self.steps, self.frame) = (steps, frame)
        func count(_ length: Int, _ shift: Int) -> Int { (length - 1) >> shift + 1 }
        var shift = 0
        while count(frame.width, shift) * count(frame.height, shift) > Self.mostSquares / max(1, steps.count) {
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

    /// Columns and rows of the smallest squares.
    var columns: Int { levels[0].columns }
    var rows: Int { levels[0].rows }
    /// Side of the smallest squares.
    var side: Int { 1 << levels[0].shift }

    /// The pixels of some of the smallest squares.
    func pixels(of block: Block) -> Rectangle { pixels(of: block, levels[0].shift) }

    private func pixels(of block: Block, _ shift: Int) -> Rectangle {
        let (x, y) = (block.columns.lowerBound << shift, block.rows.lowerBound << shift)
        return Rectangle(
            x: x, y: y, width: min(block.columns.upperBound << shift, frame.width) - x,
            height: min(block.rows.upperBound << shift, frame.height) - y)
    }

    // MARK: - Sources

    /// The pixels that are seen in an area of the result, and perhaps some more.
    func source(of area: Area) -> PixelSpan {
        steps.source(of: area, in: frame).map { PixelSpan(reading: $0) } ?? .none
    }

    /// Returns whether any pixels of a span are seen in some of the result.
    /// - Parameters:
    ///   - pixels: not empty, and in the frame.
    ///   - length: greatest length that is looked at in one piece. The shorter, the fewer false positives.
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

    /// Some of the smallest squares side by side.
    struct Block {
        let columns: Range<Int>
        let rows: Range<Int>
    }

    /// The smallest squares in which pixels of a span are seen, and perhaps some more.
    /// - Parameter region: the region searched, in the frame and not empty.
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
                let seen = source(column, row, level)
                guard seen.meets(span) else { continue }
                // Where nothing else is seen there is nothing to tell apart.
                let isWhole = number == 0 || seen.lies(in: span)
                let difference = isWhole ? number : 1
                let columns = column << difference..<(column + 1) << difference
                let rows = row << difference..<(row + 1) << difference
                if isWhole {
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
        return spans[index] == .unknown ? found(column, row, level, index) : spans[index]
    }

    // A function of its own, so that its memory is not held when nothing has to be computed.
    @inline(never)
    private func found(_ column: Int, _ row: Int, _ level: Level, _ index: Int) -> PixelSpan {
        let block = Block(columns: column..<column + 1, rows: row..<row + 1)
        let span = source(of: Area(pixels(of: block, level.shift)))
        spans[index] = span
        return span
    }
}
