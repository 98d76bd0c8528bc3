// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// A face as recognition sees it: square, grey, upright, with even light.
package struct FaceSample: Sendable, Hashable {
    /// Number of pixels along each side.
    package static let side = 70
    package static let pixelCount = side * side
    /// Difference of two faces from which on they are taken for different people's: after a cut or a dissolve, somebody else is in
    /// the same place. Of five people of the Database of Faces (AT&T Laboratories Cambridge), scaled alike, each pair differs by
    /// 0.47 or more. The same face beside its place by a fiftieth of its width differs by 0.14.
    package static let otherFace = 0.3

    /// Pixels row by row; `pixelCount` of them.
    package let pixels: [UInt8]

    /// Creates a sample; nil if the number of pixels is another.
    package init?(pixels: [UInt8]) {
        guard pixels.count == Self.pixelCount else { return nil }
        self.pixels = pixels
    }

    /// Returns the distance from another sample: 1 − the correlation of their pixels, 0…2. 0 if both are the same
    /// except for brightness and contrast; 1 if one of them has a single level.
    package func difference(from other: FaceSample) -> Double {
        var pairs = PixelCorrelation()
        for (own, other) in zip(pixels, other.pixels) { pairs.add(Int(own), Int(other)) }
        return 1 - pairs.value(noise: 0)
    }
}

/// Cuts faces out of grey pictures. One thread at a time may use it.
package final class FaceCutter {
    private let reduced = OwnedImage(.gray8)
    private let cut = OwnedImage(.gray8)

    package init() {}

    /// Places of the eyes, as shares of the side: both at this height, equally far from the left and the right edge.
    private static let eyeHeight = 0.38
    private static let eyeInset = 0.29

    /// Returns the usual places of the eyes in a square that was cut out; all other points are at its centre.
    static func eyes(in square: Box) -> FaceLandmarks {
        var face = FaceLandmarks(at: square.center)
        face.leftEye = square.point(eyeInset, eyeHeight)
        face.rightEye = square.point(1 - eyeInset, eyeHeight)
        return face
    }

    /// Returns the face with its eyes at the fixed places. Nil if the eyes give no size, or the picture is empty.
    package func sample(of plane: Image, leftEye: Point, rightEye: Point) throws(VisionError) -> FaceSample? {
        try cut(of: plane, leftEye: leftEye, rightEye: rightEye)?.face
    }

    /// Returns the same, and the side of the square that was cut out, in pixels of the picture.
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

    /// Returns the square of this size around a point.
    /// - Parameter degrees: the rotation, clockwise.
    func sample(
        of plane: Image, center: Point, size: Double, degrees: Double = 0
    ) throws(VisionError) -> FaceSample? {
        // Much larger faces are reduced first, so that each pixel counts; only this part, with the margin for the
        // rotation.
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
