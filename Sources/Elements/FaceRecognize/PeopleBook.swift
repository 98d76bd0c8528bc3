import CGStreamer
import ElementKit
import Synchronization
import Vision

/// Who is known: what streaming thread, worker and actions share.
final class PeopleBook: Sendable {
    private struct Content {
        var model = Gallery()
        var folder = Gallery()
        var collected = Gallery()
        /// Whether faces were collected that nobody has trained yet.
        var isUntrained = false
        var recognizer: Recognizer?
        /// The first one is under way.
        var collections: [Collection] = []
        /// Faces that were collected from, by number: nobody has two names.
        var names: [Int32: String] = [:]
        /// Whom the largest face that has a name was last taken for.
        var largest: String?

        /// All, with those of the model first.
        var gallery: Gallery {
            var all = model
            all.add(folder)
            all.add(collected)
            return all
        }
    }

    private let content = Mutex(Content())
    /// Held while a recogniser is made, so that the last one knows all.
    private let training = Mutex(())
    private let host: Host<FaceRecognize.Settings>

    init(_ host: Host<FaceRecognize.Settings>) { self.host = host }

    var recognizer: Recognizer? { content.withLock { $0.recognizer } }
    var collection: Collection? { content.withLock { $0.collections.first } }
    var largest: String? { content.withLock { $0.largest } }

    /// For the streaming thread.
    func publish(largest name: String?) { content.withLock { $0.largest = name } }

    // MARK: - From files

    /// Reads a model file in place of the one before.
    func read(model path: String?) throws {
        guard let path else { return content.withLock { $0.model = Gallery() } }
        do {
            let file = try ModelFile(path: path)
            content.withLock { $0.model = file.gallery }
            host.set(\.modelAlgorithm, to: FaceRecognize.Algorithm(file.algorithm))
        } catch {
            throw ElementError(error)
        }
    }

    /// Reads a folder of people in place of the one before.
    func read(people path: String?) throws {
        let gallery =
            try path.map { path in
                try Enrolment.gallery(path) { [host] text in host.log(.info, text) }
            } ?? Gallery()
        content.withLock { $0.folder = gallery }
    }

    // MARK: - Training

    /// Makes a recogniser of all faces there are.
    /// - Throws: where they do not suffice for the algorithm; what was trained stays.
    func train() throws {
        try training.withLock { _ in
            let gallery = content.withLock { content in
                content.isUntrained = false
                return content.gallery
            }
            guard !gallery.isEmpty else {
                content.withLock { $0.recognizer = nil }
                publishPhase()
                return
            }
            let recognizer: Recognizer
            do {
                recognizer = try Recognizer(gallery, host.settings.algorithm.vision)
            } catch {
                throw ElementError(.resource(GST_RESOURCE_ERROR_SETTINGS), "\(error)")
            }
            content.withLock { $0.recognizer = recognizer }
            publishPhase()
            tell("trained") { message in
                message.set("algorithm", recognizer.algorithm.rawValue)
                message.set("people", Int32(clamping: recognizer.names.count))
                message.set("faces", Int32(clamping: recognizer.faceCount))
                message.set("threshold", recognizer.threshold)
            }
        }
    }

    /// Trains, then writes the model, if it is said where; what fails is a warning.
    func trainAndSave() {
        do {
            try train()
            if let path = host.settings.saveLocation { try save(to: path) }
        } catch {
            host.post(warning: error)
        }
    }

    func save(to path: String) throws {
        let gallery = content.withLock { $0.gallery }
        do {
            try ModelFile(gallery: gallery, algorithm: host.settings.algorithm.vision).save(to: path)
        } catch {
            throw ElementError(error)
        }
        tell("saved") { message in
            message.set("location", path)
            message.set("people", Int32(clamping: gallery.people.count))
            message.set("faces", Int32(clamping: gallery.faceCount))
        }
    }

