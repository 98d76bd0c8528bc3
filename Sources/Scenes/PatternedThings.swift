// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

// Objects with several colours: clothes pegs and buttons, which exist in two colours each, and objects with a pattern.
// No point of an object is more than 165 units of `Portrait` from the origin.

extension Portrait {
    /// Creates an object on paper. Its outline is the union of all shapes.
    private init(parts: (Color, [Point])...) {
        self.init(background: nil)
        for (color, shape) in parts { add(shape, color) }
    }

    private mutating func add(_ shape: [Point], _ color: Color) { polygon(shape, color, soft: 0.8) }

    // MARK: Two of a shape

    static func peg(_ color: Color) -> Portrait {
        let lever = points(
            (-140, -1), (-144, -10), (-128, -27), (-30, -30), (20, -31), (134, -49), (141, -46), (144, -30), (140, -24),
            (40, -7), (8, -3), (-44, -2), (-52, -9), (-64, -13), (-78, -11), (-88, -2))
        let light = points((-130, -20), (-124, -23), (-34, -26), (-32, -21), (-126, -16))
        let teeth = [-136.0, -124, -112, -100].map { x in points((x, -1), (x + 4, -7), (x + 8, -1)) }
        let ridges = [62.0, 76, 90, 104, 118].map { x in
            points(
                (x, -33 - 0.15 * (x - 40)), (x + 6, -34 - 0.15 * (x - 40)), (x + 11, -8 - 0.17 * (x - 40)),
                (x + 5, -7 - 0.17 * (x - 40)))
        }
        var peg = Portrait(background: nil)
        for (shapes, factor) in [([lever], 1), ([light], 1.22), (teeth + ridges, 0.7)] {
            for shape in shapes { for half in [shape, shape.mirrored] { peg.add(half, factor * color) } }
        }
        // Draw the two arms of the clothes peg's spring. The coil of the spring is visible from its end.
        for x in [-24.0, 10] { peg.add(rounded(x, -37, x + 11, 37, 5), Color(124, 128, 134)) }
        peg.add(circle(-1, 0, 17), Color(98, 102, 108))
        peg.add(circle(-1, 0, 9), Color(160, 164, 170))
        return peg
    }

    static func button(_ color: Color) -> Portrait {
        func disc(_ radius: Double) -> [Point] {
            circle(0, 0, radius, steps: 64)
                .without(circle(-24, -24, 13), circle(24, -24, 13), circle(-24, 24, 13), circle(24, 24, 13))
        }
        return Portrait(
            parts: (0.82 * color, disc(118)), (1.12 * color, disc(112)), (color, disc(104)), (0.8 * color, disc(80)),
            (0.95 * color, disc(76)))
    }

    // MARK: Patterns

    static var playingCard: Portrait {
        let (red, cream) = (Color(166, 30, 44), Color(236, 222, 196))
        var card = Portrait(
            parts: (red, rounded(-92, -134, 92, 134, 14)), (cream, rounded(-80, -122, 80, 122, 8)),
            (red, rounded(-74, -116, 74, 116, 5)))
        for row in 0..<9 {
            for column in 0..<5 {
                let (x, y) = (-56 + 28 * Double(column), -100 + 25 * Double(row))
                let size = (row + column) % 2 == 0 ? 10.0 : 5
                card.add(points((x, y - 1.1 * size), (x + size, y), (x, y + 1.1 * size), (x - size, y)), cream)
            }
        }
        card.add(circle(0, 0, 34), cream)
        card.add(circle(0, 0, 28), red)
        card.add(points((0, -22), (6, -6), (22, 0), (6, 6), (0, 22), (-6, 6), (-22, 0), (-6, -6)), cream)
        return card
    }

    static var domino: Portrait {
        let ivory = Color(232, 228, 214)
        var domino = Portrait(
            parts: (Color(30, 30, 34), rounded(-134, -68, 134, 68, 14)),
            (Color(50, 50, 56), rounded(-128, -62, 128, 62, 10)), (ivory, rounded(-2.5, -52, 2.5, 52, 2)))
        for (x, y) in [(-100.0, -36.0), (-32, -36), (-66, 0), (-100, 36), (-32, 36), (34, -36), (68, 0), (102, 36)] {
            domino.add(circle(x, y, 12, steps: 24), ivory)
        }
        return domino
    }

