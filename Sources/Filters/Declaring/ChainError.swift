// SPDX-License-Identifier: LGPL-2.1-or-later
/// An error in the text of a filter chain.
package struct FilterChainError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Cause: Sendable {
        /// The text is malformed.
        case text
        /// A file named in the text does not exist.
        case missingFile
        /// A file named in the text cannot be read.
        case unreadableFile
        /// The contents of a file are malformed.
        case content
    }

    /// Describes the error. For an unknown name, the message suggests the most similar valid name.
    package let message: String
    /// Position of the error in the text, in characters.
    package let position: Int
    package let cause: Cause

    init(_ message: String, at position: Int = 0, cause: Cause = .text) {
        (self.message, self.position, self.cause) = (message, position, cause)
    }

    /// Returns the error with its position increased by `characters`. Use this method if the erroneous text is a part
    /// of a longer text.
    func moved(by characters: Int) -> FilterChainError {
        FilterChainError(message, at: position + characters, cause: cause)
    }

    package var description: String { "at character \(position + 1): \(message)" }
}
