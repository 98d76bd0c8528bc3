// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Glibc
import Synchronization
import Vision

/// The strangers (people without a name), which get numbers with `unknowns=cluster`. The streaming thread, the worker
/// thread and the threads that call actions share this object.
final class StrangerStore: Sendable {
    private struct Content {
        /// The strangers; nil if strangers get no numbers.
        var strangers: Strangers?
        /// The path of the file with the strangers; nil if no file is set. The file may not exist yet.
        var path: String?
        var isUnsaved = false
        /// Time of the last save, in seconds since 1970 (0 = save as soon as possible).
        var saved = 0
        /// Names that were removed from memory, but may still be in the file.
        var owed: Set<String> = []
    }

    private let content = Mutex(Content())
    /// Held while the file is read or written, so that only one thread accesses the file at a time. Otherwise, earlier
    /// content could replace later content.
    private let file = Mutex(())
    /// Minimum interval between two saves, in seconds.
    private static let saveInterval = 30

    private static var now: Int { Int(time(nil)) }

    /// The SHA-256 of the network that describes strangers; nil if strangers get no numbers.
    var network: String? { content.withLock { $0.strangers?.network } }

    /// Removes all strangers from memory. Strangers then get no numbers until the next `open`.
    func close() { content.withLock { $0 = Content() } }

    /// Reads the strangers from a file. Starts without strangers if `path` is nil or the file does not exist.
    /// - Throws: `ElementError` with the path; strangers then get no numbers, and the file is not changed.
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
                        "cannot use \"\(path)\": the strangers in the file are from another network. Set "
                            + "embedding-model to the network that created the file, or set unknowns-location to "
                            + "another path.")
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

    /// A face that does not have the name of a known person.
    struct Face {
        /// The number of the stranger that the face got in earlier frames; nil if the face has no number.
        var stranger: Int?
        /// `vectors`: the stored vectors of the face. `vector`: the vector that the network has computed in this frame;
        /// nil if there is none.
        let vectors: [FaceEmbedding]
        let vector: FaceEmbedding?
        /// True if the face may be a new stranger. The network must have observed the face several times, and the face
        /// must never have had the name of a known person.
        let mayBeNew: Bool
    }

    /// Returns the number of the stranger to whom a face belongs; nil if the face has no number yet.
    /// - Parameter others: numbers of the strangers to whom other faces of the frame belong.
    func number(of face: Face, excluding others: Set<Int>) -> Int? {
        content.withLock { content in
            guard var strangers = content.strangers, face.vectors.allSatisfy({ $0.network == strangers.network })
            else { return nil }
            let now = Self.now
            if let number = face.stranger, face.vector == nil {
                return strangers.people.contains { $0.number == number } ? number : nil
            }
            var number = face.stranger
            if let id = number, !strangers.see(id, face.vector, at: now) { number = nil }
            if number == nil {
                number = strangers.number(of: face.vectors, excluding: others)
                if let id = number {
                    _ = strangers.see(id, face.vector, at: now)
                } else if face.mayBeNew, !face.vectors.isEmpty {
                    number = strangers.add(face.vectors, at: now)
                }
            }
            guard number != nil else { return nil }
            (content.strangers, content.isUnsaved) = (strangers, true)
            return number
        }
    }

    /// Removes strangers who have been out of view for longer than `retention`.
    /// - Returns: true if the caller should save now.
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

    /// Writes the file, if a path is set and the strangers have changed.
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

    /// Removes one stranger or all strangers from memory. The caller must then call `erase`.
    func dismiss(_ name: String) {
        content.withLock { content in
            guard content.strangers?.forget(name) == true else { return }
            content.isUnsaved = true
            content.owed.insert(name)
        }
    }

    /// Removes strangers from the file.
    /// - Parameter path: the path of the file, used if `open` has set no path.
    /// - Returns: the names that were in memory or in the file, and are now removed from both.
    func erase(_ names: [String], from path: String?) throws -> [String] {
        let names = names.filter { $0 == Strangers.all || Strangers.isLabel($0) }
        guard !names.isEmpty else { return [] }
        var gone = content.withLock { $0.owed.intersection(names) }
        if let path = content.withLock({ $0.path }) ?? path {
            try file.withLock { _ in
                do throws(ModelFileError) {
                    var strangers = try Strangers(path: path)
                    let forgotten = names.filter { strangers.forget($0) }
                    gone.formUnion(forgotten)
                    if !forgotten.isEmpty { try strangers.save(to: path) }
                } catch {
                    guard error.reason == .missing else { throw error }
                }
            }
        }
        content.withLock { $0.owed.subtract(names) }
        return names.filter { gone.contains($0) }
    }
}
