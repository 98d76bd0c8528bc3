// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import NIOHTTP1

enum Route {
    case file(WebFile)
    case picture
    /// An upload (PUT), or an image that was uploaded (GET). The value is the file name after `uploads/` in the URL,
    /// which is not checked yet.
    case upload(String)
    case recording(String)
    case metrics
    case socket

    var methods: [HTTPMethod] {
        switch self {
        case .upload: [.PUT, .GET, .HEAD]
        case .socket: [.GET]
        case .file, .picture, .recording, .metrics: [.GET, .HEAD]
        }
    }
}

/// The decoded target of a request (RFC 9112, section 3.2.1).
struct Target {
    /// The segments of the path.
    private let parts: [String]
    /// The value of the query parameter `key`; nil if the request has no such parameter.
    let key: String?

    /// Returns nil if the target is not an absolute path, is malformed, or has a segment `.` or `..`.
    init?(_ target: String) {
        guard target.utf8.first == UInt8(ascii: "/") else { return nil }
        let halves = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = halves.first?.dropFirst() else { return nil }
        var parts: [String] = []
        for part in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            // Reject a segment with an encoded slash (%2F), because an encoded slash must not separate segments.
            guard let text = decoded(part), text != ".", text != "..",
                !text.utf8.contains(where: { $0 < 0x20 || [UInt8(ascii: "/"), UInt8(ascii: "\\"), 0x7F].contains($0) })
            else { return nil }
            parts.append(text)
        }
        self.parts = parts
        let parameters = halves.count > 1 ? halves[1].split(separator: UInt8(ascii: "&")) : []
        let named = parameters.first { $0.starts(with: "key=".utf8) }
        key = named.map { decoded($0.dropFirst(4)) ?? "" }
    }

    /// Returns the route for the path; nil if there is no such path.
    /// - Parameters:
    ///   - files: the files of the web page, by name.
    ///   - hasMetrics: true if the path `/metrics` exists.
    func route(_ files: [String: WebFile], hasMetrics: Bool) -> Route? {
        guard let first = parts.first else { return nil }
        switch (parts.count, first) {
        case (1, ""): return files["index.html"].map { .file($0) }
        case (1, "picture.png"): return .picture
        case (1, "socket"): return .socket
        case (1, "metrics") where hasMetrics: return .metrics
        case (1, _): return files[first].map { .file($0) }
        case (2, "uploads") where !parts[1].isEmpty: return .upload(parts[1])
        case (2, "recordings") where !parts[1].isEmpty: return .recording(parts[1])
        default: return nil
        }
    }
}

/// Decodes percent-encoded bytes (RFC 3986, section 2.1). Returns nil if the result is not UTF-8.
private func decoded(_ text: some Sequence<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var encoded = text.makeIterator()
    while let byte = encoded.next() {
        if byte == UInt8(ascii: "%") {
            guard let high = encoded.next()?.hexadecimal, let low = encoded.next()?.hexadecimal else { return nil }
            bytes.append(high << 4 | low)
        } else {
            bytes.append(byte)
        }
    }
    return String(validating: bytes, as: UTF8.self)
}

extension UInt8 {
    /// The value of a hexadecimal digit in ASCII, 0–15; nil for other characters.
    fileprivate var hexadecimal: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
