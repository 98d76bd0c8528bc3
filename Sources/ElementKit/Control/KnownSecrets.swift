// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Synchronization

/// Collects the secrets in the properties of a pipeline's elements, and masks these secrets in messages. The type
/// `Secrets` alone cannot find all secrets, because a message may contain a secret without a name such as `password`.
final class KnownSecrets: Sendable {
    /// The keys are secrets. The values are the texts that replace the secrets.
    private let known = Mutex<[String: String]>([:])
    /// A cache by field name: true if fields with this name hold secrets. The cache saves time, because the messages of
    /// each frame contain the same names.
    private let names = Mutex<[String: Bool]>([:])

    /// The maximum number of secrets.
    private static let maxCount = 500
    private static let (shortest, longest) = (8, 4096)

    /// Returns a property's text for a web page, with masked secrets, and records the secrets.
    func shown(_ text: String, property name: String, _ use: ValueUse) -> String {
        guard !text.isEmpty else { return text }
        guard !Secrets.hasSecret(property: name) else {
            keep(text, as: Secrets.mask)
            return Secrets.mask
        }
        let isHarmless = if case .text(let use) = use, !use.isGuarded { true } else { false }
        let masked = Secrets.found(in: text, isValue: true, isHarmless: isHarmless)
        if masked.text != text { keep(text, as: masked.text) }
        for secret in masked.secrets { keep(secret, as: Secrets.mask) }
        return masked.text
    }

    private func keep(_ secret: String, as shown: String) {
        // Ignores short texts and texts that contain only letters, because they may also be ordinary words. If such a
        // word were masked in ordinary text, a reader could guess the word, and so the secret.
        guard Self.shortest...Self.longest ~= secret.utf8.count,
            secret.unicodeScalars.contains(where: { !$0.properties.isAlphabetic })
        else { return }
        known.withLock { if $0.count < Self.maxCount { $0[secret] = shown } }
    }

    /// Returns a text with masked secrets.
    func hidden(in text: String) -> String {
        let known = known.withLock { $0 }
        guard !known.isEmpty else { return Secrets.masked(text) }
        var bytes = Array(text.utf8)
        // Replaces longer secrets first, so that a URI is replaced as a whole, and not only the password in the URI.
        for (secret, shown) in known.sorted(by: { $0.key.utf8.count > $1.key.utf8.count }) {
            bytes.replaceAll(Array(secret.utf8), with: Array(shown.utf8))
        }
        return Secrets.masked(String(decoding: bytes, as: UTF8.self))
    }

    /// Returns JSON with masked secrets in its texts.
    func hidden(in json: JSONValue) -> JSONValue {
        switch json {
        case .text(let text): .text(hidden(in: text))
        case .list(let items): .list(items.map { hidden(in: $0) })
        case .table(let members): .table(members.map { ($0.name, hidden(in: $0.value, named: $0.name)) })
        case .null, .truth, .whole, .count, .real, .exact: json
        }
    }

    private func hidden(in json: JSONValue, named name: String) -> JSONValue {
        guard hasSecret(named: name) else { return hidden(in: json) }
        return switch json {
        case .text(let text): .text(text.isEmpty ? text : Secrets.mask)
        case .list, .table: .text(Secrets.mask)
        case .null, .truth, .whole, .count, .real, .exact: json
        }
    }

    private func hasSecret(named name: String) -> Bool {
        if let known = names.withLock({ $0[name] }) { return known }
        let hasSecret = Secrets.hasSecret(named: name)
        names.withLock { if $0.count < Self.maxCount { $0[name] = hasSecret } }
        return hasSecret
    }

    /// Returns a message or a reply with masked secrets. Names of elements and message types do not change.
    func hidden(inMessage message: JSONValue) -> JSONValue {
        guard case .table(let members) = message else { return message }
        let texts: Set = ["text", "fields", "reason", "answer"]
        return .table(members.map { ($0.name, texts.contains($0.name) ? hidden(in: $0.value) : $0.value) })
    }
}

extension [UInt8] {
    fileprivate mutating func replaceAll(_ old: [UInt8], with new: [UInt8]) {
        guard let head = old.first, count >= old.count else { return }
        var (result, position): ([UInt8], Int) = ([], 0)
        while let next = self[position...].firstIndex(of: head) {
            let isFound = self[next...].starts(with: old)
            result += self[position..<next] + (isFound ? new : [head])
            position = next + (isFound ? old.count : 1)
        }
        self = result + self[position...]
    }
}
