// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Cuts faces out of pictures that show one person each, as `FaceCutter` cuts them out of frames: with the eyes at the
/// same places. One thread at a time may use it.
///
/// The eyes are searched with `FaceSettings.accurate`. A small picture is enlarged before: of 100 pictures of the Database
/// of Faces (AT&T Laboratories Cambridge) that were reduced to 23x28 pixels it finds the face in 94.
package final class PortraitCutter {
    package struct Portrait: Sendable {
        package let face: FaceSample
        /// How the face is aligned, in pixels of the picture; nil if its points give no size.
        package let alignment: FaceAlignment?
        /// Side of the cut-out face, in pixels of the picture.
        package let side: Double
        /// False if no face was found, so that the eyes were taken to be at their usual places.
        package let isFound: Bool
    }

    /// Side in pixels of the smallest face that tells people apart: of 97 faces in pictures of 92x112 pixels from that
    /// database, shown three times as large and cut out by `FaceDetector`, 84 to 89 get their name by LBPH if others of
    /// the person were learned with 26 pixels or more, 63 with 22, and 8 with 17. By a network, from
    /// one image each, 43 of 45 faces get their name with 29 pixels, 29 with 22, and 5 with 18.
    package static let smallestSide = 26.0
    /// Smallest width of a face that is searched for, in pixels.
    private static let smallestFace = 40.0
    /// Shorter side in pixels of pictures that are enlarged, and what it becomes.
    private static let (small, shorterSide) = (120.0, 240.0)

    /// The first that finds a face counts.
    private let detectors: [FaceDetector]
    private let cutter = FaceCutter()
    private let large = OwnedImage(.gray8)

    /// - Parameter model: the network that finds faces in place of the cascade.
    package init(library: CascadeLibrary, model: FaceModel? = nil) throws(CascadeError) {
        var settings = FaceSettings.accurate
        settings.species = .human
        settings.examinesAll = false
        var detectors = [try FaceDetector(settings: settings, library: library, model: model)]
        if model != nil {
            // The network sees best what fills a small input, above all in pictures that were enlarged.
            settings.human.minSize = 0.25
            detectors.insert(try FaceDetector(settings: settings, library: library, model: model), at: 0)
        }
        self.detectors = detectors
    }

    /// Returns the largest face of a grey picture. Without one the picture is taken for a face that was cut out: for its
    /// largest square, at the lower edge of an upright one, as heads have hair. Nil if the picture is empty.
    /// - Parameter colors: the same picture in its colours, by which a network finds more.
    package func portrait(in plane: Image, colors: FrameImage? = nil) throws(VisionError) -> Portrait? {
        guard !plane.isEmpty else { return nil }
        let shorter = Double(min(plane.width, plane.height))
        let (picture, scale) = try enlarged(plane)
        for detector in detectors {
            let faces = try detector.faces(in: picture, colors: scale == 1 ? colors : nil)
            if let largest = faces.filter({ $0.box.width >= Self.smallestFace }).max(by: { $0.box.area < $1.box.area }),
                let cut = try cutter.cut(of: picture, leftEye: largest.leftEye, rightEye: largest.rightEye)
            {
                // Cascades measure the eyes only.
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

    /// Returns the picture to search, and the factor by which it is larger: 1 if it is large enough.
    private func enlarged(_ plane: Image) throws(VisionError) -> (picture: Image, scale: Double) {
        let shorter = Double(min(plane.width, plane.height))
        guard shorter < Self.small else { return (plane, 1) }
        let scale = Self.shorterSide / shorter
        func length(_ side: Int) -> Int { Int((Double(side) * scale).rounded()) }
        try large.stretch(plane, width: length(plane.width), height: length(plane.height))
        // What is too long to be enlarged is no portrait.
        return large.image.isEmpty ? (plane, 1) : (large.image, scale)
    }
}
