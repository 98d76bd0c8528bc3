// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// Masks passwords, keys and tokens in properties and messages of any element, so that no web page shows them.
/// GStreamer does not mark secrets, so this code recognizes a secret by the name before the secret, such as
/// `password=`, or by the syntax of a URI. Ambiguous text counts as a secret.
package enum Secrets {
    /// The replacement for a secret.
    package static let mask = "•••"

    /// If a name contains one of these words, the value with this name is a secret. Examples are `user-pw` and
    /// `streamId`.
    private static let words: Set = [
        "pw", "pwd", "pass", "pin", "psk", "pem", "jwt", "auth", "authorization", "key", "keys", "sig", "signature",
        "bearer",
        "cookie", "cookies", "header", "headers", "streamid", "crypto", "inline",
    ]
    private static let endings = ["key", "keys", "pwd"]
    /// If a name contains one of these strings, even as a part of a word, the value with this name is a secret.
    private static let roots = [
        "passw", "passphrase", "passcode", "secret", "token", "credential", "apikey", "accesskey",
    ]
    /// If the last word of a property name is one of these words, the property holds only the location of a secret.
    private static let fileWords: Set = ["file", "files", "path", "location", "dir", "directory", "folder"]
    /// Names in HTTP headers and SDP. The secret after such a name extends to the end of the line.
    private static let lines: Set = ["authorization", "cookie", "inline"]

    /// Returns true if a text property with this name holds a secret. `stream` is included, because a property with
    /// this name holds an RTMP stream key.
    static func hasSecret(property name: String) -> Bool { name == "stream" || hasSecret(named: name) }

    /// Returns true if a text field or parameter with this name holds a secret.
    static func hasSecret(named name: String) -> Bool {
        let parts = parts(of: name)
        guard let last = parts.last, !fileWords.contains(last) else { return false }
        let joined = parts.joined()
        return words.contains(joined) || roots.contains { joined.includes($0) }
            || parts.contains { part in words.contains(part) || endings.contains { part.hasSuffix($0) } }
    }

    /// Returns true if a secret with this name extends to the end of the line.
    static func hasLine(named name: String) -> Bool { parts(of: name).contains { lines.contains($0) } }

    /// Splits a name into its words, in lower case.
    private static func parts(of name: String) -> [String] {
        var (parts, wasLower) = ([""], false)
        for scalar in name.unicodeScalars {
            let isUpper = "A"..."Z" ~= scalar
            let isPart = isUpper || "a"..."z" ~= scalar || scalar.value > 0x7F
            if !isPart || isUpper && wasLower { parts.append("") }
            if isPart { parts[parts.count - 1] += String(scalar).lowercased() }
            wasLower = isPart && !isUpper
        }
        return parts.filter { !$0.isEmpty }
    }

    /// Returns a text with masked secrets. The text may be, for example, an error message or a serialized structure.
    package static func masked(_ text: String) -> String { found(in: text).text }

    /// Returns a text with masked secrets, and the list of the secrets.
    /// - Parameters:
    ///   - isValue: true if the text is a complete value. A URI at the start of the text then extends to the end of the
    ///     text.
    ///   - isHarmless: true if only URIs in the text can contain secrets, for example in a path or a label.
    static func found(
        in text: String, isValue: Bool = false, isHarmless: Bool = false
    ) -> (text: String, secrets: [String]) {
        if text.includes("PRIVATE KEY-----") { return (mask, [text]) }
        guard text.utf8.contains(where: { "=:@".utf8.contains($0) }) else { return (text, []) }
        var scanner = SecretScanner(text)
        if !isHarmless { scanner.findPairs() }
        scanner.findAddresses(isValue: isValue, hasLogins: !isHarmless)
        return scanner.result
    }
}

