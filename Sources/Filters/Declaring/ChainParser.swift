// SPDX-License-Identifier: LGPL-2.1-or-later
extension FilterChain {
    /// Reads a chain: filters separated by `|`, each a name and then parameters as `name=value`, separated by blanks. A
    /// value is a number, `from->to@seconds s` for one that changes over time, a colour as `#rrggbb`, or a word. Values
    /// that contain blanks or `|` are in single quotes. An empty text is a chain without filters.
    package init(_ text: String) throws(FilterChainError) {
        var parser = ChainParser(text)
        self.init(uses: try parser.chain())
    }
}

/// Reads a chain from left to right.
private struct ChainParser {
    private let text: [Character]
    private var position = 0

    init(_ text: String) { self.text = Array(text) }

    private var next: Character? { position < text.count ? text[position] : nil }

    private mutating func skipBlanks() {
        while let next, next.isWhitespace { position += 1 }
    }

    mutating func chain() throws(FilterChainError) -> [FilterChain.Use] {
        var uses: [FilterChain.Use] = []
        skipBlanks()
        guard next != nil else { return [] }
        while true {
            uses.append(try use())
            guard next == "|" else { return uses }
            position += 1
            skipBlanks()
        }
    }

    /// Reads a filter and its parameters, up to the end or to `|`.
    private mutating func use() throws(FilterChainError) -> FilterChain.Use {
        let start = position
        let name = word(until: "=")
        guard !name.isEmpty else { throw FilterChainError("the name of a filter is missing", at: start) }
        guard let filter = Filter(name: name) else {
            let names = Filter.all.map(\.name)
            throw FilterChainError(unknown("filter", name, among: names), at: start)
        }
        var use = FilterChain.Use(filter)
        var given = Set<Int>()
        skipBlanks()
        while let next, next != "|" {
            let start = position
            let name = word(until: "=")
            guard let index = filter.parameters.firstIndex(where: { $0.name == name }) else {
                let names = filter.parameters.map(\.name)
                let hasNone = "\(filter.name) has no parameters"
                throw FilterChainError(
                    names.isEmpty ? hasNone : unknown("parameter of \(filter.name)", name, among: names), at: start)
            }
            guard given.insert(index).inserted else { throw FilterChainError("\(name) is given twice", at: start) }
            guard self.next == "=" else { throw FilterChainError("after \(name) comes =", at: position) }
            position += 1
            try value(of: filter.parameters[index], index, into: &use)
            skipBlanks()
        }
        return use
    }

    private mutating func value(
        of parameter: FilterParameter, _ index: Int, into use: inout FilterChain.Use
    ) throws(FilterChainError) {
        let start = position
        let text = try next == "'" ? quoted() : word(until: nil)
        do {
            use.set(index, try ParsedValue(text, for: parameter))
        } catch {
            throw error.moved(by: start)
        }
    }

    /// Reads up to a blank, `|` or another letter.
    private mutating func word(until end: Character?) -> String {
        let start = position
        while let next, !next.isWhitespace, next != "|", next != end { position += 1 }
        return String(text[start..<position])
    }

    private mutating func quoted() throws(FilterChainError) -> String {
        let start = position
        position += 1
        while let next, next != "'" { position += 1 }
        guard next != nil else { throw FilterChainError("the quote has no end", at: start) }
        position += 1
        return String(text[(start + 1)..<(position - 1)])
    }
}

/// A value that has been read.
enum ParsedValue {
    case value(FilterValue)
    case fade(FilterChain.Fade)

    /// - Throws: an error whose position counts from the beginning of the value.
    init(_ text: String, for parameter: FilterParameter) throws(FilterChainError) {
        switch parameter.kind {
        case .number:
            if text.contains("->") {
                self = .fade(try Self.fade(text, parameter))
            } else {
                self = .value(.number(try Self.number(text, parameter, 0)))
            }
        case .color: self = .value(.color(try Self.color(text, parameter)))
        case .choice(let words):
            guard words.contains(text) else { throw FilterChainError(unknown(parameter.name, text, among: words)) }
            self = .value(.word(text))
        case .cubeFile: self = .value(.cube(try ColorCube(path: text)))
        }
    }

    init(number: Double, for parameter: FilterParameter) throws(FilterChainError) {
        try Self.check(number, parameter, 0)
        self = .value(.number(number))
    }

    private static func check(
        _ number: Double, _ parameter: FilterParameter, _ position: Int
    ) throws(FilterChainError) {
        guard case .number(let range, _, let isWhole) = parameter.kind else { return }
        guard range.contains(number) else {
            let (low, high) = (FilterValue.number(range.lowerBound).text, FilterValue.number(range.upperBound).text)
            throw FilterChainError("\(parameter.name) is between \(low) and \(high)", at: position)
        }
        guard !isWhole || number == number.rounded() else {
            throw FilterChainError("\(parameter.name) is a whole number", at: position)
        }
    }

    private static func number(
        _ text: String, _ parameter: FilterParameter, _ position: Int
    ) throws(FilterChainError) -> Double {
        guard let number = Double(text), number.isFinite else {
            throw FilterChainError("\(parameter.name) is a number, not \"\(text)\"", at: position)
        }
        try check(number, parameter, position)
        return number
    }

    /// `from->to@2s`, also in ms.
    private static func fade(
        _ text: String, _ parameter: FilterParameter
    ) throws(FilterChainError) -> FilterChain.Fade {
        let (first, second) = (text.firstRange(of: "->"), text.firstRange(of: "@"))
        guard let arrow = first, let at = second, arrow.upperBound <= at.lowerBound else {
            throw FilterChainError("a fade is written from->to@seconds, as 0->1@2s")
        }
        func place(_ index: String.Index) -> Int { text.distance(from: text.startIndex, to: index) }
        let from = try number(String(text[..<arrow.lowerBound]), parameter, 0)
        let to = try number(String(text[arrow.upperBound..<at.lowerBound]), parameter, place(arrow.upperBound))
        var time = String(text[at.upperBound...])
        let unit = time.hasSuffix("ms") ? 0.001 : 1
        time.removeLast(time.hasSuffix("ms") ? 2 : time.hasSuffix("s") ? 1 : 0)
        guard let seconds = Double(time), seconds >= 0, seconds.isFinite else {
            throw FilterChainError("a fade ends with its time, as @2s or @500ms", at: place(at.upperBound))
        }
        return FilterChain.Fade(from: from, to: to, seconds: seconds * unit)
    }

    /// `#rrggbb` or `0xrrggbb`
    private static func color(_ text: String, _ parameter: FilterParameter) throws(FilterChainError) -> UInt32 {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text.hasPrefix("0x") ? text.dropFirst(2) : ""
        guard digits.count == 6, digits.allSatisfy(\.isHexDigit), let color = UInt32(digits, radix: 16) else {
            throw FilterChainError("\(parameter.name) is a colour, written as #ff8000, not \"\(text)\"")
        }
        return color
    }
}
