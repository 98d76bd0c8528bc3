// SPDX-License-Identifier: LGPL-2.1-or-later
import Synchronization

/// The content of the file that a property names. Belongs to the streaming thread; the element's worker reads a new
/// file, and until then, or if it cannot be read, the last content stays.
package struct WatchedFile<Content: Sendable> {
    /// Reads the file at a path; may take its time, and should give up once the second argument returns true.
    package typealias Load = @Sendable (_ path: String, _ isObsolete: () -> Bool) throws -> Content

    package private(set) var content: Content?
    /// The number of times that the content has changed.
    package private(set) var changes = 0
    private let load: Load
    private var path: Assigned<String>
    private let wanted: Followed<Assigned<String>>
    private let inbox = Inbox()

    /// What the worker has read last, for the streaming thread.
    private final class Inbox: Sendable {
        let arrived = Mutex<(path: Assigned<String>, content: Content)?>(nil)
    }

    /// Reads the first file immediately.
    /// - Throws: what `load` throws.
    package init(_ path: Assigned<String>, load: @escaping Load) throws {
        self.path = path
        self.load = load
        wanted = Followed(path)
        content = try path.value.map { try load($0) { false } }
    }

    /// Follows `path`, which may be new. A file that cannot be read is a warning.
    /// - Returns: true if a file has been read.
    @discardableResult
    package mutating func follow<Settings>(_ path: Assigned<String>, _ host: Host<Settings>) -> Bool {
        guard let text = path.value else {
            if path != self.path { replace(with: nil) }
            return false
        }
        self.path = path
        wanted.follow(path, host) { [inbox, load] isObsolete in
            let content = try load(text, isObsolete)
            inbox.arrived.withLock { if !isObsolete() { $0 = (path, content) } }
        }
        // What comes too late belongs to another path.
        guard let arrived = inbox.arrived.withLock({ $0.take() }), arrived.path == path else { return false }
        change(to: arrived.content)
        return true
    }

    /// Replaces the file's content; the path is then none, and the owner of the property must update that.
    package mutating func replace(with content: Content?) {
        path = Assigned()
        wanted.set(path)
        change(to: content)
    }

    private mutating func change(to content: Content?) {
        self.content = content
        changes &+= 1
    }
}

/// A picture that follows a file property.
package typealias WatchedPicture = WatchedFile<Picture>

extension WatchedFile where Content == Picture {
    /// Reads the first picture immediately.
    /// - Throws: `ElementError`, as `Picture.load` does.
    package init(_ path: Assigned<String>) throws {
        try self.init(path) { try Picture.load($0, unless: $1) }
    }

    package var picture: Picture? { content }
}
