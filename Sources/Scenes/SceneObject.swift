internal import Drawing
package import Imaging

/// A thing on the paper of the scene `coins`.
package enum SceneObject: CaseIterable, Sendable {
    case silverCoin, goldCoin, copperCoin, ringedCoin, spottedBean, brownBean

    /// Name for users.
    package var label: String {
        switch self {
        case .silverCoin: "silver coin"
        case .goldCoin: "gold coin"
        case .copperCoin: "copper coin"
        case .ringedCoin: "ringed coin"
        case .spottedBean: "spotted bean"
        case .brownBean: "brown bean"
        }
    }

    /// 1 for the first one, and so on.
    package var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }

    /// Fills a frame with a picture of it alone on paper, to learn from.
    /// - Parameter tilt: degrees clockwise.
    package func draw(on frame: FrameImage, tilt: Double = 0) {
        Paper.draw(on: frame)
        let portrait = Portrait.object(self, tilt: tilt)
        // It takes 0.7 of the shorter side.
        let scale = 0.35 * Double(min(frame.width, frame.height)) / max(portrait.ground.halfAxes.x, 1)
        let sprite = Sprite(portrait, scale: scale, tilt: tilt)
        sprite.draw(on: frame, x: (frame.width - sprite.width) / 2, y: (frame.height - sprite.height) / 2)
    }
}

/// A sheet of paper under a light from above.
enum Paper {
    static func draw(on frame: FrameImage) {
        let bands = min(frame.height, 96)
        for band in 0..<max(0, bands) {
            let (top, bottom) = (band * frame.height / bands, (band + 1) * frame.height / bands)
            let color = (1 - 0.16 * Double(band) / Double(bands)) * Color(240, 236, 228)
            frame.fill(Rectangle(y: top, width: frame.width, height: bottom - top), color: color)
        }
    }
}

// MARK: - Portraits

extension Portrait {
    /// A coin or a bean. The engraving catches the same light from the upper left in any turn.
    static func object(_ object: SceneObject, tilt: Double) -> Portrait {
        switch object {
        case .silverCoin:
            var coin = Portrait(coinOf: Color(142, 144, 150), tilt: tilt)
            coin.engrave(star(points: 5, outer: 62, inner: 26), Color(150, 152, 158), tilt: tilt)
            for i in 0..<5 {
                let place = turned(Point(0, 74), by: 36 + 72 * Double(i))
                coin.engrave(disc(place, 7), Color(150, 152, 158), tilt: tilt)
            }
            return coin
        case .goldCoin:
            var coin = Portrait(coinOf: Color(190, 148, 62), tilt: tilt)
            let crown = [
                Point(-62, 40), Point(-70, -34), Point(-38, 2), Point(-26, -52), Point(0, -6), Point(26, -52),
                Point(38, 2), Point(70, -34), Point(62, 40),
            ]
            coin.engrave(crown, Color(198, 158, 72), tilt: tilt)
            coin.engrave(
                [Point(-60, 52), Point(60, 52), Point(56, 70), Point(-56, 70)], Color(198, 158, 72), tilt: tilt)
            for x in [-70.0, -26, 26, 70] {
                coin.engrave(disc(Point(x, abs(x) > 50 ? -42 : -62), 8), Color(204, 166, 80), tilt: tilt)
            }
            return coin
        case .copperCoin:
            var coin = Portrait(coinOf: Color(168, 96, 64), tilt: tilt)
            // A tree with its roots.
            for (y, width) in [(-66.0, 26.0), (-36, 44), (-4, 60)] {
                coin.engrave(
                    [Point(0, y - 22), Point(width, y + 30), Point(-width, y + 30)], Color(178, 106, 72), tilt: tilt)
            }
            coin.engrave([Point(-9, 26), Point(9, 26), Point(14, 74), Point(-14, 74)], Color(178, 106, 72), tilt: tilt)
            coin.engrave(
                [Point(-66, 66), Point(-22, 58), Point(-26, 76), Point(-60, 78)], Color(178, 106, 72), tilt: tilt)
            return coin
        case .ringedCoin:
            var coin = Portrait(coinOf: Color(150, 152, 158), tilt: tilt)
            coin.ellipse(0, 0, 84, 84, Color(104, 86, 44), soft: 2)
            coin.ellipse(0, 0, 82, 82, Color(186, 146, 70), soft: 1)
            // A fish.
            coin.engrave(
                disc(Point(-10, 0), 46).map { Point($0.x, 0.55 * $0.y) }, Color(196, 158, 82), tilt: tilt)
            coin.engrave([Point(28, 0), Point(66, -30), Point(56, 0), Point(66, 30)], Color(196, 158, 82), tilt: tilt)
            coin.engrave(disc(Point(-34, -6), 5), Color(120, 92, 40), tilt: tilt)
            coin.engrave([Point(-16, -24), Point(10, -44), Point(14, -20)], Color(196, 158, 82), tilt: tilt)
            return coin
        case .spottedBean:
            var bean = Portrait(beanOf: Color(216, 184, 138), tilt: tilt)
            let brown = Color(112, 70, 36)
            for (x, y, width, height, angle) in [
                (-70.0, -20.0, 30.0, 10.0, -30.0), (-30, -46, 42, 9, 8), (36, -40, 20, 8, 24), (74, 6, 16, 9, 60),
                (-84, 22, 12, 9, 0), (-8, 12, 14, 9, -40), (34, 30, 22, 7, -16), (-44, 42, 18, 8, 20),
                (6, -16, 9, 6, 0),
                (98, -18, 9, 7, 30),
            ] {
                bean.ellipse(x, y, width, height, brown, soft: 2, angle: angle)
            }
            bean.shine(tilt: tilt)
            return bean
        case .brownBean:
            var bean = Portrait(beanOf: Color(138, 66, 40), tilt: tilt)
            let dark = Color(66, 22, 20)
            for (x, y, width, height, angle) in [
                (-40.0, -34.0, 70.0, 8.0, -8.0), (52, -24, 44, 7, 16), (-76, 16, 34, 9, 40), (20, 40, 60, 8, -6),
                (84, 20, 14, 8, -50), (-14, 8, 16, 5, 10), (30, 4, 10, 5, -20),
            ] {
                bean.ellipse(x, y, width, height, dark, soft: 3, angle: angle)
            }
            bean.shine(tilt: tilt)
            return bean
        }
    }

