// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

// The proportions of this face were found by trials: OpenCV's cascades detect the face on a plain grey background. The
// tests check that the cascades detect all variations of the face.

extension Portrait {
    /// Creates a human face that `haarcascade_frontalface_alt` detects. This cascade needs dark eyes below a bright
    /// forehead.
    static func human(_ random: inout SeededRandom) -> Portrait {
        var its = Features()
        its.skin = random.between(165, 195)
        its.complexion = Color(random.between(1.04, 1.12), 0.9, random.between(0.72, 0.82))
        its.hairColor = random.pick([
            Color(41, 34, 27), Color(28, 26, 28), Color(66, 44, 28), Color(84, 48, 26), Color(70, 68, 68),
        ])
        its.dark = 0.8 * random.pick([Color(41, 34, 27), Color(36, 30, 30)])
        its.iris = random.pick([Color(30, 30, 30), Color(38, 28, 20), Color(22, 32, 40)])
        its.shirt = random.pick([
            Color(70, 90, 130), Color(120, 60, 60), Color(70, 110, 90), Color(90, 90, 100), Color(150, 120, 70),
        ])
        its.hair = random.between(0, 1) < 0.5 ? .long : .short
        its.lipColor = random.between(0.9, 1.1) * Color(160, random.between(80, 92), 88)
        its.mouthLine = 0.925
        return Portrait(of: its, Expression(), background: .gray(176))
    }

    static func person(_ person: ScenePerson, _ expression: Expression) -> Portrait {
        Portrait(of: person.features, expression, background: .gray(110))
    }

    /// - Parameter background: colour of the ellipse behind the head; nil for no ellipse.
    init(of its: Features, _ expression: Expression, background: Color?) {
        let (x, y) = (expression.turn, expression.nod)
        self.init(
            background: background.map {
                Medallion(center: Point(0, 2), halfAxes: Point(138, 158), color: $0, softness: 4)
            },
            square: Square(center: Point(0, 9), side: 206),
            landmarks: FaceLandmarks(
                leftEye: Point(x - its.eyes, y - 14), rightEye: Point(x + its.eyes, y - 14),
                nose: Point(1.4 * x, 1.3 * y + 33), mouthLeft: Point(x - 1.65 * its.mouthWidth, y + 71),
                mouthRight: Point(x + 1.65 * its.mouthWidth, y + 71)))
        let skin = its.skin * its.complexion
        addHead(its, skin, expression)
        addEyes(its, skin, expression)

        // Draw the nose and the mouth.
        ellipse(1.2 * x, 2 + y, its.noseWidth, its.noseLength, 1.11 * skin, soft: 4)
        pair(1.4 * x, its.noseWidth + 1, 11 + its.noseLength + y, 4.5, 2.6, 0.5 * skin, soft: 1)
        ellipse(1.4 * x, 45 + y, 15, 5, 0.82 * skin, soft: 4)
        let (open, smile) = (expression.open, expression.smile)
        let (half, corner) = (0.75 * its.mouthWidth, 76 + y)
        pair(x, half, corner + 3 * open, its.mouthWidth, its.lips + 4 * open, its.lipColor, soft: 2, angle: -smile)
        pair(
            x, half, corner - 1 + 3 * open, its.mouthLine * its.mouthWidth, 1.9 + 6 * open, its.dark, soft: 0.6,
            angle: -(smile + 2))
        if its.moustache > 0 {
            pair(x, 15, 58 + y, 19, 5.5, 0.9 * its.hairColor, soft: 2, opacity: its.moustache, angle: 14)
        }
        ellipse(x, 94 + y, 20, 5, 0.72 * skin, soft: 4, opacity: 0.7)
        if its.hair == .fringe { ellipse(0, -84, 66, 26, its.hairColor, soft: 2) }
        if expression.shade != 0 {
            let side = expression.shade < 0 ? -1.0 : 1.0
            ellipse(62 * side, 10, 44, 120, .gray(40), soft: 26, opacity: 0.4 * expression.shade.magnitude)
        }
    }

