import Glibc

/// An aligned table of plain text whose rows appear as soon as they are known.
struct Table {
    private let nameWidth: Int
    private let widths: [Int]

    /// Prints the title and the head.
    /// - Parameter names: of all the rows to come.
    init(title: String, names: [String], columns: [String]) {
        nameWidth = names.map(\.count).max() ?? 0
        widths = columns.map { column in
            switch column {
            case "range", "CPU goal", "memory goal", "cold goal", "goal": 13
            case "peer": 0
            default: max(column.count, 8)
            }
        }
        Swift.print("\n\(title)\n")
        print("row", columns)
        print(String(repeating: "-", count: nameWidth), widths.map { String(repeating: "-", count: max($0, 4)) })
    }

    func print(_ name: String, _ cells: [String]) {
        let aligned = zip(cells, widths).map { cell, width in
            width == 0 ? cell : String(repeating: " ", count: max(0, width - cell.count)) + cell
        }
        show(name, aligned.joined(separator: "  "))
    }

    func print(_ name: String, note: String) {
        show(name, note)
    }

    private func show(_ name: String, _ rest: String) {
        Swift.print(name + String(repeating: " ", count: max(0, nameWidth - name.count)) + "  " + rest)
        fflush(nil)
    }
}

extension Double {
    /// With so many digits after the point.
    func fixed(_ digits: Int) -> String {
        guard isFinite, magnitude < 1e12 else { return "?" }
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let units = Int((self * Double(scale)).rounded())
        let sign = units < 0 ? "-" : ""
        guard digits > 0 else { return "\(units)" }
        let fraction = String(units.magnitude % UInt(scale))
        let zeros = String(repeating: "0", count: digits - fraction.count)
        return "\(sign)\(units.magnitude / UInt(scale)).\(zeros)\(fraction)"
    }

    /// Of nanoseconds.
    var milliseconds: String { (self / 1e6).fixed(3) }

    /// Of kilobytes.
    var megabytes: String { (self / 1024).fixed(1) }
}
