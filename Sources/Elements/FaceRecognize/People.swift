import ElementKit
import Vision

/// Who is known, at one moment.
struct People: Sendable {
    /// From where faces come.
    enum Source {
        case model, folder
    }

    private var model = Gallery()
    private var folder = Gallery()
    private var collected = Gallery()
    var recognizer: Recognizer?
    /// Whether faces were collected that nobody has learned or saved yet.
    var isUntrained = false
    /// The first one is under way.
    var collections: [Collection] = []
    /// Faces that were collected from, by number: nobody has two names.
    private var names: [Int32: String] = [:]
    /// Whom the largest face that has a name was last taken for.
    var largest: String?

    /// How many times somebody was forgotten.
    private(set) var forgets = 0
    /// Who was forgotten, but may still be in a file.
    private var owed: Set<String> = []
    /// How many files and folders are being read, and who was forgotten meanwhile.
    private var readings = 0
    private var lately: Set<String> = []

    /// All, with those of the model first.
    var gallery: Gallery {
        var all = model
        all.add(folder)
        all.add(collected)
        return all
    }

    // MARK: - Reading

    /// Somebody begins to read; `end` has to follow.
    mutating func begin() { readings += 1 }

    /// What was read takes the place of what the source had before, without those who were forgotten since it began.
    /// - Parameter gallery: nil where nothing came of it.
    /// - Returns: false where there would be more faces than can be learned; everything is as it was then.
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
        guard isFull(beyond: Gallery.mostFaces) else { return true }
        (model, folder) = before
        return false
    }

    /// Whether there are more faces than so many.
    private func isFull(beyond count: Int) -> Bool {
        // Where some are in two places they are counted twice, and it is worth a closer look.
        [model, folder, collected].reduce(0) { $0 + $1.faceCount } > count && gallery.faceCount > count
    }

    // MARK: - Forgetting

    /// Removes everything that is known of somebody: faces, collections under way, and the recogniser that has learned
    /// them.
    /// - Returns: whether there was anything, or may still be in a file.
    mutating func forget(_ name: String) -> Bool {
        let count = model.forget(name) + folder.forget(name) + collected.forget(name)
        let isRecognised = recognizer?.names.contains(name) == true
        if isRecognised { recognizer = nil }
        collections.removeAll { $0.name == name }
        names = names.filter { $0.value != name }
        if largest == name { largest = nil }
        if readings > 0 { lately.insert(name) }
        forgets &+= 1
        if count > 0 || isRecognised { owed.insert(name) }
        return owed.contains(name)
    }

    /// The files have been seen to.
    mutating func settle(_ forgotten: [String]) { owed.subtract(forgotten) }

    // MARK: - Collecting

    /// Whether something of somebody was collected, or is to be.
    func hasCollected(_ name: String) -> Bool {
        !collected.faces(of: name).isEmpty || collections.contains { $0.name == name }
    }

    /// The face of a frame that is to be collected from, if one is.
    /// - Parameter faces: the largest first.
    mutating func choose(among faces: [Detection]) -> Detection? {
        guard let name = collections.first?.name else { return nil }
        // A detector that knows no numbers gives all faces 0.
        return collections[0].choose(among: faces.filter { $0.id == 0 || names[$0.id, default: name] == name })
    }

    /// What became of a face that was to be collected.
    enum Taking {
        /// It shows nothing new, or comes too soon.
        case none
        /// It was taken, for the collection as it is now.
        case taken(Collection, isLast: Bool)
        /// There are as many faces as can be learned: all collections have come to their end.
        case full
    }

    /// Takes a face, if it is one to be taken.
    /// - Parameter time: the frame's, in nanoseconds.
    mutating func take(_ face: FaceSample, at time: UInt64?, _ settings: FaceRecognize.Settings) -> Taking {
        guard var collection = collections.first else { return .none }
        guard !isFull(beyond: Gallery.mostFaces - 1) else {
            collections = []
            return .full
        }
        let known = [model, folder, collected].flatMap { $0.faces(of: collection.name) }
        guard collection.takes(face, known: known, at: time, settings) else { return .none }
        collected.add(face, of: collection.name)
        isUntrained = true
        if let track = collection.track, track != 0 { names[track] = collection.name }
        let isLast = collection.count >= Int(settings.collectCount)
        if isLast { collections.removeFirst() } else { collections[0] = collection }
        return .taken(collection, isLast: isLast)
    }
}
