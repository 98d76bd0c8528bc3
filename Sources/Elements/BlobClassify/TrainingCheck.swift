// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

/// A test of the training images. The test posts a warning about images that the classifier cannot use or does not
/// recognise, and writes the report.
struct TrainingCheck {
    /// The training set and the report folder. If one of them changes, the images are tested again.
    struct Cause: Equatable {
        /// Number of the training set; see `ClassifierStore.Knowledge`.
        var set: UInt64
        /// Folder for the report; nil for no report.
        var folder: String?
    }

    /// Maximum number of images in a test. The duration of a test increases with the square of the number of images.
    private static let mostImages = 200
    /// Maximum number of images that a warning names.
    private static let mostNamed = 5

    private let store: ClassifierStore
    private let host: Host<BlobClassify.Settings>
    private let folder: String?
    private let limits: ClassifierSettings
    private let set: UInt64
    private var reviews: [SampleReview] = []
    private var next = 0

    init(_ store: ClassifierStore, _ host: Host<BlobClassify.Settings>, _ settings: BlobClassify.Settings) {
        (self.store, self.host, folder) = (store, host, settings.reportLocation)
        let knowledge = store.knowledge
        (set, limits) = (knowledge.set, settings.classifier(knowledge.settings.algorithm))
    }

    /// Tests all images on the calling thread.
    func run() {
        var check = self
        while check.testNext() {}
        check.finish()
    }

    /// Tests the images on the worker thread. Each image is a separate job, so that other jobs can run in between.
    func runInBackground() {
        host.worker.run { [self] in
            var check = self
            guard !host.worker.isEnding, store.knowledge.set == set else { return }
            if check.testNext() { check.runInBackground() } else { check.finish() }
        }
    }

    /// Tests the next image.
    /// - Returns: false if there are no more images.
    private mutating func testNext() -> Bool {
        guard next < Self.mostImages else { return false }
        defer { next += 1 }
        do {
            guard let review = try store.review(sample: next, limits) else { return false }
            reviews.append(review)
        } catch {
            host.log(.warning, "cannot test a training image: \(error)")
        }
        return true
    }

    private func finish() {
        guard !reviews.isEmpty else { return }
        let labels = store.knowledge.labels
        let failed = reviews.filter { !$0.works }
        host.log(.info, "\(reviews.count - failed.count) of \(reviews.count) training images work")
        if !failed.isEmpty { host.post(warning: Self.warning(failed, of: reviews.count, labels, report: folder)) }
        guard let folder else { return }
        host.warning { try TrainingReport(reviews: reviews, labels: labels, limit: limits.limit).write(to: folder) }
    }

    private static func warning(
        _ failed: [SampleReview], of count: Int, _ labels: [String], report: String?
    ) -> ElementError {
        let names = failed.prefix(mostNamed).map { review in
            let name = "\"\(review.sample.name ?? labels.name(review.sample.label))\""
            guard review.showsObject else { return "\(name) shows no object" }
            return review.review.takenFor.map { "\(name) looks like \($0)" } ?? "\(name) is not recognised"
        }
        let others = failed.count > mostNamed ? ", and \(failed.count - mostNamed) others" : ""
        return ElementError(
            .unsuitable,
            "\(failed.count) of \(count) training images failed the check: \(names.joined(separator: ", "))\(others). "
                + (report.map { "Read \"\(TrainingReport.path(in: $0))\"." } ?? "For details, set report-location."))
    }
}

extension [String] {
    /// Returns the name of a label; empty if the label does not exist.
    func name(_ label: Int) -> String { indices.contains(label) ? self[label] : "" }
}
