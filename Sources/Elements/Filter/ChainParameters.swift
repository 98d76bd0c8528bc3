// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Filters
import Imaging

extension FilterChain {
    /// Maximum length of the list, in bytes. A page of svwebsink gets at most 65536 bytes of a text.
    private static let maxListBytes = 60_000

    /// The filters with their numeric parameters, as JSON: the value of the property `parameters`. Nil for a chain
    /// without filters. If the list is too long, the last filters are missing.
    var parameterList: String? {
        guard !uses.isEmpty else { return nil }
        var (items, size): ([String], Int) = ([], 1)
        var counts: [String: Int] = [:]
        for use in uses {
            let number = (counts[use.filter.name] ?? 0) + 1
            counts[use.filter.name] = number
            let item = use.json(path: number == 1 ? use.filter.name : "\(use.filter.name)#\(number)").line
            size += item.utf8.count + 1
            guard size < Self.maxListBytes else { break }
            items.append(item)
        }
        return "[\(items.joined(separator: ","))]"
    }
}

extension FilterChain.Use {
    /// - Parameter path: the name of the filter for `set-parameter`, with a number if the chain repeats the filter.
    fileprivate func json(path: String) -> JSONValue {
        var parameters: [JSONValue] = []
        for (index, (parameter, stored)) in zip(filter.parameters, values).enumerated() {
            let value = fades[index].map { FilterValue.number($0.finalValue) } ?? stored
            guard case .number(let range, let initial, let isInteger) = parameter.kind,
                case .number(let number) = value
            else { continue }
            var members: [(name: String, value: JSONValue)] = [
                ("name", .text(parameter.name)), ("value", .exact(number)), ("default", .exact(initial)),
                ("minimum", .exact(range.lowerBound)), ("maximum", .exact(range.upperBound)),
                ("integer", .truth(isInteger)), ("unit", .text(parameter.unit)), ("blurb", .text(parameter.blurb)),
            ]
            if let fade = fades[index] { members.append(("fade", .text("\(fade)"))) }
            parameters.append(.table(members))
        }
        return .table([
            ("path", .text(path)), ("filter", .text(filter.name)), ("blurb", .text(filter.summary)),
            ("parameters", .list(parameters)),
        ])
    }
}
