// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

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

// MARK: - Names that are not UTF-8

// Names of files are bytes, which need not be UTF-8. Here they are texts all the same: a byte that is not UTF-8 is written as
// `\xE9`. A backslash in the name itself that would be read so is written as `\x5C`, so that no two names become the same
// text. A text becomes a name again where a file is opened, by `systemPath`.

extension String {
    /// Creates the text of a name or path that comes from the system.
    package init(systemPath bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        if !bytes.contains(backslash), let text = String(validating: bytes, as: UTF8.self) {
            self = text
            return
        }
        self.init()
        var rest = bytes[...]
        while true {
            var (parser, next) = (Unicode.UTF8.ForwardParser(), rest.makeIterator())
            switch parser.parseScalar(from: &next) {
            case .valid(let scalar):
                if rest.first == backslash, rest.escapedByte != nil {
                    append(escape(backslash))
                } else {
                    unicodeScalars.append(Unicode.UTF8.decode(scalar))
                }
                rest = rest.dropFirst(scalar.count)
            case .error(let length):
                for byte in rest.prefix(length) { append(escape(byte)) }
                rest = rest.dropFirst(length)
            case .emptyInput: return
            }
        }
    }

    /// Creates the text of a name or path that comes from the system.
    package init(systemPath path: UnsafePointer<CChar>) {
        self.init(systemPath: UnsafeRawBufferPointer(start: path, count: strlen(path)))
    }

    /// Creates a text that a user has given: one that is not UTF-8 is taken for a path.
    package init(givenPath path: UnsafePointer<CChar>) {
        let bytes = UnsafeRawBufferPointer(start: path, count: strlen(path))
        self = String(validating: bytes, as: UTF8.self) ?? String(systemPath: bytes)
    }

    /// The name or path as the system has it, with a zero at the end.
    package var systemPath: [CChar] {
        guard utf8.contains(backslash) else { return Array(utf8CString) }
        var path: [CChar] = []
        var rest = Array(utf8)[...]
        while let byte = rest.first {
            let escaped = rest.escapedByte
            path.append(CChar(bitPattern: escaped ?? byte))
            rest = rest.dropFirst(escaped == nil ? 1 : escapeLength)
        }
        return path + [0]
    }

    /// The folder and the name of what a path leads to; the folder is `.` if the path has none.
    package var pathParts: (folder: String, name: String) {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", self) }
        return (slash == startIndex ? "/" : String(self[..<slash]), String(self[utf8.index(after: slash)...]))
    }

    /// The last name in a path, which may end with slashes.
    package var lastPathComponent: String {
        utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } ?? self
    }
}

private let backslash = UInt8(ascii: "\\")
private let escapeLength = 4

/// Returns `\xE9`.
private func escape(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return "\\x" + (digits.utf8.count < 2 ? "0" : "") + digits
}

extension ArraySlice<UInt8> {
    /// The byte that is written at the beginning as `\xE9`; nil for other texts, also for bytes that are never written so.
    fileprivate var escapedByte: UInt8? {
        let text = prefix(escapeLength)
        guard text.count == escapeLength, text.starts(with: [backslash, UInt8(ascii: "x")]) else { return nil }
        var byte: UInt8 = 0
        for digit in text.dropFirst(2) {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): byte = byte << 4 | (digit - UInt8(ascii: "0"))
            case UInt8(ascii: "A")...UInt8(ascii: "F"): byte = byte << 4 | (digit - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        return byte == backslash || byte >= 0x80 ? byte : nil
    }
}
