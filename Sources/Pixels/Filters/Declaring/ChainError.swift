/// What is wrong with the text of a chain.
package struct FilterChainError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Cause: Sendable {
        /// The text itself.
        case text
        /// A file that it names is not there.
        case missingFile
        /// A file that it names cannot be read.
        case unreadableFile
        /// What a file contains.
        case content
    }

    /// What is wrong, with the nearest right name where a name is.
    package let message: String
    /// Where in the text, in characters from its beginning.
    package let position: Int
    package let cause: Cause

    init(message: String, position: Int, cause: Cause = .text) {
        (self.message, self.position, self.cause) = (message, position, cause)
    }

    /// The same in a text that begins earlier.
    func moved(by characters: Int) -> FilterChainError {
        FilterChainError(message: message, position: position + characters, cause: cause)
    }

    package var description: String { "at character \(position + 1): \(message)" }
}
