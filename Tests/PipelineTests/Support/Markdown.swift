// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation

/// The parts of a Markdown page that tests use.
struct Markdown {
    struct Block {
        /// The text after the fence: `sh`, `sh camera`, `swift`.
        let kind: String
        let lines: [String]
    }

    struct Table {
        /// The headings above the table, from the first level to the nearest heading.
        let section: [String]
        let header: [String]
        let rows: [[String]]

        /// Returns the cell of a row in the column with this header. Returns nil if there is no such column.
        func cell(_ column: String, of row: [String]) -> String? {
            header.firstIndex(of: column).flatMap { $0 < row.count ? row[$0] : nil }
        }
    }

    let blocks: [Block]
    let tables: [Table]
    /// The text outside of code blocks.
    let prose: String

    init(_ text: String) {
        var blocks: [Block] = []
        var tables: [Table] = []
        var prose: [String] = []
        var headings: [(level: Int, text: String)] = []
        var open: (kind: String, lines: [String])?
        var table: [[String]] = []
        func endTable() {
            if table.count > 2 {
                tables.append(
                    Table(section: headings.map(\.text), header: table[0], rows: Array(table.dropFirst(2))))
            }
            table = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.trimmingCharacters(in: .whitespaces).hasPrefix("```") {
                if let block = open {
                    blocks.append(Block(kind: block.kind, lines: block.lines))
                    open = nil
                } else {
                    open = (line.trimmingCharacters(in: CharacterSet(charactersIn: " `")), [])
                }
                continue
            }
            if open != nil {
                open?.lines.append(line)
                continue
            }
            prose.append(line)
            if line.hasPrefix("|") {
                table.append(Self.cells(line))
                continue
            }
            endTable()
            if line.hasPrefix("#") {
                let level = line.prefix { $0 == "#" }.count
                headings.removeAll { $0.level >= level }
                headings.append((level, line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces)))
            }
        }
        endTable()
        self.blocks = blocks
        self.tables = tables
        self.prose = prose.joined(separator: "\n")
    }

    /// Returns the cells of a table row. `\|` does not separate cells.
    private static func cells(_ line: String) -> [String] {
        line.replacing("\\|", with: "\u{1}").dropFirst().split(separator: "|", omittingEmptySubsequences: false)
            .dropLast().map { $0.replacing("\u{1}", with: "|").trimmingCharacters(in: .whitespaces) }
    }

    static func code(in text: String) -> [String] {
        text.matches(of: #/`([^`]+)`/#).map { String($0.1) }
    }
}
