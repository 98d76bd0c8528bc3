import CGStreamer
import ElementKit
import Synchronization
import Vision

/// The classifier with all it has learned. Streaming thread, worker and actions share it; who uses it waits until the
/// others are done.
final class School: Sendable {
    /// What it is made of; what was learned while playing goes when the training set is another one.
    struct Recipe: Sendable, Equatable {
        var training: FilePath
        var settings: ClassifierSettings
    }

    /// How far a blob is from each label.
    struct Look: Sendable {
        let distances: LabelDistances
        let term: UInt64
    }

    private struct Class {
        var recipe: Recipe
        let classifier: BlobClassifier
    }

    /// Nil before the start and after the stop.
    private let content = Mutex<Class?>(nil)
    /// What was asked for last.
    private let wanted = Mutex<Recipe?>(nil)
    private let published = Mutex<[String]>([])
    private let terms = Atomic<UInt64>(0)

    /// Another number each time when what is known changes: answers from before count no more.
    var term: UInt64 { terms.load(ordering: .acquiring) }

    // MARK: - Its life

    /// Learns what a recipe says, at once.
    func open<Settings>(_ recipe: Recipe, _ host: Host<Settings>) throws {
        wanted.withLock { $0 = recipe }
        try build(recipe, host) { false }
    }

    func close() {
        wanted.withLock { $0 = nil }
        content.withLock { $0 = nil }
    }

    /// Keeps to a recipe, which may be new, by the host's worker. What cannot be learned is a warning, and what was known
    /// stays.
    func follow<Settings>(_ recipe: Recipe, _ host: Host<Settings>) {
        let isNew = wanted.withLock { wanted in
            defer { wanted = recipe }
            return wanted != recipe
        }
        guard isNew else { return }
        host.worker.run { [self] in
            func isObsolete() -> Bool { host.worker.isEnding || wanted.withLock { $0 != recipe } }
            guard !isObsolete() else { return }
            do {
                try build(recipe, host, unless: isObsolete)
            } catch {
                if !isObsolete() { host.post(warning: error) }
            }
        }
    }

    private func build<Settings>(_ recipe: Recipe, _ host: Host<Settings>, unless isObsolete: () -> Bool) throws {
        let isSameSet = content.withLock { $0?.recipe.training == recipe.training }
        let set = isSameSet ? nil : try recipe.training.text.map { try TrainingSet($0, unless: isObsolete) }
        try content.withLock { content in
            // Of the same set not what its files say, but what became of it.
            let old = isSameSet ? content?.classifier : nil
            let samples =
                old?.samples.map { (picture: $0.picture, label: $0.label, name: $0.name) }
                ?? set?.samples.map { (picture: $0.picture, label: $0.label, name: $0.name) } ?? []
            let new = try BlobClassifier(
                settings: recipe.settings, labels: old?.labels ?? set?.labels ?? ["unidentified"])
            for sample in samples {
                guard !isObsolete() else { return }
                try new.learn(sample.picture, label: sample.label, name: sample.name)
            }
            content = Class(recipe: recipe, classifier: new)
            hasChanged(new)
        }
        for warning in set?.warnings ?? [] { host.post(warning: warning) }
    }

    /// Tells the others what is known now.
    private func hasChanged(_ classifier: BlobClassifier) {
        published.withLock { $0 = classifier.labels }
        terms.add(1, ordering: .releasing)
    }

    // MARK: - Its use

    /// Nil where nothing is known.
    func look(at picture: BlobPicture) throws -> Look? {
        try content.withLock { content in
            guard let classifier = content?.classifier, !classifier.samples.isEmpty else { return nil }
            return Look(distances: try classifier.distances(of: picture), term: term)
        }
    }

    /// What the labels are called; the first one is for what is not identified. Nobody waits for them.
    var labels: [String] { published.withLock { $0 } }

    /// Learns a picture.
    /// - Returns: the label's number, and how many pictures it has now.
    func learn(_ picture: BlobPicture, as label: String) throws -> (label: Int, pictures: Int)? {
        try content.withLock { content in
            guard let classifier = content?.classifier else { return nil }
            let number = try classifier.learn(picture, as: label)
            hasChanged(classifier)
            return (number, classifier.samples.count { $0.label == number })
        }
    }

    /// - Returns: how many pictures were forgotten.
    func forget(_ label: String) -> Int {
        content.withLock { content in
            guard let classifier = content?.classifier else { return 0 }
            let count = classifier.forget(label)
            if count > 0 { hasChanged(classifier) }
            return count
        }
    }

    /// Writes all that is known to a folder, which is made: `training.plist`, and the pictures beside it.
    /// - Throws: `ElementError` with the path.
    func save(to folder: String) throws {
        let known = content.withLock { $0?.classifier.exported() }
        guard let (list, pictures) = known, !pictures.isEmpty else {
            throw ElementError(.resource(GST_RESOURCE_ERROR_WRITE), "\(folder): there is no training to save yet")
        }
        try list.write(
            to: folder,
            try pictures.map { picture in
                guard let copy = picture.withImage({ Picture(copying: $0) }) else {
                    throw Picture.outOfMemory(PixelSize(width: picture.width, height: picture.height))
                }
                return copy
            })
    }
}
