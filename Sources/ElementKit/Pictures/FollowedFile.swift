import Synchronization

/// The content of the file that a property names. Belongs to the streaming thread; the element's worker reads a new
/// file, and until then, or if it cannot be read, the last content stays.
package struct FollowedFile<Content: Sendable> {
    /// Reads the file at a path; may take its time, and should give up once the second argument returns true.
    package typealias Load = @Sendable (_ path: String, _ isObsolete: () -> Bool) throws -> Content

    /// The file that was requested last.
    package private(set) var path: Assigned<String>
    package private(set) var content: Content?
    private let load: Load
    private let inbox = Inbox()

    /// The data that streaming thread and worker share.
    private final class Inbox: Sendable {
        struct Post {
            var wanted = Assigned<String>()
            var arrived: Content?
        }

        let post = Mutex(Post())

        func wants(_ path: Assigned<String>) -> Bool { post.withLock { $0.wanted == path } }
    }

    /// Reads the first file immediately.
    /// - Throws: what `load` throws.
    package init(_ path: Assigned<String>, load: @escaping Load) throws {
        self.path = path
        self.load = load
        content = try path.value.map { try load($0) { false } }
    }

    /// Result of `follow`.
    package enum Change {
        case none, loaded, dropped
    }

    /// Follows `path`, which may be new. A file that cannot be read is a warning.
    package mutating func follow<Settings>(_ path: Assigned<String>, _ host: Host<Settings>) -> Change {
        if path != self.path {
            self.path = path
            inbox.post.withLock { $0 = Inbox.Post(wanted: path) }
            guard let text = path.value else {
                content = nil
                return .dropped
            }
            host.worker.run { [inbox, load] in
                // Of many files in a row only the last is read, and none once the element stops.
                func isObsolete() -> Bool { host.worker.isEnding || !inbox.wants(path) }
                guard !isObsolete() else { return }
                do {
                    let content = try load(text, isObsolete)
                    inbox.post.withLock { if $0.wanted == path { $0.arrived = content } }
                } catch {
                    if !isObsolete() { host.post(warning: error) }
                }
            }
        }
        guard let arrived = inbox.post.withLock({ $0.arrived.take() }) else { return .none }
        content = arrived
        return .loaded
    }

    /// Replaces the file's content; the path is then none, and the owner of the property must update that.
    package mutating func replace(with content: Content?) {
        path = Assigned<String>()
        inbox.post.withLock { $0 = Inbox.Post() }
        self.content = content
    }
}

/// A picture that follows a file property.
package typealias FollowedPicture = FollowedFile<Picture>

extension FollowedFile where Content == Picture {
    /// Reads the first picture immediately.
    /// - Throws: `ElementError`, as `Picture.load` does.
    package init(_ path: Assigned<String>) throws {
        try self.init(path) { try Picture.load($0, unless: $1) }
    }

    package var picture: Picture? { content }
}