    /// Adds the parts of the head that do not move if the face turns.
    private mutating func addHead(_ its: Features, _ skin: Color, _ expression: Expression) {
        let (hair, edge) = (its.hairColor, its.edge)
        switch its.hair {
        case .long: ellipse(0, -8, 113, 133, hair, soft: 3 * edge)
        case .fringe: ellipse(0, -14, 104, 126, hair, soft: 3 * edge)
        case .curls:
            for (x, y) in [(84.0, -20.0), (66, -76), (26, -106), (88, 34)] {
                pair(0, x, y, 42, 42, hair, soft: 3 * edge)
            }
        case .short, .parting: ellipse(0, -36, 97, 106, hair, soft: 3 * edge)
        case .bald:
            // Draw the hair at the sides of a bald head.
            pair(0, 0.88 * its.width, -18, 24, 44, hair, soft: 4 * edge)
        }
        if its.hair != .long, its.hair != .fringe {
            for side in [-1.0, 1.0] {
                ellipse((its.width + 4) * side, 6, 13, 26, 0.86 * skin, soft: 2 * edge)
                ellipse((its.width + 5) * side, 6, 6, 16, 0.66 * skin, soft: 3)
            }
        }
        ellipse(0, 118, 36, 60, 0.75 * skin, soft: 4 * edge)
        ellipse(0, 184, 112, 50, its.shirt, soft: 3 * edge)
        ellipse(0, 6, its.width, its.height, skin, soft: 2.5)
        if its.beard > 0 {
            // Draw the beard first, and then the skin around the mouth, which covers a part of the beard.
            ellipse(0, 84, 0.8 * its.width, 46, hair, soft: 6, opacity: its.beard)
            ellipse(expression.turn, 42 + expression.nod, 0.55 * its.width, 42, skin, soft: 6)
        }
        if its.hair == .parting {
            ellipse(-34, -92, 62, 26, hair, soft: 3, angle: -24)
            ellipse(50, -90, 36, 20, hair, soft: 3, angle: 30)
        }
        ellipse(expression.turn, -40, 46, 24, 1.25 * skin, soft: 12, opacity: 0.7)
    }

    private mutating func addEyes(_ its: Features, _ skin: Color, _ expression: Expression) {
        let blush = Color(1.12 * skin.red, 1.02 * skin.green, 1.02 * skin.blue)
        let (middle, y) = (expression.turn, expression.nod)
        for side in [-1.0, 1.0] {
            let x = middle + its.eyes * side
            ellipse(x, y - 14, 23, 16, 0.52 * skin, soft: 7, opacity: 0.78)
            ellipse(
                x, y - 28 - its.eyeHeight + expression.brows, 22, its.browHeight, its.dark, soft: 1.5,
                angle: its.browTilt * side)
            ellipse(x, y - 14, 15, its.eyeHeight, .gray(238), soft: 0.6)
            ellipse(x + 0.3 * middle, y - 14, its.eyeHeight + 0.4, its.eyeHeight + 0.4, its.iris, soft: 0.5)
            ellipse(x + 3, y - 17.5, 1.7, 1.7, .gray(245))
            ellipse(x, y - 14 - its.eyeHeight, 16.5, 2.6, its.dark, soft: 0.6)
            ellipse(x + 7 * side, 30 + y, 20, 16, blush, soft: 9, opacity: 0.8)
            if its.freckles {
                for (dx, dy) in [(-8.0, 20.0), (2, 26), (11, 19), (-2, 34), (8, 33)] {
                    ellipse(x + dx * side, y + dy, 2.4, 2.2, 0.7 * skin, soft: 0.8)
                }
            }
        }
        guard its.glasses > 0 else { return }
        // Each lens of the glasses is a ring of short pieces. A bridge connects the rings.
        for side in [-1.0, 1.0] {
            for (step, point) in arc(Point(middle + its.eyes * side, y - 13), 27, 20, steps: 24).dropLast().enumerated()
            {
                ellipse(
                    point.x, point.y, 4.2, 1.7, .gray(36), soft: 0.5, opacity: its.glasses,
                    angle: Double(step) * 15 + 90)
            }
        }
        ellipse(middle, y - 16, its.eyes - 26, 1.7, .gray(36), soft: 0.5, opacity: its.glasses)
    }
}
