// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// A part of a frame at several scales, in which poses of logos are verified. Positions are in pixels of the full
/// frame; the first pixel covers 0…1. The images are made when they are first used.
final class LogoView {
    /// The image at one scale: blue, green and red, or grey if the frame is grey.
    struct Level {
        fileprivate let plane: OwnedImage
        fileprivate let grayPlane: OwnedImage
        let image: Image
        let gray: Image
        /// Number of pixels of this image for each pixel of the frame.
        let (scaleX, scaleY): (Double, Double)
    }

    private let first: Level
    private var levels: [Level?]
    private let origin: Point
    /// The part of the frame that the view shows.
    let bounds: Box

    /// - Parameters:
    ///   - frame: the frame; its memory must be valid until the initializer returns.
    ///   - part: the part of the frame to show.
    ///   - size: the size of the full frame in pixels, if `frame` is a reduced copy.
    init(_ frame: FrameImage, part: Rectangle? = nil, of size: (width: Int, height: Int)? = nil) throws(VisionError) {
        let window = part.map { frame.bounds.intersection($0) } ?? frame.bounds
        let plane = ColorPlane()
        let shorter = Double(max(1, min(frame.width, frame.height)))
        try plane.fill(frame.cropped(to: window), reducedBy: min(1, LogoTuning.viewSide / shorter))
        let (across, down) = (
            Double(size?.width ?? frame.width) / Double(max(1, frame.width)),
            Double(size?.height ?? frame.height) / Double(max(1, frame.height))
        )
        origin = Point(Double(window.x) * across, Double(window.y) * down)
        bounds = Box(
            x: origin.x, y: origin.y, width: Double(window.width) * across, height: Double(window.height) * down)
        first = try Self.level(of: plane.image, bounds)
        levels = [Level?](repeating: nil, count: LogoTuning.maxLevel)
        withExtendedLifetime(plane) {}
    }

    private static func level(of image: Image, _ bounds: Box, reducedBy scale: Double = 1) throws(VisionError) -> Level
    {
        let (width, height) = (reducedLength(image.width, scale), reducedLength(image.height, scale))
        let (plane, gray) = (OwnedImage(image.format, width: width, height: height), OwnedImage(.gray8))
        if scale == 1 {
            plane.image.copy(from: image)
        } else if !plane.image.isEmpty {
            try check { sv_cv_resize(image.openCV, plane.image.openCV, $0) }
        }
        try gray.fill(grayOf: plane.image)
        return Level(
            plane: plane, grayPlane: gray, image: plane.image, gray: gray.image,
            scaleX: bounds.width > 0 ? Double(width) / bounds.width : 1,
            scaleY: bounds.height > 0 ? Double(height) / bounds.height : 1)
    }

    var isEmpty: Bool { first.image.isEmpty }

    /// Returns the image in which a logo of this size, in pixels of the frame, has about `LogoTuning.seenSize` pixels.
    func level(for size: Double) throws(VisionError) -> Level {
        let seen = size * max(first.scaleX, first.scaleY)
        var (index, length) = (0, seen)
        while length > 2 * LogoTuning.seenSize, index < levels.count {
            length /= 2
            index += 1
        }
        return try level(index)
    }

    /// Returns the image at the scale 1 / 2^index relative to the largest image.
    func level(_ index: Int) throws(VisionError) -> Level {
        guard index > 0, index <= levels.count else { return first }
        if let level = levels[index - 1] { return level }
        let larger = try level(index - 1)
        guard min(larger.image.width, larger.image.height) >= 4 else { return larger }
        let level = try Self.level(of: larger.image, bounds, reducedBy: 0.5)
        levels[index - 1] = level
        return level
    }

    /// Reads brightness, colours and gradients from the image at one scale.
    struct Reader {
        private let level: Level
        private let origin: Point
        private let bounds: Box
        private let (scaleX, scaleY): (Double, Double)
        private let (right, bottom): (Double, Double)
        let channels: Int
        /// Size of a pixel of the image that is read, in pixels of the frame.
        var pixel: Double { 1 / max(scaleX, scaleY) }

        fileprivate init(_ level: Level, _ view: LogoView) {
            (self.level, origin, bounds) = (level, view.origin, view.bounds)
            (scaleX, scaleY, channels) = (level.scaleX, level.scaleY, level.image.format.bytesPerPixel)
            (right, bottom) = (Double(level.image.width) - 1.001, Double(level.image.height) - 1.001)
        }

        func contains(_ point: Point) -> Bool {
            point.x >= bounds.x && point.y >= bounds.y && point.x < bounds.x + bounds.width
                && point.y < bounds.y + bounds.height
        }

        /// Returns the upper left of the four pixels around a point, and the weights of the right and the lower pixels.
        @inline(__always)
        private func place(_ point: Point) -> (column: Int, row: Int, x: Float, y: Float) {
            let x = min(right, max(0, (point.x - origin.x) * scaleX - 0.5))
            let y = min(bottom, max(0, (point.y - origin.y) * scaleY - 0.5))
            let (column, row) = (Int(x), Int(y))
            return (column, row, Float(x - Double(column)), Float(y - Double(row)))
        }

        /// Returns the luma at a point.
        @inline(__always)
        func gray(_ point: Point) -> Float {
            let (column, row, x, y) = place(point)
            let (above, below) = (level.gray.row(row) + column, level.gray.row(row &+ 1) + column)
            let upper = Float(above[0]) * (1 - x) + Float(above[1]) * x
            return upper * (1 - y) + (Float(below[0]) * (1 - x) + Float(below[1]) * x) * y
        }

        /// Returns blue, green and red at a point. In a grey image, all three are the luma.
        func color(_ point: Point) -> SIMD3<Float> {
            guard channels == 3 else { return SIMD3(repeating: gray(point)) }
            let (column, row, x, y) = place(point)
            let (above, below) = (level.image.row(row) + 3 &* column, level.image.row(row &+ 1) + 3 &* column)
            func pixel(_ bytes: UnsafeMutablePointer<UInt8>, _ i: Int) -> SIMD3<Float> {
                SIMD3(Float(bytes[i]), Float(bytes[i &+ 1]), Float(bytes[i &+ 2]))
            }
            let upper = pixel(above, 0) * (1 - x) + pixel(above, 3) * x
            return upper * (1 - y) + (pixel(below, 0) * (1 - x) + pixel(below, 3) * x) * y
        }

        /// Returns the gradient of the luma at a point, in grey levels per pixel of the image that is read.
        func gradient(_ point: Point) -> Point {
            let (dx, dy) = (1 / scaleX, 1 / scaleY)
            func at(_ x: Double, _ y: Double) -> Double { Double(gray(Point(point.x + x * dx, point.y + y * dy))) }
            let across = at(1, 0.5) - at(-1, 0.5) + at(1, -0.5) - at(-1, -0.5)
            let down = at(0.5, 1) - at(0.5, -1) + at(-0.5, 1) - at(-0.5, -1)
            return Point(across / 4, down / 4)
        }
    }

    /// Returns a reader of the image at the scale that suits a logo of this size; nil if the image has too few pixels.
    func reader(for size: Double) throws(VisionError) -> Reader? {
        let level = try level(for: size)
        guard min(level.image.width, level.image.height) >= 2 else { return nil }
        return Reader(level, self)
    }
}
