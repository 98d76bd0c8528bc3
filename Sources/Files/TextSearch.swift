// SPDX-License-Identifier: LGPL-2.1-or-later

// Functions to search and replace text. The standard library has similar functions, but only in the module
// `_StringProcessing` for regular expressions. This module would make the plugin 1.3 MB larger, so the targets of the
// plugin do not import it (see Package.swift).
extension StringProtocol {
    /// Returns the first occurrence of the bytes of `text`; nil if there is none.
    package func firstOccurrence(of text: String) -> Range<Index>? {
        let bytes = utf8
        return bytes.indices.first { bytes[$0...].starts(with: text.utf8) }
            .map { $0..<bytes.index($0, offsetBy: text.utf8.count) }
    }

    /// Returns true if this text contains the bytes of `text`, which must not be empty.
    package func includes(_ text: String) -> Bool { firstOccurrence(of: text) != nil }
}

extension String {
    /// Returns this text with `new` instead of each occurrence of `text`, which must not be empty.
    package func replacing(each text: String, with new: String) -> String {
        var (result, remaining) = ("", self[...])
        while !text.isEmpty, let range = remaining.firstOccurrence(of: text) {
            result += remaining[..<range.lowerBound] + new
            remaining = remaining[range.upperBound...]
        }
        return result + remaining
    }
}
