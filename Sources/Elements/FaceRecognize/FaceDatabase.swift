// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Synchronization
import Vision

/// The known people. The streaming thread, the worker thread and the threads that call actions share this object.
/// `FaceDatabase` holds no lock while it makes callbacks or posts messages. Otherwise, an application that reacts to a
/// message with an action could cause a deadlock.
final class FaceDatabase: Sendable {
    let people = Mutex(People())
    let strangers = StrangerStore()
    /// Held during a training, so that only one thread trains at a time. Otherwise, a training that started earlier
    /// could end later, and replace a recogniser that knows more people.
    private let training = Mutex(())
    /// Held while a file is written, so that only one thread writes at a time. Otherwise, an earlier version of the
    /// file could replace a later version.
    private let saving = Mutex(())
    private let methods = Mutex(RecognitionMethods())
    private let host: Host<FaceRecognize.Settings>

    init(_ host: Host<FaceRecognize.Settings>) { self.host = host }

    var recognizer: Recognizer? { people.withLock { $0.recognizer } }
    /// `recognizer`: the current recogniser; nil if there is none. `method`: the method for recognising and collecting
    /// faces; LBPH before the first start.
    var learned: (recognizer: Recognizer?, method: RecognitionMethod) {
        people.withLock { ($0.recognizer, $0.method ?? .lbph) }
    }
    var collection: SampleCollector? { people.withLock { $0.collections.first } }
    var largest: String? { people.withLock { $0.largest } }
    /// The number of requests to forget a person since the element was created.
    var forgets: Int { people.withLock { $0.forgets } }
    /// The number of names that users have confirmed or rejected.
    var corrections: Int { people.withLock { $0.corrections } }

    /// Returns the names that users have rejected for the face with this id.
    func excluded(for id: Int32) -> Set<String> { people.withLock { $0.excluded(for: id) } }

    /// Sets the name of the largest face that has a name, for other threads; nil if no face has a name. The streaming
    /// thread calls this function.
    func publish(largest name: String?) { people.withLock { $0.largest = name } }

    // MARK: - From files

    /// Reads a model file or a folder of people, and replaces the faces of the previous file or folder.
    /// - Parameter isObsolete: called repeatedly; if `isObsolete` returns true, the work stops without any change.
    /// - Throws: `ElementError` if the file or folder cannot be read, or has too many faces; the previous faces stay.
    func read(_ source: People.Source, _ path: String?, unless isObsolete: () -> Bool = { false }) throws {
        people.withLock { $0.begin() }
        if path == nil, source == .model { host.set(\.modelAlgorithm, to: nil) }
        let result = Result { try path.map { try gallery(source, $0, unless: isObsolete) } ?? Gallery() }
        let isTaken = people.withLock { $0.end(source, try? result.get()) }
        _ = try result.get()
        guard isTaken else { throw Self.tooMany }
    }

    /// Reads the faces of a model file or a folder of people.
    /// - Returns: nil if `isObsolete` returned true.
    private func gallery(_ source: People.Source, _ path: String, unless isObsolete: () -> Bool) throws -> Gallery? {
        switch source {
        case .folder:
            let model = try host.settings.detector.model { host.post(warning: $0) }
            let method = try method(stated: host.settings.modelAlgorithm)
            guard let read = try Enrolment.read(path, model, method, unless: isObsolete) else { return nil }
            for note in read.notes { host.log(.info, note) }
            for warning in read.warnings { host.post(warning: warning) }
            return read.gallery
        case .model:
            let file = try ModelFile(path: path)
            guard !isObsolete() else { return nil }
            try method(stated: file.algorithm).check(file, at: path)
            host.set(\.modelAlgorithm, to: file.algorithm)
            return file.gallery
        }
    }

    private static let tooMany = ElementError(
        .unsuitable,
        "cannot learn: too many faces in the model file, in the folder people and from the stream. The maximum is "
            + "\(Gallery.maxFaces) faces, or \(Gallery.maxEmbeddings) faces with algorithm=embedding. Remove some "
            + "faces.")

