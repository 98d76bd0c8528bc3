extension String {
    /// The beginning that has at most so many bytes of UTF-8, cut between characters; of a first character that is longer
    /// by itself, between its scalars.
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

    /// A file name that tells what this text does: nothing in it leads elsewhere, is hidden, is taken for an option or
    /// cannot be seen.
    /// - Parameter limit: how many bytes of UTF-8 it may have, from 2 on.
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
