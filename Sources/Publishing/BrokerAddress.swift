// SPDX-License-Identifier: LGPL-2.1-or-later

/// The place of an MQTT broker: `tcp://HOST:PORT`, `ssl://HOST:PORT`, or without a scheme.
package struct BrokerAddress: Sendable, Hashable {
    package let host: String
    package let port: Int32
    package let usesTLS: Bool

    private static let plainSchemes: Set = ["tcp", "mqtt"]
    private static let secureSchemes: Set = ["ssl", "tls", "mqtts"]

    /// - Parameter usesTLS: true if a certificate was named, which makes the connection secure without the scheme saying so.
    package init(_ text: String, usesTLS: Bool) throws(LinkFailure) {
        var rest = text[...]
        var scheme: String?
        if let end = text.firstRange(of: "://") {
            scheme = text[..<end.lowerBound].lowercased()
            rest = text[end.upperBound...]
        }
        if let scheme, !Self.plainSchemes.contains(scheme), !Self.secureSchemes.contains(scheme) {
            throw LinkFailure("\(scheme)://: unknown; tcp://HOST:PORT and ssl://HOST:PORT are known")
        }
        self.usesTLS = usesTLS || scheme.map(Self.secureSchemes.contains) == true
        // Not repeated in the message: it would show the password.
        guard !rest.contains("@") else {
            throw LinkFailure("an address has no user and no password: they go into username and password-file")
        }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var port = self.usesTLS ? "8883" : "1883"
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            let after = rest[rest.index(after: end)...]
            if after.hasPrefix(":") { port = String(after.dropFirst()) }
            rest = rest[rest.index(after: rest.startIndex)..<end]
        } else if let colon = rest.lastIndex(of: ":"), rest.firstIndex(of: ":") == colon {
            port = String(rest[rest.index(after: colon)...])
            rest = rest[..<colon]
        }
        guard !rest.isEmpty, !rest.utf8.contains(0), let number = Int32(port), (1...65535).contains(number) else {
            throw LinkFailure("\(text): no address of a broker, such as tcp://HOST:1883")
        }
        (host, self.port) = (String(rest), number)
    }
}

/// Who one is for a broker, and how the connection is secured.
package struct Credentials: Sendable {
    package var username: String?
    package var password: String?
    package var authorityFile: String?
    package var certificateFile: String?
    package var keyFile: String?

    package init(
        username: String? = nil, password: String? = nil, authorityFile: String? = nil, certificateFile: String? = nil,
        keyFile: String? = nil
    ) {
        (self.username, self.password) = (username, password)
        (self.authorityFile, self.certificateFile, self.keyFile) = (authorityFile, certificateFile, keyFile)
    }
}
