// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Drawing
package import Imaging

/// An object on the paper of the scenes `coins` and `things`.
package enum SceneObject: String, CaseIterable, Sendable {
    case silverCoin = "silver coin"
    case goldCoin = "gold coin"
    case copperCoin = "copper coin"
    case ringedCoin = "ringed coin"
    case spottedBean = "spotted bean"
    case brownBean = "brown bean"
    case key, spanner, spoon, nut, screw, heart, toothbrush, domino, biscuit, pencil
    case coatHanger = "coat hanger"
    case paperClip = "paper clip"
    case puzzlePiece = "puzzle piece"
    case redPeg = "red peg"
    case bluePeg = "blue peg"
    case blueButton = "blue button"
    case yellowButton = "yellow button"
    case playingCard = "playing card"
    case postageStamp = "postage stamp"
    case toyCar = "toy car"

    /// The objects of the scene `coins`.
    package static let coins: [SceneObject] = [
        .silverCoin, .goldCoin, .copperCoin, .ringedCoin, .spottedBean, .brownBean,
    ]

    /// The objects of the scene `things`.
    package static let things = allCases.filter { !coins.contains($0) }

    /// The name that users see.
    package var label: String { rawValue }

    /// Number of the object in its scene, starting at 1.
    package var number: Int { ((Self.coins.firstIndex(of: self) ?? Self.things.firstIndex(of: self)) ?? 0) + 1 }

    /// Fills a frame with the object on paper, as a training image.
    /// - Parameter tilt: clockwise rotation in degrees.
    package func draw(on frame: FrameImage, tilt: Double = 0) {
        Paper.draw(on: frame)
        let portrait = Portrait.object(self, tilt: tilt)
        let side = Double(min(frame.width, frame.height))
        let scale: Double
        if let background = portrait.background {
            // The width of the coin or bean is 70 % of the frame's shorter side.
            scale = 0.35 * side / max(background.halfAxes.x, 1)
        } else {
            // No point of an object is more than 165 units from its centre. So the object covers at most 91 % of the
            // frame's shorter side, which leaves space for a shadow.
            scale = 0.455 * side / 165
        }
        let sprite = Sprite(portrait, scale: scale, tilt: tilt)
        sprite.draw(on: frame, x: (frame.width - sprite.width) / 2, y: (frame.height - sprite.height) / 2)
    }
}

// MARK: - Portraits

extension Portrait {
    /// Creates the portrait of an object.
    /// - Parameter tilt: the clockwise rotation that the caller will apply, in degrees. The portrait considers this
    ///   rotation, so that the light on the rotated object comes from the upper left.
    static func object(_ object: SceneObject, tilt: Double) -> Portrait {
        switch object {
        case .key: return .key
        case .spanner: return .spanner
        case .spoon: return .spoon
        case .nut: return .nut
        case .screw: return .screw
        case .heart: return .heart
        case .toothbrush: return .toothbrush
        case .domino: return .domino
        case .biscuit: return .biscuit
        case .pencil: return .pencil
        case .coatHanger: return .coatHanger
        case .paperClip: return .paperClip
        case .puzzlePiece: return .puzzlePiece
        case .redPeg: return .peg(Color(190, 38, 42))
        case .bluePeg: return .peg(Color(40, 84, 176))
        case .blueButton: return .button(Color(46, 92, 168))
        case .yellowButton: return .button(Color(214, 164, 34))
        case .playingCard: return .playingCard
        case .postageStamp: return .postageStamp
        case .toyCar: return .toyCar
        case .silverCoin:
            var coin = Relief(coinOf: Color(142, 144, 150), engraved: Color(150, 152, 158), tilt: tilt)
            coin.engrave(star(points: 5, outer: 62, inner: 26))
            for i in 0..<5 { coin.engrave(disc(turned(Point(0, 74), by: 36 + 72 * Double(i)), 7)) }
            return coin.portrait
        case .goldCoin:
            var coin = Relief(coinOf: Color(190, 148, 62), engraved: Color(198, 158, 72), tilt: tilt)
            // The motif is a crown.
            coin.engrave([
                Point(-62, 40), Point(-70, -34), Point(-38, 2), Point(-26, -52), Point(0, -6), Point(26, -52),
                Point(38, 2), Point(70, -34), Point(62, 40),
            ])
            coin.engrave([Point(-60, 52), Point(60, 52), Point(56, 70), Point(-56, 70)])
            for x in [-70.0, -26, 26, 70] {
                coin.engrave(disc(Point(x, abs(x) > 50 ? -42 : -62), 8), Color(204, 166, 80))
            }
            return coin.portrait
        case .copperCoin:
            var coin = Relief(coinOf: Color(168, 96, 64), engraved: Color(178, 106, 72), tilt: tilt)
            // The motif is a tree with roots.
            for (y, width) in [(-66.0, 26.0), (-36, 44), (-4, 60)] {
                coin.engrave([Point(0, y - 22), Point(width, y + 30), Point(-width, y + 30)])
            }
            coin.engrave([Point(-9, 26), Point(9, 26), Point(14, 74), Point(-14, 74)])
            coin.engrave([Point(-66, 66), Point(-22, 58), Point(-26, 76), Point(-60, 78)])
            return coin.portrait
        case .ringedCoin:
            var coin = Relief(coinOf: Color(150, 152, 158), engraved: Color(196, 158, 82), tilt: tilt)
            coin.portrait.ellipse(0, 0, 84, 84, Color(104, 86, 44), soft: 2)
            coin.portrait.ellipse(0, 0, 82, 82, Color(186, 146, 70), soft: 1)
            // The motif is a fish.
            coin.engrave(disc(Point(-10, 0), 46).map { Point($0.x, 0.55 * $0.y) })
            coin.engrave([Point(28, 0), Point(66, -30), Point(56, 0), Point(66, 30)])
            coin.engrave(disc(Point(-34, -6), 5), Color(120, 92, 40))
            coin.engrave([Point(-16, -24), Point(10, -44), Point(14, -20)])
            return coin.portrait
        case .spottedBean:
            var bean = Relief(beanOf: Color(216, 184, 138), tilt: tilt)
            bean.spot(
                [
                    (-70, -20, 30, 10, -30), (-30, -46, 42, 9, 8), (36, -40, 20, 8, 24), (74, 6, 16, 9, 60),
                    (-84, 22, 12, 9, 0), (-8, 12, 14, 9, -40), (34, 30, 22, 7, -16), (-44, 42, 18, 8, 20),
                    (6, -16, 9, 6, 0), (98, -18, 9, 7, 30),
                ], Color(112, 70, 36), soft: 2)
            return bean.portrait
        case .brownBean:
            var bean = Relief(beanOf: Color(138, 66, 40), tilt: tilt)
            bean.spot(
                [
                    (-40, -34, 70, 8, -8), (52, -24, 44, 7, 16), (-76, 16, 34, 9, 40), (20, 40, 60, 8, -6),
                    (84, 20, 14, 8, -50), (-14, 8, 16, 5, 10), (30, 4, 10, 5, -20),
                ], Color(66, 22, 20), soft: 3)
            return bean.portrait
        }
    }
}

