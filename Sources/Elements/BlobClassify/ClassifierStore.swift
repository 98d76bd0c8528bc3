// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Synchronization
import Vision

/// The classifier and its training images. The streaming thread, the worker thread and actions share the store. The
/// lock of the store allows only one thread at a time to use the classifier.
final class ClassifierStore: Sendable {
    /// The training set and the settings of a classifier. If `training` changes, the classifier forgets the images that
    /// were learned from the video.
    struct Configuration: Sendable, Equatable {
        var training: Assigned<String>
        /// The settings of the classifier, except the maximum distance and the minimum margin. If only these two limits
        /// change, the store keeps the classifier.
        var settings: ClassifierSettings
    }

    /// A snapshot of the classifier's labels and settings.
    struct Knowledge: Sendable {
        /// The number of times that the classifier has changed: new settings, or learned or forgotten images. If this
        /// number changes, earlier comparisons with blobs are invalid.
        var generation: UInt64 = 0
        /// The number of training sets that were read so far. It identifies the current training set.
        var set: UInt64 = 0
        /// Names of the labels. Label 0 is for unidentified blobs.
        var labels: [String] = []
        var settings = ClassifierSettings()
    }

    /// The result of a comparison of a blob with the training images: how much the blob differs from each label.
    /// `distances` is nil if there are no training images.
    struct Comparison: Sendable {
        let distances: LabelDistances?
        let generation: UInt64
    }

    private struct Content {
        var configuration: Configuration
        let classifier: BlobClassifier
        /// Folder of the training images that were read from files.
        var folder: String?
    }

    /// The classifier and its configuration; nil before `open` and after `close`.
    private let content = Mutex<Content?>(nil)
    /// A copy of the classifier's labels and settings, so that readers need not wait for the lock of `content`.
    private let published = Mutex(Knowledge())
    private let wanted = Followed<Configuration>()
    /// Held while files are written, so that only one thread writes at a time.
    private let saving = Mutex<Void>(())

    var knowledge: Knowledge { published.withLock { $0 } }

    // MARK: - Its life

    /// Creates the classifier of a configuration on the calling thread.
    /// - Parameter saved: the folder of an earlier `save`. If the configuration has no training set, the training set
    ///   in this folder is used.
    func open<Settings>(_ configuration: Configuration, saved: String?, _ host: Host<Settings>) throws {
        wanted.set(configuration)
        let saved = saved.map { TrainingList.path(in: $0) }
        let path = configuration.training.value ?? saved.flatMap { fileExists($0) ? $0 : nil }
        try build(configuration, path.map { try TrainingSet($0) { false } }, host) { false }
    }

    func close() {
        wanted.set(nil)
        content.withLock { $0 = nil }
    }

    /// If the configuration is new, creates its classifier on the worker thread. If a training set cannot be read,
    /// posts a warning, and keeps the current training images.
    func follow<Settings>(_ configuration: Configuration, _ host: Host<Settings>) {
        wanted.follow(configuration, host) { [self] isObsolete in
            var set: TrainingSet?
            if content.withLock({ $0?.configuration.training }) != configuration.training {
                do {
                    set =
                        try configuration.training.value.map { try TrainingSet($0, unless: isObsolete) }
                        ?? TrainingSet()
                } catch {
                    if !isObsolete() { host.post(warning: error) }
                }
            }
            try build(configuration, set, host, unless: isObsolete)
        }
    }

    /// Creates the classifier of a configuration, and posts warnings about training images that it cannot use.
    /// - Parameter set: the new training set; nil to keep the current training images.
    private func build<Settings>(
        _ configuration: Configuration, _ set: TrainingSet?, _ host: Host<Settings>, unless isObsolete: () -> Bool
    ) throws {
        var warnings = set?.warnings ?? []
        try content.withLock { content in
            let old = set == nil ? content : nil
            let new = BlobClassifier(
                settings: configuration.settings, labels: old?.classifier.labels ?? set?.labels ?? ["unidentified"])
            let samples = old?.classifier.samples ?? set?.samples ?? []
            for sample in samples {
                guard !isObsolete() else { return }
                do {
                    try new.learn(
                        sample.picture, label: sample.label, name: sample.name, sizePer10000: sample.sizePer10000)
                } catch {
                    warnings.append(ElementError(.failed, "cannot learn \"\(sample.name ?? "an image")\": \(error)"))
                }
            }
            guard samples.isEmpty || !new.samples.isEmpty else {
                throw TrainingSet.unusable(set?.path ?? "", samples.count, warnings)
            }
            if configuration.settings.sizeMatters, !new.samples.isEmpty,
                new.samples.allSatisfy({ $0.sizePer10000 == nil })
            {
                warnings.append(Self.sizesUnknown)
            }
            content = Content(configuration: configuration, classifier: new, folder: old?.folder ?? set?.folder)
            publish(new, isNewSet: set != nil)
        }
        for warning in warnings { host.post(warning: warning) }
    }

