// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

// Objects with a single colour, which differ only in their outlines. No point of an object is more than 165 units of
// `Portrait` from the origin.

extension Portrait {
    /// Creates an object on paper. Its outline is the union of all shapes.
    private init(_ color: Color, _ shapes: [Point]...) {
        self.init(background: nil)
        for shape in shapes { polygon(shape, color, soft: 0.8) }
    }

    static var key: Portrait {
        Portrait(
            Color(40, 38, 40),
            arc(Point(-86, 0), 54, 46, steps: 48).without(arc(Point(-90, 0), 31, 25, steps: 36)),
            rounded(-36, -17, -24, 17, 4), rounded(-40, -9, 138, 9, 5),
            points(
                (84, 0), (84, 54), (98, 54), (98, 38), (107, 38), (107, 54), (116, 54), (116, 30), (126, 30), (126, 0)))
    }

    static var spanner: Portrait {
        let jaw =
            arc(Point(0, 0), 46, 44, from: -152, to: 152, steps: 32)
            + points((-26, 20), (6, 20), (16, 0), (6, -20), (-26, -20))
        let placement = PortraitPlacement(origin: Point(-96, 0), scale: 1, tilt: 15)
        let bolt = (0..<12).map { corner -> Point in
            let (sine, cosine) = sineAndCosine(degrees: 30 * Double(corner))
            let radius = corner % 2 == 0 ? 23.0 : 19
            return Point(104 + radius * cosine, radius * sine)
        }
        return Portrait(
            Color(74, 80, 90), jaw.map(placement.pixel), circle(104, 0, 37).without(bolt),
            points((-66, -16), (-40, -12), (60, -10), (78, -18), (78, 18), (60, 10), (-40, 12), (-66, 16)))
    }

    static var spoon: Portrait {
        let half =
            arc(Point(-92, 0), 50, 37, from: 180, to: 290, steps: 20)
            + curve(Point(-72, -34), Point(-46, -22), Point(-26, -7)) + points((40, -6), (112, -13))
        let end = arc(Point(122, 0), 20, 14, from: -90, to: 90, steps: 16)
        return Portrait(Color(58, 60, 68), half + end + half.mirrored)
    }

    static var coatHanger: Portrait {
        let shoulder =
            curve(Point(0, -26), Point(40, -22), Point(88, 10)) + curve(Point(88, 10), Point(118, 30), Point(138, 50))
        let other = shoulder.map { Point(-$0.x, $0.y) }
        let hook =
            points((0, -20)) + curve(Point(0, -36), Point(0, -49), Point(17, -64), steps: 6)
            + arc(Point(2, -82), 24, from: 50, to: -185, steps: 26)
        return Portrait(
            Color(34, 34, 38), band(other.reversed() + shoulder.dropFirst(), 19),
            band(points((-134, 52), (134, 52)), 11),
            band(hook, 9))
    }

    static var paperClip: Portrait {
        let path =
            points((60, -50)) + arc(Point(-88, 0), 50, from: -90, to: -270, steps: 28)
            + arc(Point(94, 12), 38, from: 90, to: -90, steps: 24)
            + arc(Point(-60, 0), 26, from: -90, to: -270, steps: 20) + points((66, 26))
        return Portrait(Color(62, 70, 84), band(path, 12))
    }

    static var nut: Portrait {
        let corners = arc(Point(0, 0), 116, steps: 6).dropLast()
        return Portrait(Color(84, 88, 94), Array(corners).without(circle(0, 0, 58)))
    }

    static var screw: Portrait {
        let thread = (0..<12).flatMap { turn -> [Point] in
            let x = -66 + 14 * Double(turn)
            // The last three turns of the thread become lower towards the tip of the screw.
            let height = turn < 9 ? 21.0 : 21 - 4 * Double(turn - 8)
            return points((x, -0.6 * height), (x + 5, -height), (x + 10, -0.6 * height))
        }
        let head = points((-138, -30), (-132, -36), (-126, -36), (-96, -13))
        let tip = points((112, -5), (142, 0))
        return Portrait(
            Color(66, 62, 58), head + thread + tip + (thread.mirrored.moved(7, 0).filter { $0.x < 112 }) + head.mirrored
        )
    }

    static var puzzlePiece: Portrait {
        /// Returns a side of the jigsaw piece from left to right. If `sign` is 1, the side has a knob. If `sign` is −1,
        /// the side has a hole.
        func side(_ sign: Double) -> [Point] {
            points((-78, -78), (-16, -78 + sign * 4))
                + arc(Point(0, -78 - sign * 30), 27, -sign * 27, from: 235, to: -55, steps: 24)
                .map { Point($0.x, $0.y) } + points((16, -78 + sign * 4))
        }
        let sides = [(1.0, 0.0), (1, 90), (-1, 180), (-1, 270)].flatMap { sign, angle in
            side(sign).map(PortraitPlacement(origin: Point(-12, 12), scale: 0.94, tilt: angle).pixel)
        }
        return Portrait(Color(48, 120, 72), sides)
    }

    static var heart: Portrait {
        // For the formula of the heart curve, see https://mathworld.wolfram.com/HeartCurve.html.
        let outline = (0..<72).map { step -> Point in
            let angle = 5 * Double(step)
            let sine = sineAndCosine(degrees: angle).sine
            func cosine(_ times: Double) -> Double { sineAndCosine(degrees: times * angle).cosine }
            let y = 13 * cosine(1) - 5 * cosine(2) - 2 * cosine(3) - cosine(4)
            return Point(7.2 * 16 * sine * sine * sine, -7.2 * (y + 2.5))
        }
        return Portrait(Color(184, 36, 52), outline)
    }

    static var toothbrush: Portrait {
        let tufts = (0..<6).flatMap { tuft -> [Point] in
            let x = -136 + 11 * Double(tuft)
            let top = tuft % 2 == 0 ? -46.0 : -42
            return points((x, -6), (x, top), (x + 8, top), (x + 8, -16), (x + 11, -16))
        }
        let handle =
            curve(Point(-64, 0), Point(-10, 2), Point(30, -4)) + curve(Point(30, -4), Point(80, -10), Point(134, 4))
        return Portrait(
            Color(16, 122, 134), rounded(-142, -10, -60, 8, 8), tufts + points((-70, -6)), band(handle, 11),
            band(curve(Point(22, -3), Point(76, -9), Point(130, 4)), 19))
    }
}
