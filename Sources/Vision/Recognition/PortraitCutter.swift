// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Cuts the face out of an image of a single person. The eyes are at the same positions as in the samples of
/// `FaceCutter`. Only one thread at a time may use an instance.
///
/// The cutter detects the face with the settings `FaceSettings.accurate`. It enlarges small images before the
/// detection. In a test, 100 images of the Database of Faces (AT&T Laboratories Cambridge) were reduced to 23x28
/// pixels. The cutter detected the face in 94 of these images.
package final class PortraitCutter {
    package struct Portrait: Sendable {
        package let face: FaceSample
        /// Alignment of the face, in pixels of the image; nil if the landmarks coincide or are too far apart.
        package let alignment: FaceAlignment?
        /// Side of the cut-out square, in pixels of the image.
        package let side: Double
        /// True if a face was detected. False if no face was detected, and the eyes are assumed at their default
        /// positions.
        package let isFound: Bool
    }

    /// If the side of a cut-out face has at least this length in pixels, the face is sufficient for recognition. A test
    /// used 97 faces from the Database of Faces. The images of this database, with 92x112 pixels, were enlarged three
    /// times, and `FaceDetector` detected the faces. The recognition depends on the side of the known faces in pixels:
    ///
    /// LBPH recognised 84 to 89 of 97 faces if the side was at least 26 pixels, 63 faces at 22 pixels, and 8 faces at
    /// 17 pixels. With one known image per person, a network recognised 43 of 45 faces at 29 pixels, 29 faces at 22
    /// pixels, and 5 faces at 18 pixels.
    package static let smallestSide = 26.0
    /// Minimum width of a detected face, in pixels.
    private static let smallestFace = 40.0
    /// If the shorter side of an image has less than `small` pixels, the cutter enlarges the image, so that the shorter
    /// side has `shorterSide` pixels.
    private static let (small, shorterSide) = (120.0, 240.0)

    /// The detectors, in the order of their use. The cutter uses the result of the first detector that detects a face.
    private let detectors: [FaceDetector]
    private let cutter = FaceCutter()
    private let large = OwnedImage(.gray8)

    /// - Parameter model: the network that detects faces. If nil, the cascade detects faces.
    package init(library: CascadeLibrary, model: FaceModel? = nil) throws(CascadeError) {
        var settings = FaceSettings.accurate
        settings.species = .human
        settings.examinesAll = false
        // OpenCV's threads make the search by a cascade faster. With a network, they would cost CPU time without saving
        // time, because the network has a small input.
        if model != nil { settings.threads = 1 }
        var detectors = [try FaceDetector(settings: settings, library: library, model: model)]
        if model != nil {
            // The network detects a face best if the face fills a small input. With a greater minimum size of faces,
            // the detector uses a smaller input.
            settings.human.minSize = 0.25
            detectors.insert(try FaceDetector(settings: settings, library: library, model: model), at: 0)
        }
        self.detectors = detectors
    }

    /// Returns the largest face of an image. If no face is detected, the image is assumed to be a cut-out face. The
    /// result is then the largest square at the lower edge of the image, because the upper edge of a portrait usually
    /// shows hair. Returns nil if the image is empty.
    /// - Parameters:
    ///   - plane: the grey image.
    ///   - colors: the same image in colour. A network detects more faces in colour than in grey.
    package func portrait(in plane: Image, colors: FrameImage? = nil) throws(VisionError) -> Portrait? {
        guard !plane.isEmpty else { return nil }
        let shorter = Double(min(plane.width, plane.height))
        let (picture, scale) = try enlarged(plane)
        for detector in detectors {
            let faces = try detector.faces(in: picture, colors: scale == 1 ? colors : nil)
            if let largest = faces.filter({ $0.box.width >= Self.smallestFace }).max(by: { $0.box.area < $1.box.area }),
                let cut = try cutter.cut(of: picture, leftEye: largest.leftEye, rightEye: largest.rightEye)
            {
                // Without a network, the detector measures only the eyes.
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

    /// Returns the image in which the cutter searches, and the scale of this image relative to `plane`. If `plane` is
    /// large enough, returns `plane` and the scale 1.
    private func enlarged(_ plane: Image) throws(VisionError) -> (picture: Image, scale: Double) {
        let shorter = Double(min(plane.width, plane.height))
        guard shorter < Self.small else { return (plane, 1) }
        let scale = Self.shorterSide / shorter
        func length(_ side: Int) -> Int { Int((Double(side) * scale).rounded()) }
        try large.stretch(plane, width: length(plane.width), height: length(plane.height))
        // If an image is so long that it cannot be enlarged, it is probably not a portrait. So search the image at its
        // original size.
        return large.image.isEmpty ? (plane, 1) : (large.image, scale)
    }
}