    static var postageStamp: Portrait {
        /// Returns one side of the stamp's perforated edge, from the left corner to the last hole before the right
        /// corner.
        func teeth(_ count: Int, _ half: Double) -> [Point] {
            let step = (2 * half - 10) / Double(count)
            return [Point(-half, 0)]
                + (0..<count).flatMap { hole in
                    arc(
                        Point(5 - half + step * (Double(hole) + 0.5), 0), 0.3 * step, from: 180, to: 0, steps: 6)
                }
        }
        func side(_ teeth: [Point], _ distance: Double, _ angle: Double) -> [Point] {
            teeth.moved(0, -distance).map(PortraitPlacement(origin: Point(0, 0), scale: 1, tilt: angle).pixel)
        }
        let (short, long) = (teeth(8, 96), teeth(10, 120))
        let edge = side(short, 120, 0) + side(long, 96, 90) + side(short, 120, 180) + side(long, 96, 270)
        return Portrait(
            parts: (Color(206, 186, 140), edge),
            (Color(92, 152, 196), points((-76, -100), (76, -100), (76, 68), (-76, 68))),
            (Color(246, 214, 96), circle(40, -58, 22)),
            (Color(70, 84, 112), points((-76, 68), (-76, 20), (-34, -44), (12, 26), (34, 0), (76, 48), (76, 68))),
            (Color(238, 240, 244), points((-34, -44), (-16, -16), (-28, -20), (-38, -10), (-52, -16))),
            (Color(44, 104, 66), points((-76, 68), (-76, 48), (-20, 38), (30, 54), (76, 44), (76, 68))),
            (Color(120, 40, 44), points((-76, 78), (-20, 78), (-20, 98), (-76, 98))),
            (Color(120, 40, 44), points((8, 82), (76, 82), (76, 88), (8, 88))),
            (Color(120, 40, 44), points((8, 92), (56, 92), (56, 98), (8, 98))))
    }

    static var biscuit: Portrait {
        /// Returns the outline of a rectangle whose edge consists of round lobes.
        func edge(_ halfWidth: Double, _ halfHeight: Double, _ size: Double) -> [Point] {
            func side(_ half: Double, _ distance: Double, _ angle: Double) -> [Point] {
                let count = Int((2 * half / 21).rounded())
                let step = 2 * half / Double(count)
                let lobes = (0..<count).flatMap { lobe in
                    arc(
                        Point(-half + step * (Double(lobe) + 0.5), -distance), 0.5 * step, size, from: 180, to: 360,
                        steps: 6)
                }
                let corner = arc(Point(half, -distance), 11, from: 200, to: 430, steps: 10)
                return (lobes + corner).map(PortraitPlacement(origin: Point(0, 0), scale: 1, tilt: angle).pixel)
            }
            return side(halfWidth, halfHeight, 0) + side(halfHeight, halfWidth, 90) + side(halfWidth, halfHeight, 180)
                + side(halfHeight, halfWidth, 270)
        }
        var biscuit = Portrait(
            parts: (Color(176, 116, 56), edge(112, 78, 9)), (Color(208, 156, 92), edge(108, 74, 7)),
            (Color(190, 134, 72), rounded(-98, -66, 98, 66, 4)), (Color(212, 162, 98), rounded(-95, -63, 95, 63, 4)))
        for row in 0..<4 {
            for column in 0..<6 {
                biscuit.add(
                    circle(-77.5 + 31 * Double(column), -46.5 + 31 * Double(row), 6, steps: 16), Color(120, 74, 34))
            }
        }
        return biscuit
    }

    static var pencil: Portrait {
        let paint = points(
            (-104, -15), (84, -15), (91, -10), (85, -5), (93, 0), (85, 5), (91, 10), (84, 15), (-104, 15))
        return Portrait(
            parts: (Color(228, 192, 142), points((70, -15), (80, -15), (142, -1), (142, 1), (80, 15), (70, 15))),
            (Color(44, 44, 50), points((120, -6), (145, 0), (120, 6))), (Color(240, 196, 64), paint),
            (Color(216, 166, 28), points((-104, -15), (84, -15), (88, -12), (85, -5), (-104, -5))),
            (Color(176, 128, 18), points((-104, 6), (86, 6), (90, 9), (84, 15), (-104, 15))),
            (Color(150, 154, 160), points((-122, -16), (-100, -16), (-100, 16), (-122, 16))),
            (Color(96, 100, 108), points((-117, -16), (-113, -16), (-113, 16), (-117, 16))),
            (Color(96, 100, 108), points((-108, -16), (-104, -16), (-104, 16), (-108, 16))),
            (Color(214, 116, 122), rounded(-144, -14, -121, 14, 7)))
    }

    static var toyCar: Portrait {
        let (paint, glass) = (Color(226, 110, 24), Color(150, 200, 220))
        let body =
            points((-134, 34), (-138, 4), (-128, -10), (-84, -18))
            + curve(Point(-84, -18), Point(-58, -62), Point(-30, -64))
            + curve(Point(24, -64), Point(48, -62), Point(68, -18))
            + curve(Point(68, -18), Point(128, -14), Point(136, 10)) + points((140, 34))
        var car = Portrait(
            parts: (paint, body), (0.8 * paint, points((-136, 16), (138, 16), (140, 34), (-134, 34))),
            (glass, points((-64, -20), (-44, -50), (-12, -53), (-12, -20))),
            (glass, points((-2, -20), (-2, -53), (22, -53), (36, -48), (52, -20))),
            (Color(250, 236, 150), circle(126, 6, 8)), (Color(150, 24, 28), rounded(-138, -4, -128, 12, 3)),
            (0.7 * paint, points((-9, -14), (-5, -14), (-5, 26), (-9, 26))), (0.6 * paint, rounded(2, -8, 20, -3, 2)))
        for x in [-78.0, 82] {
            car.add(circle(x, 36, 33), 0.55 * paint)
            car.add(circle(x, 38, 29), Color(36, 36, 40))
            car.add(circle(x, 38, 14), Color(190, 194, 200))
            car.add(circle(x, 38, 5), Color(90, 94, 100))
        }
        return car
    }
}
