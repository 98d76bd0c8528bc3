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
        if hasStreamKey, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            path = path[...slash] + "***"
        }
        result += host + path
        return hasQuery ? result + "?***" : result
    }
}

extension Substring {
    /// The index of the first `://`.
    fileprivate var schemeEnd: Index? {
        indices.first { self[$0] == ":" && self[$0...].hasPrefix("://") }
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
