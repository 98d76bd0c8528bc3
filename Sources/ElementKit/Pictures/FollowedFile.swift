import Synchronization

/// What a file property names, read and kept. Belongs to the streaming thread; a new file is read by the element's worker,
/// and until then, or if it cannot be read, the last content stays.
package struct FollowedFile<Content: Sendable> {
    /// Reads the file at a path; it may take its time, and should give up when the second argument answers true.
    package typealias Load = @Sendable (_ path: String, _ isObsolete: () -> Bool) throws -> Content

    /// The file that was last asked for.
    package private(set) var path: FilePath
    package private(set) var content: Content?
    private let load: Load
    private let inbox = Inbox()

    /// What streaming thread and worker share.
    private final class Inbox: Sendable {
        struct Post {
            var wanted = FilePath()
            var arrived: Content?
        }

        let post = Mutex(Post())

        func wants(_ path: FilePath) -> Bool { post.withLock { $0.wanted == path } }
    }

    /// Reads the first file at once.
    /// - Throws: what `load` throws.
    package init(_ path: FilePath, load: @escaping Load) throws {
        self.path = path
        self.load = load
        content = try path.text.map { try load($0) { false } }
    }

    /// What `follow` did.
    package enum Change {
        case none, loaded, dropped
    }

    /// Keeps to `path`, which may be new. A file that cannot be read is a warning.
    package mutating func follow<Settings>(_ path: FilePath, _ host: Host<Settings>) -> Change {
        if path != self.path {
            self.path = path
            inbox.post.withLock { $0 = Inbox.Post(wanted: path) }
            guard let text = path.text else {
                content = nil
                return .dropped
            }
            host.worker.run { [inbox, load] in
                // Of many files in a row only the last is read, and none when the element stops.
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

    /// Takes another content in place of the file's; the path is none then, and whoever owns the property says so there.
    package mutating func replace(with content: Content?) {
        path = FilePath()
        inbox.post.withLock { $0 = Inbox.Post() }
        self.content = content
    }
}

/// A picture that follows a file property.
package typealias FollowedPicture = FollowedFile<Picture>

extension FollowedFile where Content == Picture {
    /// Reads the first picture at once.
    /// - Throws: `ElementError`, as `Picture.load` does.
    package init(_ path: FilePath) throws {
        try self.init(path) { try Picture.load($0, unless: $1) }
    }

    package var picture: Picture? { content }
}
