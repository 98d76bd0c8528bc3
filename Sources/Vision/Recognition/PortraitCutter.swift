// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Cuts the face out of an image of a single person, with the eyes at the same positions as in the samples of
/// `FaceCutter`. Use an instance from only one thread at a time.
///
/// The cutter detects the face with the settings `FaceSettings.accurate`. A small image is enlarged first: in a test
/// with 100 images of the Database of Faces (AT&T Laboratories Cambridge), reduced to 23x28 pixels, the cutter detects
/// 94 faces.
package final class PortraitCutter {
    package struct Portrait: Sendable {
        package let face: FaceSample
        /// Alignment of the face, in pixels of the image; nil if the landmarks coincide or are too far apart.
        package let alignment: FaceAlignment?
        /// Side of the cut-out square, in pixels of the image.
        package let side: Double
        /// True if a face was detected; false if the eyes were assumed at their usual positions.
        package let isFound: Bool
    }

    /// A cut-out face is sufficient for recognition if its side has at least this length, in pixels. In a test, 97
    /// faces from images of 92x112 pixels of the Database of Faces were shown at three times their size and cut out by
    /// `FaceDetector`. LBPH recognised 84 to 89 of the 97 faces if the person's known faces had at least 26 pixels, 63
    /// faces with 22 pixels, and 8 faces with 17 pixels. With one known image per person, a network recognised 43 of 45
    /// faces with 29 pixels, 29 faces with 22 pixels, and 5 faces with 18 pixels.
    package static let smallestSide = 26.0
    /// Minimum width of a detected face, in pixels.
    private static let smallestFace = 40.0
    /// An image whose shorter side is below `small` pixels is enlarged, so that its shorter side has `shorterSide`
    /// pixels.
    private static let (small, shorterSide) = (120.0, 240.0)

    /// The detectors in the order of their use. The result of the first detector with a face counts.
    private let detectors: [FaceDetector]
    private let cutter = FaceCutter()
    private let large = OwnedImage(.gray8)

    /// - Parameter model: the network that detects faces instead of the cascade.
    package init(library: CascadeLibrary, model: FaceModel? = nil) throws(CascadeError) {
        var settings = FaceSettings.accurate
        settings.species = .human
        settings.examinesAll = false
        // OpenCV's threads save time in a search with a cascade. In the small input of a network, they cost CPU time.
        if model != nil { settings.threads = 1 }
        var detectors = [try FaceDetector(settings: settings, library: library, model: model)]
        if model != nil {
            // The network detects a face best if the face fills a small input, above all in enlarged images.
            settings.human.minSize = 0.25
            detectors.insert(try FaceDetector(settings: settings, library: library, model: model), at: 0)
        }
        self.detectors = detectors
    }

    /// Returns the largest face of an image. If no face is detected, the whole image is assumed to be a cut-out face:
    /// the result is the largest square at the lower edge, because the upper edge of a portrait shows hair. Nil if the
    /// image is empty.
    /// - Parameters:
    ///   - plane: the grey image.
    ///   - colors: the same image in colour, in which a network detects more faces.
    package func portrait(in plane: Image, colors: FrameImage? = nil) throws(VisionError) -> Portrait? {
        guard !plane.isEmpty else { return nil }
        let shorter = Double(min(plane.width, plane.height))
        let (picture, scale) = try enlarged(plane)
        for detector in detectors {
            let faces = try detector.faces(in: picture, colors: scale == 1 ? colors : nil)
            if let largest = faces.filter({ $0.box.width >= Self.smallestFace }).max(by: { $0.box.area < $1.box.area }),
                let cut = try cutter.cut(of: picture, leftEye: largest.leftEye, rightEye: largest.rightEye)
            {
                // Without a network, only the eyes are measured.
                let alignment = FaceAlignment(largest.landmarks, eyesOnly: !detector.usesNetwork)
                return Portrait(
                    face: cut.face, alignment: alignment?.reduced(by: scale), side: cut.side / scale, isFound: true)
            }
        }
        let center = Point(Double(plane.width) / 2, Double(plane.height) - shorter / 2)
        return try cutter.sample(of: plane, center: center, size: shorter).map {
            let eyes = FaceCutter.eyes(in: Box(center: center, width: shorter, height: shorter))
            return Portrait(
                face: $0, alignment: FaceAlignment(eyes, eyesOnly: true), side: shorter, isFound: false)
        }
    }

    /// Returns the image to search, and its scale relative to `plane`; 1 if `plane` is large enough.
    private func enlarged(_ plane: Image) throws(VisionError) -> (picture: Image, scale: Double) {
        let shorter = Double(min(plane.width, plane.height))
        guard shorter < Self.small else { return (plane, 1) }
        let scale = Self.shorterSide / shorter
        func length(_ side: Int) -> Int { Int((Double(side) * scale).rounded()) }
        try large.stretch(plane, width: length(plane.width), height: length(plane.height))
        // An image that is too long to be enlarged is unlikely to be a portrait, so it is searched at its original
        // size.
        return large.image.isEmpty ? (plane, 1) : (large.image, scale)
    }
}
