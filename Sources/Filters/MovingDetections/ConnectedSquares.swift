// SPDX-License-Identifier: LGPL-2.1-or-later
/// Groups marked squares of a grid into connected components (8-connectivity).
struct ConnectedSquares {
    private let columns: Int
    private var marks: [Bool]
    /// For each row, the range from the first to the last marked column. The range is empty if the row has no marks.
    private var marked: [Range<Int>]
    private var rows: Range<Int>

    /// A run of adjacent marked squares in a row.
    struct Run {
        let row: Int
        let columns: Range<Int>

        var block: SourceTree.Block { SourceTree.Block(columns: columns, rows: row..<row + 1) }
    }

    init(columns: Int, rows: Int) {
        self.columns = columns
        marks = [Bool](repeating: false, count: columns * rows)
        marked = [Range<Int>](repeating: 0..<0, count: rows)
        self.rows = 0..<0
    }

    /// Returns the connected components of the squares in `blocks`. Squares that touch at a corner are connected.
    mutating func groups(_ blocks: [SourceTree.Block]) -> [[Run]] {
        for block in blocks {
            for row in block.rows {
                for column in block.columns { marks[row &* columns &+ column] = true }
                marked[row] = marked[row].hull(block.columns)
            }
            rows = rows.hull(block.rows)
        }
        return collect()
    }

    /// Returns the connected components of the marked squares, and clears the marks.
    private mutating func collect() -> [[Run]] {
        var runs: [Run] = []
        // Union-find: `before` contains an index for each run. It is the index of an earlier run of the same group, or
        // the index of the run itself if the run is the first of its group.
        var before: [Int] = []
        func first(_ run: Int) -> Int {
            var run = run
            while before[run] != run { run = before[run] }
            return run
        }
        var (previous, last) = (0, -2)
        for row in rows where !marked[row].isEmpty {
            let start = runs.count
            var above = last == row - 1 ? previous : start
            var column = marked[row].lowerBound
            while column < marked[row].upperBound {
                let from = column
                while column < marked[row].upperBound, marks[row &* columns &+ column] {
                    marks[row &* columns &+ column] = false
                    column += 1
                }
                guard column > from else {
                    column += 1
                    continue
                }
                var group = runs.count
                runs.append(Run(row: row, columns: from..<column))
                before.append(group)
                while above < start, runs[above].columns.upperBound < from { above += 1 }
                var touching = above
                while touching < start, runs[touching].columns.lowerBound <= column {
                    let other = first(touching)
                    (before[max(group, other)], group) = (min(group, other), min(group, other))
                    touching += 1
                }
            }
            marked[row] = 0..<0
            (previous, last) = (start, row)
        }
        rows = 0..<0
        return Dictionary(grouping: runs.indices, by: first).values.map { $0.map { runs[$0] } }
    }
}

extension Range<Int> {
    /// Returns the shortest range that contains this range and `other`. Empty ranges are ignored.
    fileprivate func hull(_ other: Range<Int>) -> Range<Int> {
        guard !isEmpty else { return other }
        guard !other.isEmpty else { return self }
        return Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
    }
}
