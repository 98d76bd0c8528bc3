// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// A numbered series of files.
package struct NumberedFiles: Sendable {
    private var pattern = ""
    private var index = 0

    package init() {}

    /// Creates a file at the first free path after the last used number. Never replaces a file.
    /// - Parameter pattern: a path with `%d`, or with `%05d` for at least five digits. If the path contains neither,
    ///   the number comes before the extension: `a.png`, `a-1.png`, `a-2.png`.
    /// - Returns: the path of the file.
    /// - Throws: `ElementError` if the file cannot be written, or if a path without `%d` is a folder. The next call
    ///   then uses the same number.
    package mutating func create(_ pattern: String, with bytes: [UInt8]) throws(ElementError) -> String {
        if pattern != self.pattern {
            self.pattern = pattern
            index = 0
        }
        while true {
            let path = Self.path(pattern, index)
            do {
                try createFile(path, with: bytes, isPrivate: false)
                index += 1
                return path
            } catch {
                // If the path is a folder, fail instead of writing a numbered file beside the folder.
                if path == pattern, FileStamp(path)?.isFolder == true {
                    throw ElementError(.openWrite, "cannot write \"\(path)\": it is a folder")
                }
                guard error.cause == .exists else { throw ElementError(error, writing: path) }
                index += 1
            }
        }
    }

    private static func path(_ pattern: String, _ index: Int) -> String {
        let text = String(index)
        guard let number = number(in: pattern) else {
            guard index > 0 else { return pattern }
            let name = pattern.lastIndex(of: "/").map { pattern.index(after: $0) } ?? pattern.startIndex
            // A dot at the start of the name does not begin an extension.
            let dot = pattern[name...].dropFirst().lastIndex(of: ".") ?? pattern.endIndex
            return "\(pattern[..<dot])-\(text)\(pattern[dot...])"
        }
        let padded = String(repeating: "0", count: max(0, number.digits - text.count)) + text
        return String(pattern[..<number.range.lowerBound] + padded + pattern[number.range.upperBound...])
    }

    /// Returns the range of the first `%d` or `%0Nd` (N = 1–9), and the minimum number of digits.
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
