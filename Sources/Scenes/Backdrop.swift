// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Drawing
package import Imaging

/// A background with many dark and bright letters and shapes, which are distractors for logo detectors.
package struct Backdrop: Sendable {
    private var items: [Item] = []

    private struct Item: Sendable {
        let shape: Clutter
        let center: Point
        /// The height of the letter or shape, in pixels.
        let size: Double
        let tilt: Double
        let ink: Color
        /// The panel behind the shape; nil for no panel.
        let panel: (rectangle: Rectangle, color: Color)?
    }

    private static let paper = Color(196, 192, 184)

    /// - Parameters:
    ///   - seed: seed of the letters, the shapes and their positions.
    ///   - width: width of the frame in pixels.
    ///   - height: height of the frame in pixels.
    package init(seed: UInt64, width: Int, height: Int) {
        var random = SeededRandom(seed: seed ^ 0x57A1_1ED0)
        let (width, height) = (min(1 << 14, max(0, width)), min(1 << 14, max(0, height)))
        let side = max(24, min(width, height) / 5)
        let (columns, rows) = ((width + side - 1) / side, (height + side - 1) / side)
        for row in 0..<rows {
            for column in 0..<columns {
                let cell = Rectangle(x: column * side, y: row * side, width: side, height: side)
                let length = Double(side)
                let center = Point(
                    Double(cell.x) + length * random.between(0.35, 0.65),
                    Double(cell.y) + length * random.between(0.35, 0.65))
                let hasPanel = random.between(0, 1) < 0.3
                let dark = random.between(0.5, 1.4) * random.pick(Self.colors)
                let bright = random.between(0.95, 1.05) * random.pick([Color(236, 232, 220), Color(248, 214, 96)])
                items.append(
                    Item(
                        shape: random.between(0, 1) < 0.6
                            ? .letter(random.pick(Letter.all)) : random.pick(Clutter.shapes),
                        center: center, size: length * random.between(0.3, 0.95), tilt: random.between(-180, 180),
                        ink: hasPanel ? bright : dark, panel: hasPanel ? (cell, dark) : nil))
            }
        }
    }

    private static let colors = [
        Color(30, 34, 40), Color(150, 36, 40), Color(32, 96, 60), Color(40, 70, 140), Color(120, 60, 130),
        Color(130, 84, 30),
    ]

    /// Draws the backdrop over the whole frame.
    package func draw(on frame: FrameImage) {
        frame.fill(frame.bounds, color: Self.paper)
        for item in items {
            if let panel = item.panel { frame.fill(panel.rectangle, color: panel.color) }
            let placement = PortraitPlacement(origin: item.center, scale: item.size, tilt: item.tilt)
            item.shape.draw(on: frame, at: placement, color: item.ink)
        }
    }
}

/// A letter or another shape in the background. The centre of the shape is the origin, and its height is 1.
private enum Clutter: Sendable {
    case letter(Letter)
    case disc, ring, triangle, square, star, cross, arrow

    static let shapes: [Clutter] = [.disc, .ring, .triangle, .square, .star, .cross, .arrow]

    func draw(on frame: FrameImage, at placement: PortraitPlacement, color: Color) {
        func polygon(_ corners: [Point]) { frame.polygon(corners.map(placement.pixel), color: color) }
        switch self {
        case .letter(let letter):
            for line in letter.lines {
                for (start, end) in zip(line, line.dropFirst()) {
                    frame.line(
                        from: placement.pixel(start), to: placement.pixel(end), width: Letter.width * placement.scale,
                        color: color)
                }
            }
        case .disc: frame.disc(placement.origin, radius: 0.45 * placement.scale, color: color)
        case .ring:
            frame.circle(
                placement.origin, radius: 0.38 * placement.scale, lineWidth: 0.16 * placement.scale, color: color)
        case .triangle: polygon([Point(0, -0.5), Point(0.5, 0.4), Point(-0.5, 0.4)])
        case .square: polygon([Point(-0.4, -0.4), Point(0.4, -0.4), Point(0.4, 0.4), Point(-0.4, 0.4)])
        case .star:
            polygon(
                (0..<10).map { i in
                    let (sine, cosine) = sineAndCosine(degrees: 36 * Double(i))
                    let radius = i % 2 == 0 ? 0.5 : 0.21
                    return Point(radius * sine, -radius * cosine)
                })
        case .cross:
            polygon(
                [
                    (-0.15, -0.5), (0.15, -0.5), (0.15, -0.15), (0.5, -0.15), (0.5, 0.15), (0.15, 0.15), (0.15, 0.5),
                    (-0.15, 0.5), (-0.15, 0.15), (-0.5, 0.15), (-0.5, -0.15), (-0.15, -0.15),
                ].map { Point($0.0, $0.1) })
        case .arrow:
            polygon([
                Point(-0.5, -0.14), Point(0, -0.14), Point(0, -0.42), Point(0.5, 0), Point(0, 0.42), Point(0, 0.14),
                Point(-0.5, 0.14),
            ])
        }
    }
}

