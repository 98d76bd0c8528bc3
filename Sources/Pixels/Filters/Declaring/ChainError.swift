/// What is wrong with the text of a chain.
package struct FilterChainError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, with the nearest right name where a name is.
    package let message: String
    /// Where in the text, in characters from its beginning.
    package let position: Int

    package var description: String { "at character \(position + 1): \(message)" }
}