/// A portrait with raised shapes. The light comes from the upper left, even if a caller rotates the portrait.
private struct Relief {
    var portrait: Portrait
    private let engraved: Color
    private let tilt: Double

    /// Creates a coin: a disc with a raised rim and a ring of raised dots.
    /// - Parameter engraved: the default colour of the shapes that `engrave` adds, such as the motif.
    init(coinOf metal: Color, engraved: Color, tilt: Double) {
        portrait = Portrait(
            background: Portrait.Medallion(center: Point(0, 0), halfAxes: Point(126, 126), color: metal, softness: 0.8))
        (self.engraved, self.tilt) = (engraved, tilt)
        engrave(disc(Point(0, 0), 122), 1.04 * metal)
        engrave(disc(Point(0, 0), 112), metal, turned: 180)
        for i in 0..<36 {
            engrave(disc(turned(Point(0, 102), by: 10 * Double(i)), 3.4, corners: 8), 1.1 * metal, depth: 1.6)
        }
    }

    /// Creates a bean: an oval that is darker near its edge.
    init(beanOf skin: Color, tilt: Double) {
        portrait = Portrait(
            background: Portrait.Medallion(
                center: Point(0, 0), halfAxes: Point(130, 82), color: 0.72 * skin, softness: 0.8)
        )
        (engraved, self.tilt) = (skin, tilt)
        let light = light()
        portrait.ellipse(6 * light.x, 6 * light.y, 112, 66, skin, soft: 12)
    }

    /// Adds spots to the bean, and then a reflection of the light.
    mutating func spot(
        _ spots: [(x: Double, y: Double, width: Double, height: Double, angle: Double)], _ color: Color, soft: Double
    ) {
        for spot in spots {
            portrait.ellipse(spot.x, spot.y, spot.width, spot.height, color, soft: soft, angle: spot.angle)
        }
        let light = light()
        portrait.ellipse(34 * light.x, 26 * light.y, 34, 15, .gray(255), soft: 10, opacity: 0.35)
    }

    /// Adds a shape that looks raised: its edge is bright on the side towards the light, and dark on the opposite side.
    /// - Parameters:
    ///   - depth: width of the bright and the dark edge, in units.
    ///   - angle: rotation of the light in degrees. With 180, the shape looks recessed.
    mutating func engrave(_ shape: [Point], _ color: Color? = nil, depth: Double = 3, turned angle: Double = 0) {
        let (light, color) = (light(turned: angle), color ?? engraved)
        func moved(_ distance: Double) -> [Point] {
            shape.map { Point($0.x + distance * light.x, $0.y + distance * light.y) }
        }
        portrait.polygon(moved(depth), 1.32 * color, soft: 0.8)
        portrait.polygon(moved(-depth), 0.58 * color, soft: 0.8)
        portrait.polygon(shape, color, soft: 0.8)
    }

    /// Returns the direction towards the light, in coordinates of the portrait before the caller rotates it.
    private func light(turned angle: Double = 0) -> Point {
        turned(Point(-0.7, -0.7), by: -(tilt + angle))
    }
}

private func turned(_ point: Point, by degrees: Double) -> Point {
    PortraitPlacement(origin: Point(0, 0), scale: 1, tilt: degrees).pixel(point)
}

private func disc(_ center: Point, _ radius: Double, corners: Int = 32) -> [Point] {
    arc(center, radius, steps: corners).dropLast()
}

private func star(points: Int, outer: Double, inner: Double) -> [Point] {
    (0..<2 * points).map { corner in
        turned(Point(0, corner % 2 == 0 ? -outer : -inner), by: 180 * Double(corner) / Double(points))
    }
}
