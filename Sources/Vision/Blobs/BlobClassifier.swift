// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Files
import Imaging

/// Names blobs with the help of a few training pictures of each kind of object. One thread at a time may use it.
///
/// `contours` examines an object in normal position: the ellipse with its outline's second moments as a circle, so that
/// size, place and tilt do not matter. The turn relative to each training picture follows from correlating contours (the
/// magnitude of the gradient, evened out) along circles; the best four are aligned exactly by the enhanced correlation
/// coefficient (Evangelidis and Psarakis, 2008). If none of them is convincing, keypoints propose alignments, too.
/// The distance is (1 − w) (1 − correlation of the contours) + w × Hellinger's distance of the colours, which are taken
/// relative to the surroundings. Only the inner part of the object is compared: outlines may have shadows in them.
///
/// `classic` is BeanCounter's: w × alternative chi-square of histograms + (1 − w) × mean distance of matched keypoint
/// descriptors.
package final class BlobClassifier {
    /// A training picture.
    package struct Sample: Sendable {
        package let label: Int
        /// Name of the file, if it comes from one.
        package let name: String?
        package let picture: BlobPicture

        package init(label: Int, name: String?, picture: BlobPicture) {
            (self.label, self.name, self.picture) = (label, name, picture)
        }
    }

    package let settings: ClassifierSettings
    /// Names of the labels; the first one is for what is not identified. Labels that were forgotten keep their place.
    package private(set) var labels: [String]
    package private(set) var samples: [Sample] = []
    /// Appearances of the samples, in their order, for the algorithm in use; none for the other.
    private var contours: [TrainedAppearance] = []
    private var classic: [ClassicAppearance] = []
    private let detector: BlobDetector

    /// - Parameter labels: the names; the first one is for what is not identified.
    package init(settings: ClassifierSettings, labels: [String] = ["unidentified"]) throws(VisionError) {
        self.settings = settings
        self.labels = labels.isEmpty ? ["unidentified"] : labels
        detector = try BlobDetector(settings: BlobSettings())
    }

    // MARK: - Learning

    /// Learns from a picture.
    /// - Parameter label: one of `labels`.
    package func learn(_ picture: BlobPicture, label: Int, name: String? = nil) throws(VisionError) {
        guard labels.indices.contains(label) else {
            throw VisionError(description: "there is no label \(label), only 0 to \(labels.count - 1)")
        }
        let sample = Sample(label: label, name: name, picture: try picture.forKeeping())
        switch settings.algorithm {
        case .contours:
            contours.append(try TrainedAppearance(picture, outline: try outline(in: picture), settings.features))
        case .classic:
            classic.append(try ClassicAppearance(picture, settings))
        }
        samples.append(sample)
    }

    /// Learns from a picture, under the label of this name, which is added if there is none.
    /// - Returns: the label's number.
    @discardableResult
    package func learn(_ picture: BlobPicture, as name: String) throws(VisionError) -> Int {
        let label = labels.firstIndex(of: name) ?? labels.count
        if label == labels.count { labels.append(name) }
        try learn(picture, label: label)
        return label
    }

    /// Forgets all training pictures of a label.
    /// - Returns: the number of pictures forgotten.
    @discardableResult
    package func forget(_ name: String) -> Int {
        let kept = samples.indices.filter { labels[samples[$0].label] != name }
        let count = samples.count - kept.count
        contours = contours.isEmpty ? [] : kept.map { contours[$0] }
        classic = classic.isEmpty ? [] : kept.map { classic[$0] }
        samples = kept.map { samples[$0] }
        return count
    }

    /// Returns what was learned, as a list and its pictures: one for each of the list's entries.
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
            list.blobs.append(TrainingList.Entry(imageFilename: name, label: sample.label))
        }
        return (list, samples.map(\.picture))
    }

    /// Returns the outline of what a picture shows: the given one, else what differs from the picture's edge, else all
    /// of it.
    private func outline(in picture: BlobPicture) throws(VisionError) -> [Point] {
        if let outline = picture.outline, outline.enclosedArea >= 1 { return outline }
        let detector = detector
        let blobs = try picture.withImage { image throws(VisionError) in try detector.blobs(in: FrameImage(image)) }
        if let outline = blobs.first?.outline, outline.enclosedArea >= 1 { return outline }
        let (width, height) = (Double(picture.width), Double(picture.height))
        return [Point(0, 0), Point(width, 0), Point(width, height), Point(0, height)]
    }

    // MARK: - Naming

    /// Returns the label of the blob in a picture.
    package func classify(_ picture: BlobPicture) throws(VisionError) -> BlobAnswer {
        try distances(of: picture).answer(settings, labels: labels)
    }

    /// Returns the label of a blob of a frame.
    package func classify(_ blob: Blob, in frame: FrameImage) throws(VisionError) -> BlobAnswer {
        try classify(try BlobPicture(blob, in: frame))
    }

    /// Returns the distance of the blob in a picture from each label that was learned.
    package func distances(of picture: BlobPicture) throws(VisionError) -> LabelDistances {
        var distances = LabelDistances()
        guard !samples.isEmpty else { return distances }
        let all =
            settings.algorithm == .classic ? try classicDistances(picture) : try contourDistances(picture)
        for (sample, distance) in zip(samples, all) {
            distances.values[sample.label] = min(distance, distances.values[sample.label] ?? .infinity)
        }
        return distances
    }

    private func classicDistances(_ picture: BlobPicture) throws(VisionError) -> [Double] {
        let query = try ClassicAppearance(picture, settings)
        let weight = settings.colorWeight
        return try classic.map { own throws(VisionError) in try query.distance(to: own, histogramWeight: weight) }
    }

    /// Number of alignments that are examined closely.
    private static let candidates = 4
    /// Correlation of contours above which keypoints are not needed, and share of the best alignment's score below
    /// which alignments need not be examined closely.
    private static let convincing = 0.6
    private static let shareOfBest = 0.75

    private func contourDistances(_ picture: BlobPicture) throws(VisionError) -> [Double] {
        let query = try QueryAppearance(picture, outline: try outline(in: picture), settings.features)
        // Anything not examined closely counts as far away.
        var distances = [Double](repeating: 1, count: contours.count)
        var likeness = 0.0
        func compare(_ alignments: [(index: Int, alignment: Alignment)]) throws(VisionError) {
            let best = alignments.sorted { $0.alignment.score > $1.alignment.score }.prefix(Self.candidates)
            let enough = Self.shareOfBest * (best.first?.alignment.score ?? 0)
            for (index, alignment) in best where likeness < Self.convincing || alignment.score >= enough {
                let found = try query.compared(to: contours[index], alignment, bins: settings.bins)
                // Where contours say little, colours say more.
                let weight = found.color < 0 ? 0 : settings.colorWeight + (1 - settings.colorWeight) * found.plainness
                let distance = (1 - weight) * (1 - found.contours) + weight * max(0, found.color)
                distances[index] = min(distances[index], distance)
                likeness = max(likeness, found.contours)
            }
        }
        var alignments: [(index: Int, alignment: Alignment)] = []
        for (index, own) in contours.enumerated() {
            alignments.append((index, try query.aligned(byContoursTo: own)))
        }
        try compare(alignments)
        guard likeness < Self.convincing, settings.features != .none else { return distances }
        alignments.removeAll()
        for (index, own) in contours.enumerated() {
            if let alignment = try query.aligned(byKeypointsTo: own) { alignments.append((index, alignment)) }
        }
        try compare(alignments)
        return distances
    }
}

extension String {
    /// Name for a picture's file, without an extension; a number may be appended.
    fileprivate var pictureName: String {
        let dot = lastIndex(of: ".")
        let name = dot.map { distance(from: $0, to: endIndex) <= 5 ? String(self[..<$0]) : self } ?? self
        return name.fileName(atMost: 100)
    }
}
