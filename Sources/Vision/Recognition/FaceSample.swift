// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// A face image for recognition: square, grey, upright, with an equalised histogram.
package struct FaceSample: Sendable, Hashable {
    /// Width and height of the image, in pixels.
    package static let side = 70
    package static let pixelCount = side * side
    /// If the difference between two face samples is at least this value, the samples count as faces of different
    /// people. Trackers use this limit to detect that another person is at the same position after a cut or a dissolve.
    /// In a test with five people of the Database of Faces (AT&T Laboratories Cambridge) at the same scale, the
    /// difference between two people was at least 0.47. If a face is shifted by 2 % of its width, the difference
    /// between the shifted and the original face is 0.14.
    package static let otherFace = 0.3

    /// The pixels of the image, row by row. The array has `pixelCount` elements.
    package let pixels: [UInt8]

    /// Creates a sample; nil if the number of pixels is not `pixelCount`.
    package init?(pixels: [UInt8]) {
        guard pixels.count == Self.pixelCount else { return nil }
        self.pixels = pixels
    }

    /// Returns 1 − the correlation of the pixels of two samples, 0…2. If two samples differ only in brightness and
    /// contrast, the result is 0. If all pixels of a sample are equal, the result is 1.
    package func difference(from other: FaceSample) -> Double {
        var pairs = PixelCorrelation()
        for (pixel, otherPixel) in zip(pixels, other.pixels) { pairs.add(Int(pixel), Int(otherPixel)) }
        return 1 - pairs.value(noise: 0)
    }
}

/// Cuts faces out of grey images. Only one thread at a time may use an instance.
package final class FaceCutter {
    private let reduced = OwnedImage(.gray8)
    private let cut = OwnedImage(.gray8)

    package init() {}

    /// Positions of the eyes in a face sample, as fractions of the sample's side. `eyeHeight`: distance of the eyes
    /// from the top edge. `eyeInset`: distance of the left eye from the left edge, and of the right eye from the right
    /// edge.
    private static let eyeHeight = 0.38
    private static let eyeInset = 0.29

    /// Returns landmarks for a square that this class has cut out of an image. The eyes are at the positions that
    /// `eyeInset` and `eyeHeight` define. All other landmarks are at the centre of `square`.
    static func eyes(in square: Box) -> FaceLandmarks {
        var face = FaceLandmarks(at: square.center)
        face.leftEye = square.point(eyeInset, eyeHeight)
        face.rightEye = square.point(1 - eyeInset, eyeHeight)
        return face
    }

    /// Returns the face, rotated and scaled so that the eyes are at the positions that `eyeInset` and `eyeHeight`
    /// define. Returns nil if the two eyes are too close together or too far apart, or if the image is empty.
    package func sample(of plane: Image, leftEye: Point, rightEye: Point) throws(VisionError) -> FaceSample? {
        try cut(of: plane, leftEye: leftEye, rightEye: rightEye)?.face
    }

    /// Returns the result of `sample(of:leftEye:rightEye:)`, and the side of the cut-out square in pixels of the image.
    func cut(
        of plane: Image, leftEye: Point, rightEye: Point
    ) throws(VisionError) -> (face: FaceSample, side: Double)? {
        let line = rightEye - leftEye
        let distance = line.length
        guard distance >= 2, distance <= 1e5, leftEye.x.magnitude <= 1e6, leftEye.y.magnitude <= 1e6, !plane.isEmpty
        else { return nil }
        let size = distance / (1 - 2 * Self.eyeInset)
        let down = (0.5 - Self.eyeHeight) * size / distance
        let center = (leftEye + rightEye) / 2 + Point(-line.y, line.x) * down
        let face = try sample(of: plane, center: center, size: size, degrees: slope(from: leftEye, to: rightEye))
        return face.map { ($0, size) }
    }

    /// Returns a face sample that shows a square of the image: `center` is the centre of the square, and `size` is its
    /// side.
    /// - Parameter degrees: the rotation of the square, in degrees clockwise.
    func sample(
        of plane: Image, center: Point, size: Double, degrees: Double = 0
    ) throws(VisionError) -> FaceSample? {
        // If a face is larger than the sample, the interpolation of `cut` would skip pixels. So first reduce such a
        // face by averaging. Average only the face and a margin for its rotation.
        let reach = 0.75 * size + 2
        let part = plane.bounds.intersection(
            Rectangle(Box(center: center, width: 2 * reach, height: 2 * reach)))
        guard !part.isEmpty else { return nil }
        let view = plane.cropped(to: part)
        let local = center - part.corner
        let scale = Double(FaceSample.side) / size
        if scale < 0.75 {
            try reduced.reduce(view, by: scale)
            guard !reduced.image.isEmpty else { return nil }
            try cut.cut(
                from: reduced.image, center: local * scale, size: size * scale, degrees: degrees, side: FaceSample.side)
        } else {
            try cut.cut(from: view, center: local, size: size, degrees: degrees, side: FaceSample.side)
        }
        return try finished()
    }

    private func finished() throws(VisionError) -> FaceSample? {
        let image = cut.image
        try check { sv_cv_equalize(image.openCV, image.openCV, $0) }
        return FaceSample(pixels: image.bytes)
    }
}
