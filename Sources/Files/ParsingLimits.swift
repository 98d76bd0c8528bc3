// SPDX-License-Identifier: LGPL-2.1-or-later
/// Limits for parsing a file. Without limits, a small file could use a lot of memory or overflow the stack.
package struct ParsingLimits: Sendable {
    /// Maximum depth of nested arrays, dictionaries (JSON objects) and XML elements.
    package var depth: Int
    /// Maximum number of values or XML elements. If a binary property list refers to a value several times, each
    /// reference counts.
    package var values: Int
    /// Maximum size of all texts, in bytes. If a binary property list refers to a text several times, each reference
    /// counts.
    package var text: Int

    package init(depth: Int, values: Int, text: Int = .max) {
        (self.depth, self.values, self.text) = (depth, values, text)
    }
}

/// The remaining numbers of values and text bytes that a parser may still create.
struct ParsingBudget {
    let limits: ParsingLimits
    private var values: Int
    private var text: Int

    init(_ limits: ParsingLimits) {
        self.limits = limits
        (values, text) = (limits.values, limits.text)
    }

    /// Counts a value. Throws an error if the value exceeds a limit. Parsers call this method before they create the
    /// value.
    mutating func take(atDepth depth: Int) throws(ParsingError) {
        guard depth <= limits.depth else {
            throw ParsingError("nested more than \(limits.depth) levels deep", isTooMuch: true)
        }
        values -= 1
        guard values >= 0 else { throw ParsingError("more than \(limits.values) values", isTooMuch: true) }
    }

    /// Counts a text of `count` bytes. Throws an error if the text exceeds a limit. Parsers call this method before
    /// they create the text.
    mutating func take(text count: Int) throws(ParsingError) {
        guard count <= text else { throw ParsingError("more than \(limits.text) bytes of text", isTooMuch: true) }
        text -= count
    }
}
