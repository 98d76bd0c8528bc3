// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Glibc
import Synchronization
import Vision

/// The strangers of `unknowns=cluster`, shared by streaming thread, worker and actions.
final class StrangerStore: Sendable {
    private struct Content {
        /// Nil if strangers get no numbers.
        var strangers: Strangers?
        /// The file that they were read from, or that may be created.
        var path: String?
        var isUnsaved = false
        /// When the file was last written, in seconds since 1970.
        var saved = 0
        /// Names that were forgotten, but may still be in the file.
        var owed: Set<String> = []
    }

    private let content = Mutex(Content())
    /// Held while the file is read and written, so that the last one written is the newest.
    private let file = Mutex(())
    /// Number of seconds between two saves while strangers are in view.
    private static let saveInterval = 30

    private static var now: Int { Int(time(nil)) }

    /// The file of the network that strangers are compared with; nil if they get no numbers.
    var network: String? { content.withLock { $0.strangers?.network } }

    /// Forgets everybody in memory, and gives no numbers from now on.
    func close() { content.withLock { $0 = Content() } }

    /// Reads the strangers of a file, or begins without any.
    /// - Throws: `ElementError` with the path; strangers then get no numbers, and the file stays as it is.
    func open(_ path: String?, network: String, retention: ClockTime) throws {
        try file.withLock { _ in
            close()
            var strangers = Strangers(network: network)
            if let path {
                do throws(ModelFileError) {
                    strangers = try Strangers(path: path)
                } catch {
                    guard error.reason == .missing else { throw error }
                }
                guard strangers.network == network else {
                    throw ElementError(
                        .unsuitable,
                        "cannot use \"\(path)\": the strangers in the file were described by another network. Set "
                            + "embedding-model to that network, or set unknowns-location to another path.")
                }
            }
            let isUnsaved = strangers.expire(before: Self.limit(retention), at: Self.now)
            content.withLock { [strangers] in
                $0.strangers = strangers
                ($0.path, $0.isUnsaved, $0.saved) = (path, isUnsaved, Self.now)
            }
        }
    }

    private static func limit(_ retention: ClockTime) -> Int {
        now - Int(clamping: retention.nanoseconds / ClockTime.second.nanoseconds)
    }

    // MARK: - Streaming thread

    /// A face without a name of a known person.
    struct Face {
        /// The number that it had so far.
        var stranger: Int?
        /// All its vectors, and the one of this frame.
        let vectors: [FaceEmbedding]
        let vector: FaceEmbedding?
        /// True if it may be a new stranger: it was looked at several times, and never had the name of a known person.
        let mayBeNew: Bool
    }

    /// Returns the number of the stranger who has a face; nil if it has none yet.
    /// - Parameter others: numbers of strangers who are elsewhere in the frame.
    func number(of face: Face, excluding others: Set<Int>) -> Int? {
        content.withLock { content in
            guard var strangers = content.strangers, face.vectors.allSatisfy({ $0.network == strangers.network })
            else { return nil }
            let now = Self.now
            if let number = face.stranger, face.vector == nil {
                return strangers.people.contains { $0.number == number } ? number : nil
            }
            var number = face.stranger
            if let known = number, !strangers.see(known, face.vector, at: now) { number = nil }
            if number == nil {
                number = strangers.number(of: face.vectors, excluding: others)
                if let found = number {
                    _ = strangers.see(found, face.vector, at: now)
                } else if face.mayBeNew, !face.vectors.isEmpty {
                    number = strangers.add(face.vectors, at: now)
                }
            }
            guard number != nil else { return nil }
            (content.strangers, content.isUnsaved) = (strangers, true)
            return number
        }
    }

    /// Removes strangers who were not seen for too long.
    /// - Returns: true if it is time to save.
    func expire(_ retention: ClockTime) -> Bool {
        content.withLock { content in
            guard content.strangers != nil else { return false }
            let limit = Self.limit(retention)
            if content.strangers?.expire(before: limit, at: Self.now) == true {
                (content.isUnsaved, content.saved) = (true, 0)
            }
            guard content.isUnsaved, content.path != nil, Self.now - content.saved >= Self.saveInterval else {
                return false
            }
            content.saved = Self.now
            return true
        }
    }

    // MARK: - Files

    /// Writes the file, if it is set and strangers have changed.
    func save() throws {
        try file.withLock { _ in
            let (strangers, path) = content.withLock { content in
                defer { content.isUnsaved = false }
                return (content.isUnsaved ? content.strangers : nil, content.path)
            }
            guard let strangers, let path else { return }
            do {
                try strangers.save(to: path)
            } catch {
                content.withLock { $0.isUnsaved = true }
                throw error
            }
        }
    }

    /// Removes a stranger from memory, or all of them; `erase` has to follow.
    func dismiss(_ name: String) {
        content.withLock { content in
            guard content.strangers?.forget(name) == true else { return }
            content.isUnsaved = true
            content.owed.insert(name)
        }
    }

    /// Removes strangers from the file, too.
    /// - Parameter path: the file to remove them from if nobody has opened it.
    /// - Returns: those who were known, or were in the file, and are in neither now.
    func erase(_ names: [String], from path: String?) throws -> [String] {
        let names = names.filter { $0 == Strangers.all || Strangers.isLabel($0) }
        guard !names.isEmpty else { return [] }
        var gone = content.withLock { $0.owed.intersection(names) }
        if let path = content.withLock({ $0.path }) ?? path {
            try file.withLock { _ in
                do throws(ModelFileError) {
                    var strangers = try Strangers(path: path)
                    let found = names.filter { strangers.forget($0) }
                    gone.formUnion(found)
                    if !found.isEmpty { try strangers.save(to: path) }
                } catch {
                    guard error.reason == .missing else { throw error }
                }
            }
        }
        content.withLock { $0.owed.subtract(names) }
        return names.filter { gone.contains($0) }
    }
}
