// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Imaging

/// Assigns labels to blobs by comparison with a few training images of each object. Only one thread at a time may use a
/// classifier.
///
/// The algorithm `contours` compares outlines, the contours (edges) within the outlines, and colours; see `SeenObject`.
///
/// The algorithm `classic` comes from the app BeanCounter. It computes the distance w h + (1 − w) k. w:
/// `histogramWeight`. h: alternative chi-square distance of the colour histograms. k: mean distance between each
/// keypoint descriptor and the most similar descriptor of the training image.
package final class BlobClassifier {
    /// A training image with its label.
    package struct Sample: Sendable {
        package let label: Int
        /// File name of the image; nil if the image does not come from a file.
        package let name: String?
        package let picture: BlobPicture
        /// Size of the object in 1/10000 of the frame's height; see `TrainingList.Entry`.
        package let sizePer10000: Int?

        package init(label: Int, name: String?, picture: BlobPicture, sizePer10000: Int? = nil) {
            (self.label, self.name, self.picture, self.sizePer10000) = (label, name, picture, sizePer10000)
        }
    }

    package let settings: ClassifierSettings
    /// Names of the labels; the first is for unidentified blobs. `forget` removes the images of a label, but not its
    /// name.
    package private(set) var labels: [String]
    package private(set) var samples: [Sample] = []
    /// The features of the samples, in the order of `samples`. The algorithm `contours` stores them in `contours`, and
    /// the algorithm `classic` stores them in `classic`. The other property is empty.
    private var contours = KnownObjects()
    private var classic: [ClassicAppearance] = []
    private let detector: BlobDetector

    /// - Parameter labels: the names of the labels; the first is for unidentified blobs.
    package init(settings: ClassifierSettings, labels: [String] = ["unidentified"]) {
        self.settings = settings
        self.labels = labels.isEmpty ? ["unidentified"] : labels
        detector = BlobDetector(settings: BlobSettings())
    }

    // MARK: - Learning

    /// Adds a training image.
    /// - Parameters:
    ///   - label: the index of the image's label in `labels`.
    ///   - size: the object's size in 1/10000 of the frame's height. If `size` is nil, and the image was cut out of a
    ///     frame, the size is computed from the image.
    package func learn(
        _ picture: BlobPicture, label: Int, name: String? = nil, sizePer10000 size: Int? = nil
    ) throws(VisionError) {
        guard labels.indices.contains(label) else {
            throw VisionError(description: "label \(label) does not exist. The labels are 0 to \(labels.count - 1).")
        }
        var size = size
        let kept = try picture.forKeeping()
        switch settings.algorithm {
        case .contours:
            let outline = try outline(in: picture)
            let known = try KnownObject(picture, outline: outline, label: label, sizePer10000: size, settings.features)
            size = known.sizePer10000
            let earlier = contours.objects(of: label).suffix(Self.comparedImages)
            let agreement =
                earlier.isEmpty ? nil : try SeenObject(picture, outline: outline, settings).likeness(to: earlier)
            contours.add(known, agreement: agreement)
        case .classic:
            classic.append(try ClassicAppearance(picture, settings))
        }
        samples.append(Sample(label: label, name: name, picture: kept, sizePer10000: size))
    }

    /// When the classifier learns an image, it compares the image with at most this number of earlier images of the
    /// same label. Each comparison takes some milliseconds.
    private static let comparedImages = 10

    /// Adds a training image for the label `name`. If this label does not exist, creates the label.
    /// - Returns: the index of the label.
    @discardableResult
    package func learn(_ picture: BlobPicture, as name: String) throws(VisionError) -> Int {
        let label = labels.firstIndex(of: name) ?? labels.count
        if label == labels.count { labels.append(name) }
        try learn(picture, label: label)
        return label
    }

    /// Removes all training images of the label `name`.
    /// - Returns: the number of removed images.
    @discardableResult
    package func forget(_ name: String) -> Int {
        let kept = samples.indices.filter { labels[samples[$0].label] != name }
        let count = samples.count - kept.count
        contours.keep(kept)
        classic = classic.isEmpty ? [] : kept.map { classic[$0] }
        samples = kept.map { samples[$0] }
        return count
    }

    /// Returns the training list and its images, in the order of the list's entries.
    package func exported() -> (list: TrainingList, pictures: [BlobPicture]) {
        var list = TrainingList(labelDescriptions: labels, blobs: [])
        var names = Set<String>()
        for sample in samples {
            let base = (sample.name ?? labels[sample.label]).pictureName
            var number = 0
            var name = "\(base).png"
            while !names.insert(name.lowercased()).inserted {
                number += 1
                name = "\(base)_\(number).png"
            }
            list.blobs.append(
                TrainingList.Entry(imageFilename: name, label: sample.label, sizePer10000: sample.sizePer10000))
        }
        return (list, samples.map(\.picture))
    }

    /// Returns `picture.outline`. If `picture.outline` is nil, returns the outline of the largest blob in the image. If
    /// there is no blob, returns the border of the image.
    func outline(in picture: BlobPicture) throws(VisionError) -> [Point] {
        if let outline = picture.outline, outline.enclosedArea >= 1 { return outline }
        let detector = detector
        let blobs = try picture.withImage { image throws(VisionError) in try detector.blobs(in: FrameImage(image)) }
        if let outline = blobs.first?.outline, outline.enclosedArea >= 1 { return outline }
        return picture.corners
    }

    // MARK: - Naming

    /// Returns the label of the blob that an image shows.
    package func classify(_ picture: BlobPicture) throws(VisionError) -> BlobAnswer {
        try distances(of: picture).answer(settings, labels: labels)
    }

    /// Returns the label of a blob in a frame.
    package func classify(_ blob: Blob, in frame: FrameImage) throws(VisionError) -> BlobAnswer {
        try classify(try BlobPicture(blob, in: frame))
    }

    /// Returns the distance between the blob in an image and each label.
    package func distances(of picture: BlobPicture) throws(VisionError) -> LabelDistances {
        nearest(try sampleDistances(of: picture))
    }

    /// Returns, for each label, the distance between the blob and the label's nearest sample.
    /// - Parameter distances: the distances to all samples, in the order of `samples`.
    func nearest(_ distances: [ObjectDistance]) -> LabelDistances {
        var nearest = LabelDistances()
        for (sample, distance) in zip(samples, distances) {
            nearest.values[sample.label] = min(distance.total, nearest.values[sample.label] ?? .infinity)
        }
        return nearest
    }

    /// Returns the distance between the blob in an image and each sample, in the order of `samples`.
    package func sampleDistances(of picture: BlobPicture) throws(VisionError) -> [ObjectDistance] {
        guard !samples.isEmpty else { return [] }
        return settings.algorithm == .classic ? try classicDistances(picture) : try contourDistances(picture)
    }

    private func classicDistances(_ picture: BlobPicture) throws(VisionError) -> [ObjectDistance] {
        let query = try ClassicAppearance(picture, settings)
        let weight = settings.colorWeight
        return classic.map { ObjectDistance(total: query.distance(to: $0, histogramWeight: weight)) }
    }

    /// If the distances of a blob to all training images exceed this value, and the blob's outline may include a narrow
    /// shadow, the classifier also compares the blob without this shadow.
    private static let convincing = 0.2

    private func contourDistances(_ picture: BlobPicture) throws(VisionError) -> [ObjectDistance] {
        let outline = try outline(in: picture)
        let seen = try SeenObject(picture, outline: outline, settings)
        let all = try seen.distances(to: contours)
        guard seen.mayHaveShadow, (all.map(\.total).min() ?? 1) > Self.convincing else { return all }
        let lit = try SeenObject(picture, outline: outline, settings, ignoresNarrowShadow: true).distances(to: contours)
        return zip(all, lit).map { $0.total <= $1.total ? $0 : $1 }
    }
}

extension String {
    /// The name of a label or file, converted to a valid file name without an extension.
    fileprivate var pictureName: String {
        let dot = lastIndex(of: ".")
        let name = dot.map { distance(from: $0, to: endIndex) <= 5 ? String(self[..<$0]) : self } ?? self
        return name.fileName(atMost: 100)
    }
}
