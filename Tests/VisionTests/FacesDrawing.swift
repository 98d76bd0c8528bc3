// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Vision

/// Drawn faces of humans and cats that the cascades detect: blurred ellipses and triangles on a grey background.
final class DrawnScene {
    let picture: GrayPicture

    init(width: Int, height: Int, level: UInt8) {
        picture = GrayPicture(width: width, height: height, level: level)
    }

    /// Draws a face of `size` pixels around `center`, rotated clockwise by `tilt` degrees.
    func draw(_ species: Species, center: Point, size: Double, tilt: Double) {
        // The sprite is at most about twice as large as the face. A stronger reduction would cause aliasing.
        let sprite = DrawnSprite.sprite(species, unit: size > 140 ? 1 : 0.5)
        let step = 200 / size * sprite.unit
        let c = cos(tilt * .pi / 180) * step
        let s = sin(tilt * .pi / 180) * step
        let reach = Int(size * 0.95) + 2
        for y in max(0, Int(center.y) - reach)..<max(0, min(picture.height, Int(center.y) + reach)) {
            for x in max(0, Int(center.x) - reach)..<max(0, min(picture.width, Int(center.x) + reach)) {
                let dx = Double(x) + 0.5 - center.x
                let dy = Double(y) + 0.5 - center.y
                let (level, alpha) = sprite.sample(c * dx + s * dy, c * dy - s * dx)
                guard alpha > 0 else { continue }
                let mixed = Float(picture[x, y]) * (1 - alpha) + level
                picture[x, y] = UInt8(max(0, min(255, mixed.rounded())))
            }
        }
    }

    /// Adds noise of up to ± `amount` levels. The same seed gives the same noise.
    func addNoise(_ amount: Int, seed: UInt64) {
        var state = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        for i in 0..<picture.stride * picture.height {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let noise = Int(state >> 33) % (2 * amount + 1) - amount
            picture.pixels[i] = UInt8(max(0, min(255, Int(picture.pixels[i]) + noise)))
        }
    }
}

/// An upright face on a transparent background. `unit` is the number of pixels per 1/200 of the face's size.
final class DrawnSprite: @unchecked Sendable {  // The object does not change after its initialisation.
    static let humans = (DrawnSprite(.human, unit: 1), DrawnSprite(.human, unit: 0.5))
    static let cats = (DrawnSprite(.cat, unit: 1), DrawnSprite(.cat, unit: 0.5))

    static func sprite(_ species: Species, unit: Double) -> DrawnSprite {
        let pair = species == .human ? humans : cats
        return unit == 1 ? pair.0 : pair.1
    }

    let unit: Double
    /// Half of `side`, in pixels. The face is in the centre.
    private let half: Int
    private let side: Int
    /// `levels` contains each level multiplied by its alpha.
    private let levels: UnsafeMutablePointer<Float>
    private let alphas: UnsafeMutablePointer<Float>

    private init(_ species: Species, unit: Double) {
        self.unit = unit
        half = Int(178 * unit)
        side = 2 * half
        levels = .allocate(capacity: side * side)
        alphas = .allocate(capacity: side * side)
        levels.initialize(repeating: 0, count: side * side)
        alphas.initialize(repeating: 0, count: side * side)
        switch species {
        case .human: drawHuman()
        case .cat: drawCat()
        }
    }

