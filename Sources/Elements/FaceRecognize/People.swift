// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

/// The people who are known, at one moment.
struct People: Sendable {
    /// The origin of faces.
    enum Source: CaseIterable {
        case model, folder

        /// The property with its path.
        var location: any KeyPath<FaceRecognize.Settings, Assigned<String>> & Sendable {
            self == .model ? \.model : \.people
        }
    }

    private var model = Gallery()
    private var folder = Gallery()
    private var collected = Gallery()
    var recognizer: Recognizer?
    /// The method of the recogniser, and of faces that are collected; nil before the first start.
    var method: RecognitionMethod?
    /// True if faces were collected that nobody has learned or saved yet.
    var isUntrained = false
    /// Collections; the first one is under way.
    var collections: [SampleCollector] = []
    /// The names of faces that were collected from, by number: nobody has two names.
    private var names: [Int32: String] = [:]
    /// The person that the largest face with a name was last taken for.
    var largest: String?

    /// Faces that users have rejected as a person's.
    private var rejected: [String: [KnownFace]] = [:]
    /// People who are out of the question for a face, by its id.
    private var excluded = PerTrack<Int32, Set<String>>()
    /// The name that a user has confirmed for a face, and what was learned from that.
    private var confirmed = PerTrack<Int32, (name: String, faces: [KnownFace])>()
    /// The number of names that users have confirmed or rejected.
    private(set) var corrections = 0

    /// The number of times that somebody was forgotten.
    private(set) var forgets = 0
    /// People who were forgotten, but may still be in a file.
    private var owed: Set<String> = []
    /// The number of files and folders that are being read, and the people forgotten meanwhile.
    private var readings = 0
    private var lately: Set<String> = []

    /// All faces, with those of the model first.
    var gallery: Gallery {
        var all = model
        all.add(folder)
        all.add(collected)
        for (name, faces) in rejected { for face in faces { all.reject(face, as: name) } }
        return all
    }

    /// Returns whether the faces from the folder are of a kind.
    func isFolderReady(for kind: KnownFace.Kind) -> Bool { folder.isAll(kind) }

    // MARK: - Reading

    /// Notes the beginning of a read; `end` has to follow.
    mutating func begin() { readings += 1 }

    /// Replaces what the source had before with what was read, without people who were forgotten since it began.
    /// - Parameter gallery: nil if nothing could be read.
    /// - Returns: false if there would be more faces than can be learned; everything is then as it was.
    mutating func end(_ source: Source, _ gallery: Gallery?) -> Bool {
        defer {
            readings -= 1
            if readings == 0 { lately = [] }
        }
        guard var gallery else { return true }
        for name in lately { gallery.forget(name) }
        let before = (model, folder)
        switch source {
        case .model: model = gallery
        case .folder: folder = gallery
        }
        guard isOverfull() else { return true }
        (model, folder) = before
        return false
    }

    /// Returns whether there are more faces than can be learned.
    /// - Parameter more: the number of faces to add.
    private func isOverfull(with more: Int = 0) -> Bool {
        // Faces in two places are counted twice in the sum, so only a large sum needs the exact count.
        let sum = [model, folder, collected].reduce(0) { $0 + $1.faceCount }
        return sum + more > Gallery.mostFaces && gallery.isOverfull(with: more)
    }

    // MARK: - Forgetting

    /// Removes everything that is known of a person: faces, collections under way, and the recogniser that has learned
    /// them.
    /// - Returns: true if there was anything, or may still be in a file.
    mutating func forget(_ name: String) -> Bool {
        let count = model.forget(name) + folder.forget(name) + collected.forget(name)
        let isRecognised = recognizer?.names.contains(name) == true
        if isRecognised { recognizer = nil }
        collections.removeAll { $0.name == name }
        names = names.filter { $0.value != name }
        rejected[name] = nil
        excluded.changeAll { $0.remove(name) }
        confirmed.changeAll { if $0.name == name { $0.faces = [] } }
        if largest == name { largest = nil }
        if readings > 0 { lately.insert(name) }
        forgets &+= 1
        if count > 0 || isRecognised { owed.insert(name) }
        return owed.contains(name)
    }

    /// Notes that these people are no longer in the files.
    mutating func settle(_ forgotten: [String]) { owed.subtract(forgotten) }

    // MARK: - Collecting

