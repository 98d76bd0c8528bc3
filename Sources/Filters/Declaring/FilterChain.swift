// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// A list of filters with their parameters, applied in order. Users write a chain as `sepia-tone intensity=0.8 |
/// vignette`.
package struct FilterChain: Sendable, Hashable {
    /// One filter of a chain, with its parameters.
    package struct Use: Sendable, Hashable {
        package let filter: Filter
        /// The values of the filter's parameters. If a parameter changes over time, this is its value before the change
        /// starts.
        package fileprivate(set) var values: [FilterValue]
        /// The changes of the parameters that change over time. The keys are the indices of these parameters.
        package fileprivate(set) var fades: [Int: FadeSequence]
    }

    package private(set) var uses: [Use]

    init(uses: [Use]) { self.uses = uses }

    /// Creates a chain without filters.
    package init() { uses = [] }

    /// Creates a chain of one filter with default values.
    package init(_ filter: Filter) { uses = [Use(filter)] }

    /// Returns a chain that applies the filters of this chain and then the filters of `other`.
    package func then(_ other: FilterChain) -> FilterChain { FilterChain(uses: uses + other.uses) }

    /// Returns the filters with the values of their parameters at a time.
    /// - Parameter time: the number of nanoseconds since the chain was set.
    package func states(at time: UInt64) -> [FilterWithValues] {
        uses.map { use in
            var values = use.values
            for (index, fade) in use.fades {
                guard let number = fade.value(at: time) else { continue }
                values[index] = .number(use.filter.parameters[index].isInteger ? number.rounded() : number)
            }
            let isFading = use.fades.values.contains { $0.isActive(at: time) }
            return FilterWithValues(filter: use.filter, values: values, isFading: isFading)
        }
    }

    /// Sets a parameter to a value or to a sequence of fades. Replaces a previous sequence of this parameter.
    /// - Parameters:
    ///   - path: `filter.parameter`. If the chain contains the filter more than once, `filter#2.parameter` is a
    ///     parameter of the second occurrence.
    ///   - text: the value as users write it in a chain, but without quotes.
    package mutating func set(_ path: String, to text: String) throws(FilterChainError) {
        let (use, parameter) = try find(path)
        uses[use].set(parameter, try ParsedValue(text, for: uses[use].filter.parameters[parameter]))
    }

    package mutating func set(_ path: String, to number: Double) throws(FilterChainError) {
        let (use, parameter) = try find(path)
        let declared = uses[use].filter.parameters[parameter]
        guard case .number = declared.kind else {
            throw FilterChainError("the parameter \(declared.name) is not a number")
        }
        uses[use].set(parameter, try ParsedValue(number: number, for: declared))
    }

    /// Returns the value of a parameter. If the parameter changes over time, returns its value after the change.
    package func value(_ path: String) throws(FilterChainError) -> FilterValue {
        let (use, parameter) = try find(path)
        return uses[use].fades[parameter].map { .number($0.finalValue) } ?? uses[use].values[parameter]
    }

    /// Returns the index of a filter in the chain, and the index of a parameter in this filter.
    private func find(_ path: String) throws(FilterChainError) -> (use: Int, parameter: Int) {
        guard let dot = path.lastIndex(of: ".") else {
            throw FilterChainError("\"\(path)\" is malformed. Write FILTER.PARAMETER, such as hue.angle.")
        }
        let parts = path[..<dot].split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        let matches = uses.indices.filter { uses[$0].filter.name == name }
        guard !matches.isEmpty else {
            let names = uses.map(\.filter.name)
            throw FilterChainError(unknown("filter in this chain", name, among: names))
        }
        let number = parts.count > 1 ? Int(parts[1]) : 1
        guard let number, number >= 1, number <= matches.count else {
            let count = matches.count == 1 ? "1 filter" : "\(matches.count) filters"
            throw FilterChainError("the chain has only \(count) named \(name)", at: name.count)
        }
        let filter = uses[matches[number - 1]].filter
        let parameter = String(path[path.index(after: dot)...])
        guard let index = filter.parameters.firstIndex(where: { $0.name == parameter }) else {
            let names = filter.parameters.map(\.name)
            let position = path.distance(from: path.startIndex, to: dot) + 1
            throw FilterChainError(unknown("parameter of \(name)", parameter, among: names), at: position)
        }
        return (matches[number - 1], index)
    }
}

/// A filter with the values of its parameters at one time.
package struct FilterWithValues: Sendable, Hashable {
    package let filter: Filter
    package let values: [FilterValue]
    /// True if the value of a parameter still changes at this time.
    let isFading: Bool

    var operations: [FilterOperation] { filter.operations(values[...]) }
}

extension FilterChain.Use {
    init(_ filter: Filter) {
        self.init(filter: filter, values: filter.parameters.map(\.defaultValue), fades: [:])
    }

    mutating func set(_ parameter: Int, _ parsed: ParsedValue) {
        switch parsed {
        case .value(let value):
            values[parameter] = value
            fades[parameter] = nil
        case .fade(let fade): fades[parameter] = fade
        }
    }
}

extension FilterParameter {
    var isInteger: Bool {
        guard case .number(_, _, let isInteger) = kind else { return false }
        return isInteger
    }
}

// MARK: - As text

extension FilterChain: CustomStringConvertible {
    /// The chain as users write it. Omits parameters that have their default values.
    package var description: String { uses.map(\.description).joined(separator: " | ") }
}

extension FilterChain.Use: CustomStringConvertible {
    package var description: String {
        var words = [filter.name]
        for (index, parameter) in filter.parameters.enumerated() {
            if let fade = fades[index] {
                words.append("\(parameter.name)=\(fade)")
            } else if values[index] != parameter.defaultValue {
                words.append("\(parameter.name)=\(values[index].text)")
            }
        }
        return words.joined(separator: " ")
    }
}

extension FilterValue {
    /// The value as users write it in a chain.
    package var text: String {
        switch self {
        case .number(let number): number == number.rounded() && abs(number) < 1e9 ? "\(Int(number))" : "\(number)"
        case .color(let color):
            "#" + String(repeating: "0", count: max(0, 6 - String(color, radix: 16).count)) + String(color, radix: 16)
        case .word(let word): word
        case .cube(let cube): "'\(cube?.path ?? "")'"
        }
    }
}
