// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Scenes
@testable import Vision

/// A drawn logo with a transparent background.
enum DrawnMark: CaseIterable, Sendable {
    /// Several colours, with edges inside.
    case badge
    /// One colour, with holes.
    case glyph

    static let side = 256

    var picture: OwnedImage {
        let picture = OwnedImage(.bgra, width: Self.side, height: Self.side)
        for (points, color) in shapes { paint(points, color, on: picture.image) }
        return picture
    }

    func template() throws -> LogoTemplate {
        let picture = picture
        defer { withExtendedLifetime(picture) {} }
        return try LogoTemplate(picture.image, name: "\(self)")
    }

    /// Polygons in pixels of the image, with blue, green, red and alpha.
    private var shapes: [([Point], SIMD4<UInt8>)] {
        func arc(_ x: Double, _ y: Double, _ radius: Double, _ from: Double = 0, _ to: Double = 360) -> [Point] {
            (0...40).map { step in
                let angle = (from + (to - from) * Double(step) / 40) * .pi / 180
                return Point(x + radius * cos(angle), y + radius * sin(angle))
            }
        }
        func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> [Point] {
            [Point(x, y), Point(x + width, y), Point(x + width, y + height), Point(x, y + height)]
        }
        switch self {
        case .badge:
            let (orange, blue, white): (SIMD4<UInt8>, SIMD4<UInt8>, SIMD4<UInt8>) = (
                [20, 140, 240, 255], [170, 70, 20, 255], [245, 245, 245, 255]
            )
            return [
                (arc(128, 120, 104), orange), (box(96, 180, 130, 60), blue), (arc(100, 100, 52), white),
                (arc(116, 100, 26), blue), ([Point(150, 150), Point(210, 70), Point(214, 160)], white),
            ]
        case .glyph:
            let (ink, clear): (SIMD4<UInt8>, SIMD4<UInt8>) = ([60, 50, 50, 255], [0, 0, 0, 0])
            return [
                ([Point(20, 40), Point(170, 20), Point(236, 120), Point(190, 236), Point(60, 230)], ink),
                (arc(90, 100, 34), clear), (box(150, 120, 40, 70), clear), (box(40, 180, 60, 70), clear),
            ]
        }
    }

    /// Fills a polygon by the even-odd rule.
    private func paint(_ corners: [Point], _ color: SIMD4<UInt8>, on image: Image) {
        for y in 0..<image.height {
            let (row, v) = (image.row(y), Double(y) + 0.5)
            var crossings: [Double] = []
            for (a, b) in zip(corners, corners.dropFirst() + corners.prefix(1)) where (a.y > v) != (b.y > v) {
                crossings.append(a.x + (b.x - a.x) * (v - a.y) / (b.y - a.y))
            }
            crossings.sort()
            for pair in stride(from: 0, to: crossings.count - 1, by: 2) {
                let (from, to) = (max(0, Int(crossings[pair] + 0.5)), min(image.width, Int(crossings[pair + 1] + 0.5)))
                for x in from..<max(from, to) { for channel in 0..<4 { row[4 * x + channel] = color[channel] } }
            }
        }
    }
}

/// A frame like a photograph, with logos in perspective.
final class LogoPhotograph {
    enum Condition: CaseIterable, Sendable {
        case card, photograph, blurred, occluded, lit
    }

    let image = OwnedImage(.bgr, width: 480, height: 360)
    private(set) var truths: [Box] = []
    private var random: SeededRandom

    /// Draws the background: smooth colours, discs and bars in many sizes, and grain.
    init(seed: UInt64) {
        random = SeededRandom(seed)
        let (width, height) = (Double(image.image.width), Double(image.image.height))
        let waves = (0..<6).map { _ in
            (
                random.between(0.5, 4), random.between(0.5, 4), random.between(0, 6), random.between(8, 30),
                Int(random.between(0, 3))
            )
        }
        let things = (0..<14).map { _ in
            (
                Point(random.between(0, width), random.between(0, height)), random.between(8, 70),
                random.between(0.2, 1), SIMD3(random.between(30, 220), random.between(30, 220), random.between(30, 220))
            )
        }
        let ground = random.between(90, 170)
        each { x, y, pixel in
            var color = SIMD3<Double>(repeating: ground)
            for (across, down, phase, strength, channel) in waves {
                color[channel] += strength * sin(across * x / width * 6 + down * y / height * 6 + phase)
            }
            for (center, radius, shape, ink) in things {
                let (u, v) = ((x - center.x) / radius, (y - center.y) / (radius * shape))
                if (shape > 0.6 ? u * u + v * v : max(abs(u), abs(v))) < 1 { color = ink }
            }
            for channel in 0..<3 { pixel[channel] = Self.byte(color[channel]) }
        }
    }

    private static func byte(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }

    private func each(_ body: (Double, Double, UnsafeMutablePointer<UInt8>) -> Void) {
        for y in 0..<image.image.height {
            let row = image.image.row(y)
            for x in 0..<image.image.width { body(Double(x) + 0.5, Double(y) + 0.5, row + 3 * x) }
        }
    }

