// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Vision

/// An image in BGR and in grey. The code that creates an image fills it before another thread uses it.
final class RealPicture: @unchecked Sendable {
    let colors: OwnedImage
    let gray = OwnedImage(.gray8)
    var width: Int { colors.image.width }
    var height: Int { colors.image.height }

    init(_ colors: OwnedImage) {
        self.colors = colors
        gray.resize(width: width, height: height)
        FrameImage(colors.image).copyLuma(into: gray.image)
    }

    /// Copies the pixels of an image of any format.
    convenience init(copying image: Image) {
        let copy = OwnedImage(.bgr, width: image.width, height: image.height)
        let format = image.format
        for y in 0..<image.height {
            let (from, to) = (image.row(y), copy.image.row(y))
            for x in 0..<image.width {
                let pixel = from + x * format.bytesPerPixel
                (to[3 * x], to[3 * x + 1], to[3 * x + 2]) = (pixel[format.blue], pixel[format.green], pixel[format.red])
            }
        }
        self.init(copy)
    }

    /// Returns an image of 400x300 pixels around a position.
    /// - Parameters:
    ///   - scale: number of result pixels per pixel of this image.
    ///   - degrees: clockwise rotation of the image.
    ///   - change: modifies the pixels of the result before the conversion to grey.
    func around(
        _ center: Point, scale: Double, degrees: Double = 0, _ change: (Image) -> Void = { _ in }
    ) throws -> RealPicture {
        var (from, place, scale) = (colors.image, center, scale)
        let reduced = OwnedImage(.bgr)
        // If the image becomes much smaller, each pixel of the result is the mean of several pixels.
        let factor = (1 / scale).rounded(.down)
        if factor >= 2 {
            try reduced.reduce(from, by: 1 / factor)
            (from, place, scale) = (reduced.image, Point(center.x / factor, center.y / factor), scale * factor)
        }
        let square = OwnedImage(.bgr)
        try square.cut(from: from, center: place, size: 400 / scale, degrees: -degrees, side: 400)
        withExtendedLifetime(reduced) {}
        let middle = square.image.cropped(to: Rectangle(x: 0, y: 50, width: 400, height: 300))
        change(middle)
        let result = OwnedImage(.bgr, width: 400, height: 300)
        result.image.copy(from: middle)
        return RealPicture(result)
    }

    /// Returns `count` random parts without faces. Each part is scaled to 400x300 pixels.
    /// - Parameter faces: rectangles that the parts must not overlap.
    func faceless(_ count: Int, beside faces: [Rectangle], seed: UInt64) throws -> [RealPicture] {
        var random = Imaging.SeededRandom(seed: seed)
        var parts: [RealPicture] = []
        for _ in 0..<1000 where parts.count < count {
            let tall = Int(random.between(0.2, 0.7) * Double(min(height, width * 3 / 4)))
            let area = Rectangle(
                x: Int(random.between(0, Double(width - tall * 4 / 3))),
                y: Int(random.between(0, Double(height - tall))),
                width: tall * 4 / 3, height: tall)
            guard faces.allSatisfy({ $0.intersection(area).isEmpty }) else { continue }
            parts.append(try around(Box(area).center, scale: 300 / Double(tall)))
        }
        return parts
    }
}

/// Changes that make a face difficult to detect.
enum FaceChange: String, CaseIterable, Sendable {
    case none, turned30, turned45, dark25, dark12, glasses, halfHidden, mask, half, quarter, noise

    /// Clockwise rotation in degrees.
    var angle: Double { self == .turned30 ? 30 : self == .turned45 ? 45 : 0 }
    /// Height of the face in the result, in pixels.
    var size: Double { self == .half ? 60 : self == .quarter ? 30 : 120 }
    private var light: Double { self == .dark25 ? 0.25 : self == .dark12 ? 0.12 : 1 }

    /// Returns the grey level that covers the face at a position. Returns nil if the face is visible there. The
    /// position is relative to the centre of the face, in units of the face's size.
    private func cover(_ u: Double, _ v: Double) -> UInt8? {
        switch self {
        case .glasses:
            let (x, y) = ((abs(u) - 0.19) / 0.16, (v + 0.12) / 0.11)
            return x * x + y * y < 1 || abs(v + 0.14) < 0.02 && abs(u) < 0.45 ? 15 : nil
        case .halfHidden: return u > 0.08 && u < 0.8 ? 90 : nil
        case .mask: return v > 0.06 && v < 0.5 && abs(u) < 0.4 - 0.3 * max(0, v - 0.2) ? 200 : nil
        default: return nil
        }
    }

    /// Changes an image with an upright face in its centre.
    func apply(to image: Image, seed: UInt64) {
        var random = Imaging.SeededRandom(seed: seed)
        if [.glasses, .halfHidden, .mask].contains(self) {
            for y in 50..<250 {
                for x in 100..<300 {
                    guard let level = cover((Double(x) - 199.5) / size, (Double(y) - 149.5) / size) else { continue }
                    for channel in 0..<3 { image.row(y)[3 * x + channel] = level }
                }
            }
        }
        guard light < 1 || self == .noise else { return }
        for y in 0..<image.height {
            let row = image.row(y)
            for i in 0..<3 * image.width {
                var level = Double(row[i]) * light
                // Add a sum of eight uniform distributions, with a standard deviation of 24 levels.
                if self == .noise {
                    let dice = random.next()
                    for k in 0..<8 { level += 30 * (Double(dice >> (8 * UInt64(k)) & 255) / 255 - 0.5) }
                }
                row[i] = UInt8(min(255, max(0, level.rounded())))
            }
        }
    }
}

/// A real face and its position in an image.
struct RealFace: Sendable {
    let person: String
    let picture: RealPicture
    let center: Point
    /// Height of the face in pixels, from above the brows to the chin.
    let size: Double

    /// Returns an image of 400x300 pixels with the face in its centre.
    func changed(_ change: FaceChange, seed: UInt64 = 0) throws -> RealPicture {
        try picture.around(center, scale: change.size / size, degrees: change.angle) {
            change.apply(to: $0, seed: seed)
        }
    }

    /// Returns true if one of the detections in a changed image is this face.
    func isFound(in faces: [Face], _ change: FaceChange) -> Bool {
        faces.contains {
            let shift = $0.box.center - Point(200, 150)
            return hypot(shift.x, shift.y) < 0.4 * change.size && (0.5...2).contains($0.box.width / change.size)
        }
    }
}
