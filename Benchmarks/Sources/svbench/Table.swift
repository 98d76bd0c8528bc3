// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// An aligned table of plain text whose rows are printed as soon as they are known.
struct Table {
    let title: String
    private let nameWidth: Int
    private let widths: [Int]

    /// Prints the title and the head.
    /// - Parameter names: the names of all the rows to come.
    init(title: String, names: [String], columns: [String]) {
        self.title = title
        nameWidth = names.map(\.count).max() ?? 0
        widths = columns.map { column in
            switch column {
            case "range", "goal", "CPU goal", "memory goal", "cold goal": 13
            case "peer": 0
            default: max(column.count, 8)
            }
        }
        Swift.print("\n\(title)\n")
        print("row", columns)
        print(String(repeating: "-", count: nameWidth), widths.map { String(repeating: "-", count: max($0, 4)) })
    }

    func print(_ name: String, _ cells: [String]) {
        func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
        let aligned = zip(cells, widths).map { spaces($1 - $0.count) + $0 }.joined(separator: "  ")
        Swift.print(name + spaces(nameWidth - name.count) + "  " + aligned)
        fflush(nil)
    }
}