    /// Draws a logo in a random pose.
    /// - Parameters:
    ///   - size: the height of the logo's image, in pixels.
    ///   - center: the centre; nil for a random centre.
    ///   - bend: the curvature: a shift across the logo's side, as a fraction of its size.
    func draw(_ mark: DrawnMark, _ condition: Condition, size: Double, at center: Point? = nil, bend: Double = 0) {
        let (width, height) = (Double(image.image.width), Double(image.image.height))
        let (turn, tilt) = (random.between(0, 2 * .pi), random.between(0, 35) * .pi / 180)
        let direction = random.between(0, 2 * .pi)
        let reach = min(0.7 * size, 0.5 * height)
        let center =
            center
            ?? Point(random.between(reach, width - reach), random.between(reach, max(reach + 1, height - reach)))
        // A rotation, a contraction along the direction of the tilt, and the perspective of that direction.
        let axis = AffineMap(xx: cos(direction), xy: -sin(direction), yx: sin(direction), yy: cos(direction))
        let tilted = axis * AffineMap(xx: cos(tilt)) * axis.inverse
        let rotation = AffineMap(xx: cos(turn), xy: -sin(turn), yx: sin(turn), yy: cos(turn))
        let linear = AffineMap(scaleX: size, scaleY: size) * tilted * rotation
        let far = rotation.inverse(Point(cos(direction), sin(direction))) * (sin(tilt) * size / (1.2 * height))
        let pose = Homography(linear, wx: far.x, wy: far.y).shifted(by: center)
        paste(mark, condition, pose, bend)
        if condition == .blurred { soften() }
        let light = condition == .lit ? (random.between(0.5, 0.8), random.between(1.0, 1.3)) : (1, 1)
        var noise = random
        each { x, _, pixel in
            let factor = light.0 + (light.1 - light.0) * x / width
            for channel in 0..<3 {
                pixel[channel] = Self.byte(Double(pixel[channel]) * factor + noise.between(-4, 4))
            }
        }
    }

    private func paste(_ mark: DrawnMark, _ condition: Condition, _ pose: Homography, _ bend: Double) {
        let (picture, side) = (mark.picture, Double(DrawnMark.side))
        let card: [UInt8]? = condition == .card || condition == .blurred ? [225, 230, 235] : nil
        let cover = condition == .occluded ? random.between(0, 2 * .pi) : nil
        var (left, top, right, bottom) = (Double.infinity, Double.infinity, -Double.infinity, -Double.infinity)
        each { x, y, pixel in
            var place = pose.inverse(Point(x, y))
            place.y += bend * (4 * place.x * place.x - 0.5)
            guard max(abs(place.x), abs(place.y)) < 0.72 else { return }
            if let card { for channel in 0..<3 { pixel[channel] = card[channel] } }
            let (u, v) = ((place.x + 0.5) * side, (place.y + 0.5) * side)
            if u >= 0, v >= 0, u < side, v < side {
                let from = picture.image.row(Int(v)) + 4 * Int(u)
                if from[3] > 127 {
                    for channel in 0..<3 { pixel[channel] = from[channel] }
                    (left, top, right, bottom) = (min(left, x), min(top, y), max(right, x), max(bottom, y))
                }
            }
            // About a third of the logo is behind a plain strip.
            if let cover, place.x * cos(cover) + place.y * sin(cover) > 0.14 {
                for channel in 0..<3 { pixel[channel] = [90, 150, 70][channel] }
            }
        }
        truths.append(Box(x: left - 0.5, y: top - 0.5, width: right - left + 1, height: bottom - top + 1))
    }

    /// Blurs the image with two box filters of 3 × 3 pixels.
    private func soften() {
        let (width, height) = (image.image.width, image.image.height)
        for _ in 0..<2 {
            let from = image.image.bytes
            for y in 1..<height - 1 {
                let row = image.image.row(y)
                for i in 3..<3 * (width - 1) {
                    var sum = 0
                    for dy in -1...1 { for dx in -1...1 { sum += Int(from[(y + dy) * 3 * width + i + 3 * dx]) } }
                    row[i] = UInt8(sum / 9)
                }
            }
        }
    }

    /// Returns the logos that a detector finds.
    func matches(_ detector: LogoDetector) throws -> [LogoMatch] {
        let gray = OwnedImage(.gray8)
        try gray.fill(grayOf: image.image)
        defer { withExtendedLifetime((gray, image)) {} }
        return try detector.matches(in: gray.image, colors: FrameImage(image.image))
    }
}

extension Homography {
    /// Returns the point that the map takes to `target`.
    fileprivate func inverse(_ target: Point) -> Point {
        // (xx - X wx) x + (xy - X wy) y = X - x0, and the same for y.
        let map = AffineMap(
            xx: affine.xx - target.x * wx, xy: affine.xy - target.x * wy, x0: affine.x0,
            yx: affine.yx - target.y * wx, yy: affine.yy - target.y * wy, y0: affine.y0)
        return map.inverse(target)
    }
}
