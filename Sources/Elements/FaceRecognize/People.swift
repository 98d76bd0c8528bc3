// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

/// The known people: their faces, the recogniser, the queue of people whose faces are collected, and the corrections by
/// users.
struct People: Sendable {
    /// The origin of known faces: a model file, or a folder of images.
    enum Source: CaseIterable {
        case model, folder

        /// The property with the path of the file or folder.
        var location: any KeyPath<FaceRecognize.Settings, Assigned<String>> & Sendable {
            self == .model ? \.model : \.people
        }
    }

    private var model = Gallery()
    private var folder = Gallery()
    private var collected = Gallery()
    var recognizer: Recognizer?
    /// The method of the recogniser and of the collected faces; nil before the first start.
    var method: RecognitionMethod?
    /// True if faces were collected after the last training.
    var isUntrained = false
    /// Queue of collections; the first collection is active.
    var collections: [SampleCollector] = []
    /// Names of collected and confirmed faces, by face id. A face with a name is not collected under another name.
    private var names: [Int32: String] = [:]
    /// The name of the largest face that has a name, in the last frame.
    var largest: String?

    /// For each name, the faces for which users have rejected this name.
    private var rejected: [String: [KnownFace]] = [:]
    /// Names that users have rejected, by face id.
    private var excluded = PerTrack<Int32, Set<String>>()
    /// For each face id: the name that a user has confirmed, and the faces that were added because of the confirmation.
    private var confirmed = PerTrack<Int32, (name: String, faces: [KnownFace])>()
    /// The number of names that users have confirmed or rejected.
    private(set) var corrections = 0

    /// Number of calls of `forget`.
    private(set) var forgets = 0
    /// People who were removed from memory, but may still be in a file.
    private var owed: Set<String> = []
    /// `readings`: number of files and folders that are currently being read. `lately`: people who were forgotten
    /// during these reads.
    private var readings = 0
    private var lately: Set<String> = []

    /// The faces of the model, of the folder, and of the stream, in this order.
    var gallery: Gallery {
        var all = model
        all.add(folder)
        all.add(collected)
        for (name, faces) in rejected { for face in faces { all.reject(face, as: name) } }
        return all
    }

    /// Returns true if all faces from the folder have the form `kind` (images, or vectors of a network).
    func isFolderReady(for kind: KnownFace.Kind) -> Bool { folder.isAll(kind) }

    // MARK: - Reading

    /// Records that the reading of a file or folder starts. A call of `end` must follow.
    mutating func begin() { readings += 1 }

    /// Records that the reading of a file or folder has ended, and replaces the faces from this source. Skips people
    /// who were forgotten during the reading.
    /// - Parameter gallery: the faces from the source; nil to keep the previous faces.
    /// - Returns: false if there would be more faces than the maximum; the previous faces then stay.
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

    /// Returns true if there are more faces than the maximum after adding `more` faces.
    private func isOverfull(with more: Int = 0) -> Bool {
        // The exact number of faces takes long to compute. The sum is an upper bound, because it may count a face
        // twice. So compute the exact number only if the sum exceeds the maximum.
        let sum = [model, folder, collected].reduce(0) { $0 + $1.faceCount }
        return sum + more > Gallery.maxFaces && gallery.isOverfull(with: more)
    }

    // MARK: - Forgetting

    /// Removes the faces, collections and corrections of a person. Also removes the recogniser if it was trained with
    /// the person.
    /// - Returns: true if there was data of the person in memory, or a file may still contain data of the person.
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

    /// Records that the files no longer contain these people.
    mutating func settle(_ forgotten: [String]) { owed.subtract(forgotten) }

    // MARK: - Collecting

    /// Returns true if a person has collected faces, or is in the queue of collections.
    func hasCollected(_ name: String) -> Bool {
        !collected.faces(of: name).isEmpty || collections.contains { $0.name == name }
    }

    /// Returns the face of a frame that the active collection selects; nil if the collection selects no face.
    /// - Parameter faces: the faces of the frame, the largest first.
    mutating func choose(among faces: [Detection]) -> Detection? {
        guard let name = collections.first?.name else { return nil }
        if collections[0].isConfirmation { return collections[0].choose(among: faces) }
        // Detectors without tracking give all faces the id 0, so the id 0 does not identify a face.
        return collections[0].choose(among: faces.filter { $0.id == 0 || names[$0.id, default: name] == name })
    }

    /// The result of `take`.
    enum Outcome {
        /// No collection is active.
        case none
        /// The face was added to the collection. `isLast` is true if the collection is now complete.
        case taken(SampleCollector, isLast: Bool)
        /// The maximum number of faces is reached, so all collections have ended.
        case full
    }

    /// Returns true if a face should be added to the active collection. The face must differ enough from the known
    /// faces of the person, and enough time must have passed. The maximum number of faces is not checked.
    /// - Parameter time: the time of the frame (`FrameTime.elapsed`).
    func wants(_ sample: FaceSample, at time: ClockTime, _ settings: FaceRecognize.Settings) -> Bool {
        guard let collection = collections.first else { return false }
        let known = [model, folder, collected].flatMap { $0.faces(of: collection.name) }.compactMap(\.sample)
        return collection.wants(sample, known: known, at: time, settings)
    }

    /// Adds a face, for which `wants` has returned true, to the active collection.
    /// - Parameters:
    ///   - sample: the image of the face.
    ///   - time: the time of the frame (`FrameTime.elapsed`).
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

    /// Returns the names that users have rejected for the face with this id.
    func excluded(for id: Int32) -> Set<String> { excluded[id] ?? [] }

    /// Adds faces under a name that a user has confirmed for the face with this id. Removes the faces that the previous
    /// confirmation for this id has added.
    /// - Returns: false, without any change, if there would be more faces than the maximum.
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

    /// Records the name that a user has confirmed for the face with an id.
    mutating func noteConfirmation(of id: Int32, as name: String) {
        names[id] = name
        excluded[id]?.remove(name)
        isUntrained = true
        corrections &+= 1
    }

    /// Records that faces do not belong to a person. If a user has confirmed this name for the face with this id
    /// before, removes the faces that the confirmation has added.
    mutating func reject(_ faces: [KnownFace], of id: Int32, as name: String) {
        if confirmed[id]?.name == name { undo(id) }
        rejected[name] = ((rejected[name] ?? []) + faces).suffix(Gallery.maxRejected)
        excluded.use(id, default: []) { _ = $0.insert(name) }
        if names[id] == name { names[id] = nil }
        if largest == name { largest = nil }
        corrections &+= 1
    }

    /// Removes the faces that the last confirmation of a face has added.
    private mutating func undo(_ id: Int32) {
        guard let (name, faces) = confirmed[id] else { return }
        collected.remove(faces, of: name)
        model.remove(faces, of: name)
        confirmed[id] = nil
    }

    /// Removes the active collection if it waits for a face whose name a user has confirmed, and this face is not in
    /// the frame.
    /// - Returns: the removed collection, if any.
    mutating func dropConfirmation(unlessIn faces: [Detection]) -> SampleCollector? {
        guard let first = collections.first, first.isConfirmation, !faces.contains(where: { $0.id == first.track })
        else { return nil }
        return collections.removeFirst()
    }
}
