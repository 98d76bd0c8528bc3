import Synchronization

/// A picture that follows a property with a path in it. Belongs to the streaming thread; the file is read by the
/// element's worker, and until then, or if it cannot be read, the last picture stays.
package struct FollowedPicture {
    /// The path that was last asked for.
    package private(set) var path: String?
    package private(set) var picture: Picture?
    private let inbox = Inbox()

    /// What the worker has read and the streaming thread has not taken yet.
    private final class Inbox: Sendable {
        let arrived = Mutex<(path: String, picture: Picture)?>(nil)
    }

    /// Reads the first picture at once.
    /// - Throws: `ElementError`, as `Picture.load` does.
    package init(_ path: String?) throws {
        self.path = path
        picture = try path.map { try Picture.load($0) }
    }

    /// Without a picture, to begin with.
    package init() {}

    /// What `follow` did.
    package enum Change {
        case none, loaded, dropped
    }

    /// Keeps to `path`, which may be new or nil. A file that cannot be read is a warning.
    package mutating func follow<Settings>(_ path: String?, _ host: Host<Settings>) -> Change {
        if path != self.path {
            self.path = path
            guard let path else {
                picture = nil
                return .dropped
            }
            host.worker.run { [inbox] in
                do {
                    let picture = try Picture.load(path)
                    inbox.arrived.withLock { $0 = (path, picture) }
                } catch {
                    host.post(warning: error)
                }
            }
        }
        guard let arrived = inbox.arrived.withLock({ $0.take() }), arrived.path == path else { return .none }
        picture = arrived.picture
        return .loaded
    }

    /// Takes another picture in place of the file's; the path is none then, and whoever owns the property says so there.
    package mutating func replace(with picture: Picture?) {
        path = nil
        self.picture = picture
    }
}
