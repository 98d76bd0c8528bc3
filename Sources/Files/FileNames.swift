// SPDX-License-Identifier: LGPL-2.1-or-later
extension String {
    /// Returns the longest beginning with at most this many bytes of UTF-8, cut between characters; if the first
    /// character alone is longer, between its scalars.
    package func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var (result, room) = ("", limit)
        for character in self {
            room -= character.utf8.count
            guard room >= 0 else { break }
            result.append(character)
        }
        guard result.isEmpty else { return result }
        room = limit
        for scalar in unicodeScalars {
            room -= scalar.utf8.count
            guard room >= 0 else { break }
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    /// Returns a file name that resembles this text and is safe: nothing in it leads elsewhere, is hidden, is taken for
    /// an option or is invisible.
    /// - Parameter limit: the most bytes of UTF-8 that it may have, at least 2.
    package func fileName(atMost limit: Int) -> String {
        let name = String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: "_"
                    default: scalar == "/" ? "_" : scalar
                    }
                }))
        let isFree = name.unicodeScalars.first.map { $0 != "." && $0 != "-" } ?? false
        return (isFree ? name : "_\(name)").cut(toBytes: limit)
    }
}
