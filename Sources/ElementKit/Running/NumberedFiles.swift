// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// A numbered series of files.
package struct NumberedFiles: Sendable {
    private var pattern = ""
    private var index = 0

    package init() {}

    /// Creates a file at the first free path after the last number.
    /// - Parameter pattern: a path with `%d`, or `%05d` for at least five digits. A file at a path without a pattern is
    ///   replaced.
    /// - Returns: the path of the file.
    /// - Throws: `ElementError` if the file cannot be written. In this case there is no file, and its number is free
    ///   again.
    package mutating func create(_ pattern: String, with bytes: [UInt8]) throws(ElementError) -> String {
        guard let number = Self.number(in: pattern) else {
            do { try replaceFile(pattern, with: bytes, isPrivate: false) } catch {
                throw ElementError(error, writing: pattern)
            }
            return pattern
        }
        if pattern != self.pattern {
            self.pattern = pattern
            index = 0
        }
        while true {
            let text = String(index)
            let padded = String(repeating: "0", count: max(0, number.digits - text.count)) + text
            let path = String(pattern[..<number.range.lowerBound] + padded + pattern[number.range.upperBound...])
            do {
                try createFile(path, with: bytes, isPrivate: false)
                index += 1
                return path
            } catch {
                guard error.cause == .exists else { throw ElementError(error, writing: path) }
                index += 1
            }
        }
    }

    /// Returns the range of the first `%d` or `%05d`, and the minimum number of digits.
    private static func number(in pattern: String) -> (range: Range<String.Index>, digits: Int)? {
        var remaining = pattern[...]
        while let start = remaining.firstIndex(of: "%") {
            remaining = remaining[start...].dropFirst()
            var end = remaining
            var digits = 1
            if end.first == "0", let digit = end.dropFirst().first, digit.isASCII, let number = digit.wholeNumberValue,
                number > 0
            {
                digits = number
                end = end.dropFirst(2)
            }
            if end.first == "d" { return (start..<end.dropFirst().startIndex, digits) }
        }
        return nil
    }
}