    // MARK: - The method

    /// Returns the recognition method for the current properties.
    /// - Parameter stated: the algorithm of the model file; nil if no model file is set.
    private func method(stated: Recognizer.Algorithm?) throws -> RecognitionMethod {
        let settings = host.settings
        return try methods.withLock { try $0.method(settings, stated: stated) { host.post(warning: $0) } }
    }

    /// Selects the recognition method according to the current properties. Collected faces get the form that this
    /// method needs.
    func chooseMethod() throws {
        let method = try method(stated: host.settings.modelAlgorithm)
        people.withLock { $0.method = method }
    }

    /// True if strangers (people without a name) get numbers.
    var countsStrangers: Bool { strangers.network != nil }

    /// Reads the strangers if `unknowns` is `cluster`; otherwise strangers get no numbers.
    /// - Throws: `ElementError` if the file cannot be read, or the method has no network; strangers then get no
    ///   numbers.
    func openStrangers() throws {
        let settings = host.settings
        strangers.close()
        guard settings.unknowns == .cluster else { return }
        let method = try method(stated: settings.modelAlgorithm)
        guard let model = method.model else {
            guard settings.algorithm != .auto else {
                throw InstalledModels.standard.noEmbedding(for: "unknowns=cluster")
            }
            throw ElementError(
                .unsuitable,
                "unknowns=cluster needs algorithm=embedding, but the algorithm is \(method.algorithm). Set "
                    + "algorithm=embedding, or unknowns=none.")
        }
        try strangers.open(
            settings.unknownsLocation, network: model.digest, retention: settings.unknownsRetention)
    }

    // MARK: - Training

    /// Discards the recogniser and the cached network. Faces then get no names until the next training.
    func close() {
        people.withLock { $0.recognizer = nil }
        methods.withLock { $0.reset() }
        publishPhase()
    }

    /// True if there are no known people.
    var isEmpty: Bool { people.withLock { $0.gallery.isEmpty } }

    /// True if there are enough people to train the algorithm, or no people at all.
    var canTrain: Bool {
        let (gallery, method) = people.withLock { ($0.gallery, $0.method ?? .lbph) }
        return gallery.isEmpty || Recognizer.suffices(gallery.only(method.kind), for: method.algorithm)
    }

    /// Trains a recogniser with all faces that the current method can compare.
    /// - Parameter isObsolete: called repeatedly; if `isObsolete` returns true, the work stops without any change.
    /// - Throws: `ElementError` if there are too many faces, no faces for the method, or too few people for the
    ///   algorithm; the previous recogniser stays.
    func train(unless isObsolete: () -> Bool = { false }) throws {
        let method = try method(stated: host.settings.modelAlgorithm)
        // If the method has changed, the faces of the folder are read again from the image files. Faces from other
        // sources cannot be converted, because their original images are not stored.
        if !people.withLock({ $0.isFolderReady(for: method.kind) }) {
            try read(.folder, host.settings.people.value, unless: isObsolete)
            guard !isObsolete() else { return }
        }
        let trained = try training.withLock { _ -> Recognizer? in
            let (gallery, forgets) = people.withLock { people in
                people.isUntrained = false
                return (people.gallery, people.forgets)
            }
            let usable = gallery.only(method.kind)
            if usable.faceCount < gallery.faceCount {
                let error = Self.otherMethod(gallery.faceCount - usable.faceCount, method)
                guard !usable.isEmpty else { throw error }
                host.post(warning: error)
            }
            // A person may be forgotten during this training. The new recogniser would still know this person, so the
            // training is then stopped. The caller that forgets the person starts another training.
            func isStale() -> Bool { self.forgets != forgets || isObsolete() }
            var recognizer: Recognizer?
            do {
                if !usable.isEmpty { recognizer = try Recognizer(usable, method.algorithm, unless: isStale) }
            } catch {
                guard !isStale() else { return nil }
                throw ElementError(.unsuitable, "\(error)")
            }
            return people.withLock { [recognizer] people in
                guard people.forgets == forgets else { return nil }
                (people.recognizer, people.method) = (recognizer, method)
                return recognizer
            }
        }
        publishPhase()
        guard let trained else { return }
        tell("trained") { message in
            message.set("algorithm", "\(trained.algorithm)")
            message.set("people", trained.names.count)
            message.set("faces", trained.faceCount)
            message.set("threshold", trained.threshold)
        }
    }

