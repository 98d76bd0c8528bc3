// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// A similarity transformation (scale, rotation and translation) from an image to an aligned face of 112x112 pixels. In
/// an aligned face, eyes, nose and mouth are at the positions that networks for face recognition expect.
package struct FaceAlignment: Sendable, Hashable {
    /// Width and height of an aligned face, in pixels.
    package static let side = 112

    /// Positions of the landmarks in an aligned face. ArcFace and most other networks expect these positions.
    package static let template = FaceLandmarks(
        leftEye: Point(38.29, 51.70), rightEye: Point(73.53, 51.50), nose: Point(56.03, 71.74),
        mouthLeft: Point(41.55, 92.37), mouthRight: Point(70.73, 92.20))

    /// The rotation and scale of the transformation: scale · (cosine, sine) of the rotation angle.
    private let axis: Point
    /// The point to which the transformation maps (0, 0).
    private let origin: Point

    /// Number of pixels in the aligned face per pixel of the image, along one side.
    package var scale: Double { axis.length }

    /// Creates the transformation that maps the landmarks to the template. The transformation minimizes the sum of the
    /// squared distances between the landmarks and the template (Umeyama, "Least-squares estimation of transformation
    /// parameters between two point patterns", 1991). Returns nil if the landmarks coincide or are too far apart.
    /// - Parameter eyesOnly: true to use only the eyes, if no other landmarks were measured. The transformation then
    ///   maps the eyes exactly to their template positions.
    package init?(_ face: FaceLandmarks, eyesOnly: Bool = false) {
        let count = eyesOnly ? 2 : 5
        let (from, to) = (face.five.prefix(count), Self.template.five.prefix(count))
        guard from.allSatisfy({ $0.x.magnitude <= 1e6 && $0.y.magnitude <= 1e6 }) else { return nil }
        let share = 1 / Double(count)
        let (fromCenter, toCenter) = (from.reduce(Point(0, 0), +) * share, to.reduce(Point(0, 0), +) * share)
        var (dot, cross, square) = (0.0, 0.0, 0.0)
        for (from, to) in zip(from, to) {
            let (a, b) = (from - fromCenter, to - toCenter)
            dot += a.x * b.x + a.y * b.y
            cross += a.cross(b)
            square += a.x * a.x + a.y * a.y
        }
        guard square > 1e-6 else { return nil }
        axis = Point(dot / square, cross / square)
        guard 1e-3...100 ~= axis.length else { return nil }
        origin = toCenter - Self.rotated(fromCenter, by: axis)
    }

    private init(axis: Point, origin: Point) { (self.axis, self.origin) = (axis, origin) }

    /// Returns the product of `point` and `axis` as complex numbers: `point`, rotated and scaled.
    private static func rotated(_ point: Point, by axis: Point) -> Point {
        Point(axis.x * point.x - axis.y * point.y, axis.y * point.x + axis.x * point.y)
    }

    /// Converts a point of the image to a position in the aligned face.
    package func point(_ point: Point) -> Point {
        Self.rotated(point, by: axis) + origin
    }

    /// Converts a position in the aligned face to a point of the image.
    package func source(of point: Point) -> Point {
        Self.rotated(point - origin, by: Point(axis.x, -axis.y)) / (axis.x * axis.x + axis.y * axis.y)
    }

    /// Returns the fraction of the aligned face that is inside `bounds`, 0…1. The alignment maps the centres of 14x14
    /// equal cells to the image, and counts the centres inside `bounds`.
    package func visibleFraction(in bounds: Rectangle) -> Double {
        let (count, box) = (14, Box(bounds))
        let cell = Double(Self.side) / Double(count)
        var visible = 0
        for row in 0..<count {
            for column in 0..<count {
                let center = source(of: Point((Double(column) + 0.5) * cell, (Double(row) + 0.5) * cell))
                if box.contains(Box(center: center, width: 0, height: 0)) { visible += 1 }
            }
        }
        return Double(visible) / Double(count * count)
    }

    /// Returns the alignment of the same face in a copy of the image whose width and height are multiplied by `factor`.
    func reduced(by factor: Double) -> FaceAlignment { FaceAlignment(axis: axis * factor, origin: origin) }

    /// Returns the alignment of the same face in a part of the image. `corner` is the top left corner of the part.
    package func moved(from corner: Point) -> FaceAlignment { FaceAlignment(axis: axis, origin: point(corner)) }
}

extension FaceLandmarks {
    fileprivate var five: [Point] { [leftEye, rightEye, nose, mouthLeft, mouthRight] }
}

/// Cuts aligned faces out of frames. Only one thread at a time may use an instance.
package final class FaceAligner {
    private let colors = ColorPlane()
    private let aligned = OwnedImage(.bgr)
    private let output = OwnedImage(.rgb)

    package init() {}

    /// Returns the aligned face in RGB, or in grey if the frame is grey. Pixels outside the frame are black. Returns
    /// nil if the face is outside the frame. The image is valid until the next call.
    package func image(of frame: FrameImage, _ alignment: FaceAlignment) throws(VisionError) -> Image? {
        let side = Double(FaceAlignment.side)
        let corners = [Point(0, 0), Point(side, 0), Point(0, side)]
        let square = (corners + [Point(side, side)]).map(alignment.source(of:))
        let (x, y) = (square.map(\.x), square.map(\.y))
        guard let left = x.min(), let right = x.max(), let top = y.min(), let bottom = y.max() else { return nil }
        // The interpolation also reads pixels around the face. So add two pixels on each side.
        let area = Rectangle(Box(x: left - 2, y: top - 2, width: right - left + 4, height: bottom - top + 4))
        let part = frame.bounds.intersection(area)
        guard !part.isEmpty else { return nil }
        // If a face is larger than the aligned face, the interpolation of `align` would skip pixels. So first reduce
        // such a face by averaging.
        let reduction = alignment.scale < 0.75 ? alignment.scale : 1
        try colors.fill(frame.cropped(to: part), reducedBy: reduction)
        let picture = colors.image
        guard !picture.isEmpty else { return nil }
        let (across, down) = (Double(picture.width) / Double(part.width), Double(picture.height) / Double(part.height))
        let from = corners.map { corner in
            let position = alignment.source(of: corner) - part.corner
            return Point(position.x * across, position.y * down)
        }
        aligned.resize(width: FaceAlignment.side, height: FaceAlignment.side, format: picture.format)
        try align(picture, from, to: corners, into: aligned.image)
        return inRGB(aligned.image)
    }

    private func inRGB(_ image: Image) -> Image {
        let format = image.format
        guard !format.isGray else { return image }
        output.resize(width: image.width, height: image.height)
        for y in 0..<image.height {
            let (from, to) = (image.row(y), output.image.row(y))
            for x in 0..<image.width {
                to[3 &* x] = from[3 &* x &+ format.red]
                to[3 &* x &+ 1] = from[3 &* x &+ format.green]
                to[3 &* x &+ 2] = from[3 &* x &+ format.blue]
            }
        }
        return output.image
    }
}
