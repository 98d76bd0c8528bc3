// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

extension Portrait {
    /// Creates a cat's face that `haarcascade_frontalcatface_extended` detects. This cascade also checks the ears. The
    /// proportions were found by trials with the cascade, as for the human face.
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
            background: Medallion(center: Point(0, -23), halfAxes: Point(138, 151), color: .gray(176), softness: 4),
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
        face.pair(0, 20, 46, 24, 20, 1.79 * fur, soft: 4)
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