/// A letter or digit that consists of lines. Its centre is the origin, and its height is 1.
private struct Letter: Sendable {
    /// Width of the lines. The height of the letter is 1.
    static let width = 0.15

    let lines: [[Point]]

    private init(_ lines: [(Double, Double)]...) { self.lines = lines.map { $0.map { Point($0.0, $0.1) } } }

    /// Returns points on an elliptical arc. Angles are in degrees, clockwise from the right.
    private static func bow(
        _ x: Double, _ y: Double, _ halfWidth: Double, _ halfHeight: Double, from start: Double = 0,
        to end: Double = 360
    ) -> [(Double, Double)] {
        arc(Point(x, y), halfWidth, halfHeight, from: start, to: end, steps: 12).map { ($0.x, $0.y) }
    }

    static let all: [Letter] = [
        Letter([(-0.3, 0.42), (0, -0.42), (0.3, 0.42)], [(-0.2, 0.14), (0.2, 0.14)]),
        Letter(
            [(-0.24, -0.42), (-0.24, 0.42)], [(-0.24, -0.42), (0, -0.42)] + bow(0, -0.22, 0.2, 0.2, from: -90, to: 90),
            [(-0.24, -0.02), (0.04, -0.02)] + bow(0.04, 0.2, 0.22, 0.22, from: -90, to: 90) + [(-0.24, 0.42)]),
        Letter(bow(0, 0, 0.3, 0.42, from: -50, to: -310)),
        Letter([(-0.24, -0.42), (-0.24, 0.42)] + bow(-0.06, 0, 0.34, 0.42, from: 90, to: -90) + [(-0.24, -0.42)]),
        Letter([(0.24, -0.42), (-0.24, -0.42), (-0.24, 0.42), (0.24, 0.42)], [(-0.24, 0), (0.16, 0)]),
        Letter([(0.24, -0.42), (-0.24, -0.42), (-0.24, 0.42)], [(-0.24, 0), (0.16, 0)]),
        Letter([(-0.26, -0.42), (-0.26, 0.42)], [(0.26, -0.42), (0.26, 0.42)], [(-0.26, 0), (0.26, 0)]),
        Letter([(-0.24, -0.42), (-0.24, 0.42)], [(0.24, -0.42), (-0.24, 0.06)], [(-0.08, -0.08), (0.26, 0.42)]),
        Letter([(-0.3, 0.42), (-0.3, -0.42), (0, 0.1), (0.3, -0.42), (0.3, 0.42)]),
        Letter([(-0.26, 0.42), (-0.26, -0.42), (0.26, 0.42), (0.26, -0.42)]),
        Letter(bow(0, 0, 0.32, 0.42)),
        Letter(
            [(-0.22, 0.42), (-0.22, -0.42), (0.02, -0.42)] + bow(0.02, -0.18, 0.22, 0.24, from: -90, to: 90)
                + [(-0.22, 0.06)]),
        Letter(bow(0, 0, 0.32, 0.42), [(0.08, 0.16), (0.32, 0.44)]),
        Letter(
            [(-0.24, 0.42), (-0.24, -0.42), (0, -0.42)] + bow(0, -0.2, 0.22, 0.22, from: -90, to: 90)
                + [(-0.24, 0.02)], [(0, 0.02), (0.26, 0.42)]),
        Letter(bow(0, -0.21, 0.24, 0.21, from: -20, to: -270) + bow(0, 0.21, 0.26, 0.21, from: -90, to: 160)),
        Letter([(-0.3, -0.42), (0.3, -0.42)], [(0, -0.42), (0, 0.42)]),
        Letter([(-0.26, -0.42), (-0.26, 0.16)] + bow(0, 0.16, 0.26, 0.26, from: 180, to: 0) + [(0.26, -0.42)]),
        Letter([(-0.28, -0.42), (0.28, 0.42)], [(0.28, -0.42), (-0.28, 0.42)]),
        Letter([(-0.26, -0.42), (0.26, -0.42), (-0.26, 0.42), (0.26, 0.42)]),
        Letter([(0.1, 0.42), (0.1, -0.42), (-0.28, 0.16), (0.28, 0.16)]),
        Letter(bow(0, 0.18, 0.24, 0.24), [(-0.24, 0.16), (-0.04, -0.42)]),
        Letter(bow(0, -0.21, 0.21, 0.2), bow(0, 0.2, 0.25, 0.22)),
    ]
}
