// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Vision

/// A picture in B G R, and in grey. It is filled before another thread sees it.
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

    /// Takes the pixels of a picture of any format.
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

    /// Returns 400x300 pixels around a place.
    /// - Parameters:
    ///   - scale: pixels of the result for each of the picture's.
    ///   - degrees: by which the picture is turned, clockwise.
    ///   - change: is given the result's pixels before they are turned grey.
    func around(
        _ center: Point, scale: Double, degrees: Double = 0, _ change: (Image) -> Void = { _ in }
    ) throws -> RealPicture {
        var (from, place, scale) = (colors.image, center, scale)
        let reduced = OwnedImage(.bgr)
        // Where several pixels make up one, their mean.
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

    /// Returns parts at random places, without faces, as 400x300 pixels.
    /// - Parameter faces: what they keep away from.
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

/// What makes faces hard to find.
enum FaceChange: String, CaseIterable, Sendable {
    case none, turned30, turned45, dark25, dark12, glasses, halfHidden, mask, half, quarter, noise

    /// Degrees, clockwise.
    var angle: Double { self == .turned30 ? 30 : self == .turned45 ? 45 : 0 }
    /// Height of the face in the picture, in pixels.
    var size: Double { self == .half ? 60 : self == .quarter ? 30 : 120 }
    private var light: Double { self == .dark25 ? 0.25 : self == .dark12 ? 0.12 : 1 }

    /// Returns the level of what covers the face at a place in fractions of its size from the centre; nil for nothing.
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

    /// Changes a picture with an upright face in its middle.
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
                // The sum of eight even distributions: a deviation of 24 levels.
                if self == .noise {
                    let dice = random.next()
                    for k in 0..<8 { level += 30 * (Double(dice >> (8 * UInt64(k)) & 255) / 255 - 0.5) }
                }
                row[i] = UInt8(min(255, max(0, level.rounded())))
            }
        }
    }
}

/// A real face, and where it is.
struct RealFace: Sendable {
    let person: String
    let picture: RealPicture
    let center: Point
    /// Height of the face from above the brows to the chin, in pixels.
    let size: Double

    /// Returns a picture of 400x300 pixels with the face in its middle.
    func changed(_ change: FaceChange, seed: UInt64 = 0) throws -> RealPicture {
        try picture.around(center, scale: change.size / size, degrees: change.angle) {
            change.apply(to: $0, seed: seed)
        }
    }

    /// Returns whether faces of a changed picture include this one.
    func isFound(in faces: [Face], _ change: FaceChange) -> Bool {
        faces.contains {
            let shift = $0.box.center - Point(200, 150)
            return hypot(shift.x, shift.y) < 0.4 * change.size && (0.5...2).contains($0.box.width / change.size)
        }
    }
}
