internal import Imaging

// The proportions were found by a search for shapes that OpenCV's cascades accept on plain grey, and measured again with
// the variations here: see the scene's tests.

extension Portrait {
    /// A human face, as `haarcascade_frontalface_alt` wants it: a dark band of the eyes under a bright forehead.
    static func human(_ random: inout SeededRandom) -> Portrait {
        let skin = random.between(165, 195) * Color(random.between(1.04, 1.12), 0.9, random.between(0.72, 0.82))
        let hair = random.pick([
            Color(41, 34, 27), Color(28, 26, 28), Color(66, 44, 28), Color(84, 48, 26), Color(70, 68, 68),
        ])
        let dark = 0.8 * random.pick([Color(41, 34, 27), Color(36, 30, 30)])
        let iris = random.pick([Color(30, 30, 30), Color(38, 28, 20), Color(22, 32, 40)])
        let blush = Color(1.12 * skin.red, 1.02 * skin.green, 1.02 * skin.blue)
        let shirt = random.pick([
            Color(70, 90, 130), Color(120, 60, 60), Color(70, 110, 90), Color(90, 90, 100), Color(150, 120, 70),
        ])
        let isLong = random.between(0, 1) < 0.5
        let lips = random.between(0.9, 1.1) * Color(160, random.between(80, 92), 88)

        var face = Portrait(
            ground: Medallion(center: Point(0, 2), halfAxes: Point(138, 158), color: .gray(176), softness: 4),
            square: Square(center: Point(0, 9), side: 206),
            landmarks: FaceLandmarks(
                leftEye: Point(-36, -14), rightEye: Point(36, -14), nose: Point(0, 33), mouthLeft: Point(-33, 71),
                mouthRight: Point(33, 71)))
        if isLong {
            face.ellipse(0, -8, 113, 133, hair, soft: 3)
        } else {
            face.ellipse(0, -36, 97, 106, hair, soft: 3)
            for side in [-1.0, 1.0] {
                face.ellipse(80 * side, 6, 13, 26, 0.86 * skin, soft: 2)
                face.ellipse(81 * side, 6, 6, 16, 0.66 * skin, soft: 3)
            }
        }
        face.ellipse(0, 118, 36, 60, 0.75 * skin, soft: 4)
        face.ellipse(0, 184, 112, 50, shirt, soft: 3)
        face.ellipse(0, 6, 76, 121, skin, soft: 2.5)
        face.ellipse(0, -40, 46, 24, 1.25 * skin, soft: 12, opacity: 0.7)
        for side in [-1.0, 1.0] {
            face.ellipse(36 * side, -14, 23, 16, 0.52 * skin, soft: 7, opacity: 0.78)
            face.ellipse(36 * side, -35, 22, 3.5, dark, soft: 1.5, angle: 2 * side)
            face.ellipse(36 * side, -14, 15, 7, .gray(238), soft: 0.6)
            face.ellipse(36 * side, -14, 7.4, 7.4, iris, soft: 0.5)
            face.ellipse(36 * side + 3, -17.5, 1.7, 1.7, .gray(245))
            face.ellipse(36 * side, -21, 16.5, 2.6, dark, soft: 0.6)
            face.ellipse(43 * side, 30, 20, 16, blush, soft: 9, opacity: 0.8)
        }
        face.ellipse(0, 2, 8, 27, 1.11 * skin, soft: 4)
        for side in [-1.0, 1.0] { face.ellipse(9 * side, 38, 4.5, 2.6, 0.5 * skin, soft: 1) }
        face.ellipse(0, 45, 15, 5, 0.82 * skin, soft: 4)
        // A smile: both halves of the mouth turned up.
        for side in [-1.0, 1.0] { face.ellipse(15 * side, 76, 20, 9.5, lips, soft: 2, angle: -10 * side) }
        for side in [-1.0, 1.0] { face.ellipse(15 * side, 75, 18.5, 1.9, dark, soft: 0.6, angle: -12 * side) }
        face.ellipse(0, 94, 20, 5, 0.72 * skin, soft: 4, opacity: 0.7)
        return face
    }

    /// A cat's face, as `haarcascade_frontalcatface_extended` wants it, which looks at the ears, too.
    static func cat(_ random: inout SeededRandom) -> Portrait {
        let fur =
            random.between(126, 144)
            * random.pick([
                Color(1.1, 1, 0.88), Color(1.02, 1, 0.98), Color(1.06, 1, 0.8), Color(1.22, 0.97, 0.72),
                Color(1.14, 1, 0.8),
            ])
        let iris = random.pick([Color(152, 152, 91), Color(140, 158, 88), Color(168, 148, 84)])
        let inside = Color(175, 130, 120)
        let dark = Color(33, 28, 28)

        var face = Portrait(
            ground: Medallion(center: Point(0, -23), halfAxes: Point(138, 151), color: .gray(176), softness: 4),
            square: Square(center: Point(0, 8), side: 198),
            landmarks: FaceLandmarks(
                leftEye: Point(-40, -10), rightEye: Point(40, -10), nose: Point(0, 33), mouthLeft: Point(-25, 58),
                mouthRight: Point(25, 58)))
        for side in [-1.0, 1.0] {
            let ear = [Point(18 * side, -64), Point(78 * side, -28), Point(60 * side, -156)]
            face.polygon(ear, 0.76 * fur, soft: 1.5)
            let middle = Point(52 * side, -248.0 / 3)
            let inner = ear.map { Point(middle.x + 0.59 * ($0.x - middle.x), middle.y + 0.59 * ($0.y - middle.y)) }
            face.polygon(inner, inside, soft: 1.5)
        }
        face.ellipse(0, 0, 106, 114, fur, soft: 3)
        face.ellipse(0, -40, 10, 30, 0.67 * fur, soft: 3, opacity: 0.8)
        for side in [-1.0, 1.0] {
            face.ellipse(18 * side, -48, 4, 20, 0.57 * fur, soft: 1.5, angle: 10 * side)
            face.ellipse(42 * side, -10, 25, 16, 0.53 * fur, soft: 3, angle: -16 * side)
            face.ellipse(42 * side, -10, 21, 13.6, iris, soft: 1.2, angle: -16 * side)
            face.ellipse(40 * side, -10, 8, 14, .gray(10))
            face.ellipse(40 * side + 3, -16, 3, 3, .gray(255))
        }
        for side in [-1.0, 1.0] { face.ellipse(20 * side, 46, 24, 20, 1.79 * fur, soft: 4) }
        face.ellipse(0, 12, 13, 30, 1.33 * fur, soft: 6, opacity: 0.8)
        face.ellipse(0, 60, 18, 10, 1.42 * fur, soft: 4)
        face.ellipse(0, 33, 12, 10, Color(162, 108, 108))
        face.ellipse(0, 49, 1.5, 10, dark)
        for side in [-1.0, 1.0] {
            face.ellipse(6 * side, 36, 3, 2, dark)
            face.ellipse(13 * side, 55, 13, 3, dark, angle: -12 * side)
            for hair in [-1.0, 0, 1] {
                let (inner, outer) = (Point(34 * side, 46 + 5 * hair), Point(96 * side, 42 + 15 * hair))
                face.polygon(
                    [Point(inner.x, inner.y - 1.1), outer, Point(inner.x, inner.y + 1.1)], .gray(240), soft: 0.5,
                    opacity: 0.8)
            }
        }
        return face
    }
}
