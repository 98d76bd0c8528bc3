// SPDX-License-Identifier: LGPL-2.1-or-later
import NIOCore
import NIOHTTP1
import Synchronization

/// Decides who may talk to the server: whoever has the key or a session, by an address that no foreign page can make a
/// browser use.
///
/// The header Host exposes a page whose name was made to lead here (DNS rebinding), Origin a page of another server that
/// sends requests. Headers of proxies, such as X-Forwarded-Host, are not read: anybody can write them.
final class Access: Sendable {
    private let key: [UInt8]
    private let isBehindTLS: Bool
    /// Names of this server, besides the addresses of the machine.
    private let names: Set<String>
    /// Servers whose pages may use this one.
    private let origins: Set<Authority>
    private let sessions: Sessions
    private let port = Atomic(0)
    private let machine = Mutex((addresses: Set<String>(), time: NIODeadline?.none))

    init(_ configuration: WebConfiguration) {
        key = Array(configuration.key.utf8)
        isBehindTLS = configuration.isBehindTLS
        let hosts = configuration.hosts.compactMap { Authority($0) }
        names = Set(hosts.map(\.name))
        origins = Set(hosts.filter { $0.port != nil })
        sessions = Sessions(key: key, sign: configuration.sign)
    }

    /// Sets the port, which is part of the cookie's name: cookies belong to a host, not to a port.
    func setPort(_ port: Int) { self.port.store(port, ordering: .relaxed) }

    private var cookieName: String { "svwebsink-\(port.load(ordering: .relaxed))" }

    /// Begins a session.
    /// - Returns: the header Set-Cookie. Without a path, so that a proxy can have the page under any.
    func makeCookie() -> String {
        "\(cookieName)=\(sessions.makeToken()); HttpOnly; SameSite=Strict" + (isBehindTLS ? "; Secure" : "")
    }

    // MARK: - Key and session

    enum Verdict { case key, session, wrongKey, missing }

    /// - Parameter query: the key in the address, which counts more than a session.
    func verdict(query: String?, _ headers: HTTPHeaders) -> Verdict {
        if let query { return isSame(query.utf8, key) ? .key : .wrongKey }
        let beginning = cookieName + "="
        // A server on another port can set cookies of the same name. They are no guesses: a token cannot be guessed.
        for header in headers["Cookie"] {
            for item in header.split(separator: ";") {
                let item = item.drop { $0 == " " }
                if item.hasPrefix(beginning), sessions.isValid(item.dropFirst(beginning.count)) { return .session }
            }
        }
        return .missing
    }

    // MARK: - Host and Origin

    /// Returns why a request is refused for its host or its origin; nil if it is not.
    func refusal(of headers: HTTPHeaders) -> String? {
        let hosts = headers["Host"]
        guard hosts.count == 1, let host = hosts.first.flatMap({ Authority($0) }), isOurs(host.name) else {
            return "the header Host must be an IP address of this machine, localhost, or a name in the property hosts"
        }
        let origins = headers["Origin"]
        guard let text = origins.first else { return refusalOfSubresource(headers) }
        guard origins.count == 1, let origin = Origin(text), isAllowed(origin, at: host) else {
            return
                "pages of \"\(text)\" must not use this server. Host and port of the page must be the same as in the "
                + "header Host, or be in hosts as NAME:PORT. Behind a TLS proxy, set tls-proxy=true."
        }
        return nil
    }

    private func isAllowed(_ origin: Origin, at host: Authority) -> Bool {
        let scheme: Origin.Scheme = isBehindTLS ? .https : .http
        if origin.scheme == scheme, origin.name == host.name, origin.port == host.port ?? scheme.port { return true }
        // Whoever is on the network can put anything into a page without TLS.
        return (origin.scheme == .https || !isBehindTLS) && origins.contains(origin.authority)
    }

    /// Returns why a request without an origin is refused: the browser says that a page from elsewhere loads a part of
    /// itself from here.
    private func refusalOfSubresource(_ headers: HTTPHeaders) -> String? {
        let isForeign = headers["Sec-Fetch-Site"].contains { $0 == "cross-site" || $0 == "same-site" }
        guard isForeign, !headers["Sec-Fetch-Mode"].contains("navigate") else { return nil }
        return "pages of other servers must not use this server"
    }

    private func isOurs(_ name: String) -> Bool {
        if name == "localhost" || names.contains(name) { return true }
        guard let address = try? SocketAddress(ipAddress: name, port: 0) else { return false }
        return address.isLoopback || isOfMachine(name)
    }

    /// Returns whether an address is one of this machine's, which are looked up again after some seconds.
    private func isOfMachine(_ address: String) -> Bool {
        machine.withLock { machine in
            let now = NIODeadline.now()
            if machine.time.map({ now - $0 > .seconds(5) }) ?? true {
                let devices = (try? System.enumerateDevices()) ?? []
                machine = (Set(devices.compactMap { $0.address?.ipAddress }), now)
            }
            return machine.addresses.contains(address)
        }
    }
}

/// Tokens of sessions: a random number, signed together with the key.
///
/// The server stores none of them, so any number of them takes no memory, and they are valid after a restart with the same
/// key and the same secret of the signature. Without that secret, a token does not help to guess the key.
struct Sessions: Sendable {
    private let key: [UInt8]
    private let sign: @Sendable ([UInt8]) -> String
    private static let numberLength = 32

    init(key: [UInt8], sign: @escaping @Sendable ([UInt8]) -> String) { (self.key, self.sign) = (key, sign) }

    func makeToken() -> String {
        var system = SystemRandomNumberGenerator()
        let number = (0..<2).reduce(into: "") { text, _ in
            let digits = String(system.next() as UInt64, radix: 16)
            text += String(repeating: "0", count: 16 - digits.count) + digits
        }
        return number + signature(of: number.utf8)
    }

    func isValid(_ token: Substring) -> Bool {
        let bytes = Array(token.utf8)
        guard bytes.count > Self.numberLength else { return false }
        return isSame(bytes[Self.numberLength...], Array(signature(of: bytes[..<Self.numberLength]).utf8))
    }

    private func signature(of number: some Sequence<UInt8>) -> String { sign(Array(number) + key) }
}

/// Compares in a time that does not depend on where the two differ.
private func isSame(_ given: some Collection<UInt8>, _ expected: some Collection<UInt8>) -> Bool {
    var difference: UInt8 = given.count == expected.count && !expected.isEmpty ? 0 : 1
    var other = expected.makeIterator()
    for byte in given { difference |= byte ^ (other.next() ?? 0) }
    return difference == 0
}
