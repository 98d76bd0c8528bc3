// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Vision

/// A plain thing with a straight edge between it and the ground, in any turn and size.
struct SilhouetteScene {
    var width = 400
    var height = 400
    /// Place of the thing's middle, and the number of pixels for a unit.
    var center = Point(200, 200)
    var unit = 150.0
    /// Turn in radians.
    var angle = 0.0
    /// Blue, green and red of ground and thing.
    var ground = SIMD3(255.0, 255, 255)
    var color = SIMD3(0.0, 0, 0)
    /// Factor on all light, and the share by which it falls from the left edge to the right one.
    var light = 1.0
    var fall = 0.0
    /// Standard deviations of the blur in pixels and of the noise in levels.
    var blur = 0.0
    var noise = 0.0
    /// The way from the thing to its hard shadow in pixels, the shadow's own blur, and the share of the light that it lacks.
    var shadow = Point(0, 0)
    var penumbra = 0.0
    var darkness = 0.0

    /// Creates a clean scene for a training picture.
    init() {}

    /// Creates a scene of any size from 0.05 to 0.6 of the frame's height, in any turn, with light ±20 %.
    init(_ random: inout SeededRandom, color: SIMD3<Double> = [34, 32, 30]) {
        (width, height) = [(1280, 720), (960, 540), (640, 480)].randomElement(using: &random) ?? (640, 480)
        unit = Double(height) * random.between(0.05, 0.6) / 2
        center = Point(
            random.between(unit + 4, Double(width) - unit - 4), random.between(unit + 4, Double(height) - unit - 4))
        angle = random.between(0, 2 * .pi)
        let white = random.between(190, 205)
        ground = [white * random.between(0.96, 1), white, white * random.between(1, 1.03)]
        self.color = color
        light = random.between(0.8, 1.2)
        fall = random.between(-0.1, 0.1)
        blur = random.between(0.3, 1.1) * Double(height) / 720
        noise = random.between(0.5, 3)
    }

    /// Creates such a scene of 0.1 to 0.5 of the frame's height, with a hard shadow up to the thing's own size away.
    init(inHardLight random: inout SeededRandom, color: SIMD3<Double> = [34, 32, 30]) {
        self.init(&random, color: color)
        unit = Double(height) * random.between(0.1, 0.5) / 2
        center = Point(
            random.between(unit + 4, Double(width) - unit - 4), random.between(unit + 4, Double(height) - unit - 4))
        let (way, direction) = (2 * unit * random.between(0, 1), random.between(0, 2 * .pi))
        shadow = Point(way * cos(direction), way * sin(direction))
        penumbra = 0.02 * unit
        darkness = random.between(0.3, 0.6)
    }

    /// Returns corners of the thing in pixels.
    private func placed(_ corners: [Point]) -> [Point] {
        let (c, s) = (cos(angle) * unit, sin(angle) * unit)
        return corners.map { Point(center.x + c * $0.x - s * $0.y, center.y + s * $0.x + c * $0.y) }
    }

    /// Returns the thing as it may be outlined in a frame that was reduced to 240 rows.
    func blob(_ parts: [[Point]]) -> Blob {
        let pixel = Double(height) / 240
        let outline = placed(parts[0]).map { Point(($0.x / pixel).rounded() * pixel, ($0.y / pixel).rounded() * pixel) }
        return Blob(box: Self.box(outline), outline: outline, area: outline.enclosedArea, color: 0)
    }

    /// Returns the box of the thing alone.
    func box(_ parts: [[Point]]) -> Box { Self.box(placed(parts[0])) }