    private static func otherMethod(_ count: Int, _ method: RecognitionMethod) -> ElementError {
        ElementError(
            .unsuitable,
            "cannot use \(count) learned faces with algorithm=\(method.algorithm): these faces are for another "
                + "algorithm or network. Collect the faces again.")
    }

    /// Trains, and writes the model to `save-location`, if the property is set. The file is written even if the
    /// training fails. Failures are posted as warnings.
    func trainAndSave(unless isObsolete: () -> Bool = { false }) {
        host.warning { try train(unless: isObsolete) }
        saveCollected()
    }

    private func saveCollected() {
        guard let path = host.settings.saveLocation else { return }
        host.warning { try save(to: path) }
    }

    // MARK: - To files

    /// Writes a model file with the faces of all known people for the current method.
    /// - Throws: `ElementError` with the path; the file then keeps the previous content.
    func save(to path: String) throws {
        let stated = host.settings.modelAlgorithm
        let method = try people.withLock { $0.method } ?? method(stated: stated)
        try write(path) { method.file(people.withLock { $0.gallery }) }
    }

    /// Writes a model file, and posts the message `saved`.
    /// - Parameter make: returns the new content of the file; nil to leave the file unchanged.
    private func write(_ path: String, _ make: () throws(ModelFileError) -> ModelFile?) throws {
        let file = try saving.withLock { _ in
            let file = try make()
            try file?.save(to: path)
            return file
        }
        guard let file else { return }
        tell("saved") { message in
            message.set("location", path)
            message.set("people", file.gallery.people.count)
            message.set("faces", file.gallery.faceCount)
        }
    }

    // MARK: - Forgetting

    /// Removes all data of a person from memory. The caller must then call `erase`, and train the recogniser again.
    /// - Returns: true if there was data of the person in memory, or a file may still contain data of the person.
    func dismiss(_ name: String) -> Bool {
        let isKnown = people.withLock { $0.forget(name) }
        strangers.dismiss(name)
        publishPhase()
        return isKnown
    }

    /// Removes people from the files of `save-location`, `model` and `unknowns-location`. If `known` is not empty, the
    /// file of `save-location` is written again with the remaining people. The removal does not need a training, so it
    /// also works if too few people remain for a training.
    /// - Parameter known: the names for which `dismiss` has returned true.
    /// - Returns: the names that were in memory or in a file, and are now removed from both.
    /// - Throws: `ElementError` with the path of a file that may still contain the people; the caller can try again.
    func erase(_ names: [String], known: [String]) throws -> [String] {
        let settings = host.settings
        var gone = Set(known).union(try strangers.erase(names, from: settings.unknownsLocation))
        var paths = [settings.saveLocation, settings.model.value].compactMap { $0 }
        if !known.isEmpty, let path = settings.saveLocation {
            try save(to: path)
            paths.removeFirst()
        }
        for path in paths { gone.formUnion(try remove(names, from: path)) }
        people.withLock { $0.settle(known) }
        let result = names.filter { gone.contains($0) }
        for name in result { tell("forgotten") { $0.set("name", name) } }
        return result
    }

    /// Removes people from a model file.
    /// - Returns: the names that were in the file.
    private func remove(_ names: [String], from path: String) throws -> [String] {
        var forgotten: [String] = []
        try write(path) { () throws(ModelFileError) in
            do throws(ModelFileError) {
                var file = try ModelFile(path: path)
                forgotten = names.filter { file.gallery.forget($0) > 0 }
                return forgotten.isEmpty ? nil : file
            } catch {
                // If the file is missing, there is nothing to remove.
                guard error.reason == .missing else { throw error }
                return nil
            }
        }
        return forgotten
    }

