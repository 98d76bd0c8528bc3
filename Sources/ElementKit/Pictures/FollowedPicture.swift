import Synchronization

/// A picture that follows a file property. Belongs to the streaming thread; the file is read by the element's worker, and
/// until then, or if it cannot be read, the last picture stays.
package struct FollowedPicture {
    /// The file that was last asked for.
    package private(set) var path: FilePath
    package private(set) var picture: Picture?
    private let inbox = Inbox()

    /// What streaming thread and worker share.
    private final class Inbox: Sendable {
        struct Content {
            var wanted = FilePath()
            var arrived: Picture?
        }

        let content = Mutex(Content())

        func wants(_ path: FilePath) -> Bool { content.withLock { $0.wanted == path } }
    }

    /// Reads the first picture at once.
    /// - Throws: `ElementError`, as `Picture.load` does.
    package init(_ path: FilePath) throws {
        self.path = path
        picture = try path.text.map { try Picture.load($0) }
    }

    /// Without a picture, to begin with.
    package init() { path = FilePath() }

    /// What `follow` did.
    package enum Change {
        case none, loaded, dropped
    }

    /// Keeps to `path`, which may be new. A file that cannot be read is a warning.
    package mutating func follow<Settings>(_ path: FilePath, _ host: Host<Settings>) -> Change {
        if path != self.path {
            self.path = path
            inbox.content.withLock { $0 = Inbox.Content(wanted: path) }
            guard let text = path.text else {
                picture = nil
                return .dropped
            }
            host.worker.run { [inbox] in
                // Of many files in a row only the last is read, and none when the element stops.
                func isObsolete() -> Bool { host.worker.isEnding || !inbox.wants(path) }
                guard !isObsolete() else { return }
                do {
                    let picture = try Picture.load(text, unless: isObsolete)
                    inbox.content.withLock { if $0.wanted == path { $0.arrived = picture } }
                } catch {
                    if !isObsolete() { host.post(warning: error) }
                }
            }
        }
        guard let arrived = inbox.content.withLock({ $0.arrived.take() }) else { return .none }
        picture = arrived
        return .loaded
    }

    /// Takes another picture in place of the file's; the path is none then, and whoever owns the property says so there.
    package mutating func replace(with picture: Picture?) {
        path = FilePath()
        inbox.content.withLock { $0 = Inbox.Content() }
        self.picture = picture
    }
}