    /// Returns whether anything of a person was collected, or will be.
    func hasCollected(_ name: String) -> Bool {
        !collected.faces(of: name).isEmpty || collections.contains { $0.name == name }
    }

    /// Returns the face of a frame to collect from, if there is one.
    /// - Parameter faces: the largest first.
    mutating func choose(among faces: [Detection]) -> Detection? {
        guard let name = collections.first?.name else { return nil }
        if collections[0].isConfirmation { return collections[0].choose(among: faces) }
        // A detector without numbers gives all faces 0.
        return collections[0].choose(among: faces.filter { $0.id == 0 || names[$0.id, default: name] == name })
    }

    /// The outcome for a face that was to be collected.
    enum Outcome {
        /// Nothing is collected any more.
        case none
        /// It was taken, for the collection as it is now.
        case taken(SampleCollector, isLast: Bool)
        /// As many faces as can be learned have been taken: all collections have ended.
        case full
    }

    /// Returns whether a face should be taken, as it shows something new, and comes not too soon; also if there is no room for
    /// it.
    /// - Parameter time: the frame's `elapsed`.
    func wants(_ sample: FaceSample, at time: ClockTime, _ settings: FaceRecognize.Settings) -> Bool {
        guard let collection = collections.first else { return false }
        let known = [model, folder, collected].flatMap { $0.faces(of: collection.name) }.compactMap(\.sample)
        return collection.wants(sample, known: known, at: time, settings)
    }

    /// Takes a face that should be taken.
    /// - Parameters:
    ///   - sample: the image of the face.
    ///   - time: the frame's `elapsed`.
    mutating func take(
        _ face: KnownFace, _ sample: FaceSample, at time: ClockTime, _ settings: FaceRecognize.Settings
    ) -> Outcome {
        guard var collection = collections.first else { return .none }
        guard !isOverfull(with: 1) else {
            collections = []
            return .full
        }
        collection.take(sample, at: time)
        collected.add(face, of: collection.name)
        isUntrained = true
        if let track = collection.track, track != 0 { names[track] = collection.name }
        let isLast = collection.count >= collection.wanted(settings)
        if isLast { collections.removeFirst() } else { collections[0] = collection }
        return .taken(collection, isLast: isLast)
    }

    // MARK: - Correcting

    /// Returns the people who are out of the question for the face with an id.
    func excluded(for id: Int32) -> Set<String> { excluded[id] ?? [] }

    /// Learns a face under a name that a user has confirmed.
    /// - Returns: false if there are as many faces as can be learned.
    mutating func confirm(_ faces: [KnownFace], of id: Int32, as name: String) -> Bool {
        guard !isOverfull(with: faces.count) else { return false }
        undo(id)
        for face in faces { collected.add(face, of: name) }
        func isLike(_ other: KnownFace) -> Bool { faces.contains { $0.isLike(other) } }
        model.removeRejected(of: name, where: isLike)
        rejected[name]?.removeAll(where: isLike)
        noteConfirmation(of: id, as: name)
        confirmed.use(id, default: (name, [])) { $0 = (name, faces) }
        return true
    }

    /// Notes a name that a user has confirmed.
    mutating func noteConfirmation(of id: Int32, as name: String) {
        names[id] = name
        excluded[id]?.remove(name)
        isUntrained = true
        corrections &+= 1
    }

    /// Notes that a face is not a person's, and removes what was learned when a user confirmed the opposite.
    mutating func reject(_ faces: [KnownFace], of id: Int32, as name: String) {
        if confirmed[id]?.name == name { undo(id) }
        rejected[name] = ((rejected[name] ?? []) + faces).suffix(Gallery.mostRejected)
        excluded.use(id, default: []) { _ = $0.insert(name) }
        if names[id] == name { names[id] = nil }
        if largest == name { largest = nil }
        corrections &+= 1
    }

    /// Removes what was learned from the last confirmation of a face.
    private mutating func undo(_ id: Int32) {
        guard let (name, faces) = confirmed[id] else { return }
        collected.remove(faces, of: name)
        model.remove(faces, of: name)
        confirmed[id] = nil
    }

    /// Gives up the confirmation of a face that is not in view.
    /// - Returns: its collection, if there was one.
    mutating func dropConfirmation(unlessIn faces: [Detection]) -> SampleCollector? {
        guard let first = collections.first, first.isConfirmation, !faces.contains(where: { $0.id == first.track })
        else { return nil }
        return collections.removeFirst()
    }
}
