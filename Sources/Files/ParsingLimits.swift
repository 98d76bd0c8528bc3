// SPDX-License-Identifier: LGPL-2.1-or-later
/// The limits of a file, so that a small file cannot use a lot of memory or overflow the stack.
package struct ParsingLimits: Sendable {
    /// Maximum depth of nested lists, tables and XML elements.
    package var depth: Int
    /// Maximum number of values or XML elements. A value counts once for each reference to it.
    package var values: Int
    /// Maximum size of all texts in values, in bytes. A text counts once for each reference to it.
    package var text: Int

    package init(depth: Int, values: Int, text: Int = .max) {
        (self.depth, self.values, self.text) = (depth, values, text)
    }
}

/// The part of the limits that is not used yet.
struct ParsingBudget {
    let limits: ParsingLimits
    private var values: Int
    private var text: Int

    init(_ limits: ParsingLimits) {
        self.limits = limits
        (values, text) = (limits.values, limits.text)
    }

    /// Called before a value is created.
    mutating func take(atDepth depth: Int) throws(ParsingError) {
        guard depth <= limits.depth else {
            throw ParsingError("nested more than \(limits.depth) levels deep", isTooMuch: true)
        }
        values -= 1
        guard values >= 0 else { throw ParsingError("more than \(limits.values) values", isTooMuch: true) }
    }

    /// Called before a text of this many bytes is created.
    mutating func take(text count: Int) throws(ParsingError) {
        guard count <= text else { throw ParsingError("more than \(limits.text) bytes of text", isTooMuch: true) }
        text -= count
    }
}