    // MARK: - Collecting

    /// Adds a person to the queue of people whose faces are collected.
    /// - Parameter face: the face that the user has chosen; nil for the largest face of each frame.
    /// - Returns: true if the name is valid.
    @discardableResult
    func collect(_ name: String, trains: Bool, of face: Detection? = nil) -> Bool {
        guard ModelFile.isName(name) else { return false }
        people.withLock { $0.collections.append(SampleCollector(name, trains: trains, of: face)) }
        publishPhase()
        return true
    }

    /// Returns true if a person has collected faces, or is in the queue of collections.
    func hasCollected(_ name: String) -> Bool { people.withLock { $0.hasCollected(name) } }

    /// Returns the face of this frame that the active collection (the first one in the queue) selects; nil if it
    /// selects no face. The streaming thread calls this function.
    func face(among faces: [Detection]) -> Detection? {
        let (face, lost) = people.withLock { people in
            let lost = people.dropConfirmation(unlessIn: faces)
            return (people.choose(among: faces), lost)
        }
        if let id = lost?.track {
            host.post(warning: Self.noFace(id, "confirm"))
            publishPhase()
        }
        return face
    }

    /// Returns true if the active collection (the first one in the queue) needs this face. The streaming thread calls
    /// this function.
    func wants(_ sample: FaceSample, at time: ClockTime) -> Bool {
        let settings = host.settings
        return people.withLock { $0.wants(sample, at: time, settings) }
    }

    /// Adds a face, for which `wants` has returned true, to the active collection. The streaming thread calls this
    /// function.
    /// - Parameter sample: the image of the face.
    /// - Returns: true if the caller should start a training. This is the case if no queued collection with `trains`
    ///   remains, because the face has completed the last one.
    func add(_ face: KnownFace, _ sample: FaceSample, at time: ClockTime) -> Bool {
        let settings = host.settings
        let (taking, wasWanted, isWanted) = people.withLock { people in
            let wasWanted = people.collections.contains { $0.trains }
            let taking = people.take(face, sample, at: time, settings)
            return (taking, wasWanted, people.collections.contains { $0.trains })
        }
        switch taking {
        case .none: break
        case .taken(let collection, let isLast):
            tell(isLast ? "collected" : "collecting") { message in
                message.set("name", collection.name)
                message.set("count", collection.count)
                message.set("wanted", collection.wanted(settings))
            }
            if isLast { publishPhase() }
        case .full:
            host.post(warning: Self.full)
            publishPhase()
        }
        return wasWanted && !isWanted
    }

    private static let full = ElementError(
        .noSpaceLeft,
        "cannot collect: the maximum of \(Gallery.maxFaces) faces is reached. Forget a person first.")

    /// Ends all collections, and saves the strangers, when the element stops. If the faces of an incomplete collection
    /// have not been trained, also saves all faces to `save-location`.
    func finish() {
        let isDue = people.withLock { people in
            defer { people.collections = [] }
            return people.isUntrained && people.collections.contains { $0.trains }
        }
        if isDue { saveCollected() }
        host.warning { try strangers.save() }
        publishPhase()
    }

    // MARK: - Telling

    func publishPhase() {
        let phase = people.withLock { people -> FaceRecognize.Phase in
            people.collections.isEmpty ? people.recognizer == nil ? .idle : .recognise : .collect
        }
        host.set(\.phase, to: phase, ifStill: host.settings.phase)
    }

    func tell(_ event: String, _ fill: (inout Structure) -> Void) {
        guard host.settings.message != .none else { return }
        host.post(event: event, fill)
    }
}

extension ModelFileError: ElementErrorConvertible {
    package var elementError: ElementError {
        let reason: ElementError.Reason =
            switch self.reason {
            case .missing: .notFound
            case .unreadable: .read
            case .malformed: .decode
            case .unwritable: .write
            }
        return ElementError(reason, description)
    }
}