private struct SecretScanner {
    private let bytes: [UInt8]
    /// The byte ranges to mask, in any order. Ranges may overlap.
    private var hidden: [Range<Int>] = []
    private var secrets: [String] = []

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The text with masks, and the masked secrets.
    var result: (text: String, secrets: [String]) {
        guard !hidden.isEmpty else { return (String(decoding: bytes, as: UTF8.self), []) }
        var (shown, position) = ([UInt8](), 0)
        for range in hidden.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.upperBound > position {
            if range.lowerBound >= position {
                shown += bytes[position..<range.lowerBound]
                shown += Array(Secrets.mask.utf8)
            }
            position = range.upperBound
        }
        return (String(decoding: shown + bytes[position...], as: UTF8.self), secrets)
    }

    private mutating func hide(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        hidden.append(range)
        secrets.append(text(range))
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private func byte(_ index: Int) -> UInt8? { bytes.indices.contains(index) ? bytes[index] : nil }

    private func first(_ range: Range<Int>, where condition: (UInt8) -> Bool) -> Int {
        bytes[range].firstIndex(where: condition) ?? range.upperBound
    }

    // MARK: - Names and values

    /// Finds the secret values in `name=value`, `name=(type)value`, `"name":value` and some HTTP headers.
    mutating func findPairs() {
        var position = 0
        while let separator = bytes[position...].firstIndex(where: {
            $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":")
        }) {
            position = separator + 1
            guard let name = name(before: separator), Secrets.hasSecret(named: name.text) else { continue }
            let isLine = Secrets.hasLine(named: name.text)
            guard bytes[separator] == UInt8(ascii: "=") || name.isQuoted || isLine else { continue }
            let value = value(from: separator + 1, isLine: isLine)
            hide(value)
            position = max(position, value.upperBound)
        }
    }

    private func name(before separator: Int) -> (text: String, isQuoted: Bool)? {
        var end = separator
        while end > 0, bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
        let isQuoted = end > 0 && bytes[end - 1].isQuote
        while end > 0, bytes[end - 1].isQuote || bytes[end - 1] == UInt8(ascii: "\\") { end -= 1 }
        var start = end
        while start > 0, bytes[start - 1].isOfName { start -= 1 }
        return start < end ? (text(start..<end), isQuoted) : nil
    }

    private func value(from position: Int, isLine: Bool) -> Range<Int> {
        var start = first(position..<bytes.count) { $0 != UInt8(ascii: " ") }
        // Skips the type of a field in a serialized structure, and the backslashes before brackets and quotes in a
        // nested structure.
        let bracket = first(start..<bytes.count) { $0 != UInt8(ascii: "\\") }
        if byte(bracket) == UInt8(ascii: "(") {
            start = min(bytes.count, first(bracket..<bytes.count) { $0 == UInt8(ascii: ")") } + 1)
            start = first(start..<bytes.count) { $0 != UInt8(ascii: " ") }
        }
        let quote = first(start..<bytes.count) { $0 != UInt8(ascii: "\\") }
        if let mark = byte(quote), mark.isQuote {
            let depth = quote - start
            var (next, slashes) = (quote + 1, 0)
            while let byte = byte(next) {
                if byte == mark, depth == 0 ? slashes % 2 == 0 : slashes == depth { break }
                slashes = byte == UInt8(ascii: "\\") ? slashes + 1 : 0
                next += 1
            }
            return quote + 1..<max(quote + 1, next - (byte(next) == nil ? 0 : depth))
        }
        if isLine { return start..<first(start..<bytes.count) { $0.isQuote || $0.endsLine } }
        guard let opening = byte(start), let closing = opening.closingBracket else {
            return start..<first(start..<bytes.count) { $0.endsValue }
        }
        var (end, depth) = (start, 0)
        while let byte = byte(end) {
            end += 1
            if byte == opening { depth += 1 }
            if byte == closing { depth -= 1 }
            if depth == 0 { break }
        }
        return start..<end
    }

    // MARK: - Addresses

