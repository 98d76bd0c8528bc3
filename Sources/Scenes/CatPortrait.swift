// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

// The proportions of this face were found by trials with the cascade, as for the human face.

extension Portrait {
    /// Creates a cat's face that `haarcascade_frontalcatface_extended` detects. This cascade also checks the ears.
    static func cat(_ random: inout SeededRandom) -> Portrait {
        let fur =
            random.between(126, 144)
            * random.pick([
                Color(1.1, 1, 0.88), Color(1.02, 1, 0.98), Color(1.06, 1, 0.8), Color(1.22, 0.97, 0.72),
                Color(1.14, 1, 0.8),
            ])
        let iris = random.pick([Color(152, 152, 91), Color(140, 158, 88), Color(168, 148, 84)])

        var face = Portrait(
            background: Medallion(center: Point(0, -23), halfAxes: Point(138, 151), color: .gray(176), softness: 4),
            square: Square(center: Point(0, 8), side: 198),
            landmarks: FaceLandmarks(
                leftEye: Point(-40, -10), rightEye: Point(40, -10), nose: Point(0, 33), mouthLeft: Point(-25, 58),
                mouthRight: Point(25, 58)))
        // All cats have the same hairs, so the hairs do not change the other random numbers of a scene.
        var hairs = SeededRandom(seed: 1)
        face.addEars(fur, &hairs)
        face.addHead(fur, &hairs)
        face.addStripes(fur)
        face.addEyes(fur, iris)
        face.addMuzzle(fur, &hairs)
        return face
    }

    private static let dark = Color(33, 28, 28)
    private static let sides = [-1.0, 1.0]

    /// Returns the colour of pale fur.
    /// - Parameter paleness: 0 for `factor` times the colour of the fur, 1 for white.
    private static func pale(_ fur: Color, _ factor: Double, _ paleness: Double) -> Color {
        func level(_ level: Double, _ white: Double) -> Double { (1 - paleness) * factor * level + paleness * white }
        return Color(level(fur.red, 246), level(fur.green, 240), level(fur.blue, 232))
    }

    private mutating func addEars(_ fur: Color, _ hairs: inout SeededRandom) {
        let light = Self.pale(fur, 1.3, 0.4)
        for side in Self.sides {
            let ear = [(20.0, -72.0), (98, -18), (97, -60), (84, -128), (74, -146), (62, -136), (36, -104)].map {
                Point($0.0 * side, $0.1)
            }
            polygon(ear, 0.72 * fur, soft: 2)
            let middle = Point(66 * side, -78)
            let inner = ear.map {
                Point(middle.x + 0.6 * ($0.x - middle.x), middle.y + 0.66 * ($0.y - middle.y))
            }
            polygon(inner, Color(175, 130, 120), soft: 2.5)
            for step in 0..<16 {
                let t = Double(step) / 15
                let root = Point((34 + 44 * t) * side, 26 * t - 72)
                let tip = Point(root.x + hairs.between(4, 16) * side, root.y - hairs.between(24, 44))
                polygon(
                    [Point(root.x - 2, root.y + 4), tip, Point(root.x + 2, root.y + 4)], light, soft: 0.6,
                    opacity: 0.55)
            }
        }
    }

    /// Adds the head without the features of the face. The hairs point away from the nose.
    private mutating func addHead(_ fur: Color, _ hairs: inout SeededRandom) {
        ellipse(0, 2, 106, 104, fur, soft: 3)
        ellipse(0, 32, 110, 68, fur, soft: 4)
        for step in 0...63 {
            let (y, x) = sineAndCosine(degrees: 220 * Double(step) / 63 - 20)
            let edge = Point(104 * x, 22 + 78 * y)
            let length = hairs.between(8, 17) * (0.6 + 0.5 * x.magnitude)
            let tip = Point(
                edge.x + length * x + hairs.between(-3, 3), edge.y + 0.7 * length * y + hairs.between(3, 9))
            polygon(
                [
                    Point(edge.x - 4 * y - 6 * x, edge.y + 4 * x - 6 * y), tip,
                    Point(edge.x + 4 * y - 6 * x, edge.y - 4 * x - 6 * y),
                ], hairs.between(0.9, 1.08) * fur, soft: 0.8, opacity: 0.9)
        }
        ellipse(0, -62, 76, 34, 0.8 * fur, soft: 14, opacity: 0.7)
        pair(0, 70, 46, 36, 30, 1.25 * fur, soft: 12, opacity: 0.7)
        ellipse(0, 80, 44, 22, 1.3 * fur, soft: 9, opacity: 0.8)
        for _ in 0..<520 {
            let (sine, cosine) = sineAndCosine(degrees: hairs.between(0, 360))
            let radius = hairs.between(0.02, 1).squareRoot()
            let root = Point(104 * radius * cosine, 6 + 94 * radius * sine)
            let (x, y) = (root.x, root.y - 30)
            let distance = max(1, (x * x + y * y).squareRoot())
            let along = Point(x / distance, y / distance)
            let length = hairs.between(8, 15)
            polygon(
                [
                    Point(root.x - along.y, root.y + along.x),
                    Point(root.x + length * along.x, root.y + length * along.y + 0.15 * length),
                    Point(root.x + along.y, root.y - along.x),
                ], hairs.between(0.72, 1.28) * fur, soft: 0.4, opacity: 0.5)
        }
    }

