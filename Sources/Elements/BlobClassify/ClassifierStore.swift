// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Synchronization
import Vision

/// The classifier with everything it has learned. Streaming thread, worker and actions share it, one at a time.
final class ClassifierStore: Sendable {
    /// The sources of a classifier; what was learned while playing is lost when the training set changes.
    struct Configuration: Sendable, Equatable {
        var training: Assigned<String>
        /// The settings without limits, which belong to answers.
        var settings: ClassifierSettings
    }

    /// The state of knowledge at one moment.
    struct Knowledge: Sendable {
        /// A number that changes whenever something is learned or forgotten: looks from before are no longer valid.
        var generation: UInt64 = 0
        /// The names of the labels; the first one is for unidentified blobs.
        var labels: [String] = []
        var settings = ClassifierSettings()
    }

    /// The distance of a blob from each label; nil if nothing is known.
    struct Comparison: Sendable {
        let distances: LabelDistances?
        let generation: UInt64
    }

    private struct Content {
        var configuration: Configuration
        let classifier: BlobClassifier
        /// The folder that the pictures with names come from.
        var folder: String?
    }

    /// The classifier and its sources; nil before the start and after the stop.
    private let content = Mutex<Content?>(nil)
    /// The content's knowledge, which can be read without waiting for the content.
    private let published = Mutex(Knowledge())
    private let wanted = Followed<Configuration>()
    /// Held while files are written.
    private let saving = Mutex<Void>(())

    var knowledge: Knowledge { published.withLock { $0 } }

    // MARK: - Its life

    /// Learns what a configuration says, immediately.
    /// - Parameter saved: a path where things learned earlier may have been saved: they are used if there is no other
    ///   set.
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

    /// Follows a configuration, which may be new, using the host's worker. What cannot be learned is a warning, and what was
    /// known stays.
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

    /// - Parameter set: nil to go on with what is known now, not with what the files say.
    private func build<Settings>(
        _ configuration: Configuration, _ set: TrainingSet?, _ host: Host<Settings>, unless isObsolete: () -> Bool
    ) throws {
        var warnings = set?.warnings ?? []
        try content.withLock { content in
            let old = set == nil ? content : nil
            let new = try BlobClassifier(
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
            publish(new)
        }
        for warning in warnings { host.post(warning: warning) }
    }

    /// Publishes what is known now.
    private func publish(_ classifier: BlobClassifier) {
        published.withLock {
            $0 = Knowledge(generation: $0.generation &+ 1, labels: classifier.labels, settings: classifier.settings)
        }
    }

    private static let sizesUnknown = ElementError(
        .unsuitable,
        "size-matters has no effect: no training image has a size. Learn objects from the video, or add sizePer10000 "
            + "to the training list.")

    // MARK: - Its use

    /// Returns a look at the picture; one that OpenCV fails on resembles nothing that is known.
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

    /// A picture that was learned: the label's number, how many pictures it has now, and whether it is known again.
    struct Lesson {
        let label: Int
        let pictures: Int
        let review: LessonReview
    }

    /// Learns a picture, and looks at it again.
    /// - Parameter limits: what answers are given by.
    /// - Returns: nil before the start.
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

    /// - Returns: the number of pictures that were forgotten.
    func forget(_ label: String) -> Int {
        content.withLock { content in
            guard let classifier = content?.classifier else { return 0 }
            let count = classifier.forget(label)
            if count > 0 { publish(classifier) }
            return count
        }
    }

    /// Writes everything that is known to a folder, which is made: `training.plist`, and the pictures beside it.
    /// Pictures that come from this folder are left as they are.
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