    /// Finds the secrets of URIs such as `rtsp://user:password@host`: the login, the query, and the RTMP stream key.
    /// - Parameter hasLogins: true to also find logins without a scheme, such as `user:password@host`.
    mutating func findAddresses(isValue: Bool, hasLogins: Bool) {
        var position = 0
        while let start = bytes[position...].firstIndex(where: { !$0.endsAddress }) {
            let end = first(start..<bytes.count) { $0.endsAddress }
            position = end
            if let scheme = scheme(in: start..<end) {
                let isEntireValue = isValue && scheme.lowerBound == 0
                position = findAddress(scheme, isEntireValue ? bytes.count : end)
            } else if hasLogins, let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")),
                bytes[start..<at].dropFirst().contains(UInt8(ascii: ":"))
            {
                hide(start..<at)
            }
        }
    }

    /// Returns the range of the first URI scheme in a word.
    private func scheme(in word: Range<Int>) -> Range<Int>? {
        var position = word.lowerBound
        while let colon = bytes[position..<word.upperBound].firstIndex(of: UInt8(ascii: ":")) {
            position = colon + 1
            guard bytes[colon...].starts(with: "://".utf8) else { continue }
            var start = colon
            while start > word.lowerBound, bytes[start - 1].isOfName { start -= 1 }
            if start < colon { return start..<colon }
        }
        return nil
    }

    /// Masks the secrets of one URI.
    /// - Returns: the end of the URI.
    private mutating func findAddress(_ scheme: Range<Int>, _ wordEnd: Int) -> Int {
        var (start, end) = (scheme.upperBound + 3, wordEnd)
        let slash = UInt8(ascii: "/")
        let at = UInt8(ascii: "@")
        // A `file:///` URI has no login.
        if let byte = byte(start), byte != slash {
            let authority = start..<first(start..<end) { "/?#".utf8.contains($0) }
            var login = bytes[start..<end].lastIndex(of: at)
            if login == nil, !isHost(authority), let last = bytes[start...].lastIndex(of: at) {
                // The password contains a character that normally ends a URI, such as a slash. So the login ends at the
                // last `@`, and the search for the end of the URI starts after the `@`.
                login = last
                end = max(last + 1, first(last..<bytes.count) { $0.endsAddress })
            }
            if let login {
                learnPassword(start..<login)
                hide(start..<login)
                start = login + 1
            }
        }
        let query = first(start..<end) { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        if query + 1 < end { hide(query + 1..<end) }
        if bytes[scheme].starts(with: "rtmp".utf8) {
            let host = first(start..<query) { $0 == slash }
            let application = first(min(host + 1, query)..<query) { $0 == slash }
            if application + 1 < query { hide(application + 1..<query) }
        }
        return end
    }

    /// Returns true for a host with an optional port; false for the start of a login (`user:password`).
    private func isHost(_ authority: Range<Int>) -> Bool {
        let bracket = bytes[authority].lastIndex(of: UInt8(ascii: "]")) ?? authority.lowerBound
        guard let colon = bytes[bracket..<authority.upperBound].firstIndex(of: UInt8(ascii: ":")) else { return true }
        return bytes[colon + 1..<authority.upperBound].allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }

    /// Records the password alone, because other texts may contain the password without the user name.
    private mutating func learnPassword(_ login: Range<Int>) {
        guard let colon = bytes[login].firstIndex(of: UInt8(ascii: ":")) else { return }
        secrets.append(text(colon + 1..<login.upperBound))
    }
}

extension UInt8 {
    fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }

    fileprivate var endsLine: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }

    fileprivate var isOfName: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: self >= 0x80 || "-_.+".utf8.contains(self)
        }
    }

    fileprivate var endsAddress: Bool { self <= 0x20 || self == 0x7F || "\"'<>`\\|".utf8.contains(self) }

    fileprivate var endsValue: Bool { endsAddress || ",;&)}]".utf8.contains(self) }

    fileprivate var closingBracket: UInt8? {
        switch self {
        case UInt8(ascii: "{"): UInt8(ascii: "}")
        case UInt8(ascii: "["): UInt8(ascii: "]")
        case UInt8(ascii: "<"): UInt8(ascii: ">")
        default: nil
        }
    }
}
