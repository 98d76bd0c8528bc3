// SPDX-License-Identifier: LGPL-2.1-or-later
import Synchronization

/// The content of the file that a property names. Only the streaming thread may use this struct. If the property
/// changes, the element's worker reads the new file. The old content remains until the new file is read. If reading
/// fails, the old content remains.
package struct WatchedFile<Content: Sendable> {
    /// Reads the file at a path. The function may block, and should stop when the second argument returns true.
    package typealias Load = @Sendable (_ path: String, _ isObsolete: () -> Bool) throws -> Content

    package private(set) var content: Content?
    /// The number of changes of the content.
    package private(set) var changes = 0
    private let load: Load
    private var path: Assigned<String>
    private let wanted: Followed<Assigned<String>>
    private let inbox = Inbox()

    /// Passes the content that the worker has read last to the streaming thread.
    private final class Inbox: Sendable {
        let arrived = Mutex<(path: Assigned<String>, content: Content)?>(nil)
    }

    /// Reads the first file immediately.
    /// - Throws: the errors of `load`.
    package init(_ path: Assigned<String>, load: @escaping Load) throws {
        self.path = path
        self.load = load
        wanted = Followed(path)
        content = try path.value.map { try load($0) { false } }
    }

    /// Adopts the current value of the property, and starts to read the file if the value is new. A failure posts a
    /// warning.
    /// - Returns: true if new content has arrived.
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
        // A result for an earlier path arrives too late and is dropped.
        guard let arrived = inbox.arrived.withLock({ $0.take() }), arrived.path == path else { return false }
        change(to: arrived.content)
        return true
    }

    /// Replaces the content with content that does not come from a file. `path` then has no value, and the caller must
    /// update the property.
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

/// An image that follows a file property.
package typealias WatchedPicture = WatchedFile<Picture>

extension WatchedFile where Content == Picture {
    /// Reads the first image immediately.
    /// - Throws: `ElementError`, like `Picture.load`.
    package init(_ path: Assigned<String>) throws {
        try self.init(path) { try Picture.load($0, unless: $1) }
    }

    package var picture: Picture? { content }
}