    private mutating func addStripes(_ fur: Color) {
        let forehead = [(-5.0, -82.0), (0, -86), (5, -82), (6, -52), (0, -34), (-6, -52)]
        polygon(forehead.map { Point($0.0, $0.1) }, 0.55 * fur, soft: 2.5, opacity: 0.8)
        for side in Self.sides {
            func stripe(_ corners: [(Double, Double)]) -> [Point] { corners.map { Point($0.0 * side, $0.1) } }
            polygon(
                stripe([(16, -82), (22, -84), (27, -60), (20, -36), (15, -58)]), 0.52 * fur, soft: 2, opacity: 0.8)
            polygon(
                stripe([(34, -76), (40, -76), (48, -54), (44, -42), (36, -56)]), 0.58 * fur, soft: 2, opacity: 0.7)
            for row in [0.0, 1, 2] {
                let y = 14 + 17 * row
                polygon(
                    stripe([
                        (70, y - 2 + 3 * row), (98, y - 8 + 5 * row), (100, y - 4 + 5 * row), (72, y + 3 + 3 * row),
                    ]), 0.58 * fur, soft: 1.6, opacity: 0.65)
            }
        }
    }

    private mutating func addEyes(_ fur: Color, _ iris: Color) {
        pair(0, 42, -10, 27, 19, 0.5 * fur, soft: 3, angle: -14)
        pair(0, 42, -10, 22.5, 15.5, Self.dark, soft: 1, angle: -14)
        pair(0, 42, -10, 20.5, 13.6, iris, soft: 1, angle: -14)
        pair(0, 42, -4, 13, 6, 1.25 * iris, soft: 3, opacity: 0.7)
        pair(0, 40, -10, 7.5, 13, .gray(10), soft: 0.6)
        // The light comes from the right.
        for side in Self.sides { ellipse(40 * side + 3, -15.5, 3.4, 3.4, .white, soft: 0.4) }
    }

    private mutating func addMuzzle(_ fur: Color, _ hairs: inout SeededRandom) {
        let muzzle = Self.pale(fur, 1.45, 0.6)
        ellipse(0, 12, 13, 30, 1.3 * fur, soft: 6, opacity: 0.8)
        pair(0, 21, 50, 27, 20, muzzle, soft: 4)
        ellipse(0, 66, 20, 12, muzzle, soft: 4)
        ellipse(0, 80, 15, 8, 0.9 * muzzle, soft: 4)
        for index in 0..<90 {
            let side = Self.sides[index % 2]
            let (x, y) = (hairs.between(6, 44) * side, hairs.between(38, 62))
            let tip = Point(x + hairs.between(5, 11) * side, y + hairs.between(1, 6))
            polygon(
                [Point(x, y - 1), tip, Point(x, y + 1)], hairs.between(0.78, 0.98) * muzzle, soft: 0.4, opacity: 0.5)
        }
        let nose = [(-13.0, 27.0), (13, 27), (11, 35), (0, 43), (-11, 35)].map { Point($0.0, $0.1) }
        polygon(nose, Color(176, 112, 108), soft: 1.2)
        ellipse(0, 29, 7, 2, Color(205, 150, 146), soft: 1)
        pair(0, 6, 36, 3, 2, Self.dark, soft: 0.4)
        ellipse(0, 49, 1.5, 9, Self.dark, soft: 0.4)
        pair(0, 13, 58, 13, 2.6, Self.dark, soft: 0.5, angle: -14)
        for index in 0..<9 {
            pair(0, 24 + 7 * Double(index % 3), 44 + 6 * Double(index / 3), 1, 1, 0.5 * fur)
        }
        for side in Self.sides {
            for row in [-1.0, 0, 1] {
                let (root, tip) = (Point(32 * side, 47 + 5 * row), Point(108 * side, 40 + 15 * row))
                let middle = Point((root.x + tip.x) / 2, (root.y + tip.y) / 2 - 4)
                polygon(
                    [
                        Point(root.x, root.y - 1.1), middle, tip, Point(middle.x, middle.y + 1.4),
                        Point(root.x, root.y + 1.1),
                    ], Color(244, 242, 238), soft: 0.4, opacity: 0.85)
            }
        }
    }
}
