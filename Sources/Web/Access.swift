// SPDX-License-Identifier: LGPL-2.1-or-later
import NIOCore
import NIOHTTP1
import Synchronization

/// Decides which clients may use the server. A client needs the key or a session. In addition, the headers Host and
/// Origin must not come from a page of another server.
///
/// A page of another server can use a host name that an attacker has directed to this server (DNS rebinding). The
/// header Host then contains this host name. A page of another server can also send requests directly to this server.
/// The header Origin then names the other server. This class ignores headers of proxies, such as X-Forwarded-Host,
/// because any client can set them.
final class Access: Sendable {
    private let key: [UInt8]
    private let isBehindTLS: Bool
    /// Host names that the header Host may contain, in addition to the addresses of this computer.
    private let names: Set<String>
    /// Host names and ports of other servers whose pages may use this server.
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

    /// Sets the port of the server. Browsers send the same cookies to all ports of a host, so the cookie's name
    /// contains the port.
    func setPort(_ port: Int) { self.port.store(port, ordering: .relaxed) }

    private var cookieName: String { "svwebsink-\(port.load(ordering: .relaxed))" }

    /// Starts a session.
    /// - Returns: the value of the header Set-Cookie. The value contains no path, so that a proxy can use any path for
    ///   the page.
    func makeCookie() -> String {
        "\(cookieName)=\(sessions.makeToken()); HttpOnly; SameSite=Strict" + (isBehindTLS ? "; Secure" : "")
    }

    // MARK: - Key and session

    /// Returns the bearer token of a request (RFC 6750, section 2.1); nil without a header Authorization of the scheme
    /// Bearer. Other schemes, such as Basic, can be for a proxy. Returns an empty text, which is never a valid key, if
    /// the header has no token or is repeated.
    func token(in headers: HTTPHeaders) -> String? {
        let values = headers["Authorization"].map { $0.split(separator: " ", maxSplits: 1) }
        guard let bearer = values.first(where: { $0.first?.lowercased() == "bearer" }) else { return nil }
        guard values.count == 1, bearer.count == 2 else { return "" }
        return String(bearer[1])
    }

    enum Verdict { case key, session, wrongKey, missing }

    /// Checks the key or the session of a request.
    /// - Parameter query: the key in the URL; nil if the URL contains no key. A wrong key is an error, even if the
    ///   session is valid.
    func verdict(query: String?, _ headers: HTTPHeaders) -> Verdict {
        if let query { return isSame(query.utf8, key) ? .key : .wrongKey }
        let beginning = cookieName + "="
        // A server on another port of this host can also set a cookie with this name. So an invalid cookie does not
        // count as a wrong key. This does not help attackers to guess, because session tokens are too long to guess.
        for header in headers["Cookie"] {
            for item in header.split(separator: ";") {
                let item = item.drop { $0 == " " }
                if item.hasPrefix(beginning), sessions.isValid(item.dropFirst(beginning.count)) { return .session }
            }
        }
        return .missing
    }

    // MARK: - Host and Origin

    /// Checks the headers Host and Origin. Returns nil if the request is allowed. Otherwise returns the reason why the
    /// request is not allowed.
    func refusal(of headers: HTTPHeaders) -> String? {
        let hosts = headers["Host"]
        guard hosts.count == 1, let host = hosts.first.flatMap({ Authority($0) }), isOurs(host.name) else {
            return "the header Host must be an IP address of this machine, localhost, or a name in the property hosts"
        }
        let origins = headers["Origin"]
        guard let text = origins.first else { return refusalOfSubresource(headers) }
        guard origins.count == 1, let origin = Origin(text), isAllowed(origin, at: host) else {
            return
                "pages of \"\(text)\" must not use this server. Allowed pages have the host and port of the "
                + "header Host, or are in the property hosts as NAME:PORT. Behind a TLS proxy, set tls-proxy=true."
        }
        return nil
    }

    private func isAllowed(_ origin: Origin, at host: Authority) -> Bool {
        let scheme: Origin.Scheme = isBehindTLS ? .https : .http
        if origin.scheme == scheme, origin.name == host.name, origin.port == host.port ?? scheme.port { return true }
        // Without TLS, an attacker in the network can change a page. So if clients connect to this server through TLS,
        // pages with the scheme http are not allowed.
        return (origin.scheme == .https || !isBehindTLS) && origins.contains(origin.authority)
    }

    /// Checks a request without the header Origin. Returns the reason if the request is not allowed; otherwise nil.
    ///
    /// A page of another server may load an image, a script or similar content from this server. Browsers report such
    /// requests in the headers `Sec-Fetch-Site` and `Sec-Fetch-Mode`.
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

    /// Returns true if this computer has the address. The list of addresses is updated at most every 5 seconds.
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

/// Creates and checks session tokens. A token consists of a random number and a signature. The signature covers the
/// random number and the key.
///
/// The server does not store tokens, so tokens need no memory. Tokens stay valid after a restart, as long as the key
/// and the secret of the signature stay the same. An attacker cannot compute the key from a token without the secret.
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

/// Compares two byte sequences. The time does not depend on the position of the first difference, so the time reveals
/// nothing about the expected bytes.
func isSame(_ actual: some Collection<UInt8>, _ expected: some Collection<UInt8>) -> Bool {
    var difference: UInt8 = actual.count == expected.count && !expected.isEmpty ? 0 : 1
    var expectedBytes = expected.makeIterator()
    for byte in actual { difference |= byte ^ (expectedBytes.next() ?? 0) }
    return difference == 0
}
