// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

extension String {
    /// Returns the longest prefix of the text that has at most `limit` bytes of UTF-8 and does not split a character.
    /// If the first character is longer than `limit`, returns as many Unicode scalars of this character as fit.
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

    /// Returns a safe file name that is similar to this text. The name contains no slash and no invisible characters.
    /// The name does not start with a dot or a hyphen. So the file is not hidden, and the name does not look like a
    /// command-line option.
    /// - Parameter limit: the maximum size in bytes of UTF-8, at least 2.
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

// File names are bytes, which may be invalid UTF-8. The functions below convert names to strings: an invalid byte
// becomes an escape such as `\xE9`. If a name already contains such an escape, the backslash of the escape becomes
// `\x5C`. So different names have different strings. `systemPath` converts a string back to the bytes of the name.

extension String {
    /// Creates the string for a file name or path that comes from the system.
    package init(systemPath bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        if !bytes.contains(backslash), let text = String(validating: bytes, as: UTF8.self) {
            self = text
            return
        }
        self.init()
        var remaining = bytes[...]
        while true {
            var (parser, next) = (Unicode.UTF8.ForwardParser(), remaining.makeIterator())
            switch parser.parseScalar(from: &next) {
            case .valid(let scalar):
                if remaining.first == backslash, remaining.escapedByte != nil {
                    append(escape(backslash))
                } else {
                    unicodeScalars.append(Unicode.UTF8.decode(scalar))
                }
                remaining = remaining.dropFirst(scalar.count)
            case .error(let length):
                for byte in remaining.prefix(length) { append(escape(byte)) }
                remaining = remaining.dropFirst(length)
            case .emptyInput: return
            }
        }
    }

    /// Creates the string for a file name or path that comes from the system.
    package init(systemPath path: UnsafePointer<CChar>) {
        self.init(systemPath: UnsafeRawBufferPointer(start: path, count: strlen(path)))
    }

    /// Creates the string for a path that a user entered. If the path is valid UTF-8, the string is the same text.
    /// Otherwise, invalid bytes are escaped.
    package init(givenPath path: UnsafePointer<CChar>) {
        let bytes = UnsafeRawBufferPointer(start: path, count: strlen(path))
        self = String(validating: bytes, as: UTF8.self) ?? String(systemPath: bytes)
    }

    /// The bytes of the path for system calls, with a zero byte at the end.
    package var systemPath: [CChar] {
        guard utf8.contains(backslash) else { return Array(utf8CString) }
        var path: [CChar] = []
        var remaining = Array(utf8)[...]
        while let byte = remaining.first {
            let escaped = remaining.escapedByte
            path.append(CChar(bitPattern: escaped ?? byte))
            remaining = remaining.dropFirst(escaped == nil ? 1 : escapeLength)
        }
        return path + [0]
    }

    /// The folder and the file name of a path. If the path contains no slash, the folder is `.`.
    package var pathParts: (folder: String, name: String) {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", self) }
        return (slash == startIndex ? "/" : String(self[..<slash]), String(self[utf8.index(after: slash)...]))
    }

    /// The last component of a path. Slashes at the end of the path are ignored.
    package var lastPathComponent: String {
        utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } ?? self
    }
}

private let backslash = UInt8(ascii: "\\")
private let escapeLength = 4

private func escape(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return "\\x" + (digits.utf8.count < 2 ? "0" : "") + digits
}

extension ArraySlice<UInt8> {
    /// The byte of an escape such as `\xE9` at the start of the slice. Nil if the slice does not start with an escape,
    /// or if the byte is an ASCII character other than the backslash, which is never escaped.
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
