// SPDX-License-Identifier: LGPL-2.1-or-later

/// Assigns each row to at most one column, and each column to at most one row, so that the sum of the costs is minimal
/// (the Hungarian method: Kuhn, 1955; with potentials and shortest augmenting paths: Jonker and Volgenant, 1987).
/// - Parameters:
///   - costs: a cost for each row and column. Costs that are not below `limit` forbid the pair.
///   - limit: the cost of a row without a column, at least 0.
/// - Returns: the column of each row; nil for a row without a column.
func leastCostAssignment(_ costs: [[Double]], limit: Double) -> [Int?] {
    let (rows, columns) = (costs.count, costs.first?.count ?? 0)
    // Each row has an additional column with the cost `limit`, which stands for "no column". Row 0 and column 0 are
    // sentinels.
    let width = columns + rows
    func cost(_ row: Int, _ column: Int) -> Double {
        guard column <= columns else { return column - columns == row ? limit : .infinity }
        let cost = costs[row - 1][column - 1]
        return cost < limit ? cost : .infinity
    }
    var rowPotentials = [Double](repeating: 0, count: rows + 1)
    var columnPotentials = [Double](repeating: 0, count: width + 1)
    var rowOf = [Int](repeating: 0, count: width + 1)
    var before = [Int](repeating: 0, count: width + 1)
    for row in 0..<rows {
        rowOf[0] = row + 1
        var column = 0
        var slack = [Double](repeating: .infinity, count: width + 1)
        var isVisited = [Bool](repeating: false, count: width + 1)
        while rowOf[column] != 0 {
            isVisited[column] = true
            let current = rowOf[column]
            var (least, next) = (Double.infinity, 0)
            for other in 1..<(width + 1) where !isVisited[other] {
                let reduced = cost(current, other) - rowPotentials[current] - columnPotentials[other]
                if reduced < slack[other] { (slack[other], before[other]) = (reduced, column) }
                if slack[other] < least { (least, next) = (slack[other], other) }
            }
            // The search always finds a next column, because each row has an additional column ("no column") that no
            // other row can use.
            for other in 0..<(width + 1) {
                if isVisited[other] {
                    rowPotentials[rowOf[other]] += least
                    columnPotentials[other] -= least
                } else {
                    slack[other] -= least
                }
            }
            column = next
        }
        while column != 0 {
            rowOf[column] = rowOf[before[column]]
            column = before[column]
        }
    }
    var result = [Int?](repeating: nil, count: rows)
    for column in 0..<columns where rowOf[column + 1] != 0 { result[rowOf[column + 1] - 1] = column }
    return result
}
