internal import Imaging

extension Portrait {
    /// Somebody's portrait; the proportions are those of `human`, which cascades find.
    static func person(_ person: ScenePerson, _ expression: Expression) -> Portrait {
        let its = person.features
        let skin = its.skin * Color(1.08, 0.9, 0.77)
        let dark = 0.8 * Color(38, 32, 28)
        let (x, y) = (expression.turn, expression.nod)
        var face = Portrait(
            ground: Medallion(center: Point(0, 2), halfAxes: Point(138, 158), color: .gray(110), softness: 4),
            square: Square(center: Point(0, 9), side: 206),
            landmarks: FaceLandmarks(
                leftEye: Point(x - its.eyes, y - 14), rightEye: Point(x + its.eyes, y - 14),
                nose: Point(1.4 * x, 1.3 * y + 33), mouthLeft: Point(x - 1.65 * its.mouthWidth, y + 71),
                mouthRight: Point(x + 1.65 * its.mouthWidth, y + 71)))
        face.addHead(its, skin, expression)
        face.addEyes(its, skin, dark, expression)

        // Nose and mouth.
        face.ellipse(1.2 * x, 2 + y, its.noseWidth, its.noseLength, 1.11 * skin, soft: 4)
        for side in [-1.0, 1.0] {
            face.ellipse(1.4 * x + (its.noseWidth + 1) * side, 11 + its.noseLength + y, 4.5, 2.6, 0.5 * skin, soft: 1)
        }
        face.ellipse(1.4 * x, 45 + y, 15, 5, 0.82 * skin, soft: 4)
        let lips = Color(160, 86, 88)
        let (half, corner) = (0.75 * its.mouthWidth, 76 + y)
        for side in [-1.0, 1.0] {
            face.ellipse(
                x + half * side, corner + 3 * expression.open, its.mouthWidth, its.lips + 4 * expression.open, lips,
                soft: 2,
                angle: -expression.smile * side)
        }
        for side in [-1.0, 1.0] {
            face.ellipse(
                x + half * side, corner - 1 + 3 * expression.open, 0.92 * its.mouthWidth, 1.9 + 6 * expression.open,
                dark,
                soft: 0.6, angle: -(expression.smile + 2) * side)
        }
        if its.moustache > 0 {
            for side in [-1.0, 1.0] {
                face.ellipse(
                    x + 15 * side, 58 + y, 19, 5.5, 0.9 * its.hairColor, soft: 2, opacity: its.moustache,
                    angle: 14 * side)
            }
        }
        face.ellipse(x, 94 + y, 20, 5, 0.72 * skin, soft: 4, opacity: 0.7)
        if its.hair == .fringe { face.ellipse(0, -84, 66, 26, its.hairColor, soft: 2) }
        if expression.shade != 0 {
            let side = expression.shade < 0 ? -1.0 : 1.0
            face.ellipse(62 * side, 10, 44, 120, .gray(40), soft: 26, opacity: 0.4 * expression.shade.magnitude)
        }
        return face
    }

    /// Adds everything except what moves.
    private mutating func addHead(_ its: Features, _ skin: Color, _ expression: Expression) {
        let hair = its.hairColor
        switch its.hair {
        case .long: ellipse(0, -8, 113, 133, hair, soft: 3)
        case .fringe: ellipse(0, -14, 104, 126, hair, soft: 3)
        case .curls:
            for (x, y) in [(84.0, -20.0), (66, -76), (26, -106), (88, 34)] {
                for side in [-1.0, 1.0] { ellipse(x * side, y, 42, 42, hair, soft: 3) }
            }
        case .short, .parting: ellipse(0, -36, 97, 106, hair, soft: 3)
        case .bald:
            // What is left at the sides.
            for side in [-1.0, 1.0] { ellipse(0.88 * its.width * side, -18, 24, 44, hair, soft: 4) }
        }
        if its.hair != .long, its.hair != .fringe {
            for side in [-1.0, 1.0] {
                ellipse((its.width + 4) * side, 6, 13, 26, 0.86 * skin, soft: 2)
                ellipse((its.width + 5) * side, 6, 6, 16, 0.66 * skin, soft: 3)
            }
        }
        ellipse(0, 118, 36, 60, 0.75 * skin, soft: 4)
        ellipse(0, 184, 112, 50, its.shirt, soft: 3)
        ellipse(0, 6, its.width, its.height, skin, soft: 2.5)
        if its.beard > 0 {
            // A beard, and within it the skin around the mouth again.
            ellipse(0, 84, 0.8 * its.width, 46, hair, soft: 6, opacity: its.beard)
            ellipse(expression.turn, 42 + expression.nod, 0.55 * its.width, 42, skin, soft: 6)
        }
        if its.hair == .parting {
            ellipse(-34, -92, 62, 26, hair, soft: 3, angle: -24)
            ellipse(50, -90, 36, 20, hair, soft: 3, angle: 30)
        }
        ellipse(expression.turn, -40, 46, 24, 1.25 * skin, soft: 12, opacity: 0.7)
    }

    private mutating func addEyes(_ its: Features, _ skin: Color, _ dark: Color, _ expression: Expression) {
        let blush = Color(1.12 * skin.red, 1.02 * skin.green, 1.02 * skin.blue)
        let (middle, y) = (expression.turn, expression.nod)
        for side in [-1.0, 1.0] {
            let x = middle + its.eyes * side
            ellipse(x, y - 14, 23, 16, 0.52 * skin, soft: 7, opacity: 0.78)
            ellipse(
                x, y - 28 - its.eyeHeight + expression.brows, 22, its.browHeight, dark, soft: 1.5,
                angle: its.browTilt * side)
            ellipse(x, y - 14, 15, its.eyeHeight, .gray(238), soft: 0.6)
            ellipse(x + 0.3 * middle, y - 14, its.eyeHeight + 0.4, its.eyeHeight + 0.4, Color(30, 28, 26), soft: 0.5)
            ellipse(x + 3, y - 17.5, 1.7, 1.7, .gray(245))
            ellipse(x, y - 14 - its.eyeHeight, 16.5, 2.6, dark, soft: 0.6)
            ellipse(x + 7 * side, 30 + y, 20, 16, blush, soft: 9, opacity: 0.8)
            if its.freckles {
                for (dx, dy) in [(-8.0, 20.0), (2, 26), (11, 19), (-2, 34), (8, 33)] {
                    ellipse(x + dx * side, y + dy, 2.4, 2.2, 0.7 * skin, soft: 0.8)
                }
            }
        }
        guard its.glasses > 0 else { return }
        // Rings, as short pieces, and a bridge.
        for side in [-1.0, 1.0] {
            let x = middle + its.eyes * side
            for step in 0..<24 {
                let (sine, cosine) = sineAndCosine(degrees: Double(step) * 15)
                ellipse(
                    x + 27 * cosine, y - 13 + 20 * sine, 4.2, 1.7, .gray(36), soft: 0.5, opacity: its.glasses,
                    angle: Double(step) * 15 + 90)
            }
        }
        ellipse(middle, y - 16, its.eyes - 26, 1.7, .gray(36), soft: 0.5, opacity: its.glasses)
    }
}