    private static func box(_ outline: [Point]) -> Box {
        let (left, right) = (outline.map(\.x).min() ?? 0, outline.map(\.x).max() ?? 0)
        let (top, bottom) = (outline.map(\.y).min() ?? 0, outline.map(\.y).max() ?? 0)
        return Box(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// Draws the thing.
    func picture(_ parts: [[Point]], _ random: inout SeededRandom) -> ColorPicture {
        let picture = ColorPicture(width: width, height: height)
        let thing = parts.map(placed)
        let area = Area(thing, blur: blur, width: width, height: height)
        let cast = darkness > 0 ? thing.map { part in part.map { Point($0.x + shadow.x, $0.y + shadow.y) } } : []
        let dark = Area(cast, blur: hypot(blur, penumbra), width: width, height: height)
        // Three numbers have about a normal distribution.
        let errors = (0..<4096).map { _ in
            (random.between(-1, 1) + random.between(-1, 1) + random.between(-1, 1)) * noise
        }
        let lights = (0..<width).map { light * (1 - fall * (Double($0) / Double(width) - 0.5)) }
        let (low, high) = ([ground.x, ground.y, ground.z], [color.x, color.y, color.z])
        for y in 0..<height {
            let row = picture.pixels + y * picture.stride
            var place = Int.random(in: 0..<4096, using: &random)
            for x in 0..<width {
                place = (place &+ 1) & 4095
                let share = area.cover(x, y), paper = 1 - darkness * dark.cover(x, y)
                for channel in 0..<3 {
                    let level = (paper * low[channel] * (1 - share) + high[channel] * share) * lights[x] + errors[place]
                    row[4 * x + channel] = UInt8(max(0, min(255, level)))
                }
            }
        }
        return picture
    }
}

/// The share of each pixel that lies inside of polygons (even and odd), blurred.
private struct Area {
    private let left: Int
    private let top: Int
    private let width: Int
    private let height: Int
    private var shares: [Double]

    init(_ parts: [[Point]], blur: Double, width: Int, height: Int) {
        let corners = parts.joined()
        let margin = 3 * blur + 2
        left = max(0, Int((corners.map(\.x).min() ?? 0) - margin))
        top = max(0, Int((corners.map(\.y).min() ?? 0) - margin))
        self.width = max(0, min(width, Int((corners.map(\.x).max() ?? 0) + margin)) - left)
        self.height = max(0, min(height, Int((corners.map(\.y).max() ?? 0) + margin)) - top)
        shares = [Double](repeating: 0, count: self.width * self.height)
        let lines = 4
        for row in 0..<self.height {
            for line in 0..<lines {
                let y = Double(top + row) + (Double(line) + 0.5) / Double(lines)
                var crossings: [Double] = []
                for part in parts {
                    for (a, b) in zip(part, part.dropFirst() + part.prefix(1)) where (a.y <= y) != (b.y <= y) {
                        crossings.append(a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y))
                    }
                }
                crossings.sort()
                for pair in stride(from: 0, to: crossings.count - 1, by: 2) {
                    add(
                        row, from: crossings[pair] - Double(left), to: crossings[pair + 1] - Double(left),
                        1 / Double(lines))
                }
            }
        }
        guard blur > 0 else { return }
        let reach = Int((3 * blur).rounded(.up))
        let kernel = (-reach...reach).map { exp(-Double($0 * $0) / (2 * blur * blur)) }
        let sum = kernel.reduce(0, +)
        smooth(kernel.map { $0 / sum }, reach, step: 1, count: self.width)
        smooth(kernel.map { $0 / sum }, reach, step: self.width, count: self.height)
    }

    func cover(_ x: Int, _ y: Int) -> Double {
        guard x >= left, x < left + width, y >= top, y < top + height else { return 0 }
        return shares[(y - top) * width + x - left]
    }

    private mutating func add(_ row: Int, from start: Double, to end: Double, _ share: Double) {
        let (start, end) = (max(0, start), min(Double(width), end))
        guard start < end else { return }
        for x in Int(start)..<min(width, Int(end.rounded(.up))) {
            shares[row * width + x] += share * (min(end, Double(x + 1)) - max(start, Double(x)))
        }
    }

    /// Filters each line of pixels that are `step` apart.
    private mutating func smooth(_ kernel: [Double], _ reach: Int, step: Int, count: Int) {
        let from = shares
        for index in shares.indices {
            let place = step == 1 ? index % width : index / width
            var sum = 0.0
            for offset in -reach...reach where 0..<count ~= place + offset {
                sum += kernel[offset + reach] * from[index + offset * step]
            }
            shares[index] = sum
        }
    }
}
