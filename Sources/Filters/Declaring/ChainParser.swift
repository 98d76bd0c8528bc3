// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

extension FilterChain {
    /// Parses a chain: filters and looks (named chains), separated by `|`. A filter is a name, followed by parameters
    /// `name=value`. Blanks separate names and parameters. A value is a number, a sequence of fades, a colour
    /// `#rrggbb`, or a word. A sequence ends before the next parameter. If another value contains blanks or `|`, it
    /// must be in single quotes. An empty text is a chain without filters.
    package init(_ text: String) throws(FilterChainError) {
        var parser = ChainParser(text)
        self.init(uses: try parser.chain())
    }
}

/// A recursive descent parser for chains.
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
            uses += try entry()
            guard next == "|" else { return uses }
            position += 1
            skipBlanks()
        }
    }

    /// Parses a look, or a filter and its parameters, up to the end of the text or `|`.
    private mutating func entry() throws(FilterChainError) -> [FilterChain.Use] {
        let start = position
        let name = word(until: "=")
        guard !name.isEmpty else { throw FilterChainError("a filter name is missing", at: start) }
        if let filter = Filter(name: name) { return [try use(of: filter)] }
        if let look = Look.find(name) {
            skipBlanks()
            guard next == nil || next == "|" else {
                let start = position
                let name = word(until: "=")
                throw missingBar(in: name, at: start)
                    ?? FilterChainError("the look \(look.name) has no parameters", at: start)
            }
            // A look contains no other looks, so this recursion ends.
            return try FilterChain(look.text).uses
        }
        let names = Filter.all.map(\.name) + Look.all.map(\.name)
        throw comma(in: name, at: start) ?? FilterChainError(unknown("filter", name, among: names), at: start)
    }

    /// Parses the parameters of a filter.
    private mutating func use(of filter: Filter) throws(FilterChainError) -> FilterChain.Use {
        var use = FilterChain.Use(filter)
        var assigned = Set<Int>()
        skipBlanks()
        while let next, next != "|" {
            let start = position
            let name = word(until: "=")
            guard let index = filter.parameters.firstIndex(where: { $0.name == name }) else {
                let names = filter.parameters.map(\.name)
                let hasNone = "the filter \(filter.name) has no parameters"
                throw missingBar(in: name, at: start)
                    ?? FilterChainError(
                        names.isEmpty ? hasNone : unknown("parameter of \(filter.name)", name, among: names), at: start)
            }
            guard assigned.insert(index).inserted else {
                throw FilterChainError("the parameter \(name) is set twice", at: start)
            }
            guard self.next == "=" else { throw FilterChainError("\"=\" is missing after \(name)", at: position) }
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
        let isQuoted = next == "'"
        var text = try isQuoted ? quoted() : word(until: nil)
        guard case .number = parameter.kind else {
            do {
                return use.set(index, try ParsedValue(text, for: parameter))
            } catch {
                throw comma(in: text, at: start) ?? error.moved(by: start)
            }
        }
        let count = text.count
        if FadeSequence.isWritten(in: text) { text += restOfSequence() }
        do {
            use.set(index, try ParsedValue(text, for: parameter))
        } catch {
            // `text` does not include the quotes. So add 1 to a position between the quotes, and 2 to a position after
            // the closing quote.
            throw comma(in: text, at: start + (isQuoted ? 1 : 0))
                ?? error.moved(by: start + (isQuoted ? error.position < count ? 1 : 2 : 0))
        }
    }

    /// Returns the error for a missing `|`: before `word`, as in `hue vignette`, or instead of a comma, as in `hue ,
    /// vignette`. Returns nil if no filter or look follows.
    private func missingBar(in word: String, at start: Int) -> FilterChainError? {
        guard next != "=", isEntry(word) else { return comma(in: word, at: start) }
        return FilterChainError("\"|\" is missing before \(word)", at: start)
    }

    /// Returns the error for a comma between two filters, as in `hue,vignette`. Returns nil if no filter or look
    /// follows the comma.
    /// - Parameter word: the word with the comma. The parser is at the end of this word.
    private func comma(in word: String, at start: Int) -> FilterChainError? {
        let letters = Array(word)
        // Sequences contain commas, too. So a comma is an error only if a filter or a look follows.
        guard let comma = letters.last == "," ? letters.indices.last : letters.firstIndex(of: ",") else { return nil }
        let after = letters[(comma + 1)...].prefix { $0 != "," }
        let rest = text[position...].drop(while: \.isWhitespace).prefix { !$0.isWhitespace && !"|=,".contains($0) }
        let following = String(after.isEmpty ? rest : after)
        guard isEntry(following) else { return nil }
        return FilterChainError(
            "\"|\" separates filters, not \",\". Write \"| \(following)\".", at: start + comma)
    }

    private func isEntry(_ name: String) -> Bool { Filter(name: name) != nil || Look.find(name) != nil }

    /// Reads the words of a sequence after the first word. The sequence ends before a word that is followed by `=`,
    /// because this word is the name of the next parameter.
    private mutating func restOfSequence() -> String {
        let start = position
        while true {
            let end = position
            skipBlanks()
            let word = word(until: "=")
            guard !word.isEmpty, next != "=", !isEntry(word) else {
                position = end
                return String(text[start..<end])
            }
        }
    }

    /// Reads up to the next blank, `|` or `end`.
    private mutating func word(until end: Character?) -> String {
        let start = position
        while let next, !next.isWhitespace, next != "|", next != end { position += 1 }
        return String(text[start..<position])
    }

    private mutating func quoted() throws(FilterChainError) -> String {
        let start = position
        position += 1
        while let next, next != "'" { position += 1 }
        guard next != nil else { throw FilterChainError("missing closing quote (')", at: start) }
        position += 1
        return String(text[(start + 1)..<(position - 1)])
    }
}

enum ParsedValue {
    case value(FilterValue)
    case fade(FadeSequence)

    /// - Throws: an error with a position relative to the start of the value.
    init(_ text: String, for parameter: FilterParameter) throws(FilterChainError) {
        switch parameter.kind {
        case .number(let range, _, let isInteger):
            let written = WrittenNumber(parameter.name, in: range, isInteger: isInteger)
            do {
                self =
                    FadeSequence.isWritten(in: text)
                    ? .fade(try written.sequence(text[...])) : .value(.number(try written.number(text)))
            } catch {
                throw FilterChainError(error.message, at: error.position)
            }
        case .color: self = .value(.color(try Self.color(text, parameter)))
        case .choice(let words):
            guard words.contains(text) else { throw FilterChainError(unknown(parameter.name, text, among: words)) }
            self = .value(.word(text))
        case .cubeFile: self = .value(.cube(try ColorCube(path: text)))
        }
    }

    init(number: Double, for parameter: FilterParameter) throws(FilterChainError) {
        if case .number(let range, _, let isInteger) = parameter.kind {
            do {
                try WrittenNumber(parameter.name, in: range, isInteger: isInteger).check(number)
            } catch {
                throw FilterChainError(error.message)
            }
        }
        self = .value(.number(number))
    }

    /// Parses `#rrggbb` or `0xrrggbb`.
    private static func color(_ text: String, _ parameter: FilterParameter) throws(FilterChainError) -> UInt32 {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text.hasPrefix("0x") ? text.dropFirst(2) : ""
        guard digits.count == 6, digits.allSatisfy(\.isHexDigit), let color = UInt32(digits, radix: 16) else {
            throw FilterChainError("\(parameter.name) must be a colour such as #ff8000, not \"\(text)\"")
        }
        return color
    }
}
