/// Sources of the rows and the columns of a frame, for warps that move rows and columns independently.
final class SamplingGrid {
    /// The row above each row's place, and the share of the next one, in 1/256.
    let rows: [(row: Int, share: UInt16)]
    /// The column to the left of each column's place.
    let columns: [UInt32]
    /// The share of the next one, in 1/65536, four times for each column.
    let shares: [UInt16]
    /// The columns that a tile needs.
    private let spans: [ClosedRange<Int>]
    /// The row that divides the frame for stretching in place: no row above it comes from above itself, none from it on
    /// from below itself; those above it need no other row from it on, and those from it on only the last row above it.
    /// Nil if there is no such row.
    let middle: Int?

    /// Returns nil if warps do not move rows and columns independently, or move them by whole pixels.
    /// - Parameter warps: in the order in which they are applied to the picture.
    init?(_ warps: [Warp], width: Int, height: Int) {
        guard warps.allSatisfy(\.isGrid) else { return nil }
        let (right, bottom) = (Double(width), Double(height))
        let sources = warps.reversed().map { $0.source(right, bottom) }
        func fixed(_ place: Point) -> (column: Int, row: Int) {
            let place = sources.reduce(place) { place, source in
                (source(place) ?? place).inside(width: right, height: bottom)
            }
            return (fixedPoint(place.x), fixedPoint(place.y))
        }
        let columns = (0..<width).map { fixed(Point(Double($0) + 0.5, 0.5)).column }
        let rows = (0..<height).map { fixed(Point(0.5, Double($0) + 0.5)).row }
        guard !(columns + rows).allSatisfy({ $0 & 255 == 0 }) else { return nil }
        self.rows = rows.map { (row: $0 >> 8, share: UInt16($0 & 255)) }
        middle = Self.middle(rows)
        self.columns = columns.map { UInt32($0 >> 8) }
        shares = columns.flatMap { [UInt16](repeating: UInt16(($0 & 255) << 8), count: 4) }
        spans = stride(from: 0, to: width, by: WorkerMemory.tile).map { x in
            let tile = columns[x..<min(width, x + WorkerMemory.tile)]
            return (tile.min() ?? 0) >> 8...(tile.max() ?? 0) >> 8 + 1
        }
    }

    /// - Parameter rows: in 1/256.
    private static func middle(_ rows: [Int]) -> Int? {
        let middle = rows.indices.first { rows[$0] <= 256 * $0 } ?? rows.count
        let isDone =
            rows[..<middle].allSatisfy { $0 <= 256 * middle }
            && rows.indices[middle...].allSatisfy { rows[$0] <= 256 * $0 && rows[$0] >= 256 * (middle - 1) }
        return isDone ? middle : nil
    }

    /// The columns of the picture that any column lies between.
    var columnsUsed: ClosedRange<Int> {
        (spans.map(\.lowerBound).min() ?? 0)...(spans.map(\.upperBound).max() ?? 0)
    }

    /// The columns of the picture that those of a tile lie between.
    func span(x: Int) -> ClosedRange<Int> { spans[min(max(0, x / WorkerMemory.tile), spans.count - 1)] }
}