    /// Returns the level multiplied by the alpha, and the alpha. The position is in sprite pixels relative to the
    /// centre.
    func sample(_ x: Double, _ y: Double) -> (Float, Float) {
        let left = x + Double(half) - 0.5
        let top = y + Double(half) - 0.5
        guard left >= 0, top >= 0, left < Double(side - 1), top < Double(side - 1) else { return (0, 0) }
        let column = Int(left)
        let i = Int(top) * side + column
        let u = Float(left - Double(column))
        let v = Float(top - top.rounded(.down))
        let (a, b, c, d) = ((1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v)
        return (
            levels[i] * a + levels[i + 1] * b + levels[i + side] * c + levels[i + side + 1] * d,
            alphas[i] * a + alphas[i + 1] * b + alphas[i + side] * c + alphas[i + side + 1] * d
        )
    }

    // MARK: - Shapes

    private struct Shape {
        var x: Double
        var y: Double
        var reach: Double
        /// Returns true if the shape contains a position. The position is relative to (`x`, `y`).
        var contains: (Double, Double) -> Bool
    }

    private func ellipse(
        _ x: Double, _ y: Double, _ a: Double, _ b: Double, _ level: Double, soft: Double = 0.8, alpha: Double = 1,
        tilt: Double = 0
    ) {
        let c = cos(tilt * .pi / 180)
        let s = sin(tilt * .pi / 180)
        let shape = Shape(x: x, y: y, reach: max(a, b)) { dx, dy in
            let along = (c * dx + s * dy) / a
            let across = (c * dy - s * dx) / b
            return along * along + across * across <= 1
        }
        mix(shape, level, soft: soft, alpha: alpha)
    }

    private func triangle(_ points: [(x: Double, y: Double)], _ level: Double, soft: Double) {
        let x = points.map(\.x).reduce(0, +) / 3
        let y = points.map(\.y).reduce(0, +) / 3
        let reach = points.map { max(abs($0.x - x), abs($0.y - y)) }.max() ?? 0
        let shape = Shape(x: x, y: y, reach: reach) { dx, dy in
            var signs = 0
            for i in 0..<3 {
                let (p, q) = (points[i], points[(i + 1) % 3])
                let cross = (q.x - p.x) * (y + dy - p.y) - (q.y - p.y) * (x + dx - p.x)
                signs += cross >= 0 ? 1 : -1
            }
            return abs(signs) == 3
        }
        mix(shape, level, soft: soft, alpha: 1)
    }

    /// Blends a level into the sprite. The weight is the mask of the shape, blurred with a Gaussian (sigma: `soft`
    /// units).
    private func mix(_ shape: Shape, _ level: Double, soft: Double, alpha: Double) {
        let sigma = max(0.3, soft * unit)
        let radius = Int((3 * sigma).rounded(.up))
        let reach = Int((shape.reach * unit).rounded(.up)) + radius + 1
        let left = max(0, Int(shape.x * unit) + half - reach)
        let top = max(0, Int(shape.y * unit) + half - reach)
        let width = min(side, Int(shape.x * unit) + half + reach) - left
        let height = min(side, Int(shape.y * unit) + half + reach) - top
        guard width > 0, height > 0 else { return }
        let mask = UnsafeMutablePointer<Float>.allocate(capacity: width * height)
        let blurred = UnsafeMutablePointer<Float>.allocate(capacity: width * height)
        defer {
            mask.deallocate()
            blurred.deallocate()
        }
        for y in 0..<height {
            for x in 0..<width {
                var inside = 0
                for sample in 0..<4 {
                    let px = (Double(left + x - half) + 0.25 + 0.5 * Double(sample & 1)) / unit - shape.x
                    let py = (Double(top + y - half) + 0.25 + 0.5 * Double(sample >> 1)) / unit - shape.y
                    inside += shape.contains(px, py) ? 1 : 0
                }
                mask[y * width + x] = Float(inside) / 4
            }
        }
        let kernel = (-radius...radius).map { Float(exp(-Double($0 * $0) / (2 * sigma * sigma))) }
        let sum = kernel.reduce(0, +)
        for y in 0..<height {
            for x in 0..<width {
                var value: Float = 0
                for k in max(-radius, -x)...min(radius, width - 1 - x) {
                    value += kernel[k + radius] * mask[y * width + x + k]
                }
                blurred[y * width + x] = value / sum
            }
        }
        for y in 0..<height {
            for x in 0..<width {
                var value: Float = 0
                for k in max(-radius, -y)...min(radius, height - 1 - y) {
                    value += kernel[k + radius] * blurred[(y + k) * width + x]
                }
                let weight = value / sum * Float(alpha)
                let i = (top + y) * side + left + x
                levels[i] = levels[i] * (1 - weight) + Float(level) * weight
                alphas[i] = alphas[i] * (1 - weight) + weight
            }
        }
    }

    // MARK: - Faces

    private func drawHuman() {
        let skin = 169.0
        let dark = 33.0
        ellipse(0, -8, 113, 133, dark, soft: 3)
        ellipse(0, 95, 38, 50, 0.75 * skin, soft: 4)
        ellipse(0, 6, 76, 121, skin, soft: 2.5)
        ellipse(0, -40, 46, 24, 1.25 * skin, soft: 12, alpha: 0.7)
        for s in [-1.0, 1.0] {
            ellipse(36 * s, -14, 23, 16, 0.44 * skin, soft: 7, alpha: 0.9)
            ellipse(36 * s, -34, 22, 3.5, dark, soft: 1.5)
            ellipse(36 * s, -14, 12, 5.2, 234)
            ellipse(36 * s, -14, 6.7, 6.7, 30)
            ellipse(36 * s, -18.6, 14, 3, dark)
            ellipse(40 * s, 28, 20, 16, 1.06 * skin, soft: 9, alpha: 0.8)
        }
        ellipse(0, 2, 8, 27, 1.11 * skin, soft: 4)
        for s in [-1.0, 1.0] { ellipse(9 * s, 38, 5, 3, 0.45 * skin) }
        ellipse(0, 45, 16, 5, 0.75 * skin, soft: 4)
        ellipse(0, 77, 33, 11, 110, soft: 2)
        ellipse(0, 76, 32, 2, dark)
        ellipse(0, 92, 20, 5, 0.72 * skin, soft: 4, alpha: 0.7)
    }

    private func drawCat() {
        let fur = 137.0
        let dark = 30.0
        for s in [-1.0, 1.0] {
            let ear = [(x: 21 * s, y: -62.0), (x: 72 * s, y: -30.0), (x: 54 * s, y: -156.0)]
            triangle(ear, 0.76 * fur, soft: 1.5)
            let middle = (x: 49 * s, y: -248.0 / 3)
            let inner = ear.map {
                (x: middle.x + 0.59 * ($0.x - middle.x), y: middle.y + 0.59 * ($0.y - middle.y))
            }
            triangle(inner, 142, soft: 1.5)
        }
        ellipse(0, 0, 106, 114, fur, soft: 3)
        ellipse(0, -40, 10, 30, 0.67 * fur, alpha: 0.8)
        for s in [-1.0, 1.0] {
            ellipse(18 * s, -48, 4, 20, 0.57 * fur, tilt: 10 * s)
            ellipse(42 * s, -10, 25, 16, 0.53 * fur, soft: 3, tilt: -16 * s)
            ellipse(42 * s, -10, 21, 13.6, 145, soft: 1.2, tilt: -16 * s)
            ellipse(40 * s, -10, 8, 14, 10)
            ellipse(37 * s, -15, 3, 3, 255)
            ellipse(20 * s, 46, 24, 20, 1.79 * fur, soft: 4)
        }
        ellipse(0, 12, 13, 30, 1.33 * fur, soft: 6, alpha: 0.8)
        ellipse(0, 60, 18, 10, 1.42 * fur)
        ellipse(0, 33, 12, 10, 124)
        for s in [-1.0, 1.0] {
            ellipse(6 * s, 36, 3, 2, dark)
            ellipse(13 * s, 55, 13, 3, dark, tilt: -12 * s)
        }
        ellipse(0, 49, 1.5, 10, dark)
    }
}
