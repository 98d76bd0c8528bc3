// SPDX-License-Identifier: LGPL-2.1-or-later

/// The place of an MQTT broker: `tcp://HOST:PORT`, `ssl://HOST:PORT`, or without a scheme.
package struct BrokerAddress: Sendable, Hashable {
    package let host: String
    package let port: Int32
    package let usesTLS: Bool

    /// - Parameter usesTLS: true if a certificate was named, which makes the connection secure without the scheme saying so.
    package init(_ text: String, usesTLS: Bool) throws(LinkFailure) {
        var (rest, isSecure) = try splitScheme(text[...], plain: ["tcp", "mqtt"], secure: ["ssl", "tls", "mqtts"])
        self.usesTLS = usesTLS || isSecure == true
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
            throw LinkFailure("address=\(text): not the address of an MQTT broker. Write address as tcp://HOST:1883.")
        }
        (host, self.port) = (String(rest), number)
    }
}

/// The places of Kafka's brokers: `HOST:PORT`, several separated by commas. With `ssl://` the connections are secure.
package struct KafkaAddress: Sendable, Hashable {
    /// As librdkafka takes them.
    package let servers: String
    package let usesTLS: Bool

    /// - Parameter usesTLS: true if a certificate was named, which makes the connection secure without the scheme saying so.
    package init(_ text: String, usesTLS: Bool = false) throws(LinkFailure) {
        var servers: [String] = []
        var kinds: Set<Bool> = []
        for part in text.split(separator: ",") {
            let (rest, isSecure) = try splitScheme(
                part.drop { $0 == " " }, plain: ["tcp", "plaintext"], secure: ["ssl", "tls"])
            if let isSecure { kinds.insert(isSecure) }
            let server = rest.hasSuffix("/") ? rest.dropLast() : rest
            guard !server.isEmpty, !server.contains("/") else {
                throw LinkFailure(
                    "address=\(part): not the address of a Kafka broker. Write address as HOST:9092 or "
                        + "ssl://HOST:9093.")
            }
            servers.append(String(server))
        }
        guard !servers.isEmpty, kinds.count < 2 else {
            throw LinkFailure(
                "address=\(text): mixes addresses with ssl:// and without ssl://. Begin all addresses with ssl://, "
                    + "or none.")
        }
        self.servers = servers.joined(separator: ",")
        self.usesTLS = usesTLS || kinds.contains(true)
    }
}

/// Splits the scheme off an address.
/// - Returns: what follows it, and whether it stands for a secure connection; nil without a scheme.
private func splitScheme(
    _ text: Substring, plain: Set<String>, secure: Set<String>
) throws(LinkFailure) -> (rest: Substring, isSecure: Bool?) {
    let end = text.firstRange(of: "://")
    let rest = end.map { text[$0.upperBound...] } ?? text
    // Not repeated in the message: it would show the password.
    guard !rest.contains("@") else {
        throw LinkFailure("address contains a user name or password. Set username and password-file instead.")
    }
    guard let end else { return (rest, nil) }
    let scheme = text[..<end.lowerBound].lowercased()
    guard plain.contains(scheme) || secure.contains(scheme) else {
        throw LinkFailure(
            "address begins with the unknown scheme \(scheme)://. Write address as tcp://HOST:PORT or "
                + "ssl://HOST:PORT.")
    }
    return (rest, secure.contains(scheme))
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

extension Destination {
    /// A warning if a password goes over the network as plain text; nil if none does.
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
