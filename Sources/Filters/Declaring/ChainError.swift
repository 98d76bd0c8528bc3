// SPDX-License-Identifier: LGPL-2.1-or-later
/// An error in the text of a chain.
package struct FilterChainError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Cause: Sendable {
        /// The text itself is wrong.
        case text
        /// A file that it names is not there.
        case missingFile
        /// A file that it names cannot be read.
        case unreadableFile
        /// The content of a file is wrong.
        case content
    }

    /// Description of the error, with the nearest valid name if a name is wrong.
    package let message: String
    /// Position in the text, in characters from its beginning.
    package let position: Int
    package let cause: Cause

    init(_ message: String, at position: Int = 0, cause: Cause = .text) {
        (self.message, self.position, self.cause) = (message, position, cause)
    }

    /// Returns the same error in a text that begins earlier.
    func moved(by characters: Int) -> FilterChainError {
        FilterChainError(message, at: position + characters, cause: cause)
    }

    package var description: String { "at character \(position + 1): \(message)" }
}
