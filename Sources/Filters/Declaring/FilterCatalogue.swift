// SPDX-License-Identifier: LGPL-2.1-or-later
extension Filter {
    /// All filters with their parameters, ordered by category, as text for users. The text has one line per category,
    /// per filter and per parameter.
    package static var catalogue: String {
        var lines: [String] = []
        for category in Category.allCases {
            lines.append(category.rawValue)
            for filter in all where filter.category == category {
                lines.append("  " + filter.name.padded(22) + filter.summary)
                lines += filter.parameters.map { "    " + $0.name.padded(20) + $0.values + "; " + $0.blurb }
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension FilterParameter {
    /// The valid values and the default value, as text for users.
    package var values: String {
        let initial = defaultValue.text
        switch kind {
        case .number(let range, _, let isInteger):
            let (low, high) = (FilterValue.number(range.lowerBound).text, FilterValue.number(range.upperBound).text)
            let what = unit.isEmpty ? "\(low) to \(high)" : "\(low) to \(high) \(unit)"
            return "\(what)\(isInteger ? ", integer" : ""), default \(initial)"
        case .color: return "#000000 to #ffffff, default \(initial)"
        case .choice(let words): return "\(words.joined(separator: " or ")), default \(initial)"
        case .cubeFile: return "a path, default none"
        }
    }
}

extension String {
    /// Appends blanks until the text has `width` characters. Appends at least one blank.
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
