// SPDX-License-Identifier: LGPL-2.1-or-later
import NIOCore

/// A host name with an optional port, such as `example.org`, `127.0.0.1:8080` or `[::1]:8080`.
struct Authority: Hashable {
    /// The host name in lower case. For an IP address, its canonical form without brackets.
    let name: String
    let port: Int?

    init(_ name: String, _ port: Int) { (self.name, self.port) = (name, port) }

    /// Returns nil if the text is malformed.
    init?<Text: StringProtocol>(_ text: Text) {
        let name: Text.SubSequence
        let remaining: Text.SubSequence
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            name = text[text.index(after: text.startIndex)..<end]
            remaining = text[text.index(after: end)...]
            guard name.contains(":") else { return nil }
        } else {
            name = text.prefix { $0 != ":" }
            remaining = text[name.endIndex...]
        }
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isPartOfName) else { return nil }
        if remaining.isEmpty {
            port = nil
        } else {
            let digits = remaining.dropFirst()
            guard remaining.first == ":", digits.utf8.allSatisfy({ 48...57 ~= $0 }), let number = UInt16(digits) else {
                return nil
            }
            port = Int(number)
        }
        let address = try? SocketAddress(ipAddress: String(name), port: 0)
        guard address != nil || !name.contains(":") else { return nil }
        self.name = address?.ipAddress ?? name.lowercased()
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }
}

/// The origin of a page, as in the header Origin (RFC 6454, section 7). Example: `http://127.0.0.1:8080`.
struct Origin {
    enum Scheme: String {
        case http, https

        var port: Int { self == .http ? 80 : 443 }
    }

    let scheme: Scheme
    let name: String
    let port: Int

    var authority: Authority { Authority(name, port) }

    /// Returns nil for other schemes. Also returns nil for `null`, which browsers send for pages without an origin.
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].last == ":", parts[1].isEmpty,
            let scheme = Scheme(rawValue: parts[0].dropLast().lowercased()), let authority = Authority(parts[2])
        else { return nil }
        (self.scheme, name, port) = (scheme, authority.name, authority.port ?? scheme.port)
    }
}

extension SocketAddress {
    /// True if only clients on the same computer can use the address.
    var isLoopback: Bool {
        guard let text = ipAddress else { return false }
        return text.hasPrefix("127.") || text.hasPrefix("::ffff:127.") || text == "::1"
    }
}
