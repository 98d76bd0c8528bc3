// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Files
import Imaging

/// A trained cascade of weak classifiers. OpenCV's `CascadeClassifier` runs the cascade. Only one thread at a time may
/// use an instance.
package final class Cascade {
    /// Types of image features that a cascade uses.
    package enum Features: Int32, Sendable, CaseIterable {
        case haar
        case lbp
    }

    /// The object that a cascade detects. The detection window must be square for faces and eyes, and must not be
    /// square for smiles.
    package enum Purpose: Sendable, Hashable {
        case face
        case eye
        case smile
    }

    /// Parameters of a search, like those of OpenCV's `detectMultiScale`. Sizes are in pixels. A size of 0 means no
    /// limit.
    package struct Search: Sendable, Hashable {
        package var scaleFactor: Double
        /// Minimum number of overlapping single detections (one per window position and size) that form one detection.
        /// If nil, the search returns all single detections with their weights, without grouping.
        package var minNeighbors: Int?
        package var minSize: Int
        package var maxSize: Int
        /// True if OpenCV may divide the work among its threads.
        package var usesThreads: Bool

        package init(
            scaleFactor: Double, minNeighbors: Int?, minSize: Int, maxSize: Int = 0, usesThreads: Bool = false
        ) {
            (self.scaleFactor, self.minNeighbors, self.usesThreads) = (scaleFactor, minNeighbors, usesThreads)
            (self.minSize, self.maxSize) = (minSize, maxSize)
        }
    }

    /// A detection. The rectangle is in pixels of the searched image.
    package struct Find: Sendable, Hashable {
        package var rectangle: Rectangle
        /// Number of overlapping single detections that form this detection.
        package var neighbors: Int
        /// Sum of the classifier outputs in the last stage of the cascade. Valid only if `minNeighbors` of the search
        /// is nil, so that single detections are not grouped.
        package var weight: Double
    }

    package let path: String
    /// Size of the detection window, which is the size of the cascade's training images, in pixels. The cascade cannot
    /// detect smaller objects.
    package let window: (width: Int, height: Int)
    package let features: Features
    private let object: OpenCVObject

    /// Loads the cascade from an XML file.
    package init(path: String, purpose: Purpose) throws(CascadeError) {
        let file = try CheckedCascade.contents(of: path)
        do throws(VisionError) {
            object = try file.classifier()
        } catch {
            throw .unusable(path: path, reason: error.description)
        }
        self.path = path
        window = (file.width, file.height)
        features = file.kind
        // The windows of cascades for faces and eyes are square. The windows of cascades for smiles are twice as wide
        // as high.
        let isSquare = file.width == file.height
        if isSquare == (purpose == .smile) {
            throw .unsuitable(
                path: path, reason: "the window of \(file.width)x\(file.height) does not fit a \(purpose)")
        }
    }

    /// Returns the detections in `plane`. The rectangles and neighbour counts are the same as those of OpenCV's
    /// `detectMultiScale`.
    package func detect(in plane: Image, _ search: Search) throws(VisionError) -> [Find] {
        guard plane.width >= window.width, plane.height >= window.height else { return [] }
        let neighbors = search.minNeighbors.map { max(0, $0) } ?? -1
        let parameters = SVCVSearch(
            scaleFactor: search.scaleFactor, minNeighbors: Int32(clamping: neighbors),
            minSize: Int32(clamping: search.minSize), maxSize: Int32(clamping: search.maxSize),
            usesThreads: search.usesThreads)
        return try lent { sv_cv_cascade_detect(object.handle, plane.openCV, parameters, $0, $1, $2) }.map { find in
            Find(rectangle: Rectangle(find.box), neighbors: Int(find.neighbors), weight: find.weight)
        }
    }

    /// Returns the detection with the most neighbours (overlapping single detections). If several detections have the
    /// same number, returns the first of them.
    func strongest(in plane: Image, _ search: Search) throws(VisionError) -> Find? {
        try detect(in: plane, search).reduce(nil as Find?) { best, find in
            find.neighbors > best?.neighbors ?? -1 ? find : best
        }
    }
}
