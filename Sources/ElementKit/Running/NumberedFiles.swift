// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// Hands out the paths of a numbered series, each created as an empty file, so that nobody else gets it too.
package struct NumberedFiles: Sendable {
    private var pattern = ""
    private var index = 0

    package init() {}

    /// Returns the first free path after those handed out before.
    /// - Parameter pattern: a path with `%d`, or `%05d` for at least five digits; without either it is used as it is.
    /// - Throws: `ElementError` if no file can be made.
    package mutating func next(_ pattern: String) throws(ElementError) -> String {
        guard let number = Self.number(in: pattern) else { return pattern }
        if pattern != self.pattern {
            self.pattern = pattern
            index = 0
        }
        while true {
            let text = String(index)
            let padded = String(repeating: "0", count: max(0, number.digits - text.count)) + text
            let path = String(pattern[..<number.range.lowerBound] + padded + pattern[number.range.upperBound...])
            index += 1
            do {
                try reserveFile(path, isPrivate: false)
                return path
            } catch {
                guard error.cause == .exists else { throw ElementError(error, writing: path) }
            }
        }
    }

    /// Returns the place of the first `%d` or `%05d`, and the least number of digits that it wants.
    private static func number(in pattern: String) -> (range: Range<String.Index>, digits: Int)? {
        var rest = pattern[...]
        while let start = rest.firstIndex(of: "%") {
            rest = rest[start...].dropFirst()
            var end = rest
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