    /// A disc with a raised rim and beads inside of it.
    private init(coinOf metal: Color, tilt: Double) {
        self.init(ground: Medallion(center: Point(0, 0), halfAxes: Point(126, 126), color: metal, softness: 0.8))
        engrave(Self.disc(Point(0, 0), 122), 1.04 * metal, tilt: tilt)
        engrave(Self.disc(Point(0, 0), 112), metal, tilt: tilt + 180)
        for i in 0..<36 {
            engrave(
                Self.disc(Self.turned(Point(0, 102), by: 10 * Double(i)), 3.4, corners: 8), 1.1 * metal, depth: 1.6,
                tilt: tilt)
        }
    }

    /// An oval that is darker towards its edge.
    private init(beanOf skin: Color, tilt: Double) {
        self.init(ground: Medallion(center: Point(0, 0), halfAxes: Point(130, 82), color: 0.72 * skin, softness: 0.8))
        let light = Self.light(tilt: tilt)
        ellipse(6 * light.x, 6 * light.y, 112, 66, skin, soft: 12)
    }

    private mutating func shine(tilt: Double) {
        let light = Self.light(tilt: tilt)
        ellipse(34 * light.x, 26 * light.y, 34, 15, .gray(255), soft: 10, opacity: 0.35)
    }

    /// A shape that stands out: bright where it faces the light, dark where it does not.
    private mutating func engrave(_ shape: [Point], _ metal: Color, depth: Double = 3, tilt: Double) {
        let light = Self.light(tilt: tilt)
        func moved(_ distance: Double) -> [Point] {
            shape.map { Point($0.x + distance * light.x, $0.y + distance * light.y) }
        }
        polygon(moved(depth), 1.32 * metal, soft: 0.8)
        polygon(moved(-depth), 0.58 * metal, soft: 0.8)
        polygon(shape, metal, soft: 0.8)
    }

    /// Towards the light, before the portrait is tilted.
    private static func light(tilt: Double) -> Point { turned(Point(-0.7, -0.7), by: -tilt) }

    private static func turned(_ point: Point, by degrees: Double) -> Point {
        PortraitPlacement(origin: Point(0, 0), scale: 1, tilt: degrees).pixel(point)
    }

    private static func disc(_ center: Point, _ radius: Double, corners: Int = 32) -> [Point] {
        (0..<corners).map { corner in
            let edge = turned(Point(radius, 0), by: 360 * Double(corner) / Double(corners))
            return Point(center.x + edge.x, center.y + edge.y)
        }
    }

    private static func star(points: Int, outer: Double, inner: Double) -> [Point] {
        (0..<2 * points).map { corner in
            turned(Point(0, corner % 2 == 0 ? -outer : -inner), by: 180 * Double(corner) / Double(points))
        }
    }
}