    /// Publishes the labels and the settings of the changed classifier, and increments `generation`.
    private func publish(_ classifier: BlobClassifier, isNewSet: Bool = false) {
        published.withLock {
            $0 = Knowledge(
                generation: $0.generation &+ 1, set: isNewSet ? $0.set &+ 1 : $0.set, labels: classifier.labels,
                settings: classifier.settings)
        }
    }

    private static let sizesUnknown = ElementError(
        .unsuitable,
        "size-matters has no effect: the training set contains no sizes of things. Learn things from the video, or add "
            + "sizePer10000 to the training list.")

    // MARK: - Its use

    /// Compares an image with the training images. If OpenCV fails, logs a warning and returns no distances.
    func compare<Settings>(_ picture: BlobPicture, _ host: Host<Settings>) -> Comparison {
        content.withLock { content in
            let generation = knowledge.generation
            guard let classifier = content?.classifier, !classifier.samples.isEmpty else {
                return Comparison(distances: nil, generation: generation)
            }
            do {
                return Comparison(distances: try classifier.distances(of: picture), generation: generation)
            } catch {
                host.log(.warning, "cannot compare a blob: \(error)")
                return Comparison(distances: LabelDistances(), generation: generation)
            }
        }
    }

    /// The result of `learn`. `label`: the index of the label. `pictures`: the number of images of the label. `review`:
    /// the result of a test with the learned image.
    struct Lesson {
        let label: Int
        let pictures: Int
        let review: LessonReview
    }

    /// Learns an image, and tests whether the classifier recognizes the image.
    /// - Parameter limits: the settings with the maximum distance and the minimum margin.
    /// - Returns: nil before `open`.
    func learn(_ picture: BlobPicture, as label: String, _ limits: ClassifierSettings) throws -> Lesson? {
        try content.withLock { content in
            guard let classifier = content?.classifier else { return nil }
            let number = try classifier.learn(picture, as: label)
            publish(classifier)
            return Lesson(
                label: number, pictures: classifier.samples.count { $0.label == number },
                review: try classifier.review(picture, label: number, limits))
        }
    }

    /// Compares a training image with itself and with the other training images.
    /// - Parameters:
    ///   - index: the index of the image.
    ///   - limits: the settings with the maximum distance and the minimum margin.
    /// - Returns: nil if the image does not exist.
    func review(sample index: Int, _ limits: ClassifierSettings) throws -> SampleReview? {
        try content.withLock { try $0?.classifier.review(sample: index, limits) }
    }

    /// Removes the training images of a label.
    /// - Returns: the number of removed images.
    func forget(_ label: String) -> Int {
        content.withLock { content in
            guard let classifier = content?.classifier else { return 0 }
            let count = classifier.forget(label)
            if count > 0 { publish(classifier) }
            return count
        }
    }

    /// Writes the list `training.plist` and the images to a folder. Creates the folder if necessary. Skips images that
    /// were read from this folder.
    /// - Throws: `ElementError` with the path.
    func save(to folder: String) throws {
        try saving.withLock { _ in
            let known = content.withLock { content in
                content.map { known in
                    var (list, pictures): (TrainingList, [BlobPicture?]) = known.classifier.exported()
                    if let source = known.folder, Folder.isSame(source, folder) {
                        for (index, sample) in known.classifier.samples.enumerated() {
                            guard let name = sample.name, list.blobs.indices.contains(index) else { continue }
                            list.blobs[index].imageFilename = name
                            pictures[index] = nil
                        }
                    }
                    return (list: list, pictures: pictures)
                }
            }
            guard let known, !known.list.blobs.isEmpty else {
                throw ElementError(
                    .write, "cannot save the training set to \"\(folder)\": nothing is learned. Learn a blob first.")
            }
            try known.list.write(
                to: folder,
                try known.pictures.map { picture in
                    guard let picture else { return nil }
                    guard let copy = picture.withImage({ Picture(copying: $0) }) else {
                        throw Picture.outOfMemory(PixelSize(width: picture.width, height: picture.height))
                    }
                    return copy
                })
        }
    }
}
