// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// The result of a test that checks if the classifier recognizes a newly learned image.
package struct LessonReview: Sendable, Hashable {
    package var isRecognised: Bool
    /// Name of another label, if the image is nearly as similar to this label as to the correct label; otherwise nil.
    package var takenFor: String?
    /// True if the objects of the image's label and of `takenFor` clearly differ in size, but
    /// `ClassifierSettings.sizeMatters` is false.
    package var isTellableBySize = false

    package init(isRecognised: Bool, takenFor: String? = nil, isTellableBySize: Bool = false) {
        (self.isRecognised, self.takenFor, self.isTellableBySize) = (isRecognised, takenFor, isTellableBySize)
    }
}

/// The result of a test that compares a training image with itself and with the other training images.
package struct SampleReview: Sendable {
    package let sample: BlobClassifier.Sample
    package let review: LessonReview
    /// Distance to the nearest other image of the same label; nil if there is no other image.
    package let nearestSame: Double?
    /// The nearest other label and its distance; nil if there is no other label.
    package let nearestOther: (label: Int, distance: Double)?
    /// Outlines of the object and of its holes, in pixels of the image. Empty with the algorithm `classic`, which uses
    /// no outlines.
    package let outlines: [[Point]]
    /// False if the detector found no object, so that the classifier compares the whole image.
    package let showsObject: Bool

    /// True if the image shows an object that the classifier recognizes.
    package var works: Bool { showsObject && review.isRecognised }
}

extension BlobClassifier {
    /// Tests whether the classifier recognizes a newly learned image.
    /// - Parameters:
    ///   - label: the index of the image's label.
    ///   - limits: the settings with the maximum distance and the minimum margin.
    package func review(
        _ picture: BlobPicture, label: Int, _ limits: ClassifierSettings
    ) throws(VisionError) -> LessonReview {
        review(try distances(of: picture), label: label, limits)
    }

    private func review(_ distances: LabelDistances, label: Int, _ limits: ClassifierSettings) -> LessonReview {
        let answer = distances.answer(limits, labels: labels)
        let own = distances.values[label] ?? .infinity
        let other = distances.values.filter { $0.key != label }.min { ($0.value, $0.key) < ($1.value, $1.key) }
        // If the distances to the correct label and to the nearest other label are similar, another image of this
        // object may be nearer to the other label.
        let isAlike = other.map { $0.value <= limits.limit && $0.value - own < 2 * max(0, limits.minMargin) } ?? false
        guard answer.label != label || isAlike else { return LessonReview(isRecognised: true) }
        guard isAlike, let other, labels.indices.contains(other.key) else {
            return LessonReview(isRecognised: answer.label == label)
        }
        func size(_ label: Int) -> Int? { samples.last { $0.label == label }?.sizePer10000 }
        var differs = false
        if let one = size(label), let two = size(other.key) { differs = one * 100 > two * 112 || two * 100 > one * 112 }
        return LessonReview(
            isRecognised: false, takenFor: labels[other.key], isTellableBySize: differs && !settings.sizeMatters)
    }

    /// Compares a training image with itself and with the other training images.
    /// - Parameters:
    ///   - index: the index of the image in `samples`.
    ///   - limits: the settings with the maximum distance and the minimum margin.
    /// - Returns: nil if the image does not exist.
    package func review(sample index: Int, _ limits: ClassifierSettings) throws(VisionError) -> SampleReview? {
        guard samples.indices.contains(index) else { return nil }
        let sample = samples[index]
        let distances = try sampleDistances(of: sample.picture)
        let labels = nearest(distances)
        let same = zip(samples, distances).enumerated().filter { other, pair in
            other != index && pair.0.label == sample.label
        }
        let other = labels.values.filter { $0.key != sample.label }.min { ($0.value, $0.key) < ($1.value, $1.key) }
        var (outlines, showsObject): ([[Point]], Bool) = ([], true)
        if settings.algorithm == .contours {
            let coarse = try outline(in: sample.picture)
            let silhouette = try CutOut(sample.picture, coarse: coarse).outline.silhouette
            outlines = [silhouette.corners] + silhouette.holes
            showsObject = coarse != sample.picture.corners
        }
        return SampleReview(
            sample: sample, review: review(labels, label: sample.label, limits),
            nearestSame: same.map { $0.element.1.total }.min(),
            nearestOther: other.map { (label: $0.key, distance: $0.value) }, outlines: outlines,
            showsObject: showsObject)
    }
}
