// SPDX-License-Identifier: LGPL-2.1-or-later
import NIOCore
import NIOHTTP1
import Synchronization

/// Who may talk to the server: whoever has the key, by an address that no foreign page can make a browser use.
///
/// A page from elsewhere whose name is made to lead here (DNS rebinding) shows in the header Host, one that
/// sends requests from elsewhere in Origin.
final class Access: Sendable {
    private let key: [UInt8]
    private let token: String
    private let hosts: Set<String>
    private let port = Atomic(0)
    private let machine = Mutex((addresses: Set<String>(), time: NIODeadline?.none))

    init(_ configuration: WebConfiguration) {
        key = Array(configuration.key.utf8)
        // Any text can be a key; a cookie has fewer characters.
        token = key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        hosts = Set(configuration.hosts.map { $0.lowercased() })
    }

    /// Sets the port, after which the cookie is named: cookies are of a host, not of a port.
    func setPort(_ port: Int) { self.port.store(port, ordering: .relaxed) }

    private var cookieName: String { "svwebsink-\(port.load(ordering: .relaxed))" }

    /// The cookie that stands for the key.
    var cookie: String { "\(cookieName)=\(token)" }

    // MARK: - The key

    enum Verdict { case right, wrong, missing }

    /// - Parameter query: the key in the address, which counts more than a cookie.
    func verdict(query: String?, _ headers: HTTPHeaders) -> Verdict {
        if let query { return isRight(query) ? .right : .wrong }
        let beginning = cookieName + "="
        var found = false
        for header in headers["Cookie"] {
            for item in header.split(separator: ";") {
                let item = item.drop { $0 == " " }
                guard item.hasPrefix(beginning) else { continue }
                found = true
                if Self.isSame(item.dropFirst(beginning.count).utf8, token.utf8) { return .right }
            }
        }
        return found ? .wrong : .missing
    }

    func isRight(_ text: String) -> Bool { Self.isSame(text.utf8, key) }

    /// Compares in a time that tells nothing of where the two differ.
    private static func isSame(_ given: some Collection<UInt8>, _ expected: some Collection<UInt8>) -> Bool {
        var difference: UInt8 = given.count == expected.count && !expected.isEmpty ? 0 : 1
        var other = expected.makeIterator()
        for byte in given { difference |= byte ^ (other.next() ?? 0) }
        return difference == 0
    }

    // MARK: - Host and Origin

    /// Returns why a request is refused for its host or its origin; nil if it is not.
    func refusal(ofHost headers: HTTPHeaders) -> String? {
        let named = headers["Host"]
        guard named.count == 1, let host = named.first.flatMap(Self.host), isOurs(host) else {
            return "Host is neither an IP address of this machine nor localhost nor among hosts="
        }
        for origin in headers["Origin"] {
            let parts = origin.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, ["http:", "https:"].contains(parts[0].lowercased()), parts[1].isEmpty,
                let host = Self.host(String(parts[2])), isOurs(host)
            else { return "Origin is neither an IP address of this machine nor localhost nor among hosts=" }
        }
        return nil
    }

    /// Returns the host of `host:port`, in lower case and without the brackets of an IPv6 address.
    private static func host(_ text: String) -> String? {
        let name: Substring
        let rest: Substring
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            name = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
            guard name.contains(":") else { return nil }
        } else {
            name = text.prefix { $0 != ":" }
            rest = text[name.endIndex...]
        }
        guard !name.isEmpty, rest.isEmpty || (rest.first == ":" && UInt16(rest.dropFirst()) != nil) else { return nil }
        return name.lowercased()
    }

    private func isOurs(_ host: String) -> Bool {
        if host == "localhost" || hosts.contains(host) { return true }
        // The same address has one spelling here.
        guard let address = try? SocketAddress(ipAddress: host, port: 0), let text = address.ipAddress else {
            return false
        }
        return text.hasPrefix("127.") || text == "::1" || isOfMachine(text)
    }

    /// Returns whether an address is one of this machine's, which are looked up anew after some seconds.
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

/// A rate that may be exceeded for a while: tokens come evenly, and each event takes one.
struct TokenBucket {
    private let (rate, size): (Double, Double)
    private var tokens: Double
    private var time = NIODeadline.now()

    /// - Parameters:
    ///   - rate: tokens a second.
    ///   - size: the most tokens, and their number at first.
    init(rate: Double, size: Double) {
        (self.rate, self.size, tokens) = (rate, size, size)
    }

    /// Takes a token; returns false if there is none.
    mutating func take() -> Bool {
        let now = NIODeadline.now()
        tokens = min(size, tokens + Double((now - time).nanoseconds) * 1e-9 * rate)
        time = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}

extension TimeAmount {
    init(seconds: Double) { self = .nanoseconds(Int64(max(0, min(seconds, 1e6)) * 1e9)) }
}
