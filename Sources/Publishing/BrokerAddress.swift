// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// The address of an MQTT broker: `tcp://HOST:PORT`, `ssl://HOST:PORT`, or `HOST:PORT`.
package struct BrokerAddress: Sendable, Hashable {
    package let host: String
    package let port: Int32
    package let usesTLS: Bool

    /// - Parameter usesTLS: true if the user has set a certificate. The connection then uses TLS, even if the address
    ///   does not begin with `ssl://`.
    package init(_ text: String, usesTLS: Bool) throws(LinkFailure) {
        var (remaining, isSecure) = try splitScheme(
            text[...], plain: ["tcp", "mqtt"], secure: ["ssl", "tls", "mqtts"])
        self.usesTLS = usesTLS || isSecure == true
        if remaining.hasSuffix("/") { remaining = remaining.dropLast() }
        var port = self.usesTLS ? "8883" : "1883"
        if remaining.hasPrefix("["), let end = remaining.firstIndex(of: "]") {
            let after = remaining[remaining.index(after: end)...]
            if after.hasPrefix(":") { port = String(after.dropFirst()) }
            remaining = remaining[remaining.index(after: remaining.startIndex)..<end]
        } else if let colon = remaining.lastIndex(of: ":"), remaining.firstIndex(of: ":") == colon {
            port = String(remaining[remaining.index(after: colon)...])
            remaining = remaining[..<colon]
        }
        guard !remaining.isEmpty, !remaining.utf8.contains(0), let number = Int32(port), (1...65535).contains(number)
        else {
            throw LinkFailure("address=\(text): not the address of an MQTT broker. Write address as tcp://HOST:1883.")
        }
        (host, self.port) = (String(remaining), number)
    }
}

/// The addresses of Kafka brokers: `HOST:PORT` or `ssl://HOST:PORT` (TLS), separated by commas.
package struct KafkaAddress: Sendable, Hashable {
    /// The addresses without schemes, in the format of librdkafka's option `bootstrap.servers`.
    package let servers: String
    package let usesTLS: Bool

    /// - Parameter usesTLS: true if the user has set a certificate. The connection then uses TLS, even if no address
    ///   begins with `ssl://`.
    package init(_ text: String, usesTLS: Bool = false) throws(LinkFailure) {
        var servers: [String] = []
        var kinds: Set<Bool> = []
        for part in text.split(separator: ",") {
            let (remaining, isSecure) = try splitScheme(
                part.drop { $0 == " " }, plain: ["tcp", "plaintext"], secure: ["ssl", "tls"])
            if let isSecure { kinds.insert(isSecure) }
            let server = remaining.hasSuffix("/") ? remaining.dropLast() : remaining
            guard !server.isEmpty, !server.contains("/") else {
                throw LinkFailure(
                    "address=\(part): not the address of a Kafka broker. Write address as HOST:9092 or "
                        + "ssl://HOST:9093.")
            }
            servers.append(String(server))
        }
        guard !servers.isEmpty, kinds.count < 2 else {
            throw LinkFailure(
                "address=\(text): mixes addresses with ssl:// and without ssl://. Begin all addresses or "
                    + "no address with ssl://.")
        }
        self.servers = servers.joined(separator: ",")
        self.usesTLS = usesTLS || kinds.contains(true)
    }
}

/// Splits an address into the scheme and the remaining text.
/// - Returns: `remaining`: the text after `://`. `isSecure`: true if the scheme selects TLS; nil if the address has no
///   scheme.
private func splitScheme(
    _ text: Substring, plain: Set<String>, secure: Set<String>
) throws(LinkFailure) -> (remaining: Substring, isSecure: Bool?) {
    let end = text.firstOccurrence(of: "://")
    let remaining = end.map { text[$0.upperBound...] } ?? text
    // An address with `@` contains a user name or a password, so the error must not quote the address.
    guard !remaining.contains("@") else {
        throw LinkFailure("address contains a user name or password. Set username and password-file instead.")
    }
    guard let end else { return (remaining, nil) }
    let scheme = text[..<end.lowerBound].lowercased()
    guard plain.contains(scheme) || secure.contains(scheme) else {
        throw LinkFailure(
            "address begins with the unknown scheme \(scheme)://. Write address as tcp://HOST:PORT or "
                + "ssl://HOST:PORT.")
    }
    return (remaining, secure.contains(scheme))
}

/// The user name, password and TLS files of the client.
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

extension Destination {
    /// A warning if the connection does not encrypt the password; otherwise nil.
    package var exposure: String? {
        switch self {
        case .file: return nil
        case .mqtt(let settings):
            guard settings.credentials.username != nil, settings.credentials.password != nil, !settings.address.usesTLS
            else { return nil }
            return
                "svpublish sends the password to \(settings.address.host) unencrypted. "
                + "Use an address that begins with ssl://."
        case .kafka(let settings):
            guard settings.credentials.username != nil, !settings.address.usesTLS else { return nil }
            return "svpublish sends the user name and the password to \(settings.address.servers) unencrypted. "
                + "Use an address that begins with ssl://."
        }
    }
}