    /// Removes everything that is known of somebody.
    /// - Returns: whether there was anything.
    @discardableResult
    func forget(_ name: String) -> Bool {
        let count = content.withLock { content in
            content.collections.removeAll { $0.name == name }
            content.names = content.names.filter { $0.value != name }
            let counts = [
                content.model.forget(name), content.folder.forget(name), content.collected.forget(name),
            ]
            return counts.reduce(0, +)
        }
        publishPhase()
        guard count > 0 else { return false }
        tell("forgotten") { $0.set("name", name) }
        return true
    }

    // MARK: - Collecting

    /// Collects a person after those who are waiting.
    /// - Returns: whether the name is one.
    @discardableResult
    func collect(_ name: String, trains: Bool) -> Bool {
        guard ModelFile.isName(name) else { return false }
        content.withLock { $0.collections.append(Collection(name, trains: trains)) }
        publishPhase()
        return true
    }

    /// Whether something of somebody was collected, or is to be.
    func hasCollected(_ name: String) -> Bool {
        content.withLock { content in
            !content.collected.faces(of: name).isEmpty || content.collections.contains { $0.name == name }
        }
    }

    /// For the streaming thread: the face of this frame that is to be collected from, if one is.
    func face(among faces: [Detection]) -> Detection? {
        content.withLock { content in
            guard let name = content.collections.first?.name else { return nil }
            // A detector that knows no numbers gives all faces 0.
            return content.collections[0].choose(
                among: faces.filter { $0.id == 0 || content.names[$0.id, default: name] == name })
        }
    }

    /// For the streaming thread: takes a face, if it is one to be taken.
    /// - Returns: whether the last wanted face of those to be trained was taken.
    func add(_ face: FaceSample, at time: UInt64?) -> Bool {
        let settings = host.settings
        let (taken, isDue) = content.withLock { content -> (Collection?, Bool) in
            guard var collection = content.collections.first else { return (nil, false) }
            let known = [content.model, content.folder, content.collected].flatMap { $0.faces(of: collection.name) }
            guard collection.takes(face, known: known, at: time, settings) else { return (nil, false) }
            content.collected.add(face, of: collection.name)
            content.isUntrained = true
            if let track = collection.track, track != 0 { content.names[track] = collection.name }
            let isLast = collection.count >= Int(settings.collectCount)
            if isLast { content.collections.removeFirst() } else { content.collections[0] = collection }
            return (collection, isLast && collection.trains && !content.collections.contains { $0.trains })
        }
        guard let taken else { return false }
        let isLast = taken.count >= Int(settings.collectCount)
        tell(isLast ? "collected" : "collecting") { message in
            message.set("name", taken.name)
            message.set("count", Int32(clamping: taken.count))
            message.set("wanted", Int32(clamping: settings.collectCount))
        }
        if isLast { publishPhase() }
        return isDue
    }

    /// The stream is over: what was collected to be trained is trained, however little it is.
    func finish() {
        let isDue = content.withLock { content in
            defer { content.collections = [] }
            return content.isUntrained && content.collections.contains { $0.trains }
        }
        if isDue { trainAndSave() }
        publishPhase()
    }

    // MARK: - Telling

    private func publishPhase() {
        let phase = content.withLock { content -> FaceRecognize.Phase in
            content.collections.isEmpty ? content.recognizer == nil ? .idle : .recognise : .collect
        }
        host.set(\.phase, to: phase, ifStill: host.settings.phase)
    }

    private func tell(_ event: String, _ fill: (inout Structure) -> Void) {
        guard host.settings.message != .none else { return }
        var message = Structure(FaceRecognize.metadata.name)
        message.set("event", event)
        fill(&message)
        host.post(message)
    }
}

extension ElementError {
    fileprivate init(_ error: ModelFileError) {
        let reason: Reason =
            switch error.reason {
            case .missing: .resource(GST_RESOURCE_ERROR_NOT_FOUND)
            case .unreadable: .resource(GST_RESOURCE_ERROR_READ)
            case .malformed: .stream(GST_STREAM_ERROR_DECODE)
            case .unwritable: .resource(GST_RESOURCE_ERROR_WRITE)
            }
        self.init(reason, error.description)
    }
}
