// SPDX-License-Identifier: LGPL-2.1-or-later

extension String {
    /// The text with `***` instead of the secrets in its URIs: user name and password, query, and RTMP stream key.
    /// Elements quote the URIs of their properties in error messages, so the runner must hide these secrets.
    var withoutSecrets: String {
        var result = ""
        var remaining = self[...]
        while let colon = remaining.schemeEnd {
            let afterScheme = remaining.index(colon, offsetBy: 3)
            let scheme = remaining[..<colon].suffix(while: { $0.isLetter || $0.isNumber || "+-.".contains($0) })
            result += remaining[..<afterScheme]
            let address = remaining[afterScheme...].prefix { !$0.endsURI }
            result += Self.masked(address, hasStreamKey: scheme.lowercased().hasPrefix("rtmp"))
            remaining = remaining[address.endIndex...]
        }
        return result + remaining
    }

    /// The stream keys at the ends of the RTMP addresses in the text. Error messages of servers can contain a key
    /// without its address. Only keys of at least 8 characters count, because other texts can contain shorter ones by
    /// chance.
    var streamKeys: [String] {
        var keys: [String] = []
        var remaining = self[...]
        while let colon = remaining.schemeEnd {
            let scheme = remaining[..<colon].suffix(while: { $0.isLetter })
            let address = remaining[remaining.index(colon, offsetBy: 3)...].prefix { !$0.endsURI }
            remaining = remaining[address.endIndex...]
            let path = address.prefix { $0 != "?" }.withoutLastSlashes
            guard scheme.lowercased().hasPrefix("rtmp"), let slash = path.lastIndex(of: "/") else { continue }
            let key = path[path.index(after: slash)...]
            guard key.count >= 8, path[..<slash].contains("/") else { continue }
            // The query after a key is also secret. Put the key with its query first, because `hiding` uses the first
            // secret that matches.
            keys += [String(address[key.startIndex...]), String(key)]
        }
        return keys
    }

    /// Returns the text with `***` instead of each of the secrets.
    func hiding(_ secrets: [String]) -> String {
        var result = ""
        var remaining = self[...]
        while let first = remaining.first {
            if let secret = secrets.first(where: { !$0.isEmpty && remaining.hasPrefix($0) }) {
                result += "***"
                remaining = remaining.dropFirst(secret.count)
            } else {
                result.append(first)
                remaining = remaining.dropFirst()
            }
        }
        return result
    }

    /// - Parameter address: the part of a URI after `://`.
    private static func masked(_ address: Substring, hasStreamKey: Bool) -> String {
        let authority = address.prefix { !"/?#".contains($0) }
        var path = address[authority.endIndex...].prefix { $0 != "?" }
        let hasQuery = path.endIndex < address.endIndex
        var host = authority
        var result = ""
        if let at = authority.lastIndex(of: "@") {
            host = authority[authority.index(after: at)...]
            result = "***@"
        }
        // For example, the path of rtmp://HOST/APPLICATION/KEY ends with the stream key.
        if hasStreamKey, let slash = path.withoutLastSlashes.lastIndex(of: "/"), slash != path.startIndex {
            path = path[...slash] + "***"
        }
        result += host + path
        return hasQuery ? result + "?***" : result
    }
}

extension Description {
    var streamKeys: [String] {
        switch self {
        case .words(let words): words.flatMap(\.streamKeys)
        case .text(let text): text.streamKeys
        }
    }
}

extension Substring {
    /// The index of the first `://`.
    fileprivate var schemeEnd: Index? {
        indices.first { self[$0] == ":" && self[$0...].hasPrefix("://") }
    }

    fileprivate var withoutLastSlashes: Substring {
        var text = self
        while text.last == "/" { text.removeLast() }
        return text
    }

    fileprivate func suffix(while holds: (Character) -> Bool) -> Substring {
        var start = endIndex
        while start > startIndex, holds(self[index(before: start)]) { start = index(before: start) }
        return self[start...]
    }
}

extension Character {
    fileprivate var endsURI: Bool { isWhitespace || "\"'<>`".contains(self) }
}
